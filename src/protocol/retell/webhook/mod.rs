//! Retell's webhooks: what it tells of a call over HTTP, beside the call's own socket.
mod kept;
mod report;
mod signature;

pub use report::{Analysis, Latency, Report};
pub use signature::{Signature, SignatureError, WINDOW_MS, verify};

use super::lenient::{Object, Scalar};
use crate::channel::Channel;
use crate::event::{Event, Kind};
use crate::ids::{BadCallId, CallId, TurnId};
use report::Call;
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::json;

/// The longest body that is read, in bytes: an hour's transcript in both of its forms fits in.
pub const MAX_WEBHOOK: usize = 2 * 1024 * 1024;

/// Why a body can't be used. No variant repeats what it says: it may hold a caller's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// No JSON, or JSON that is cut short.
    #[error("Retell webhook unreadable: {fault} at line {line}, column {column}, expected one JSON object")]
    Corrupt {
        /// What is wrong: `a syntax error`, `an early end` or `a repeated field`.
        fault: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0: before the first character).
        column: usize,
    },
    /// JSON, but no object.
    #[error("Retell webhook unreadable: expected one JSON object, got another value")]
    NotAnObject,
    /// An object that doesn't say what happened.
    #[error("Retell webhook without a text `event`: nothing is known of what it tells")]
    NoEvent,
    /// Something that is kept of a call, but not of which.
    #[error("Retell's {event} without a `call.call_id` (or, as older payloads have it, `data.call_id`)")]
    NoCall {
        /// What happened.
        event: &'static str,
    },
    /// A call id of other characters.
    #[error("Retell webhook refused: {0}")]
    BadCall(#[from] BadCallId),
}

/// One webhook.
#[derive(Clone, Debug, PartialEq)]
pub enum Webhook {
    /// Something happened to a call, and it is kept.
    Reported(Box<Reported>),
    /// Somebody calls: may it be taken, and with which variables? To be answered, not kept.
    Inbound,
    /// A transcript (the socket brings it already) or a text chat: acknowledged, not kept.
    Passed(Topic),
}

/// What a webhook is about. An open list: what this version doesn't know is [`Topic::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The call connected. Not sent for calls that never did.
    CallStarted,
    /// The call is over, or never connected.
    CallEnded,
    /// What Retell's own model made of it.
    CallAnalyzed,
    /// A transfer was begun.
    TransferStarted,
    /// Its other end answered.
    TransferBridged,
    /// It came to nothing.
    TransferCancelled,
    /// It is over.
    TransferEnded,
    /// The transcript grew.
    TranscriptUpdated,
    /// Somebody calls.
    CallInbound,
    /// A text chat.
    Chat,
    /// Anything else.
    Other,
}

impl Topic {
    /// Those that are kept, and their names in Retell's words.
    pub const KEPT: [Self; 7] = [
        Self::CallStarted,
        Self::CallEnded,
        Self::CallAnalyzed,
        Self::TransferStarted,
        Self::TransferBridged,
        Self::TransferCancelled,
        Self::TransferEnded,
    ];

    fn parse(name: &str) -> Self {
        let all = Self::KEPT.into_iter().chain([Self::TranscriptUpdated, Self::CallInbound]);
        let known = all.into_iter().find(|topic| topic.as_str() == name);
        known.unwrap_or(if name.starts_with("chat_") { Self::Chat } else { Self::Other })
    }

    /// The name, in events and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallStarted => "call_started",
            Self::CallEnded => "call_ended",
            Self::CallAnalyzed => "call_analyzed",
            Self::TransferStarted => "transfer_started",
            Self::TransferBridged => "transfer_bridged",
            Self::TransferCancelled => "transfer_cancelled",
            Self::TransferEnded => "transfer_ended",
            Self::TranscriptUpdated => "transcript_updated",
            Self::CallInbound => "call_inbound",
            Self::Chat => "chat",
            Self::Other => "other",
        }
    }
}

/// What is kept of one webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// What happened: one of [`Topic::KEPT`].
    pub topic: Topic,
    /// To which call.
    pub call: CallId,
    /// What Retell tells of it.
    pub report: Report,
}

impl Reported {
    /// What names this fact wherever and however often it is told (Retell repeats itself). As text: no
    /// call id holds a slash.
    pub fn key(&self) -> String {
        format!("retell/{}/{}", self.call, self.topic.as_str())
    }

    /// The fact.
    pub fn into_event(self) -> Event {
        Event {
            kind: Kind::CallReported,
            call: self.call,
            source: Channel::Retell,
            turn: TurnId(0),
            agent: None,
            payload: json!({ "event": self.topic.as_str(), "report": self.report }),
        }
    }
}

/// Reads a body, once [`verify`] has let it in. Unknown events and fields, and fields of the wrong type, never
/// fail.
///
/// # Errors
/// [`WebhookError`] if it is no JSON object, doesn't say what happened, or not to which call.
pub fn decode(raw: &[u8]) -> Result<Webhook, WebhookError> {
    let Object(body): Object<Body> = serde_json::from_slice(raw).map_err(|error| corrupt(&error))?;
    // Anything but an object comes out as a body without fields.
    if raw.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
        return Err(WebhookError::NotAnObject);
    }
    let topic = Topic::parse(body.event.0.as_deref().ok_or(WebhookError::NoEvent)?);
    if !Topic::KEPT.contains(&topic) {
        return Ok(if topic == Topic::CallInbound { Webhook::Inbound } else { Webhook::Passed(topic) });
    }
    let (Object(call), Object(data)) = (body.call, body.data);
    let call = if call.call_id.0.is_some() { call } else { data };
    let id = call.call_id.0.as_deref().ok_or(WebhookError::NoCall { event: topic.as_str() })?;
    let id = CallId::parse(id)?;
    Ok(Webhook::Reported(Box::new(Reported { topic, call: id, report: call.into() })))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    event: Scalar,
    call: Object<Call>,
    /// What older payloads call `call`.
    data: Object<Call>,
}

/// Tells where JSON breaks, without the parser's own words: they may quote the body.
fn corrupt(error: &serde_json::Error) -> WebhookError {
    let fault = match error.classify() {
        Category::Eof => "an early end",
        Category::Data => "a repeated field",
        Category::Syntax | Category::Io => "a syntax error",
    };
    WebhookError::Corrupt { fault, line: error.line(), column: error.column() }
}
