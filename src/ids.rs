//! The names of things: calls, turns, people, lessons, patients.
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest call id that is accepted, in bytes.
const CALL_ID_MAX: usize = 128;

/// Names one call for its whole life, across sockets and redials.
///
/// Comes from an unauthenticated peer, so only `[A-Za-z0-9._:-]` and 1 to 128 bytes are let in.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub struct CallId(String);

/// Why a text is no call id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "call id refused: expected 1 to 128 characters of A-Z a-z 0-9 . _ : -, got {len} bytes; check the URL that the peer dials"
)]
pub struct BadCallId {
    /// Length of what was offered, in bytes.
    pub len: usize,
}

impl CallId {
    /// Takes a peer's id in, or refuses it.
    pub fn parse(text: &str) -> Result<Self, BadCallId> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-');
        if text.is_empty() || text.len() > CALL_ID_MAX || !text.bytes().all(allowed) {
            return Err(BadCallId { len: text.len() });
        }
        Ok(Self(text.to_owned()))
    }

    /// The id of a simulated call.
    pub(crate) fn simulated(seed: u64) -> Self {
        Self(format!("simulated-{seed}"))
    }

    /// The id as the peer wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CallId {
    type Error = BadCallId;
    fn try_from(text: String) -> Result<Self, BadCallId> {
        Self::parse(&text)
    }
}

impl From<CallId> for String {
    fn from(id: CallId) -> Self {
        id.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Numbers the turns of a call from 1; an answer that carries an older number is stale (I3).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct TurnId(pub u32);

impl TurnId {
    /// The turn after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The peer's own number for the answer it waits for; echoed, never computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplyId(pub u64);

/// The human agent who claimed a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub String);

/// The fewest and the most digits of a document number.
const DNI_DIGITS: std::ops::RangeInclusive<usize> = 7..=8;

/// An Argentine document number (DNI, LE, LC): 7 or 8 digits without leading zeros.
///
/// It prints as `DNI ···789` (its last three digits), in `Debug` as `Dni(***)`, and isn't serialisable: the
/// digits come out through [`Dni::digits`] alone (S4, I8). It has no check digit: one that was misheard
/// looks like a right one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dni(u32);

/// Why a text is no document number. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDni {
    /// Nothing was given.
    #[error("document number refused: it is empty; expected 7 or 8 digits")]
    Empty,
    /// Something other than digits, dots, spaces, hyphens and a leading M or F.
    #[error("document number refused: it holds something other than digits, dots, spaces or hyphens")]
    NotDigits,
    /// An impossible count of digits, leading zeros aside (E13).
    #[error(
        "document number refused: expected 7 or 8 digits without leading zeros, got {0}; ask for it again"
    )]
    Digits(usize),
}

impl Dni {
    /// Takes a written number in: `23.456.789`, `23 456 789`, `05612340`, `F5.123.456`.
    pub fn parse(text: &str) -> Result<Self, BadDni> {
        let text = text.trim();
        let bare = text.strip_prefix(['M', 'm', 'F', 'f']).unwrap_or(text);
        if bare.is_empty() {
            return Err(BadDni::Empty);
        }
        if !bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-') || c.is_whitespace()) {
            return Err(BadDni::NotDigits);
        }
        let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
        let significant = digits.trim_start_matches('0');
        if !DNI_DIGITS.contains(&significant.len()) {
            return Err(BadDni::Digits(significant.len()));
        }
        significant.parse().map(Self).map_err(|_| BadDni::NotDigits)
    }

    /// The digits, for the look-up and for whoever may see them: never for a log, a model or an event (S4).
    #[must_use]
    pub fn digits(self) -> String {
        self.0.to_string()
    }
}

impl fmt::Display for Dni {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DNI ···{:03}", self.0 % 1000)
    }
}

impl fmt::Debug for Dni {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dni(***)")
    }
}
