//! How acts are chained: each carries the hash of all before it, so that one changed byte shows.
//!
//! `hash = sha256(hash of the entry before ‖ form)`; before the first entry stand 32 zero bytes. The form is
//! a sequence of netstrings (`5:hello,`; a field without a value is `-,`): `aura-audit-1`, then the entry's
//! fields in the order of [`Entry`]. Lengths stand before the texts, so no two entries share a form, and an
//! auditor can compute it with a few lines of any language.
use super::Act;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// Names the form; another one would get another name.
const FORM: &str = "aura-audit-1";

/// The hash of an entry and of all before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = Some(text.as_bytes()).filter(|digits| digits.len() == 64)?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks(2)) {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An entry as it is stored, without its hash. All of it is text that was stored as it stands, so that a
/// database's idea of a number or of an object changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Counts the trail's entries from 1, without a gap.
    pub seq: i64,
    /// Made where it was done; lower-case UUID with hyphens.
    pub id: String,
    /// When: microseconds since 1970, UTC.
    pub at_us: i64,
    /// Who.
    pub by: String,
    /// The action's name.
    pub action: String,
    /// The patient's keyed hash.
    pub patient: Option<String>,
    /// The call.
    pub call: Option<String>,
    /// The rest: JSON without spaces, keys sorted.
    pub detail: String,
}

impl Entry {
    /// An act as the trail's entry `seq`.
    pub fn of(seq: i64, id: String, at_us: i64, act: &Act) -> Self {
        Self {
            seq,
            id,
            at_us,
            by: act.by.clone(),
            action: act.action.as_str().to_owned(),
            patient: act.patient.clone(),
            call: act.call.as_ref().map(ToString::to_string),
            detail: sorted(&act.detail),
        }
    }

    /// The form that is hashed.
    pub fn form(&self) -> Vec<u8> {
        let (seq, at) = (self.seq.to_string(), self.at_us.to_string());
        let fields = [
            Some(FORM),
            Some(&seq),
            Some(&self.id),
            Some(&at),
            Some(&self.by),
            Some(&self.action),
            self.patient.as_deref(),
            self.call.as_deref(),
            Some(&self.detail),
        ];
        let mut form = Vec::with_capacity(256);
        for field in fields {
            match field {
                Some(text) => form.extend_from_slice(format!("{}:{text},", text.len()).as_bytes()),
                None => form.extend_from_slice(b"-,"),
            }
        }
        form
    }

    /// Its hash, after the entry whose hash is `before`.
    pub fn hash(&self, before: Hash) -> Hash {
        Hash(Sha256::new().chain_update(before.0).chain_update(self.form()).finalize().into())
    }
}

/// JSON without spaces, the keys of each object in the order of their bytes.
pub fn sorted(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match value {
        Value::Array(items) => format!("[{}]", list(items.iter().map(sorted).collect())),
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            let field =
                |(key, value): (&String, &Value)| format!("{}:{}", Value::from(key.as_str()), sorted(value));
            format!("{{{}}}", list(fields.into_iter().map(field).collect()))
        }
        plain => plain.to_string(),
    }
}

/// The first thing that doesn't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The entry, or the hash that it carries, isn't what was written after those before it.
    #[error(
        "entry {seq} was changed, or put there later: its hash doesn't follow from it and those before it"
    )]
    Changed {
        /// Which.
        seq: i64,
    },
    /// There is none of this number, but later ones.
    #[error("entry {seq} is missing")]
    Missing {
        /// The first that is gone.
        seq: i64,
    },
    /// An entry whose number was already passed.
    #[error("entry {seq} is out of order")]
    OutOfOrder {
        /// Which.
        seq: i64,
    },
    /// The trail ends before its head says.
    #[error("the end is cut off: entry {seq} and all after it are missing")]
    Cut {
        /// The first that is gone.
        seq: i64,
    },
    /// There are entries after the head, or the head has another hash than the last entry.
    #[error("the head doesn't fit entry {seq}, the last one: it was put there, or the head was changed")]
    Head {
        /// The last entry.
        seq: i64,
    },
    /// What was written down elsewhere isn't in the trail: it was written anew.
    #[error("the hash that you wrote down isn't the trail's any more: entries up to {seq} were written anew")]
    Rewritten {
        /// The entry that should carry it, or the last one.
        seq: i64,
    },
}

/// A place of the trail that somebody wrote down: `SEQ:HASH`, or the hash alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Which entry; `None`: any.
    pub seq: Option<i64>,
    /// Its hash.
    pub hash: Hash,
}

impl Known {
    /// Reads what `aura audit verify` printed.
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, hash) = match text.trim().split_once(':') {
            Some((seq, hash)) => (Some(seq.parse().ok()?), hash),
            None => (None, text.trim()),
        };
        Some(Self { seq, hash: Hash::parse(hash)? })
    }
}

/// How far a trail holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Entries; also the number of the last one.
    pub count: i64,
    /// The last one's hash.
    pub head: Hash,
}

/// Goes along a trail, entry by entry, in the order of their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verifier {
    reached: Verified,
    known: Option<Known>,
}

impl Verifier {
    /// One that also looks for a place that was written down.
    pub fn new(known: Option<Known>) -> Self {
        Self { reached: Verified::default(), known }.met()
    }

    /// The next entry, with the hash that it carries.
    pub fn take(&mut self, entry: &Entry, carried: &[u8]) -> Result<(), Damage> {
        let (seq, next) = (entry.seq, self.reached.count + 1);
        if seq > next {
            return Err(Damage::Missing { seq: next });
        }
        if seq < next {
            return Err(Damage::OutOfOrder { seq });
        }
        let hash = entry.hash(self.reached.head);
        if hash.0 != carried {
            return Err(Damage::Changed { seq });
        }
        self.reached = Verified { count: seq, head: hash };
        *self = self.met();
        Ok(())
    }

    /// After the last entry: whether the stored head, its number and hash, is where the trail ends.
    pub fn end(self, seq: i64, hash: &[u8]) -> Result<Verified, Damage> {
        let Verified { count, head } = self.reached;
        if count < seq {
            return Err(Damage::Cut { seq: count + 1 });
        }
        if count > seq || head.0 != hash {
            return Err(Damage::Head { seq: count });
        }
        match self.known {
            Some(known) => Err(Damage::Rewritten { seq: known.seq.unwrap_or(count) }),
            None => Ok(self.reached),
        }
    }

    /// What was written down is looked for until it is met.
    fn met(mut self) -> Self {
        let Verified { count, head } = self.reached;
        self.known =
            self.known.filter(|known| known.hash != head || known.seq.is_some_and(|seq| seq != count));
        self
    }
}
