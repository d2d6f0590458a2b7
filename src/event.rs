//! Facts worth keeping: what happened in a call, for the event log and the desk.
use crate::channel::Channel;
use crate::ids::{AgentId, CallId, TurnId};
use crate::transcript::Speaker;
use serde::Serialize;
use serde_json::Value;

/// What kind of fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A retrieval, or why there was none (R28). Emitted by the engine.
    KnowledgeQueried,
    /// An answer that was given (E10).
    SuggestionGenerated,
    /// A turn that ended in failure, with its cause (I11).
    TurnFailed,
    /// A turn that a newer one superseded (I11).
    TurnAborted,
    /// A call began, with the prompt version it keeps (DECISIONS 13).
    CallStarted,
    /// A call ended.
    CallEnded,
}

impl Kind {
    /// The name in `event_log`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KnowledgeQueried => "knowledge_queried",
            Self::SuggestionGenerated => "suggestion_generated",
            Self::TurnFailed => "turn_failed",
            Self::TurnAborted => "turn_aborted",
            Self::CallStarted => "call_started",
            Self::CallEnded => "call_ended",
        }
    }
}

/// One fact of one call. The journal adds an id and the time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// What kind.
    pub kind: Kind,
    /// Which call.
    pub call: CallId,
    /// Through which channel.
    pub source: Channel,
    /// In which turn; 0 outside any.
    pub turn: TurnId,
    /// The human agent, where the call was claimed.
    pub agent: Option<AgentId>,
    /// The rest, in camelCase.
    pub payload: Value,
}

/// What the operators' desk is shown of a call (E11). Texts are masked (S4).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeskEvent {
    /// Which call.
    pub call: CallId,
    /// Through which channel.
    pub source: Channel,
    /// What happened.
    #[serde(flatten)]
    pub news: News,
}

/// What happened, as the desk is told it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "news")]
pub enum News {
    /// A call began.
    Opened,
    /// A line of the transcript is new or has changed; `index` counts from 0.
    Heard {
        /// Which line.
        index: usize,
        /// Who spoke.
        speaker: Speaker,
        /// What.
        text: String,
    },
    /// Aura answers: the text so far, or whole when `done`.
    Answer {
        /// Which turn.
        turn: TurnId,
        /// What is said.
        text: String,
        /// Whether this is all of it.
        done: bool,
        /// Whether a manual's row was found.
        rag_hit: bool,
        /// The nearest row's score (R24).
        rag_score: Option<f64>,
    },
    /// The answer of this turn was superseded.
    Aborted {
        /// Which turn.
        turn: TurnId,
    },
    /// The answer of this turn failed; shown, never silent (E9).
    Failed {
        /// Which turn.
        turn: TurnId,
        /// What failed.
        detail: String,
    },
    /// The peer's socket is gone; it may come back.
    Lost,
    /// The call is over.
    Closed,
}
