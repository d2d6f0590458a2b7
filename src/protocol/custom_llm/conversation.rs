//! Which conversation a request belongs to: the body has no field for it, so it is configured in one of three places.
//!
//! 1. The header `X-Conversation-Id: {{system__conversation_id}}` among the agent's request headers: nobody but
//!    the platform writes it.
//! 2. `elevenlabs_extra_body`, under one of [`EXTRA`]'s names (case, `_` and `-` don't matter).
//! 3. A line of the agent's prompt of its own: `Conversation-Id: {{system__conversation_id}}`; see [`LINES`].
//!
//! Last, and only where none of these tells: [`UUID`] in the extra body, the one of the peer's own example. It is
//! whatever the client's maker meant by it.
//!
//! Whatever is no call id, or a template that nobody rendered, is passed over for the next place.
use super::message::Message;
use super::request::Request;
use crate::ids::CallId;
use crate::protocol::unset::is_unset;

/// The header that names the conversation, lower case.
pub const CONVERSATION_HEADER: &str = "x-conversation-id";

/// Names in `elevenlabs_extra_body`, the surest first.
const EXTRA: [&str; 4] = [
    "conversationid",           // conversation_id, conversationId
    "systemconversationid",     // system__conversation_id
    "elevenlabsconversationid", // elevenlabs_conversation_id
    "callid",
];

/// The last resort in `elevenlabs_extra_body`.
const UUID: &str = "uuid";

/// What may stand before the `:` or `=` of a line of the prompt.
const LINES: [&str; 7] = [
    "conversationid", // Conversation-Id: …, conversation_id = …, Conversation ID: …
    "xconversationid",
    "systemconversationid",
    "elevenlabsconversationid",
    "callid",
    "iddeconversación",
    "iddelaconversación",
];

/// The conversation that a request belongs to; `header` is the value of [`CONVERSATION_HEADER`]. `None`: nothing
/// names it, and the request stands for itself.
pub fn conversation(header: Option<&str>, request: &Request) -> Option<CallId> {
    let in_extra = || EXTRA.iter().find_map(|name| from_extra(name, request));
    let in_prompt = || from_prompt(request);
    header.and_then(id).or_else(in_extra).or_else(in_prompt).or_else(|| from_extra(UUID, request))
}

fn from_extra(wanted: &str, request: &Request) -> Option<CallId> {
    request.extra.iter().filter(|(name, _)| bare(name) == wanted).find_map(|(_, value)| id(value))
}

fn from_prompt(request: &Request) -> Option<CallId> {
    let prompts = request.messages.iter().filter_map(|message| match message {
        Message::System(text) => Some(text.as_str()),
        _ => None,
    });
    prompts.flat_map(str::lines).find_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        // No name is longer, however its words are parted.
        let named = name.len() <= 64 && LINES.contains(&bare(name).as_str());
        named.then(|| id(value))?
    })
}

/// A name without what parts its words, lower case.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A value as an id, without quotes or Markdown's marks around it.
fn id(value: &str) -> Option<CallId> {
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*' | '<' | '>' | ',' | ';');
    let value = value.trim_matches(around).trim_end_matches('.');
    // A variable's name where its value should be: all conversations would be one.
    let unrendered = value.to_ascii_lowercase().starts_with("system__");
    if is_unset(value) || unrendered { None } else { CallId::parse(value).ok() }
}
