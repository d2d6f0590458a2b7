//! How often each outcome and reason came up: whether the dice reach everything.
use crate::call::{Closing, Input, Output};
use crate::event::{Event, Kind, News};
use crate::generation::Grounding;
use crate::phrases::{FILLER, HOLDING_BOT, HOLDING_BOT_AGAIN, HOLDING_COPILOT};
use crate::suggestion::Change;
use std::collections::BTreeMap;

/// Counts by name.
#[derive(Debug, Default)]
pub(super) struct Tally(pub(super) BTreeMap<String, u64>);

impl Tally {
    pub(super) fn count(&mut self, name: impl Into<String>) {
        *self.0.entry(name.into()).or_default() += 1;
    }

    /// An input that must change nothing.
    pub(super) fn vain(&mut self, input: &Input, over: bool) {
        self.count(match input {
            _ if over => "vain: after the end",
            Input::Retrieved { .. } => "vain: retrieved",
            Input::Delta { .. } => "vain: delta",
            Input::Finished { .. } => "vain: finished",
            Input::Failed { .. } => "vain: failed",
            Input::Asked { .. } => "vain: asked",
            _ => "vain: tick",
        });
    }

    pub(super) fn output(&mut self, output: &Output) {
        match output {
            Output::Tell(News::Answer { done: true, .. }) => self.count("turn: complete"),
            Output::Tell(News::Failed { .. }) => self.count("turn: failed"),
            Output::Tell(News::Aborted { .. }) => self.count("turn: aborted"),
            Output::Tell(News::Suggestion(change)) => self.card(change),
            Output::Tell(News::Withheld { reason, .. }) => {
                self.count(format!("withheld: {}", reason.as_str()))
            }
            Output::Tell(News::Searched { failed, .. }) => {
                self.count(if failed.is_some() { "by hand: failed" } else { "by hand: found" });
            }
            Output::Tell(News::RedFlag { flag, .. }) => self.count(format!("red flag: {}", flag.as_str())),
            Output::Say { reply, .. } if reply.0 == 0 => self.count("greeting"),
            Output::Say { text, .. } => self.say(text),
            Output::Close { then, .. } => self.count(match then {
                Closing::Stay => "closed: stay",
                Closing::HangUp => "closed: hang up",
                Closing::Transfer(_) => "closed: transfer",
            }),
            Output::Generate { request, .. } => self.count(match request.grounding {
                Grounding::Rows(_) => "generate: rows",
                Grounding::AskEquipment => "generate: ask",
                Grounding::Farewell => "generate: farewell",
                Grounding::Reminder => "generate: reminder",
                Grounding::Nothing => "generate: nothing",
            }),
            Output::Tell(News::Summary(note)) => self.count(format!("summary: {}", note.of.as_str())),
            Output::Summarise(_) => self.count("summary: asked for"),
            Output::Record(event) => self.event(event),
            _ => {}
        }
    }

    fn card(&mut self, change: &Change) {
        match change {
            Change::Shown(face) if face.done => self.count("card: whole"),
            Change::Shown(_) => self.count("card: partial"),
            Change::Failed { .. } => self.count("card: failed"),
            Change::Repeated { .. } => self.count("card: repeated"),
            Change::Withdrawn { reason, .. } => self.count(format!("card gone: {}", reason.as_str())),
        }
    }

    fn say(&mut self, text: &str) {
        let name = match text {
            _ if text == FILLER.es => "said: filler",
            _ if text == HOLDING_BOT.es => "said: holding",
            _ if text == HOLDING_BOT_AGAIN.es => "said: holding again",
            _ if text == HOLDING_COPILOT.es => "said: holding copilot",
            _ => "said: other",
        };
        self.count(name);
    }

    fn event(&mut self, event: &Event) {
        let text = |name: &str| event.payload[name].as_str().unwrap_or("hit").to_owned();
        match event.kind {
            Kind::KnowledgeQueried => self.count(format!("searched: {}", text("reason"))),
            Kind::CallEnded => self.count(format!("ended: {}", text("reason"))),
            Kind::CallbackRequested => self.count(format!("call back: {}", text("reason"))),
            Kind::TurnFailed => {
                let gave_up = text("error").contains("nothing could be said");
                self.count(if gave_up {
                    "failed: given up".to_owned()
                } else {
                    format!("failed: {}", text("kind"))
                });
            }
            Kind::CallClaimed => self.count("claimed"),
            Kind::CallBroken => self.count("broken"),
            Kind::GroundingBlocked => {
                let finding = event.payload["findings"][0].as_str().unwrap_or_default();
                self.count(match finding {
                    _ if finding.starts_with("a long number") => "blocked: long number",
                    _ if finding.starts_with("words of the prompt") => "blocked: prompt",
                    _ => "blocked: unsupported",
                });
            }
            _ => {}
        }
    }
}
