//! What an operator's client asks.
use super::LONGEST_REQUEST;
use super::message::Cursor;
use crate::capture::Field;
use crate::ids::CallId;
use crate::script::Step;
use crate::suggestion::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// One request. Each is answered with `done` or `refused`, and whatever else it asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The client's number for it, echoed in the answer.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub ask: Ask,
}

/// What can be asked.
///
/// Prints as its name and its call: what an operator types, a search or a note too, may be somebody's.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ask", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Ask {
    /// The first request on each socket; answered with `welcome`.
    Hello {
        /// The version that the client speaks.
        version: u32,
        /// The telephone extension at which the operator sits: forked calls of that extension become theirs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extension: Option<String>,
    },
    /// Tell everything about a call, from the beginning or from where the client is.
    Watch {
        /// Which call.
        call: CallId,
        /// How far the client is; what came later follows, or everything where the server has begun anew since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Cursor>,
    },
    /// Tell no more about a call.
    Unwatch {
        /// Which call.
        call: CallId,
    },
    /// Have the call; refused with the name of whoever has it.
    Claim {
        /// Which call.
        call: CallId,
    },
    /// Let it go.
    Release {
        /// Which call.
        call: CallId,
    },
    /// Have it whoever has it; for supervisors.
    TakeOver {
        /// Which call.
        call: CallId,
    },
    /// How suggestions shall come to whoever has the call.
    Mode {
        /// Which call.
        call: CallId,
        /// How.
        mode: Mode,
    },
    /// A suggestion now.
    Suggest {
        /// For which call.
        call: CallId,
    },
    /// The open step of the script is another one.
    Step {
        /// Of which call.
        call: CallId,
        /// The open one.
        step: Step,
    },
    /// Enter a datum; it wins and stays.
    Capture {
        /// Of which call.
        call: CallId,
        /// Which.
        field: Field,
        /// What it is.
        value: Private,
    },
    /// Vouch for a datum.
    ConfirmCapture {
        /// Of which call.
        call: CallId,
        /// Which.
        field: Field,
    },
    /// Enter the patient's document; it wins and stays.
    TypeDni {
        /// Of which call.
        call: CallId,
        /// The document.
        dni: Private,
    },
    /// Vouch for the document that was seen; refused where the call goes by another one by now.
    ConfirmDni {
        /// Of which call.
        call: CallId,
        /// The document.
        dni: Private,
    },
    /// Who the patient is and what they have; each look is on record. Answered with `patient`.
    SeePatient {
        /// Of which call.
        call: CallId,
    },
    /// Search the manuals by hand; the answer is an event of the call.
    Search {
        /// In which call.
        call: CallId,
        /// For what.
        text: String,
    },
    /// Patient and operator are the other way round.
    Swap {
        /// In which call.
        call: CallId,
    },
    /// What a suggestion or an answer was worth.
    Mark {
        /// Of which call.
        call: CallId,
        /// The card's id; of a bot's answer `<call>/<turn>`.
        suggestion_id: String,
        /// The verdict.
        verdict: Verdict,
        /// In the operator's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Whose call back is pending; answered with `callbacks`.
    Callbacks,
    /// The telephone of a call back; each look is on record. Answered with `telephone`.
    SeeTelephone {
        /// Which call back.
        callback: String,
    },
    /// A call back was made.
    CallbackDone {
        /// Which.
        callback: String,
    },
    /// Are you there?
    Ping,
}

/// What a suggestion was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was right.
    Right,
    /// It was wrong.
    Wrong,
    /// Something else should be said, though it isn't wrong.
    Divergent,
    /// It was said to the patient as it stands.
    Used,
    /// It was put aside.
    Dismissed,
}

impl Verdict {
    /// The name in events and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Divergent => "divergent",
            Self::Used => "used",
            Self::Dismissed => "dismissed",
        }
    }
}

/// What is typed of a person: it prints as `***`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Private(pub String);

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Why a frame is no request. Never holds what was in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("request refused: {found}; expected {expected}; see deploy/desk.md")]
pub struct BadRequest {
    /// The request's number, where it could be read.
    pub id: Option<u64>,
    /// What is wrong with it.
    pub found: String,
    /// What it should be.
    pub expected: &'static str,
}

/// Characters of a search by hand.
const LONGEST_SEARCH: usize = 500;
/// Characters of a note.
const LONGEST_NOTE: usize = 1000;
/// Characters of names that are looked up.
const LONGEST_NAME: usize = 200;

