//! Whether a request was asked before: what it means as one number, and how two of a conversation stand to each other.
//!
//! A peer asks again after four seconds, when its transcript was revised, after a tool, or in silence; each time
//! with the whole history. Instructions don't count (they change nothing that we answer), nor do ids of calls,
//! the order of keys, spaces in JSON, or whether words come in one text or in parts.
use super::json::canonical;
use super::mend::paired;
use super::message::{Called, Message};
use super::request::Request;
use crate::ids::CallId;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// What a request means, in its conversation: sha256. Requests without a conversation have none: two patients
/// who say the same are not one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a request.
    pub fn of(conversation: &CallId, request: &Request) -> Self {
        let mut hash = Sha256::new();
        netstring(&mut hash, b"custom-llm-1");
        netstring(&mut hash, conversation.as_str().as_bytes());
        for message in said(request) {
            write(&mut hash, &message);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// How a request stands to an earlier one of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same: the peer asks again.
    Repeat,
    /// The same turn of the patient's, heard better.
    Revised,
    /// What came after it.
    Next,
    /// Anything else: an older one that was late, or another history.
    Other,
}

/// How `now` stands to `before`. Aura's own words may have been cut, or completed, to what was heard.
pub fn relation(before: &Request, now: &Request) -> Relation {
    let (before, now) = (said(before), said(now));
    let same = |(a, b): (&Message, &Message)| equal(a, b);
    if before.len() == now.len() && before.iter().zip(&now).all(same) {
        return Relation::Repeat;
    }
    let alike = before.iter().zip(&now).take_while(|(a, b)| alike(a, b)).count();
    let user = |messages: &[Message]| matches!(messages.last(), Some(Message::User { .. }));
    if alike == before.len() && now.len() > before.len() {
        Relation::Next
    } else if before.len() == now.len() && alike + 1 >= now.len() && user(&before) && user(&now) {
        Relation::Revised
    } else {
        Relation::Other
    }
}

/// The messages that count, each answer of a tool behind its call.
fn said(request: &Request) -> Vec<Message> {
    let counts = |message: &&Message| !matches!(message, Message::System(_));
    let messages: Vec<Message> = request.messages.iter().filter(counts).cloned().collect();
    paired(&messages)
}

/// Whether two messages mean the same, whatever ids their calls have.
fn equal(a: &Message, b: &Message) -> bool {
    match (a, b) {
        (Message::Assistant { text: a, calls: these }, Message::Assistant { text: b, calls: those }) => {
            a == b && same_calls(these, those)
        }
        (Message::Tool { text: a, .. }, Message::Tool { text: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

/// As [`equal`], but of Aura's words one may be the other's beginning.
fn alike(a: &Message, b: &Message) -> bool {
    match (a, b) {
        (Message::Assistant { text: a, calls: these }, Message::Assistant { text: b, calls: those }) => {
            let cut = |text: &str| text.trim_end_matches(['.', '…', '-', ' ']).to_owned();
            let (a, b) = (cut(a), cut(b));
            (a.starts_with(&b) || b.starts_with(&a)) && same_calls(these, those)
        }
        (a, b) => equal(a, b),
    }
}

fn same_calls(these: &[Called], those: &[Called]) -> bool {
    let same =
        |(a, b): (&Called, &Called)| a.name == b.name && meaning(&a.arguments) == meaning(&b.arguments);
    these.len() == those.len() && these.iter().zip(those).all(same)
}

/// Arguments in one form for all that mean the same.
fn meaning(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments).map_or_else(|_| arguments.to_owned(), |json| canonical(&json))
}

fn write(hash: &mut Sha256, message: &Message) {
    match message {
        Message::System(_) => {}
        Message::User { text, attached } => {
            netstring(hash, b"user");
            netstring(hash, text.as_bytes());
            netstring(hash, attached.len().to_string().as_bytes());
            attached.iter().for_each(|attachment| netstring(hash, &attachment.digest));
        }
        Message::Assistant { text, calls } => {
            netstring(hash, b"assistant");
            netstring(hash, text.as_bytes());
            netstring(hash, calls.len().to_string().as_bytes());
            for call in calls {
                netstring(hash, call.name.as_bytes());
                netstring(hash, meaning(&call.arguments).as_bytes());
            }
        }
        Message::Tool { text, .. } => {
            netstring(hash, b"tool");
            netstring(hash, text.as_bytes());
        }
    }
}

/// Lengths stand before texts, so no two sequences are the same bytes.
fn netstring(hash: &mut Sha256, bytes: &[u8]) {
    hash.update(bytes.len().to_string());
    hash.update(b":");
    hash.update(bytes);
    hash.update(b",");
}
