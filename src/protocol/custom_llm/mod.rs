//! The chat-completions endpoint that we serve: ElevenLabs (voice, WhatsApp) or any OpenAI client asks, the call answers.
//!
//! [`read`] takes a request in; [`conversation`] says whose it is, [`turns`] and [`occasion`] what happened there,
//! [`Key`] and [`relation`] whether it was asked before. [`Stream`] (or [`Whole`]) writes the answer, [`call_for`]
//! what is to happen to the line, [`Refusal`] why there is none.
mod chunk;
mod conversation;
mod error;
mod history;
mod json;
mod key;
mod mend;
mod message;
pub mod models;
mod offer;
mod request;
mod tools;
mod whole;
mod wire;

pub use chunk::{DONE, Stream};
pub use conversation::{CONVERSATION_HEADER, conversation};
pub use error::Refusal;
pub use history::{Fate, Occasion, Outcome, occasion, outcomes, turns};
pub use key::{Key, Relation, relation};
pub use mend::{CANCELLED, mend};
pub use message::{Attachment, Called, Message};
pub use offer::{Offer, Offered, Tool};
pub use request::{BadRequest, MAX_BODY, MAX_MESSAGES, Request, read};
pub use tools::{ToolCall, Withheld, Words, call_for};
pub use whole::Whole;
pub use wire::Ending;

/// Where the endpoint is looked for: peers append their path to a base address, or to the whole address, or
/// take it as it is.
pub const PATHS: [&str; 3] =
    ["/v1/chat/completions", "/chat/completions", "/v1/chat/completions/chat/completions"];
