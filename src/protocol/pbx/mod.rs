//! What all PBXs' sockets have in common: what a frame gives, and how things of a call are spelled.
mod facts;
mod json;
mod url;

pub(super) use facts::{Facts, encoding, is_digit, key, leg, track};
pub(super) use json::{flatten, objects};
pub use url::{BadQuery, query};

use crate::ears::{Door, Told};
use serde_json::error::Category;

/// The longest text frame that is read, in bytes: a switch's metadata are 8,192 at most, a second of
/// Twilio's audio in one message 11,000.
pub const MAX_TEXT: usize = 64 * 1024;
/// The longest binary frame that is to be let in, in bytes: a fork that stalled sends up to 320,000 at once
/// (fault 52).
pub const MAX_BINARY: usize = 512 * 1024;

/// What a frame gives. What could be read before a fault is never lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// What was told, in order.
    pub told: Vec<Told>,
    /// What couldn't be read, for the log.
    pub fault: Option<FrameError>,
}

impl From<FrameError> for Decoded {
    fn from(fault: FrameError) -> Self {
        Self { told: Vec::new(), fault: Some(fault) }
    }
}

/// Why a frame can't be used. No variant repeats what the frame says: it may hold a caller's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Longer than [`MAX_TEXT`].
    #[error(
        "PBX frame refused: {len} bytes of text, expected at most {MAX_TEXT}; check who dials this address"
    )]
    TooLarge {
        /// Its length in bytes.
        len: usize,
    },
    /// No JSON, or JSON that is cut short.
    #[error(
        "PBX frame unreadable: {fault} at line {line}, column {column}, expected JSON objects; what follows it in the frame is dropped: a switch cuts metadata at 8,192 bytes, and at a blank that isn't quoted"
    )]
    Corrupt {
        /// What is wrong: `a syntax error` or `an early end`.
        fault: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0: before the first character).
        column: usize,
    },
    /// JSON, but no object.
    #[error("PBX frame unreadable: expected JSON objects, got another value; it is dropped")]
    NotAnObject,
    /// A line of a transcript of which isn't told who said it.
    #[error("transcript line dropped: expected `leg` (patient or operator) or `track` (inbound or outbound)")]
    NoSpeaker,
    /// Audio that isn't base64.
    #[error("media message dropped: expected its payload as base64")]
    Payload,
    /// AudioSocket: a kind that the protocol doesn't have. Nothing after it can be trusted.
    #[error(
        "AudioSocket frame of unknown kind 0x{kind:02x}: the connection is out of step or no AudioSocket; close it"
    )]
    UnknownKind {
        /// The kind.
        kind: u8,
    },
    /// AudioSocket: a frame that is longer or shorter than its kind allows.
    #[error(
        "AudioSocket frame of kind 0x{kind:02x} with {len} bytes, expected {expected}: the connection is out of step or no AudioSocket; close it"
    )]
    Length {
        /// The kind.
        kind: u8,
        /// The length that it announces.
        len: usize,
        /// What that kind may have.
        expected: &'static str,
    },
    /// AudioSocket: Asterisk reports an error of its own.
    #[error("Asterisk ends the AudioSocket with error {code:?}; see its log")]
    Peer {
        /// Its code, where it gives one.
        code: Option<u8>,
    },
}

/// Tells where JSON breaks, without the parser's own words: they may quote the frame.
pub(super) fn corrupt(error: &serde_json::Error) -> FrameError {
    let fault = if error.classify() == Category::Eof { "an early end" } else { "a syntax error" };
    FrameError::Corrupt { fault, line: error.line(), column: error.column() }
}

/// The subprotocol to echo, of those that `Sec-WebSocket-Protocol` offers: the first that the door speaks.
/// Where the client offers one, it hangs up unless it is echoed; where none is offered, none may be.
///
/// ```
/// use aura::{ears::Door, protocol::pbx::subprotocol};
/// assert_eq!(subprotocol(Door::AudioFork, "audio.jambonz.org"), Some("audio.jambonz.org"));
/// assert_eq!(subprotocol(Door::Asterisk, "chat, media"), Some("media"));
/// assert_eq!(subprotocol(Door::Twilio, "media"), None);
/// ```
pub fn subprotocol(door: Door, offered: &str) -> Option<&'static str> {
    let spoken: &[&'static str] = match door {
        Door::AudioFork => &["audio.drachtio.org", "audio.jambonz.org"],
        Door::Asterisk => &["media"],
        Door::Twilio | Door::AudioSocket => &[],
    };
    offered.split(',').find_map(|offer| spoken.iter().copied().find(|token| *token == offer.trim()))
}
