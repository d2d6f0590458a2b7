//! A request's body, read: what is needed is taken, what isn't known is passed over.
use super::json::{kind, scalar};
use super::message::Message;
use super::models::DEFAULT;
use super::offer::Offered;
use serde_json::error::Category;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest body that is read, in bytes: an hour's talk, twice, and the peer's own prompt.
pub const MAX_BODY: usize = 2 * 1024 * 1024;

/// The most messages, and the most calls of tools in them, that are read: the longest talk that peers allow (two hours), one every two seconds.
pub const MAX_MESSAGES: usize = 4096;

/// The longest name of a model, in bytes; it is echoed in each chunk.
const MAX_MODEL: usize = 128;

/// What a peer asks. Sampling, limits of tokens and all else that would tell us how to answer is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The name to be echoed; [`DEFAULT`] where the peer has none configured.
    pub model: String,
    /// Whether the answer is to be streamed.
    pub stream: bool,
    /// Whether the stream's last chunk is to tell what it cost.
    pub include_usage: bool,
    /// What was said and done, oldest first; never empty.
    pub messages: Vec<Message>,
    /// The system tools that may be called.
    pub tools: Offered,
    /// `user` or `user_id`: who the peer thinks it is (on WhatsApp possibly a telephone). Names no conversation.
    pub user: Option<String>,
    /// `elevenlabs_extra_body`: its scalars as text.
    pub extra: BTreeMap<String, String>,
}

/// Why a body can't be used. No variant repeats what anybody said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// Longer than [`MAX_BODY`].
    #[error("the body has {len} bytes, expected at most {MAX_BODY}; shorten the history or the prompt")]
    TooLarge {
        /// Its length in bytes.
        len: usize,
    },
    /// No JSON, or JSON that is cut short.
    #[error("the body has {fault} at line {line}, column {column}, expected one JSON object")]
    Corrupt {
        /// What is wrong: `a syntax error` or `an early end`.
        fault: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0: before the first character).
        column: usize,
    },
    /// A field that can't be what it is.
    #[error("`{field}`: expected {expected}, got {found}")]
    Field {
        /// The field; empty for the body itself.
        field: &'static str,
        /// What it is, never what it says.
        found: String,
        /// What it must be.
        expected: &'static str,
    },
}

impl BadRequest {
    fn field(field: &'static str, found: impl Into<String>, expected: &'static str) -> Self {
        Self::Field { field, found: found.into(), expected }
    }
}

/// Reads a body.
///
/// # Errors
/// [`BadRequest`] if it is too long, no JSON object, has no messages, asks for several answers, or its model,
/// its stream or its messages are of another type. Whatever else is odd is passed over.
pub fn read(body: &[u8]) -> Result<Request, BadRequest> {
    if body.len() > MAX_BODY {
        return Err(BadRequest::TooLarge { len: body.len() });
    }
    let mut fields = match serde_json::from_slice(body).map_err(|error| corrupt(&error))? {
        Value::Object(fields) => fields,
        other => return Err(BadRequest::field("body", kind(&other), "one JSON object")),
    };
    one_answer(&fields)?;
    let stream = flag(&fields, "stream")?;
    let options = fields.get("stream_options");
    let include_usage = options.and_then(|options| options.get("include_usage"));
    Ok(Request {
        model: model(&fields)?,
        stream,
        include_usage: include_usage.and_then(Value::as_bool).unwrap_or(false),
        messages: messages(fields.remove("messages"))?,
        tools: fields.get("tools").map(Offered::read).unwrap_or_default(),
        user: ["user", "user_id"].iter().find_map(|name| fields.get(*name).and_then(scalar)),
        extra: fields
            .get("elevenlabs_extra_body")
            .and_then(Value::as_object)
            .map(scalars)
            .unwrap_or_default(),
    })
}

fn scalars(fields: &Map<String, Value>) -> BTreeMap<String, String> {
    fields.iter().filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
}

fn model(fields: &Map<String, Value>) -> Result<String, BadRequest> {
    const EXPECTED: &str = "a text of at most 128 bytes without control characters";
    match fields.get("model") {
        None | Some(Value::Null) => Ok(DEFAULT.to_owned()),
        Some(Value::String(name)) if name.trim().is_empty() => Ok(DEFAULT.to_owned()),
        Some(Value::String(name)) if name.len() > MAX_MODEL => {
            Err(BadRequest::field("model", format!("{} bytes", name.len()), EXPECTED))
        }
        Some(Value::String(name)) if name.chars().any(char::is_control) => {
            Err(BadRequest::field("model", "control characters", EXPECTED))
        }
        Some(Value::String(name)) => Ok(name.trim().to_owned()),
        Some(other) => Err(BadRequest::field("model", kind(other), EXPECTED)),
    }
}

fn flag(fields: &Map<String, Value>, name: &'static str) -> Result<bool, BadRequest> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(BadRequest::field(name, kind(other), "true or false")),
    }
}

/// A patient hears one answer.
fn one_answer(fields: &Map<String, Value>) -> Result<(), BadRequest> {
    const EXPECTED: &str = "1, or nothing";
    match fields.get("n") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Number(n)) if n.as_f64() == Some(1.0) => Ok(()),
        Some(Value::Number(n)) => Err(BadRequest::field("n", n.to_string(), EXPECTED)),
        Some(other) => Err(BadRequest::field("n", kind(other), EXPECTED)),
    }
}

fn messages(list: Option<Value>) -> Result<Vec<Message>, BadRequest> {
    const EXPECTED: &str =
        "a list of 1 to 4096 messages with a known role, and as many calls of tools at most";
    let refused = |found: &str| Err(BadRequest::field("messages", found, EXPECTED));
    let list = match list {
        None => return refused("nothing"),
        Some(Value::Array(list)) => list,
        Some(other) => return refused(kind(&other)),
    };
    let found = match list.len() {
        0 => "an empty list".to_owned(),
        len if len > MAX_MESSAGES => format!("{len} messages"),
        _ => String::new(),
    };
    if !found.is_empty() {
        return refused(&found);
    }
    let messages: Vec<Message> = list.iter().filter_map(Message::read).collect();
    let called = |message: &Message| match message {
        Message::Assistant { calls, .. } => calls.len(),
        _ => 0,
    };
    // Pairing calls with their answers costs the square of both.
    match messages.iter().map(called).sum::<usize>() {
        _ if messages.is_empty() => refused("no message with a known role"),
        calls if calls > MAX_MESSAGES => refused(&format!("{calls} calls of tools")),
        _ => Ok(messages),
    }
}

/// Tells where JSON breaks, without the parser's own words: they may quote the body.
fn corrupt(error: &serde_json::Error) -> BadRequest {
    let fault = match error.classify() {
        Category::Eof => "an early end",
        Category::Syntax | Category::Data | Category::Io => "a syntax error",
    };
    BadRequest::Corrupt { fault, line: error.line(), column: error.column() }
}
