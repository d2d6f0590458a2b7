//! What a client is told.
use super::happening::Happening;
use crate::channel::Channel;
use crate::identity;
use crate::ids::CallId;
use crate::patient::{Outage, Progress};
use crate::red_flag::RedFlag;
use crate::script::Step;
use crate::suggestion::Mode;
use crate::transcript::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a client is in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cursor {
    /// Which life of the server counted; it counts anew after a restart.
    pub epoch: u64,
    /// The last number that arrived.
    pub seq: u64,
}

/// One frame of the server's. Prints as what goes over the wire, without a patient's data or a telephone.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Message {
    /// Answers `hello`.
    Welcome(Box<Welcome>),
    /// The request was done, and what it changes is on disk.
    Done {
        /// The request's number.
        id: u64,
    },
    /// The request wasn't done.
    Refused {
        /// The request's number; none where it couldn't be read.
        id: Option<u64>,
        /// Why.
        why: Refusal,
        /// The same in Spanish.
        text: String,
        /// Who has the call, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// Calls that are new or have changed; the newest row of a call counts.
    Rows {
        /// The rows.
        rows: Vec<Row>,
        /// Calls that are shown no more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<CallId>,
    },
    /// Answers `watch`: the events that the client lacks follow.
    Watching {
        /// The request's number.
        id: u64,
        /// Which call.
        call: CallId,
        /// Which life of the server counts.
        epoch: u64,
        /// Whether the client is told everything from the beginning, and forgets what it had.
        anew: bool,
        /// Whether the beginning of a very long call is kept no more.
        cut: bool,
    },
    /// Something happened in a call that the client watches.
    Event(Event),
    /// What `watch` promised has all been told; what follows is news.
    CaughtUp {
        /// Which call.
        call: CallId,
        /// The last number.
        seq: u64,
    },
    /// Answers `see_patient`.
    Patient(Box<Patient>),
    /// Whose call back is pending, oldest first; also told when it changes.
    Callbacks {
        /// The call backs.
        rows: Vec<Callback>,
    },
    /// Answers `see_telephone`.
    Telephone {
        /// Which call back.
        callback: String,
        /// The number; none where nobody left one.
        telephone: Option<String>,
    },
    /// What doesn't work just now, in Spanish; empty: everything does.
    Health {
        /// One line each.
        down: Vec<String>,
    },
    /// Answers `ping`.
    Pong {
        /// The request's number.
        id: u64,
    },
    /// The server closes the socket.
    Bye {
        /// Why.
        why: Farewell,
        /// The same in Spanish.
        text: String,
    },
    /// Something that a newer server tells.
    #[serde(other)]
    Unknown,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Patient(patient) => patient.fmt(f),
            Self::Telephone { callback, .. } => write!(f, "Telephone({callback}, ***)"),
            told => f.write_str(&serde_json::to_string(told).map_err(|_| fmt::Error)?),
        }
    }
}

/// What a client begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The request's number.
    pub id: u64,
    /// The version that the server speaks.
    pub version: u32,
    /// Which life of the server this is.
    pub epoch: u64,
    /// The server's clock, in milliseconds since 1970.
    pub now: u64,
    /// The operator's name, as `claimedBy` has it.
    pub operator: String,
    /// What the operator may do: the names of requests that aren't refused for want of rights.
    pub may: Vec<String>,
    /// The live calls.
    pub rows: Vec<Row>,
    /// What doesn't work just now.
    pub down: Vec<String>,
}

/// How a call stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Somebody is on the line.
    #[default]
    Live,
    /// On hold.
    Hold,
    /// The peer's socket is gone; it may come back.
    Lost,
    /// Over; it is shown for a while, for its summary.
    Closed,
}

