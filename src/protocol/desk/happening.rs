//! What happens in a call, as a watcher is told it. The engine's news change as the engine does; these only grow.
use crate::capture::Field;
use crate::channel::Channel;
use crate::ears::{Lack, Track};
use crate::event::SearchRow;
use crate::identity;
use crate::ids::TurnId;
use crate::patient::{Outage, Progress};
use crate::red_flag::RedFlag;
use crate::script::{self, Step};
use crate::suggestion::{Gone, Label, Mode, Reason};
use crate::summary::{By, Of};
use crate::transcript::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What makes one event replace another: the newest of a key counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A line of the transcript.
    Line(usize),
    /// A suggestion.
    Card(String),
    /// A bot's answer.
    Answer(TurnId),
    /// How a bot's answer ended, where it didn't end well.
    Ending(TurnId),
    /// An alert.
    Flag(usize, RedFlag),
    /// A search by hand.
    Search(u32),
    /// A mark, by whom.
    Mark(String, String),
    /// What was written down: a model's words take the place of the rule's.
    Summary(Of),
    /// Something of which a call has one.
    One(&'static str),
}

/// A line of the transcript, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineView {
    /// Which line, from 0. It never changes; in a forked call lines are shown by `atMs`.
    pub index: usize,
    /// Who spoke.
    pub speaker: Speaker,
    /// What; empty where a line was taken back.
    pub text: String,
    /// On which track of a forked call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Track>,
    /// When it began, in milliseconds since the first audio of a forked call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// Whether it may still grow.
    #[serde(default)]
    pub partial: bool,
}

/// A suggestion's card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardView {
    /// The same for the card's life.
    pub suggestion_id: String,
    /// The turn that it answers.
    pub turn: TurnId,
    /// When it was begun, in milliseconds since 1970; the same for the card's life.
    pub created_at: u64,
    /// What to say.
    pub text: String,
    /// Whether this is all of it.
    pub done: bool,
    /// 0.9 on a hit, else 0.7.
    pub confidence: f64,
    /// Whether a manual's row was found.
    pub rag_hit: bool,
    /// The nearest row's true score.
    pub rag_score: Option<f64>,
    /// The nearest row's manual.
    pub source: Option<String>,
    /// The nearest row's section.
    pub section: Option<String>,
    /// Whether the identity that it may rest on is confirmed.
    pub identity: Label,
    /// Why it was made.
    pub cause: String,
    /// The patient's words that it answers, masked.
    pub quote: String,
}

/// One field of what was taken down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldShown {
    /// Which.
    pub field: Field,
    /// Its name in Spanish.
    pub label: String,
    /// What is held; a telephone by its last digits.
    pub values: Vec<String>,
    /// Whether the operator entered it.
    pub typed: bool,
    /// Whether the operator entered it or vouched for it.
    pub confirmed: bool,
    /// Whether it should be asked for again.
    pub in_doubt: bool,
}

/// One step of the script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepShown {
    /// Which.
    pub step: Step,
    /// Its name in Spanish.
    pub label: String,
    /// Where it stands.
    pub progress: script::Progress,
}

/// The document that a call goes by, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldShown {
    /// `DNI ···789`.
    pub dni: String,
    /// Where it came from.
    pub source: identity::Source,
    /// How far it has come.
    pub state: identity::State,
}

