//! What streamed and whole answers have in common: calls, usage, and how sentences follow each other.
use super::tools::ToolCall;
use crate::generation::Usage;
use crate::speech::is_item;
use serde::{Serialize, Serializer};

/// Why the words end where they do. That a tool was called is told without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// All is said.
    #[default]
    Stop,
    /// The limit of tokens was reached.
    Length,
}

impl Ending {
    pub(super) fn reason(self, calls: usize) -> &'static str {
        match self {
            _ if calls > 0 => "tool_calls",
            Self::Stop => "stop",
            Self::Length => "length",
        }
    }
}

/// What every chunk of an answer repeats.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub id: String,
    pub created: u64,
    pub model: String,
}

#[derive(Serialize)]
pub(super) struct Calling<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'static str,
    arguments: &'a str,
}

impl<'a> Calling<'a> {
    pub(super) fn new(call: &'a ToolCall, index: Option<usize>) -> Self {
        let function = Function { name: call.tool.name(), arguments: &call.arguments };
        Self { index, id: &call.id, r#type: "function", function }
    }
}

#[derive(Serialize)]
pub(super) struct Tokens {
    prompt_tokens: u32,
    completion_tokens: u32,
    total_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<Cached>,
}

#[derive(Serialize)]
struct Cached {
    cached_tokens: u32,
}

impl From<Usage> for Tokens {
    /// What nobody counted counts as nothing: the field must be there.
    fn from(usage: Usage) -> Self {
        let (read, written) = (usage.prompt_tokens.unwrap_or(0), usage.completion_tokens.unwrap_or(0));
        Self {
            prompt_tokens: read,
            completion_tokens: written,
            total_tokens: read.saturating_add(written),
            prompt_tokens_details: usage.cached_tokens.map(|cached_tokens| Cached { cached_tokens }),
        }
    }
}

/// A sentence with what parts it from its neighbours, written in one go.
#[derive(Clone, Copy)]
pub(super) struct Sentence<'a> {
    pub before: &'static str,
    pub text: &'a str,
    pub after: &'static str,
}

impl Serialize for Sentence<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}{}{}", self.before, self.text, self.after))
    }
}

/// How sentences follow each other: a space behind each, so that a voice begins at once; items of a list on lines
/// of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    begun: bool,
    item: bool,
}

impl Flow {
    /// Whether anything was said.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// `None` for a sentence without a word.
    pub(super) fn sentence<'a>(&mut self, text: &'a str) -> Option<Sentence<'a>> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let item = is_item(text);
        let line = std::mem::replace(&mut self.begun, true) && (item || self.item);
        self.item = item;
        Some(Sentence { before: if line { "\n" } else { "" }, text, after: " " })
    }
}
