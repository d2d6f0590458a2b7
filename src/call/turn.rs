//! One turn: what was asked, what it rests on, how far its answer has come.
use super::lock::Named;
use super::release::Grounds;
use crate::equipment::Code;
use crate::event::News;
use crate::generation::{Grounding, Usage};
use crate::ids::{ReplyId, TurnId};
use crate::retrieval::plan::Plan;
use crate::retrieval::report::Rag;
use crate::sentence::Sentences;
use crate::settings::Snapshot;
use crate::transcript;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Where a turn stands. A turn that has ended is no longer held by the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Retrieving,
    Generating,
}

/// What a turn is answered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// The patient (or whoever spoke last) expects an answer.
    Question,
    /// The patient says goodbye: the call is ended after the answer.
    Farewell,
    /// The patient is silent and is to be nudged.
    Reminder,
}

/// How long a caller goes without words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Patience {
    pub filler: Option<Instant>,
    pub hold: Option<Instant>,
}

impl Patience {
    pub(super) fn next(self) -> Option<Instant> {
        [self.filler, self.hold].into_iter().flatten().min()
    }
}

/// The turn that runs: at most one a call (I4).
#[derive(Debug)]
pub(super) struct Running {
    pub id: TurnId,
    /// The peer's number for the answer; none where the answer is a card on the desk.
    pub reply: Option<ReplyId>,
    pub occasion: Occasion,
    pub phase: Phase,
    /// The patient's last turn, masked: what waits when the equipment must be asked for.
    pub question: String,
    pub codes: Vec<Code>,
    /// Messages on a display that the turn names, e.g. `Low O2`.
    pub messages: Vec<String>,
    pub plan: Plan,
    /// The turns before the one to answer.
    pub history: Vec<transcript::Turn>,
    /// The turn to answer, whoever spoke it (E7).
    pub last: String,
    /// The settings that it began with: a change acts in the next turn (DECISIONS 13).
    pub settings: Arc<Snapshot>,
    pub rag: Rag,
    pub grounding: Grounding,
    /// What its sentences are checked against (S2).
    pub grounds: Grounds,
    pub sentences: Sentences,
    /// What was released to the peer so far; a filler isn't part of it.
    pub said: String,
    /// Whether an unsupported sentence was replaced: it happens once a turn, further ones are dropped.
    pub replaced: bool,
    /// Whether something technical was said that the evidence holds.
    pub technical: bool,
    /// When the phase it is in fails unless something happened.
    pub due: Instant,
    /// When the caller who waits hears a filler, and when the turn is given up; none once words were released.
    pub patience: Patience,
    pub asked_at: Instant,
    pub generated_at: Option<Instant>,
    pub first_delta_at: Option<Instant>,
    /// Whether it is narrowed by the equipment of somebody whose identity isn't confirmed (S5).
    pub unconfirmed: bool,
}

impl Running {
    /// When it wants to be woken.
    pub(super) fn deadline(&self) -> Instant {
        self.patience.next().map_or(self.due, |soonest| soonest.min(self.due))
    }

    pub(super) fn named(&self) -> Named<'_> {
        Named {
            sources: &self.plan.named_sources,
            without_manual: !self.plan.may_ask,
            codes: &self.codes,
            messages: &self.messages,
        }
    }

    pub(super) fn answer(&self, done: bool) -> News {
        News::Answer {
            turn: self.id,
            text: self.said.clone(),
            done,
            rag_hit: self.rag.hit,
            rag_score: self.rag.score,
            unconfirmed: self.unconfirmed,
        }
    }

    pub(super) fn report(&self, usage: Usage, responder: &str, prompt: &str, now: Instant) -> Answered {
        let since = |from: Option<Instant>, to: Instant| {
            from.map(|from| u32::try_from(to.saturating_duration_since(from).as_millis()).unwrap_or(u32::MAX))
        };
        Answered {
            text: self.said.clone(),
            usage,
            rag: self.rag.clone(),
            responder: responder.to_owned(),
            prompt: prompt.to_owned(),
            first_token_ms: self.first_delta_at.and_then(|at| since(self.generated_at, at)),
            llm_ms: since(self.generated_at, now),
            turn_ms: since(Some(self.asked_at), now),
        }
    }
}

/// A turn that ended with an answer: what its channel's `suggestion_generated` is built from (E10).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// What was released, masked.
    pub text: String,
    /// Tokens, where the provider counts them.
    pub usage: Usage,
    /// How the manuals answered.
    pub rag: Rag,
    /// The adapter and model that spoke, e.g. `local/quote`.
    pub responder: String,
    /// The prompt and its version, e.g. `agent_identity@1.0.0`.
    pub prompt: String,
    /// From the request to the first token.
    pub first_token_ms: Option<u32>,
    /// From the request to the whole answer.
    pub llm_ms: Option<u32>,
    /// From the question to the whole answer.
    pub turn_ms: Option<u32>,
}
