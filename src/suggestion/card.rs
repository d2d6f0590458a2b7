//! One suggestion as the operator sees it: its id and time for life, and what becomes of it (E9).
use super::request::Request;
use super::silence::Cause;
use crate::call::Answered;
use crate::generation::FailureKind;
use crate::identity::Held;
use crate::ids::{AgentId, CallId, TurnId};
use crate::phrases::{self, desk};
use crate::retrieval::report::Rag;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// Names a suggestion for all its partials: the call and the turn that it answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SuggestionId(String);

impl SuggestionId {
    /// The one suggestion of a turn.
    pub fn of(call: &CallId, turn: TurnId) -> Self {
        Self(format!("{call}/{turn}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SuggestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose equipment it may rest on (S5): a field of the card, never of the text to be spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Nobody's: no document is known.
    #[default]
    Unknown,
    /// A document that nobody has confirmed.
    Unconfirmed,
    /// A confirmed one.
    Confirmed,
}

impl Label {
    /// What an identity amounts to.
    pub fn of(held: Option<&Held>) -> Self {
        held.map_or(
            Self::Unknown,
            |held| if held.is_confirmed() { Self::Confirmed } else { Self::Unconfirmed },
        )
    }
}

/// Why a suggestion is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gone {
    /// The patient went on speaking before it was whole.
    Overtaken,
    /// What it asks for was said.
    Answered,
    /// A newer one has taken its place.
    Newer,
    /// It says what one of the last three said.
    Repeated,
    /// Somebody is in danger: an alert has its place.
    Danger,
    /// The document was corrected: what it may rest on is somebody else's equipment.
    Identity,
    /// Patient and operator were the other way round.
    Swapped,
    /// It was being written when the process ended.
    Restarted,
    /// The operator let the call go.
    Released,
    /// The call is over.
    Ended,
}

impl Gone {
    /// The name in events and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overtaken => "overtaken",
            Self::Answered => "answered",
            Self::Newer => "newer",
            Self::Repeated => "repeated",
            Self::Danger => "danger",
            Self::Identity => "identity",
            Self::Swapped => "swapped",
            Self::Restarted => "restarted",
            Self::Released => "released",
            Self::Ended => "ended",
        }
    }
}

/// How far a card has come. `Done` may still be withdrawn; all others but `Writing` are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The model is writing.
    Writing,
    /// Whole.
    Done,
    /// The model failed.
    Failed(FailureKind),
    /// Gone.
    Gone(Gone),
}

/// One suggestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub(super) id: SuggestionId,
    pub(super) turn: TurnId,
    pub(super) created_at: u64,
    pub(super) cause: Cause,
    pub(super) quote: String,
    pub(super) identity: Label,
    pub(super) rag: Rag,
    /// What was released (S2).
    pub(super) text: String,
    /// What the desk saw last.
    pub(super) seen: Option<String>,
    pub(super) chunks: u32,
    pub(super) state: State,
    pub(super) request: Option<Request>,
}

/// A card as it goes to the panel, partial or whole: the newest for its id replaces the ones before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Face {
    /// The same for the card's life.
    pub suggestion_id: SuggestionId,
    /// The turn that it answers.
    pub turn: TurnId,
    /// When it was begun, in milliseconds since 1970; the same for the card's life.
    pub created_at: u64,
    /// What to say.
    pub text: String,
    /// Whether this is all of it.
    pub done: bool,
    /// 0.9 on a hit, else 0.7: no probability, two words for the operator (E9).
    pub confidence: f64,
    /// Whether a manual's row was found.
    pub rag_hit: bool,
    /// The nearest row's true score.
    pub rag_score: Option<f64>,
    /// The nearest row's manual.
    pub source: Option<String>,
    /// The nearest row's section.
    pub section: Option<String>,
    /// Whether the identity that it may rest on is confirmed (S5).
    pub identity: Label,
    /// Why it was made.
    pub cause: &'static str,
    /// The patient's words that it answers, masked.
    pub quote: String,
}

