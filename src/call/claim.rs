//! Which operator has the call, and what that operator puts right by hand: mode, script, data (E8, E13, E15).
use super::{Call, Output};
use crate::capture::Field;
use crate::event::{Kind, News};
use crate::ids::AgentId;
use crate::script::Step;
use crate::suggestion::{Gone, Mode, Wanted};
use serde_json::json;

impl Call {
    /// Whoever comes first has the call; whoever comes second is told who that is.
    pub(super) fn claimed(&mut self, agent: AgentId) {
        match self.agent {
            Some(_) => self.tell_claim(),
            None => self.taken_by(agent),
        }
    }

    pub(super) fn taken_over(&mut self, agent: AgentId) {
        if self.agent.as_ref() == Some(&agent) {
            return self.tell_claim();
        }
        self.taken_by(agent);
    }

    fn taken_by(&mut self, agent: AgentId) {
        let from = self.agent.replace(agent.clone());
        self.copilot.mode = Mode::default(); // each operator has a mode of their own
        self.tell_claim();
        self.record(Kind::CallClaimed, json!({ "from": from }));
        self.hand_to(&agent);
        self.outbox.push_back(Output::Remember);
    }

    /// Nobody has the call any more: nothing is suggested to anybody (E8).
    pub(super) fn released(&mut self, agent: &AgentId) {
        if self.agent.as_ref() != Some(agent) {
            return self.tell_claim(); // it is somebody else's by now
        }
        if self.spec.profile.suggests {
            self.clear(Gone::Released);
        }
        self.record(Kind::CallReleased, json!({}));
        self.agent = None;
        self.copilot.mode = Mode::default();
        self.tell_claim();
        self.outbox.push_back(Output::Remember);
    }

    pub(super) fn tell_claim(&mut self) {
        self.tell(News::Claimed { by: self.agent.clone(), mode: self.copilot.mode });
    }

    pub(super) fn mode(&mut self, mode: Mode) {
        if self.agent.is_some() && self.copilot.mode != mode {
            self.copilot.mode = mode;
            self.tell_claim();
            self.outbox.push_back(Output::Remember);
        }
    }

    pub(super) fn correct_step(&mut self, step: Step) {
        if self.spec.profile.suggests {
            self.with_script(|script| script.correct(step));
        }
    }

    /// A value that is refused changes nothing, and the desk is told what holds.
    pub(super) fn datum_typed(&mut self, field: Field, value: &str) {
        if !self.spec.profile.suggests {
            return;
        }
        if self.copilot.captured.typed(field, value).is_ok() {
            self.known_by_hand(field);
        }
        self.tell_captured();
    }

    pub(super) fn datum_vouched(&mut self, field: Field) {
        if self.copilot.captured.confirm(field) {
            self.known_by_hand(field);
            self.tell_captured();
        }
    }

    /// Nothing asks the patient for it any more.
    fn known_by_hand(&mut self, field: Field) {
        let (wanted, step) = match field {
            Field::Name => (Wanted::Name, None),
            Field::Reason => (Wanted::Reason, Some(Step::Reason)),
            Field::Equipment => (Wanted::Model, Some(Step::Equipment)),
            Field::Code => (Wanted::Code, None),
            Field::Telephone => (Wanted::Telephone, None),
        };
        self.settle_request(wanted);
        if let Some(step) = step {
            self.with_script(|script| script.settle(step));
        }
    }
}