/// One call of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Which call.
    pub call: CallId,
    /// Through which channel.
    pub source: Channel,
    /// How it stands.
    pub state: State,
    /// When it began, in milliseconds since 1970.
    pub since: u64,
    /// Since when nobody has had it, where it waits for an operator.
    pub waiting_since: Option<u64>,
    /// Whether it has waited too long.
    pub overdue: bool,
    /// Who has it.
    pub claimed_by: Option<String>,
    /// How suggestions come to them.
    pub mode: Mode,
    /// The extension that the switch names.
    pub extension: Option<String>,
    /// The last words that are final, masked.
    pub last: Option<Headline>,
    /// The gravest danger that was heard.
    pub danger: Option<RedFlag>,
    /// The script's open step.
    pub step: Option<Step>,
    /// How far the identity has come; none: nobody gave a document.
    pub identity: Option<identity::State>,
    /// How far the look-up has come.
    pub look_up: Progress,
    /// The patients' system doesn't answer.
    pub outage: Option<Outage>,
}

/// Last words, short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Headline {
    /// Who spoke.
    pub speaker: Speaker,
    /// What.
    pub text: String,
    /// When it was told, in milliseconds since 1970.
    pub at: u64,
}

/// Something that happened in a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Which call.
    pub call: CallId,
    /// Rises within the call. A number that is missing was replaced by a later one.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What.
    #[serde(flatten)]
    pub happening: Happening,
}

/// Who the patient is and what they have; for the eyes of whoever asked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Patient {
    /// Which call.
    pub call: CallId,
    /// The document.
    pub dni: Option<String>,
    /// Where it came from.
    pub source: Option<identity::Source>,
    /// How far it has come.
    pub state: Option<identity::State>,
    /// How far the look-up has come.
    pub look_up: Progress,
    /// The patients' system doesn't answer.
    pub outage: Option<Outage>,
    /// The adapter that answered; `mock` is one.
    pub provider: Option<String>,
    /// Whether it is what was known before.
    pub cached: bool,
    /// The models that narrow the search.
    pub models: Vec<String>,
    /// The devices; none where their detail isn't known.
    pub devices: Option<Vec<Device>>,
}

impl fmt::Debug for Patient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Patient({}, ***)", self.call)
    }
}

/// One device.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Device {
    /// E.g. `Concentrador de oxígeno M50`.
    pub name: String,
    /// E.g. `Canta`.
    pub brand: Option<String>,
    /// The supplier's article number.
    pub sku: Option<String>,
    /// E.g. `concentrador`.
    pub category: Option<String>,
}

/// Somebody who is to be called back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Callback {
    /// Names it.
    pub callback: String,
    /// In which call it was promised.
    pub call: CallId,
    /// Through which channel.
    pub source: String,
    /// Why: `holding`, `broken`, a danger.
    pub reason: String,
    /// The same in Spanish.
    pub text: String,
    /// The question that waits, masked.
    pub question: Option<String>,
    /// The telephone by its last digits.
    pub telephone: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
}

/// Why a request wasn't done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It can't be read.
    Unreadable,
    /// `hello` comes first, once, with this server's version.
    Hello,
    /// The operator may not.
    Forbidden,
    /// No such call is live, or no such call back is pending.
    Unknown,
    /// Somebody else has the call.
    Taken,
    /// Whoever asks hasn't claimed the call.
    NotYours,
    /// The value can't be right.
    Value,
    /// The call goes by another document by now.
    Changed,
    /// More than one client may ask for.
    TooMany,
    /// It can't be kept or done just now; try again.
    Unavailable,
}

/// Why the server closes a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Farewell {
    /// The client didn't keep up: it connects again and catches up.
    Behind,
    /// The server goes down: it connects again.
    Restart,
    /// The client isn't there any more.
    Silent,
    /// Who asks may no longer: sign in again.
    SignedOut,
    /// The client doesn't keep to the protocol.
    Protocol,
}

impl Farewell {
    /// Whether connecting again helps.
    pub const fn is_passing(self) -> bool {
        matches!(self, Self::Behind | Self::Restart | Self::Silent)
    }

    /// The websocket's close code.
    pub const fn code(self) -> u16 {
        match self {
            Self::Behind | Self::Silent => 1013,
            Self::Restart => 1012,
            Self::SignedOut => 1008,
            Self::Protocol => 1002,
        }
    }
}
