//! The answer in one piece.
use super::tools::ToolCall;
use super::wire::{Calling, Ending, Flow, Head, Sentence, Tokens};
use crate::generation::Usage;
use serde::Serialize;

#[derive(Serialize)]
struct Completion<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: [WholeChoice<'a>; 1],
    usage: Tokens,
}

#[derive(Serialize)]
struct WholeChoice<'a> {
    index: u8,
    message: WholeMessage<'a>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct WholeMessage<'a> {
    role: &'static str,
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Calling<'a>>,
}

/// Gathers an answer for whoever doesn't want a stream.
#[derive(Clone, Debug)]
pub struct Whole {
    head: Head,
    flow: Flow,
    text: String,
    calls: Vec<ToolCall>,
}

impl Whole {
    /// The answer `id`, begun at `created` (seconds since 1970), to a request that named `model`.
    pub fn new(id: String, created: u64, model: String) -> Self {
        let head = Head { id, created, model };
        Self { head, flow: Flow::default(), text: String::new(), calls: Vec::new() }
    }

    /// Whether nothing was said and no tool called yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// A sentence, or several.
    pub fn say(&mut self, sentence: &str) {
        if let Some(Sentence { before, text, after }) = self.flow.sentence(sentence) {
            self.text.truncate(if before.is_empty() { self.text.len() } else { self.text.trim_end().len() });
            self.text.extend([before, text, after]);
        }
    }

    /// A tool's call.
    pub fn call(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// The body.
    pub fn end(&self, ending: Ending, usage: Usage) -> Vec<u8> {
        let Head { id, created, model } = &self.head;
        let text = self.text.trim_end();
        let message = WholeMessage {
            role: "assistant",
            content: (!text.is_empty() || self.calls.is_empty()).then_some(text),
            tool_calls: self.calls.iter().map(|call| Calling::new(call, None)).collect(),
        };
        let choice = WholeChoice { index: 0, message, finish_reason: ending.reason(self.calls.len()) };
        let completion = Completion {
            id,
            object: "chat.completion",
            created: *created,
            model,
            choices: [choice],
            usage: usage.into(),
        };
        serde_json::to_vec(&completion).unwrap_or_default()
    }
}
