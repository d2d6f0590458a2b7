//! One message of a history, as peers write it.
use super::json::{canonical, scalar, text};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What was said, or done. Unknown roles aren't read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The peer's instructions (`system`, `developer`): read for the conversation's id alone (DECISIONS 11).
    System(String),
    /// The patient.
    User {
        /// Their words, exactly as they came.
        text: String,
        /// What they sent beside words: a picture, a recording.
        attached: Vec<Attachment>,
    },
    /// Aura, as far as it was heard.
    Assistant {
        /// The words; empty where only tools were called.
        text: String,
        /// The tools that were called along with them.
        calls: Vec<Called>,
    },
    /// What a tool answered.
    Tool {
        /// The call's id, where the peer tells it.
        call: Option<String>,
        /// The answer.
        text: String,
    },
}

/// What a patient sent beside words; it isn't looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The part's `type`, for example `image_url`.
    pub kind: String,
    /// Equal only for the same thing.
    pub digest: [u8; 32],
}

/// A tool's call in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its id, where the peer tells one.
    pub id: Option<String>,
    /// The tool; never empty.
    pub name: String,
    /// The arguments: JSON, or what was meant to be.
    pub arguments: String,
}

impl Message {
    /// Reads a message; `None` if it is none, or its role is unknown.
    pub(super) fn read(message: &Value) -> Option<Self> {
        let role = text(message, "role")?.to_ascii_lowercase();
        let content = message.get("content").unwrap_or(&Value::Null);
        Some(match role.as_str() {
            "system" | "developer" => Self::System(words(content)),
            "user" => Self::User { text: words(content), attached: attachments(content) },
            "assistant" => Self::Assistant { text: words(content), calls: calls(message) },
            // The second is the first's forerunner; it has a name and no id.
            "tool" | "function" => Self::Tool {
                call: text(message, "tool_call_id").map(str::to_owned),
                text: if content.is_object() { canonical(content) } else { words(content) },
            },
            _ => return None,
        })
    }
}

/// The words of a content: a text, or the texts among its parts, held apart.
fn words(content: &Value) -> String {
    let mut all = String::new();
    for part in content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice) {
        let Some(part) = part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) else { continue };
        let apart = all.ends_with(char::is_whitespace) || part.starts_with(char::is_whitespace);
        if !all.is_empty() && !part.is_empty() && !apart {
            all.push(' ');
        }
        all.push_str(part);
    }
    all
}

fn attachments(content: &Value) -> Vec<Attachment> {
    let parts = content.as_array().map_or(&[][..], Vec::as_slice).iter();
    let words = |part: &&Value| {
        part.get("text").is_some_and(Value::is_string)
            || matches!(text(part, "type"), Some("text" | "input_text" | "output_text" | "refusal"))
    };
    let foreign = parts.filter(|part| part.is_object() && !words(part));
    let attachment = |part: &Value| Attachment {
        kind: text(part, "type").unwrap_or("unknown").to_owned(),
        digest: Sha256::digest(canonical(part)).into(),
    };
    foreign.map(attachment).collect()
}

/// The calls of an assistant's message; the older `function_call` is one without an id.
fn calls(message: &Value) -> Vec<Called> {
    let list = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = list.iter().filter_map(|call| {
        Called::read(call.get("function").unwrap_or(call), text(call, "id").map(str::to_owned))
    });
    let older = message.get("function_call").and_then(|call| Called::read(call, None));
    named.chain(older).collect()
}

impl Called {
    fn read(function: &Value, id: Option<String>) -> Option<Self> {
        let name = text(function, "name")?.to_owned();
        let arguments = match function.get("arguments") {
            Some(Value::String(arguments)) if !arguments.trim().is_empty() => arguments.clone(),
            Some(object @ Value::Object(_)) => canonical(object),
            Some(other) => scalar(other).filter(|text| !text.trim().is_empty()).unwrap_or("{}".to_owned()),
            None => "{}".to_owned(),
        };
        Some(Self { id, name, arguments })
    }
}
