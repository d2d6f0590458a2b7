//! What Retell tells: pings, the call's details, transcripts, and that an answer is due.
use super::lenient::{Figure, List, Object, Scalar, Scalars};
use super::{FrameError, MAX_FRAME};
use crate::ids::ReplyId;
use crate::protocol::unset::is_unset;
use crate::settings::is_phone;
use crate::transcript::{Speaker, Turn};
use serde::Deserialize;
use serde_json::Number;
use serde_json::error::Category;
use std::collections::BTreeMap;

/// One frame of Retell's.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// Are you there? To be echoed at once, with the same number.
    PingPong {
        /// Milliseconds, as they came.
        timestamp: Option<Number>,
    },
    /// Who calls, once per socket, if it was asked for. May come late or never (A9).
    CallDetails(Details),
    /// How the transcript stands. Nothing is to be answered.
    UpdateOnly {
        /// The whole call so far; `None`: the frame has none, the last one stands.
        transcript: Option<Vec<Turn>>,
        /// All keys pressed so far, in order: `0`–`9`, `*`, `#`.
        digits: Vec<char>,
        /// Whose turn it is to speak, when that changes: a hint.
        floor: Option<Floor>,
    },
    /// An answer is due under this number. All older numbers are dead.
    ResponseRequired {
        /// The number that each piece of the answer carries.
        response_id: ReplyId,
        /// The whole call so far; `None`: the frame has none, the last one stands.
        transcript: Option<Vec<Turn>>,
        /// All keys pressed so far, in order: `0`–`9`, `*`, `#`.
        digits: Vec<char>,
    },
    /// The caller is silent and wants a nudge, under a number of the same sequence.
    ReminderRequired {
        /// The number that each piece of the nudge carries.
        response_id: ReplyId,
        /// The whole call so far, possibly without a single turn; `None`: the last one stands.
        transcript: Option<Vec<Turn>>,
        /// All keys pressed so far, in order: `0`–`9`, `*`, `#`.
        digits: Vec<char>,
    },
    /// A kind that this version doesn't know: to be ignored.
    Unknown,
}

/// Whose turn it is to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// Aura's.
    Agent,
    /// The caller's.
    Patient,
}

/// Who dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The caller did.
    Inbound,
    /// We did.
    Outbound,
}

/// What is known of the call beforehand. Phone numbers are no identity (R9): one is kept for a call back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Who dialled; `None` on web calls.
    pub direction: Option<Direction>,
    /// `retell_llm_dynamic_variables`: scalars as text on one line, without empty and unset ones.
    pub variables: BTreeMap<String, String>,
    /// `metadata`, read likewise.
    pub metadata: BTreeMap<String, String>,
    /// The patient's telephone, whoever dialled; where it looks like one.
    pub phone: Option<String>,
}

/// Reads one text frame. Unknown kinds and fields, and fields of the wrong type, never fail.
///
/// # Errors
/// [`FrameError`] if it is too long, no JSON object, has no kind, or wants an answer without a number.
pub fn decode(text: &str) -> Result<Inbound, FrameError> {
    if text.len() > MAX_FRAME {
        return Err(FrameError::TooLarge { len: text.len() });
    }
    let frame: Frame = serde_json::from_str(text).map_err(|e| corrupt(&e))?;
    // Anything but an object comes out as a frame without fields.
    if !text.trim_start().starts_with('{') {
        return Err(FrameError::NotAnObject);
    }
    let Object(fields) = frame;
    let kind = fields.interaction_type.0.as_deref().ok_or(FrameError::NoTag)?.to_owned();
    fields.into_inbound(&kind)
}

type Frame = Object<Fields>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    interaction_type: Scalar,
    timestamp: Figure,
    response_id: Figure,
    transcript: List<Object<Item>>,
    transcript_with_tool_calls: List<Object<Item>>,
    turntaking: Scalar,
    call: Object<Call>,
}

/// One entry of either transcript. `words` and all else is skipped unread.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Item {
    role: Scalar,
    content: Scalar,
    digit: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call {
    direction: Scalar,
    from_number: Scalar,
    to_number: Scalar,
    retell_llm_dynamic_variables: Scalars,
    metadata: Scalars,
}

