//! What is asked of a language model, and what comes back: values only; adapters live in `actors/llm`.
use crate::retrieval::Chunk;
use serde::{Deserialize, Serialize};

/// Who speaks in a chat message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The fixed instructions of the call.
    System,
    /// The patient (or whoever's turn is to be answered, E7).
    User,
    /// Aura.
    Assistant,
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; never empty.
    pub content: String,
}

/// What the answer of this turn may rest on, as values beside the rendered messages.
///
/// The local responder quotes from here; an HTTP model reads the same facts in the messages.
#[derive(Clone, Debug, PartialEq)]
pub enum Grounding {
    /// The rows in the prompt, the one to follow first.
    Rows(Vec<Chunk>),
    /// A device's row was nearest but its model is unknown: ask which it is (S6, DECISIONS 4).
    AskEquipment,
    /// The patient says goodbye.
    Farewell,
    /// The patient has been silent and the peer asks for a nudge.
    Reminder,
    /// Nothing was found: nothing technical may be said (R19).
    Nothing,
}

/// One request to a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The chat in cache order (E5); the last message is the turn to answer.
    pub messages: Vec<Message>,
    /// The answer's longest length in tokens.
    pub max_tokens: u32,
    /// What the answer may rest on.
    pub grounding: Grounding,
    /// The channel's sentence for when there is nothing to say (S3), in Spanish.
    pub holding: &'static str,
    /// The same for every call of one prompt version: lets a provider route to a warm cache.
    pub cache_key: String,
}

/// Tokens spent on one answer. Providers leave out what they don't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: Option<u32>,
    /// Tokens read from the provider's cache.
    pub cached_tokens: Option<u32>,
    /// Tokens written.
    pub completion_tokens: Option<u32>,
}

/// Why an answer could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// No permit was free: too much at once.
    Busy,
    /// It keeps failing and isn't asked for a while (a circuit breaker is open).
    Unavailable,
    /// It took longer than it may.
    Timeout,
    /// The other side said no, or broke off.
    Upstream,
}

/// A failure that a call is told of. The text is for events and logs: never the caller's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// What failed, what was expected, what to do.
    pub detail: String,
}
