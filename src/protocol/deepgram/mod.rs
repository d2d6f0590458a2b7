//! Deepgram's live API, seen from the client: the query that opens it, what we write, what it answers.
//!
//! Its times count the audio of one connection; [`crate::stt::Link`] mends them.
mod options;
mod reading;
mod terms;

pub use options::{Options, OptionsError};
pub use reading::read;
pub(super) use reading::time;
pub use terms::{MAX_TERMS, MAX_TOKENS, keyterms, within_limits};

/// Resets the idle timer, and nothing else. A text frame, as all of these: sent as binary it would be heard.
pub const KEEP_ALIVE: &str = r#"{"type":"KeepAlive"}"#;

/// Asks for what is held back; the stream stays open.
pub const FINALIZE: &str = r#"{"type":"Finalize"}"#;

/// Asks for the rest and the goodbye.
pub const CLOSE_STREAM: &str = r#"{"type":"CloseStream"}"#;
