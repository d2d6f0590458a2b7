//! A forked call's suggestions: nothing is spent while nobody has the call, one card a turn, one on the desk,
//! each with one id and one time, and each turn with one end (E8, E9, E10, I11).
use super::super::mail::Ms;
use super::turns::{End, Phase, Watched};
use super::words::leaks;
use super::{Judged, Watch, ensure};
use crate::call::{Call, Input};
use crate::equipment::{ManualOf, Model};
use crate::event::{Event, Kind};
use crate::ids::{AgentId, ReplyId, TurnId};
use crate::suggestion::{Change, Face, Gone, SuggestionId};

impl Watch {
    /// Who has the call, as operators come and go.
    pub(super) fn claims(&mut self, input: &Input) {
        let agent: &mut Option<AgentId> = &mut self.known.agent;
        match input {
            Input::Claimed(by) => _ = agent.get_or_insert_with(|| by.clone()),
            Input::TakenOver(by) => *agent = Some(by.clone()),
            Input::Released(by) => _ = agent.take_if(|has| *has == *by),
            _ => {}
        }
    }

    /// The lines of a forked call are the call's own; what they may name is read from them.
    pub(super) fn lines_of(&mut self, input: Option<&Input>, call: &Call) {
        if let Some(Input::Spoken(_) | Input::Patient(_) | Input::HungUp | Input::Tick) = input
            && call.transcript().iter().any(|line| line.place.is_some())
        {
            self.known.lines = call.transcript().to_vec();
        }
    }

    /// Work or a search for a turn that nobody asked for: a suggestion's, if there may be one.
    pub(super) fn may_begin(&mut self, turn: u32, input: Option<&Input>, at: Ms) -> Judged {
        let next = self.turns.keys().next_back().map_or(1, |last| last + 1);
        if !self.profile.suggests || turn != next {
            return Ok(());
        }
        ensure(matches!(input, Some(Input::Tick | Input::Suggest)), "E9", || {
            format!("a suggestion is begun by {input:?}")
        })?;
        ensure(self.known.agent.is_some(), "E8", || "a suggestion for nobody".to_owned())?;
        let hears = self.known.hear(self.catalogue, at);
        // What an interrupted turn had named it names again: any known model may be among them.
        let manual = |model: &Model| matches!(self.catalogue.manual_of(model), ManualOf::Manual(_));
        let named = self.known.ever().into_iter().filter(manual).chain(hears).collect();
        let watched = Watched { card: true, named, ..Watched::begun(ReplyId(0), at) };
        self.turns.insert(turn, watched);
        Ok(())
    }

    /// A turn's card has no answer and no closing: its facts end it.
    pub(super) fn card_ends(&mut self, event: &Event) -> Judged {
        let turn = event.turn.0;
        if !self.turns.get(&turn).is_some_and(|watched| watched.card) {
            return Ok(());
        }
        let end = match event.kind {
            Kind::SuggestionGenerated => End::Complete,
            Kind::TurnFailed => End::Failed,
            Kind::TurnAborted => End::Aborted,
            _ => return Ok(()),
        };
        if end == End::Complete {
            let whole = event.agent.is_some() && event.agent == self.known.agent;
            ensure(whole, "E10", || format!("kept without its operator: {:?}", event.agent))?;
            let text = event.payload["text"].as_str().unwrap_or_default();
            ensure(!text.is_empty(), "E10", || "kept without its text".to_owned())?;
        }
        self.ends(turn, end)?;
        let searches = self.turn(turn)?.searches;
        ensure(end == End::Aborted || searches == 1, "R28", || format!("turn {turn}: {searches} searches"))
    }

    /// What the desk is told of cards.
    pub(super) fn card(&mut self, change: &Change) -> Judged {
        match change {
            Change::Shown(face) => self.shown(face),
            Change::Failed { suggestion_id, .. } => {
                self.standing.remove(suggestion_id);
                Ok(())
            }
            Change::Withdrawn { suggestion_id, reason, .. } => {
                let stood = self.standing.remove(suggestion_id);
                ensure(stood || *reason == Gone::Restarted, "E9", || {
                    format!("{suggestion_id} is withdrawn and wasn't shown")
                })
            }
            Change::Repeated { suggestion_id, of } => {
                ensure(suggestion_id != of, "E9", || format!("{of} repeats itself"))
            }
        }
    }

    fn shown(&mut self, face: &Face) -> Judged {
        ensure(self.known.agent.is_some(), "E8", || "a card for nobody".to_owned())?;
        let Some(call) = &self.call else { return Ok(()) };
        let id = SuggestionId::of(call, TurnId(face.turn.0));
        ensure(face.suggestion_id == id, "E9", || {
            format!("turn {} is shown as {}", face.turn, face.suggestion_id)
        })?;
        let at = *self.created.entry(face.turn.0).or_insert(face.created_at);
        ensure(at == face.created_at, "E9", || format!("{id} was begun at {at} and at {}", face.created_at))?;
        ensure(!leaks(&face.text), "S2", || format!("words of the prompt: {}", face.text))?;
        let confidence = if face.rag_hit { 0.9 } else { 0.7 };
        ensure(face.confidence == confidence, "E9", || format!("{id}: {}", face.confidence))?;
        self.standing.insert(id);
        Ok(())
    }

    /// After a step: at most one card stands, none when the call is over or nobody's.
    pub(super) fn check_cards(&self) -> Judged {
        let most = usize::from(!self.over && self.known.agent.is_some());
        ensure(self.standing.len() <= most, "E9", || format!("these stand: {:?}", self.standing))
    }
}

impl Watched {
    /// A turn of which nothing is known yet.
    pub(super) fn begun(reply: ReplyId, at: Ms) -> Self {
        Self {
            reply,
            card: false,
            phase: Phase::Begun,
            end: None,
            asked_at: at,
            filler_ms: None,
            hold_ms: None,
            on_hold: false,
            danger: None,
            may_alarm: None,
            named: std::collections::BTreeSet::new(),
            filter: None,
            filler: false,
            words: 0,
            question: String::new(),
            own: String::new(),
            asks_equipment: false,
            support: None,
            searches: 0,
            facts: 0,
        }
    }
}
