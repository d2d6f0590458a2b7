//! What the URL says that a PBX dials: for forks that announce nothing themselves.
use super::facts::{Facts, encoding, flag, leg, phone_or_track, rate, shape};
use crate::ears::{Metadata, call_id};

/// The longest query that is read, in bytes.
const LONGEST: usize = 4096;

/// A query whose parameter can't be used. What it says isn't repeated: it may hold a token or a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadQuery {
    /// A parameter says what it can't.
    #[error(
        "parameter `{name}` of the URL refused: expected {expected}; correct it where the PBX starts the fork"
    )]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What it may say.
        expected: &'static str,
    },
    /// The query is too long.
    #[error("URL refused: its query has {len} bytes, expected at most {LONGEST}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
}

type Check = (&'static [&'static str], &'static str, fn(&str) -> bool);

/// The parameters that are checked: their names, what they may say, and whether they do.
const CHECKED: [Check; 7] = [
    (&["rate"], "samples a second, such as 8000 or 16k", |text| rate(text).is_some()),
    (&["ch"], "1, 2, mono, mixed or stereo", |text| shape(text).is_some()),
    (&["call"], "1 to 1024 bytes, the same for all forks of the call", |text| call_id(text).is_some()),
    (&["leg"], "patient or operator", |text| leg(text).is_some()),
    (&["patient"], "the patient's telephone, or their track: inbound or outbound", phone_or_track),
    (&["transcripts"], "true or false", |text| flag(text).is_some()),
    (&["encoding"], "l16, mulaw or alaw", |text| encoding(text).is_some()),
];

/// What a query says, the text after `?`: `rate`, `ch`, `call`, `leg`, `patient`, `transcripts`, `encoding`,
/// and the other names by which metadata are told. Parameters that say nothing of a call, such as a token,
/// are left out.
///
/// # Errors
/// [`BadQuery`] names the parameter: who starts the fork learns it at the handshake.
///
/// ```
/// let told = aura::protocol::pbx::query("rate=16k&ch=2&call=7d0e%3A1&leg=operator").unwrap();
/// assert_eq!((told.rate, told.call.as_deref()), (Some(16_000), Some("7d0e:1")));
/// ```
pub fn query(text: &str) -> Result<Metadata, BadQuery> {
    if text.len() > LONGEST {
        return Err(BadQuery::TooLong { len: text.len() });
    }
    let mut facts = Facts::default();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        facts.push(&name, &value);
    }
    for (name, expected, usable) in CHECKED {
        if facts.get(name).is_some_and(|value| !usable(value)) {
            return Err(BadQuery::Parameter { name: name[0], expected });
        }
    }
    let mut metadata = facts.metadata();
    metadata.variables.clear();
    Ok(metadata)
}
