//! What Retell is told: how we want it, that we are there, and what to say.
use crate::call::Closing;
use crate::ids::ReplyId;
use serde_json::{Number, Value};
use std::fmt;

/// One frame to Retell. Its `Display` is the JSON text to send: no line break, fields in Retell's order.
#[derive(Clone, Debug, PartialEq)]
pub enum Outbound {
    /// The first frame on every socket, redialled ones too. Key presses are always asked for:
    /// they are visible in `transcript_with_tool_calls` only.
    Config {
        /// Ping us every 2 s and redial when we are gone.
        auto_reconnect: bool,
        /// Tell us who calls.
        call_details: bool,
    },
    /// A ping's echo.
    PingPong {
        /// The ping's own number; `None` if it had none.
        timestamp: Option<Number>,
    },
    /// A piece of an answer.
    Response {
        /// Whose answer: the number that was asked for last; 0 is the greeting.
        response_id: ReplyId,
        /// Words to speak (pass them through [`crate::speech::speakable`]), with the space that parts them
        /// from the next piece; may be empty.
        content: String,
        /// The last piece. Each number that was begun needs exactly one, or the caller waits mutely.
        content_complete: bool,
        /// What happens once this has been spoken.
        then: Closing,
    },
}

impl fmt::Display for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config { auto_reconnect, call_details } => write!(
                f,
                r#"{{"response_type":"config","config":{{"auto_reconnect":{auto_reconnect},"call_details":{call_details},"transcript_with_tool_calls":true}}}}"#
            ),
            Self::PingPong { timestamp: Some(timestamp) } => {
                write!(f, r#"{{"response_type":"ping_pong","timestamp":{timestamp}}}"#)
            }
            Self::PingPong { timestamp: None } => f.write_str(r#"{"response_type":"ping_pong"}"#),
            Self::Response { response_id, content, content_complete, then } => {
                let content = Value::from(content.as_str());
                let id = response_id.0;
                write!(
                    f,
                    r#"{{"response_type":"response","response_id":{id},"content":{content},"content_complete":{content_complete}"#
                )?;
                match then {
                    Closing::Stay => f.write_str("}"),
                    Closing::HangUp => f.write_str(r#","end_call":true}"#),
                    Closing::Transfer(number) => {
                        write!(f, r#","transfer_number":{}}}"#, Value::from(number.as_str()))
                    }
                }
            }
        }
    }
}