/// One thing that happened. The newest of its key counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Happening {
    /// The call began, or is back. After `closed` it is another call of the same id: what stood is forgotten.
    Opened {
        /// Through which channel.
        source: Channel,
    },
    /// A line is new or has changed.
    Line(LineView),
    /// A stretch that nobody heard.
    Gap {
        /// On which track; none for both.
        track: Option<Track>,
        /// Where it begins, in milliseconds since the first audio.
        from_ms: u64,
        /// Where it ends.
        to_ms: u64,
        /// Why.
        why: Lack,
    },
    /// On hold, or no longer.
    Hold {
        /// Whether it is.
        on: bool,
    },
    /// Both channels of the fork carry the same sound.
    OneVoice,
    /// The extension that the switch names for the operator's leg.
    Extension {
        /// Which.
        extension: String,
    },
    /// Aura answers the caller by itself: the text so far, or all of it.
    Answer {
        /// Which turn.
        turn: TurnId,
        /// What is said.
        text: String,
        /// Whether this is all of it.
        done: bool,
        /// Whether a manual's row was found.
        rag_hit: bool,
        /// The nearest row's score.
        rag_score: Option<f64>,
        /// Whether it was found by the equipment of somebody who isn't confirmed.
        unconfirmed: bool,
    },
    /// That answer was superseded.
    AnswerAborted {
        /// Which turn.
        turn: TurnId,
    },
    /// That answer failed.
    AnswerFailed {
        /// Which turn.
        turn: TurnId,
        /// What failed, in Spanish.
        text: String,
    },
    /// Somebody is in danger.
    RedFlag {
        /// Which line.
        index: usize,
        /// What kind of danger.
        flag: RedFlag,
        /// What is to be told to the caller.
        text: String,
    },
    /// Who the caller is has changed, or should be asked for again.
    Identity {
        /// What happened: `captured`, `corrected`, `read_back`, `confirmed`, `denied`, `ask_again`, `unfinished`.
        change: String,
        /// The document that the call goes by.
        held: Option<HeldShown>,
    },
    /// How far the look-up of the patient has come.
    LookUp {
        /// Progress, not confidence.
        progress: Progress,
        /// The patients' system doesn't answer.
        outage: Option<Outage>,
        /// The adapter that answered; `mock` is one.
        source: Option<String>,
        /// How many models narrow the search; which they are is told to `see_patient`, on record.
        models: usize,
        /// Whether they are what was known before: without detail.
        cached: bool,
    },
    /// The devices' detail is there, or isn't: `see_patient` shows it.
    Equipment {
        /// Whether there is detail.
        detail: bool,
    },
    /// A suggestion is new, has grown or is whole.
    Suggestion(CardView),
    /// A suggestion failed: shown with its cause, never silent.
    SuggestionFailed {
        /// Which card.
        suggestion_id: String,
        /// When it was begun.
        created_at: u64,
        /// What had been written of it.
        text: String,
        /// What failed, in Spanish.
        cause: String,
    },
    /// A suggestion is gone.
    SuggestionWithdrawn {
        /// Which card.
        suggestion_id: String,
        /// Why.
        reason: Gone,
        /// The same in Spanish.
        cause: String,
    },
    /// A suggestion wasn't shown: it says what another one said.
    SuggestionRepeated {
        /// The card that isn't shown.
        suggestion_id: String,
        /// The card that stands.
        of: String,
    },
    /// There is nothing to suggest to what was just said.
    SuggestionWithheld {
        /// Why.
        reason: Reason,
        /// The same in Spanish.
        cause: String,
    },
    /// Which step of the script is open.
    Script {
        /// The open step.
        open: Step,
        /// Whether an operator put it there.
        corrected: bool,
        /// All of them, in order.
        steps: Vec<StepShown>,
    },
    /// What was taken down; replaces what was there.
    Captured {
        /// Field by field.
        fields: Vec<FieldShown>,
    },
    /// Who has the call.
    Claimed {
        /// The operator; none: nobody.
        by: Option<String>,
        /// How suggestions come.
        mode: Mode,
    },
    /// What a search by hand found.
    Searched {
        /// Counts the call's searches.
        search: u32,
        /// What was searched, masked.
        query: String,
        /// Nearest first.
        rows: Vec<SearchRow>,
        /// Why there are none, in Spanish, where the search failed.
        failed: Option<String>,
    },
    /// Somebody marked a suggestion.
    Marked {
        /// Which.
        suggestion_id: String,
        /// Who.
        by: String,
        /// The verdict.
        verdict: super::Verdict,
    },
    /// The call in short: when it changes hands, and when it is over.
    Summary {
        /// Of what.
        of: Of,
        /// In whose words.
        by: By,
        /// In Spanish, ready to be read.
        text: String,
    },
    /// The peer's socket is gone; it may come back.
    Lost,
    /// The call is over.
    Closed,
    /// Something that a newer server tells.
    #[serde(other)]
    Unknown,
}

impl Happening {
    /// What replaces it, or is replaced by it.
    pub fn key(&self) -> Option<Key> {
        Some(match self {
            Self::Line(line) => Key::Line(line.index),
            Self::Suggestion(card) => Key::Card(card.suggestion_id.clone()),
            Self::SuggestionFailed { suggestion_id, .. }
            | Self::SuggestionWithdrawn { suggestion_id, .. }
            | Self::SuggestionRepeated { suggestion_id, .. } => Key::Card(suggestion_id.clone()),
            Self::Answer { turn, .. } => Key::Answer(*turn),
            Self::AnswerAborted { turn } | Self::AnswerFailed { turn, .. } => Key::Ending(*turn),
            Self::RedFlag { index, flag, .. } => Key::Flag(*index, *flag),
            Self::Searched { search, .. } => Key::Search(*search),
            Self::Marked { suggestion_id, by, .. } => Key::Mark(suggestion_id.clone(), by.clone()),
            Self::Summary { of, .. } => Key::Summary(*of),
            Self::Opened { .. } | Self::Lost | Self::Closed => Key::One("peer"),
            Self::Hold { .. } => Key::One("hold"),
            Self::OneVoice => Key::One("one_voice"),
            Self::Extension { .. } => Key::One("extension"),
            Self::Identity { .. } => Key::One("identity"),
            Self::LookUp { .. } => Key::One("look_up"),
            Self::Equipment { .. } => Key::One("equipment"),
            Self::SuggestionWithheld { .. } => Key::One("withheld"),
            Self::Script { .. } => Key::One("script"),
            Self::Captured { .. } => Key::One("captured"),
            Self::Claimed { .. } => Key::One("claimed"),
            Self::Gap { .. } | Self::Unknown => return None,
        })
    }

    /// Whether a newer one of its key is expected: of these only the newest needs to arrive.
    pub fn is_partial(&self) -> bool {
        match self {
            Self::Line(line) => line.partial,
            Self::Suggestion(card) => !card.done,
            Self::Answer { done, .. } => !done,
            _ => false,
        }
    }
}