impl Fields {
    fn into_inbound(self, kind: &str) -> Result<Inbound, FrameError> {
        Ok(match kind {
            "ping_pong" => Inbound::PingPong { timestamp: self.timestamp.0 },
            "call_details" => Inbound::CallDetails(self.call.0.into()),
            "update_only" => {
                let floor = floor(self.turntaking.0.as_deref());
                let (transcript, digits) = self.heard();
                Inbound::UpdateOnly { transcript, digits, floor }
            }
            "response_required" => {
                let response_id = self.reply_id("response_required")?;
                let (transcript, digits) = self.heard();
                Inbound::ResponseRequired { response_id, transcript, digits }
            }
            "reminder_required" => {
                let response_id = self.reply_id("reminder_required")?;
                let (transcript, digits) = self.heard();
                Inbound::ReminderRequired { response_id, transcript, digits }
            }
            _ => Inbound::Unknown,
        })
    }

    fn reply_id(&self, kind: &'static str) -> Result<ReplyId, FrameError> {
        let id = self.response_id.whole();
        id.map(ReplyId).ok_or(FrameError::NoResponseId { kind })
    }

    /// The turns, from whichever list has them, and the keys pressed.
    fn heard(self) -> (Option<Vec<Turn>>, Vec<char>) {
        let Self { transcript: List(plain), transcript_with_tool_calls: List(full), .. } = self;
        let digits = full.iter().flatten().filter_map(|Object(item)| item.key()).collect();
        let items = plain.or(full);
        let turns = items.map(|items| items.iter().filter_map(|Object(item)| item.turn()).collect());
        (turns, digits)
    }
}

impl Item {
    fn turn(&self) -> Option<Turn> {
        let speaker = match self.role.0.as_deref()? {
            "user" => Speaker::Patient,
            "agent" => Speaker::Agent,
            _ => return None,
        };
        Turn::heard(speaker, self.content.0.as_deref()?)
    }

    fn key(&self) -> Option<char> {
        if self.role.0.as_deref() != Some("dtmf") {
            return None;
        }
        let mut chars = self.digit.0.as_deref()?.trim().chars();
        let key = chars.next().filter(|c| c.is_ascii_digit() || matches!(c, '*' | '#'))?;
        chars.next().is_none().then_some(key)
    }
}

impl From<Call> for Details {
    fn from(call: Call) -> Self {
        let direction = match call.direction.0.as_deref() {
            Some("inbound") => Some(Direction::Inbound),
            Some("outbound") => Some(Direction::Outbound),
            _ => None,
        };
        let variables = known(call.retell_llm_dynamic_variables);
        let phone = match direction {
            Some(Direction::Outbound) => call.to_number.0,
            Some(Direction::Inbound) | None => call.from_number.0,
        };
        let phone = phone.filter(|number| is_phone(number));
        Self { direction, variables, metadata: known(call.metadata), phone }
    }
}

/// The names under which Retell passes phone numbers on, lower case (R9).
const PHONE_NAMES: [&str; 5] = ["from_number", "to_number", "user_number", "agent_number", "caller_number"];

/// The pairs that say something, each value on one line: a line break could pass for a heading in a prompt.
fn known(Scalars(pairs): Scalars) -> BTreeMap<String, String> {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let nameless = |name: &str| name.is_empty() || PHONE_NAMES.contains(&name.to_lowercase().as_str());
    pairs
        .into_iter()
        .map(|(name, value)| (one_line(&name), one_line(&value)))
        .filter(|(name, value)| !nameless(name) && !is_unset(value))
        .collect()
}

fn floor(turntaking: Option<&str>) -> Option<Floor> {
    match turntaking? {
        "agent_turn" => Some(Floor::Agent),
        "user_turn" => Some(Floor::Patient),
        _ => None,
    }
}

/// Tells where JSON breaks, without the parser's own words: they may quote the frame.
fn corrupt(error: &serde_json::Error) -> FrameError {
    let fault = match error.classify() {
        Category::Eof => "an early end",
        Category::Data => "a repeated field",
        Category::Syntax | Category::Io => "a syntax error",
    };
    FrameError::Corrupt { fault, line: error.line(), column: error.column() }
}