/// Reads a client's frame.
pub fn read_request(text: &str) -> Result<Request, BadRequest> {
    if text.len() > LONGEST_REQUEST {
        let found = format!("{} bytes", text.len());
        return Err(BadRequest { id: None, found, expected: "at most 16 KiB" });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| BadRequest {
        id: None,
        found: format!("no JSON (line {}, column {})", error.line(), error.column()),
        expected: "one JSON object a frame",
    })?;
    let id = value.get("id").and_then(Value::as_u64);
    let refused = |found: &str, expected| BadRequest { id, found: found.to_owned(), expected };
    if id.is_none() {
        return Err(refused("no number", "an `id` of 0 or more"));
    }
    let asked = value.get("ask").ok_or_else(|| refused("nothing is asked", "an `ask`"))?.as_str();
    // What stands there instead of a name may be anything.
    let asked = NAMES.into_iter().find(|name| asked == Some(*name));
    let asked = asked.ok_or_else(|| refused("an unknown `ask`", "an `ask` of the schema"))?;
    // The reader's own words may quote a value, which may be somebody's document.
    let request: Request = serde_json::from_value(value).map_err(|_| {
        refused(&format!("`{asked}` with fields that can't be read"), "the fields of the schema")
    })?;
    let long = |text: &str, most: usize| text.chars().count() > most;
    let too_long = match &request.ask {
        Ask::Search { text, .. } => long(text, LONGEST_SEARCH),
        Ask::Mark { note, suggestion_id, .. } => {
            note.as_deref().is_some_and(|note| long(note, LONGEST_NOTE)) || long(suggestion_id, LONGEST_NAME)
        }
        Ask::Hello { extension, .. } => extension.as_deref().is_some_and(|name| long(name, LONGEST_NAME)),
        Ask::SeeTelephone { callback } | Ask::CallbackDone { callback } => long(callback, LONGEST_NAME),
        _ => false,
    };
    if too_long {
        return Err(refused(
            "a text that is too long",
            "500 characters of a search, 1,000 of a note, 200 of a name",
        ));
    }
    Ok(request)
}

/// The names of all that can be asked.
const NAMES: [&str; 21] = [
    "hello",
    "watch",
    "unwatch",
    "claim",
    "release",
    "take_over",
    "mode",
    "suggest",
    "step",
    "capture",
    "confirm_capture",
    "type_dni",
    "confirm_dni",
    "see_patient",
    "search",
    "swap",
    "mark",
    "callbacks",
    "see_telephone",
    "callback_done",
    "ping",
];

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.call().map(CallId::as_str).unwrap_or_default();
        write!(f, "{}({call})", self.as_str())
    }
}

impl Ask {
    /// The name on the wire.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Watch { .. } => "watch",
            Self::Unwatch { .. } => "unwatch",
            Self::Claim { .. } => "claim",
            Self::Release { .. } => "release",
            Self::TakeOver { .. } => "take_over",
            Self::Mode { .. } => "mode",
            Self::Suggest { .. } => "suggest",
            Self::Step { .. } => "step",
            Self::Capture { .. } => "capture",
            Self::ConfirmCapture { .. } => "confirm_capture",
            Self::TypeDni { .. } => "type_dni",
            Self::ConfirmDni { .. } => "confirm_dni",
            Self::SeePatient { .. } => "see_patient",
            Self::Search { .. } => "search",
            Self::Swap { .. } => "swap",
            Self::Mark { .. } => "mark",
            Self::Callbacks => "callbacks",
            Self::SeeTelephone { .. } => "see_telephone",
            Self::CallbackDone { .. } => "callback_done",
            Self::Ping => "ping",
        }
    }

    /// The call that it is about.
    pub fn call(&self) -> Option<&CallId> {
        match self {
            Self::Watch { call, .. }
            | Self::Unwatch { call }
            | Self::Claim { call }
            | Self::Release { call }
            | Self::TakeOver { call }
            | Self::Mode { call, .. }
            | Self::Suggest { call }
            | Self::Step { call, .. }
            | Self::Capture { call, .. }
            | Self::ConfirmCapture { call, .. }
            | Self::TypeDni { call, .. }
            | Self::ConfirmDni { call, .. }
            | Self::SeePatient { call }
            | Self::Search { call, .. }
            | Self::Swap { call }
            | Self::Mark { call, .. } => Some(call),
            Self::Hello { .. }
            | Self::Callbacks
            | Self::SeeTelephone { .. }
            | Self::CallbackDone { .. }
            | Self::Ping => None,
        }
    }
}