/// What the desk is told of suggestions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// A card is new, has grown, or is whole.
    Shown(Box<Face>),
    /// A card failed: it is shown with its cause (E9).
    #[serde(rename_all = "camelCase")]
    Failed {
        /// Which card.
        suggestion_id: SuggestionId,
        /// When it was begun.
        created_at: u64,
        /// What had been written of it.
        text: String,
        /// What failed, in Spanish.
        cause: &'static str,
    },
    /// A card that was shown is gone.
    #[serde(rename_all = "camelCase")]
    Withdrawn {
        /// Which card.
        suggestion_id: SuggestionId,
        /// Why.
        reason: Gone,
        /// The same in Spanish.
        cause: &'static str,
    },
    /// A card wasn't shown: it says what another one said, which stands.
    #[serde(rename_all = "camelCase")]
    Repeated {
        /// The card that isn't shown.
        suggestion_id: SuggestionId,
        /// The card that it repeats.
        of: SuggestionId,
    },
}

impl Change {
    /// The card that a process was writing when it ended: whoever saw some of it sees it go.
    pub fn restarted(call: &CallId, turn: TurnId) -> Self {
        let reason = Gone::Restarted;
        Self::Withdrawn { suggestion_id: SuggestionId::of(call, turn), reason, cause: desk::gone(reason).es }
    }
}

/// Confidence of a card with a row behind it.
const HIT: f64 = 0.9;
/// Confidence of any other.
const MISS: f64 = 0.7;

impl Card {
    /// Its id.
    pub fn id(&self) -> &SuggestionId {
        &self.id
    }

    /// The turn that it answers.
    pub fn turn(&self) -> TurnId {
        self.turn
    }

    /// How far it has come.
    pub fn state(&self) -> State {
        self.state
    }

    /// What was released of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it asks the patient for, once it is whole.
    pub fn request(&self) -> Option<&Request> {
        self.request.as_ref()
    }

    /// The payload of `suggestion_generated` (E10): only with its full text, and an operator who has the call.
    pub fn payload(&self, answered: &Answered, agent: Option<&AgentId>) -> Option<Value> {
        let whole = self.state == State::Done || self.state == State::Gone(Gone::Repeated);
        let agent = agent.filter(|_| whole && !self.text.is_empty())?;
        Some(json!({
            "suggestionId": self.id, "createdAt": self.created_at, "agentId": agent, "text": self.text,
            "shown": self.state == State::Done, "confidence": self.confidence(), "cause": self.cause.as_str(),
            "identity": self.identity, "ragHit": self.rag.hit, "ragScore": self.rag.score,
            "source": self.rag.source, "section": self.rag.section, "responder": answered.responder,
            "prompt": answered.prompt, "firstTokenMs": answered.first_token_ms, "llmMs": answered.llm_ms,
            "turnMs": answered.turn_ms,
        }))
    }

    /// The same card, shown once more as it stands; none if the desk doesn't see it.
    pub(super) fn again(&mut self) -> Option<Change> {
        let text = self.seen.clone()?;
        Some(self.shown(text))
    }

    pub(super) fn confidence(&self) -> f64 {
        if self.rag.hit { HIT } else { MISS }
    }

    /// The card with this text, for the panel.
    pub(super) fn shown(&mut self, text: String) -> Change {
        self.seen = Some(text.clone());
        Change::Shown(Box::new(Face {
            suggestion_id: self.id.clone(),
            turn: self.turn,
            created_at: self.created_at,
            text,
            done: self.state == State::Done,
            confidence: self.confidence(),
            rag_hit: self.rag.hit,
            rag_score: self.rag.score,
            source: self.rag.source.clone(),
            section: self.rag.section.clone(),
            identity: self.identity,
            cause: self.cause.as_str(),
            quote: self.quote.clone(),
        }))
    }

    pub(super) fn failed(&mut self, kind: FailureKind) -> Change {
        self.state = State::Failed(kind);
        Change::Failed {
            suggestion_id: self.id.clone(),
            created_at: self.created_at,
            text: self.text.clone(),
            cause: phrases::failure(kind).es,
        }
    }

    /// Takes it away, by name if the desk has seen it.
    pub(super) fn withdraw(&mut self, reason: Gone) -> Option<Change> {
        self.state = State::Gone(reason);
        self.seen.take().map(|_| Change::Withdrawn {
            suggestion_id: self.id.clone(),
            reason,
            cause: desk::gone(reason).es,
        })
    }
}
