//! The answer as a stream of chunks.
use super::tools::ToolCall;
use super::wire::{Calling, Ending, Flow, Head, Sentence, Tokens};
use crate::generation::Usage;
use serde::Serialize;

/// What ends a stream.
pub const DONE: &[u8] = b"data: [DONE]\n\n";

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [Choice<'a>],
    /// Where it was asked for, it is null in all chunks but the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Tokens>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u8,
    delta: Delta<'a>,
    finish_reason: Option<&'static str>,
}

#[derive(Default, Serialize)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Sentence<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Calling<'a>; 1]>,
}

/// Writes an answer as server-sent events. Each method gives the bytes to send; none cuts a character.
#[derive(Clone, Debug)]
pub struct Stream {
    head: Head,
    include_usage: bool,
    flow: Flow,
    calls: usize,
    opened: bool,
    ended: bool,
}

impl Stream {
    /// The stream of the answer `id`, begun at `created` (seconds since 1970), for a request that named `model`.
    pub fn new(id: String, created: u64, model: String, include_usage: bool) -> Self {
        let (flow, head) = (Flow::default(), Head { id, created, model });
        Self { head, include_usage, flow, calls: 0, opened: false, ended: false }
    }

    /// Whether nothing was said and no tool called yet: a peer takes a stream that ends so for a failure.
    pub fn is_empty(&self) -> bool {
        !self.flow.has_begun() && self.calls == 0
    }

    /// The chunk that only says who speaks; once. The others begin with it if it wasn't sent.
    pub fn open(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.opening(&mut out);
        out
    }

    /// A sentence, or several; nothing for one without a word, or after the end.
    pub fn say(&mut self, sentence: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(content) = self.flow.sentence(sentence).filter(|_| !self.ended) else { return out };
        self.opening(&mut out);
        self.delta(&mut out, Delta { content: Some(content), ..Delta::default() }, None);
        out
    }

    /// A tool's call, whole.
    pub fn call(&mut self, call: &ToolCall) -> Vec<u8> {
        let mut out = Vec::new();
        if self.ended {
            return out;
        }
        self.opening(&mut out);
        let calling = Calling::new(call, Some(self.calls));
        self.delta(&mut out, Delta { tool_calls: Some([calling]), ..Delta::default() }, None);
        self.calls += 1;
        out
    }

    /// The end: why, what it cost if that was asked for, and [`DONE`]; once.
    pub fn end(&mut self, ending: Ending, usage: Usage) -> Vec<u8> {
        let mut out = Vec::new();
        if self.ended {
            return out;
        }
        self.opening(&mut out);
        self.delta(&mut out, Delta::default(), Some(ending.reason(self.calls)));
        if self.include_usage {
            self.write(&mut out, &[], Some(Some(usage.into())));
        }
        out.extend_from_slice(DONE);
        self.ended = true;
        out
    }

    fn opening(&mut self, out: &mut Vec<u8>) {
        if !self.ended && !std::mem::replace(&mut self.opened, true) {
            let nothing = Sentence { before: "", text: "", after: "" };
            let delta = Delta { role: Some("assistant"), content: Some(nothing), ..Delta::default() };
            self.delta(out, delta, None);
        }
    }

    fn delta(&self, out: &mut Vec<u8>, delta: Delta<'_>, finish_reason: Option<&'static str>) {
        let choice = Choice { index: 0, delta, finish_reason };
        self.write(out, &[choice], self.include_usage.then_some(None));
    }

    fn write(&self, out: &mut Vec<u8>, choices: &[Choice<'_>], usage: Option<Option<Tokens>>) {
        let Head { id, created, model } = &self.head;
        let object = "chat.completion.chunk";
        let chunk = Chunk { id, object, created: *created, model, choices, usage };
        let start = out.len();
        out.extend_from_slice(b"data: ");
        // Texts and numbers can always be written; half a chunk must never leave.
        match serde_json::to_writer(&mut *out, &chunk) {
            Ok(()) => out.extend_from_slice(b"\n\n"),
            Err(_) => out.truncate(start),
        }
    }
}
