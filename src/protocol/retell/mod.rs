//! Retell's custom-LLM websocket and its webhooks: text frames and bodies to domain values and back.
mod inbound;
mod lenient;
mod outbound;
mod suggestion;
pub mod webhook;

pub use inbound::{Details, Direction, Floor, Inbound, decode};
pub use outbound::Outbound;
pub use suggestion::suggestion_payload;

/// The longest frame that is read, in bytes: an hour's cumulative transcript, twice, fits in.
pub const MAX_FRAME: usize = 2 * 1024 * 1024;

/// Why a frame can't be used. No variant repeats what the frame says: it may hold a caller's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Longer than [`MAX_FRAME`].
    #[error("Retell frame refused: {len} bytes, expected at most {MAX_FRAME}; check who dials this address")]
    TooLarge {
        /// Its length in bytes.
        len: usize,
    },
    /// No JSON, or JSON that is cut short.
    #[error(
        "Retell frame unreadable: {fault} at line {line}, column {column}, expected one JSON object; the frame is dropped"
    )]
    Corrupt {
        /// What is wrong: `a syntax error`, `an early end` or `a repeated field`.
        fault: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0: before the first character).
        column: usize,
    },
    /// JSON, but no object.
    #[error("Retell frame unreadable: expected one JSON object, got another value; the frame is dropped")]
    NotAnObject,
    /// An object that doesn't say what it is.
    #[error("Retell frame without a text `interaction_type`; the frame is dropped")]
    NoTag,
    /// An answer is wanted, but under which number isn't said: it could not be sent.
    #[error(
        "Retell's {kind} without a whole `response_id` of 0 or more: it can't be answered and is dropped"
    )]
    NoResponseId {
        /// `response_required` or `reminder_required`.
        kind: &'static str,
    },
}
