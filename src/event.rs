//! Facts worth keeping: what happened in a call, for the event log and the desk.
use crate::capture;
use crate::channel::Channel;
use crate::ears::Gap;
use crate::equipment::Model;
use crate::identity::Held;
use crate::ids::{AgentId, CallId, TurnId};
use crate::patient::{Outage, Progress};
use crate::red_flag::RedFlag;
use crate::script;
use crate::suggestion::{Change, Mode, Reason};
use crate::summary::Note;
use crate::transcript::{Place, Speaker};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// What kind of fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Somebody is in danger (S1): what kind, and in which line.
    RedFlag,
    /// A sentence that the evidence doesn't hold was kept back, with the original (S2).
    GroundingBlocked,
    /// Somebody is to be called back (S3); also a row of `pending_callbacks`.
    CallbackRequested,
    /// A call was rebuilt: after a restart, or after it panicked.
    CallRebuilt,
    /// A call panicked again and again, and took leave.
    CallBroken,
    /// What the peer tells of a call beside its socket: Retell's webhooks.
    CallReported,
    /// A document was captured, corrected, read back, confirmed or denied (R9, S5).
    IdentityChanged,
    /// The patients' system was asked and answered, or didn't (R12).
    PatientLookedUp,
    /// The copilot kept silent, and why: nothing was searched, nothing spent (E8).
    SuggestionWithheld,
    /// An operator has the call now: claimed, or taken over from another.
    CallClaimed,
    /// The operator let the call go.
    CallReleased,
    /// An operator searched the manuals by hand.
    ManualSearched,
    /// An operator said what a suggestion was worth.
    SuggestionMarked,
    /// The call in short, when it is over or changes hands: by rule, and after it by a model where one is asked.
    CallSummarised,
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
            Self::RedFlag => "red_flag",
            Self::GroundingBlocked => "grounding_blocked",
            Self::CallbackRequested => "callback_requested",
            Self::CallRebuilt => "call_rebuilt",
            Self::CallBroken => "call_broken",
            Self::CallReported => "call_reported",
            Self::IdentityChanged => "identity_changed",
            Self::PatientLookedUp => "patient_looked_up",
            Self::SuggestionWithheld => "suggestion_withheld",
            Self::CallClaimed => "call_claimed",
            Self::CallReleased => "call_released",
            Self::ManualSearched => "manual_searched",
            Self::SuggestionMarked => "suggestion_marked",
            Self::CallSummarised => "call_summarised",
        }
    }
}

/// One fact of one call. The journal adds an id and the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        /// Where, in a forked call: lines are shown by it, late ones in their place.
        #[serde(flatten)]
        place: Option<Place>,
    },
    /// A stretch of a forked call that nobody heard.
    Gap(Gap),
    /// The call is on hold, or no longer.
    Hold {
        /// Whether it is.
        on: bool,
    },
    /// Both channels of the fork carry the same sound: patient and operator can't be told apart.
    OneVoice,
    /// The extension that the switch names for the operator's leg.
    Extension {
        /// Which.
        extension: String,
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
        /// Whether it was found by the equipment of somebody whose identity isn't confirmed (S5).
        unconfirmed: bool,
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
        /// What failed, in Spanish; the event log has it in full.
        detail: &'static str,
    },
    /// Somebody is in danger: an alert card, on claimed and unclaimed calls alike (S1).
    RedFlag {
        /// Which line of the transcript.
        index: usize,
        /// What kind of danger.
        flag: RedFlag,
        /// What is to be told to the caller.
        text: String,
    },
    /// Who the caller is has changed, or should be asked for again.
    Identity {
        /// What happened.
        change: &'static str,
        /// The document that the call goes by, masked, with where it came from and how far it has come (S5).
        held: Option<Held>,
    },
    /// How far the look-up of the patient has come (R15).
    LookUp {
        /// Progress, not confidence.
        progress: Progress,
        /// The patients' system doesn't answer: shown as what it is, beside the progress.
        outage: Option<Outage>,
        /// The adapter that answered (R14).
        source: Option<&'static str>,
        /// The equipment that narrows the search.
        models: BTreeSet<Model>,
        /// Whether it is what was known before, since the system doesn't answer: no devices come with it.
        cached: bool,
    },
    /// A suggestion's card is new, has grown, is whole, failed or is gone (E9).
    Suggestion(Change),
    /// The copilot has nothing to say to what the patient just said, and why (E8).
    Withheld {
        /// Why.
        reason: Reason,
        /// The same in Spanish.
        cause: &'static str,
    },
    /// Which step of the script is open (E15).
    Script(script::View),
    /// What was taken down (E13).
    Captured {
        /// Field by field; the newest replaces the ones before.
        fields: capture::View,
    },
    /// Who has the call: told when it changes, and again to whoever asks for what somebody has.
    Claimed {
        /// The operator; none: nobody.
        by: Option<AgentId>,
        /// How that operator wants suggestions.
        mode: Mode,
    },
    /// What a search by hand found.
    Searched {
        /// Counts the call's searches by hand.
        search: u32,
        /// What was searched, masked and normalised.
        query: String,
        /// Nearest first.
        rows: Vec<SearchRow>,
        /// Why there are none, in Spanish, where the search failed.
        failed: Option<&'static str>,
    },
    /// The call in short: before [`Self::Closed`] by rule, when the call changes hands too; by a model, after
    /// [`Self::Closed`].
    Summary(Box<Note>),
    /// The peer's socket is gone; it may come back.
    Lost,
    /// The call is over.
    Closed,
}

/// A row of a manual that a search by hand found: for the operator's eyes, never for a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchRow {
    /// The manual's path.
    pub source: String,
    /// The manual's title.
    pub title: String,
    /// The section.
    pub section: String,
    /// The row's label.
    pub row: String,
    /// Its text.
    pub content: String,
    /// Its score on the thresholds' scale.
    pub score: f64,
    /// Whether a suggestion could rest on it: over the threshold, and of known equipment (DECISIONS 4).
    pub holds: bool,
}
