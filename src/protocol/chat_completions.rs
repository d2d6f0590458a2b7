//! The chat-completions wire format, seen from the client: the request's body, and a stream's meaning.
use crate::generation::{Message, Request, Usage};
use crate::protocol::provider_error::ProviderError;
use crate::protocol::sse::Event;
use serde::Serialize;
use serde_json::Value;

/// What a server takes beside the plain request. Compatible servers refuse keys that they don't know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// `stream_options`: the usage at the end, and no padding in each chunk.
    pub stream_options: bool,
    /// `max_completion_tokens` in place of `max_tokens`, which reasoning models refuse.
    pub max_completion_tokens: bool,
    /// `prompt_cache_key` (E5).
    pub prompt_cache_key: bool,
    /// `store: false`: the provider keeps nothing.
    pub store: bool,
}

/// A request's body. Its fields are written in this order and nothing in it is a hash map, so equal requests
/// are equal bytes, as a provider's prompt cache wants it (E5).
#[derive(Debug, Serialize)]
pub struct Body<'a> {
    model: &'a str,
    messages: &'a [Message],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
    include_obfuscation: bool,
}

impl<'a> Body<'a> {
    /// The body that asks `model` for `request`. `reasoning_effort` is sent where it is configured.
    pub fn new(
        request: &'a Request,
        model: &'a str,
        reasoning_effort: Option<&'a str>,
        can: Capabilities,
    ) -> Self {
        Self {
            model,
            messages: &request.messages,
            stream: true,
            stream_options: can
                .stream_options
                .then_some(StreamOptions { include_usage: true, include_obfuscation: false }),
            max_tokens: (!can.max_completion_tokens).then_some(request.max_tokens),
            max_completion_tokens: can.max_completion_tokens.then_some(request.max_tokens),
            reasoning_effort,
            prompt_cache_key: can.prompt_cache_key.then_some(request.cache_key.as_str()),
            store: can.store.then_some(false),
        }
    }
}

/// What one event meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More of the answer; never empty.
    Text(String),
    /// Nothing to say: a role, a heartbeat, usage, a fragment of a tool call.
    Nothing,
    /// `[DONE]`: nothing comes after it.
    Done,
}

/// Why a stream isn't an answer. Safe to log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamFault {
    /// An error frame.
    #[error("the server broke off with an error ({0})")]
    Provider(ProviderError),
    /// An event that isn't a JSON object.
    #[error(
        "an event of the stream is not a JSON object; check that the address is an OpenAI-compatible one"
    )]
    Malformed,
    /// The stream ended without `[DONE]` and without a finish reason.
    #[error("the stream ended before the answer did")]
    Truncated,
    /// The answer ended without a word.
    #[error(
        "the model answered without a word (finish reason {0}); check the prompt and the limit of tokens"
    )]
    Empty(&'static str),
    /// The provider's filter withheld the answer, or its rest.
    #[error("the provider's content filter withheld the answer")]
    Filtered,
    /// The model declined; its words are the provider's policy, not ours to speak.
    #[error("the model declined to answer")]
    Declined,
}

impl StreamFault {
    /// Whether a second try may end better.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Provider(error) => !error.is_permanent(),
            Self::Truncated => true,
            Self::Empty(reason) => *reason != Finish::Length.name(),
            Self::Malformed | Self::Filtered | Self::Declined => false,
        }
    }

    /// Whether the server is well and another request would be answered.
    pub fn blames_request(&self) -> bool {
        match self {
            Self::Provider(error) => error.blames_request(),
            Self::Filtered | Self::Declined => true,
            Self::Malformed | Self::Truncated | Self::Empty(_) => false,
        }
    }
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finish {
    Stop,
    Length,
    Filter,
    Tools,
    Other,
}

impl Finish {
    fn of(reason: &str) -> Self {
        match reason {
            "stop" => Self::Stop,
            "length" => Self::Length,
            "content_filter" => Self::Filter,
            "tool_calls" | "function_call" => Self::Tools,
            _ => Self::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Filter => "content_filter",
            Self::Tools => "tool_calls",
            Self::Other => "other",
        }
    }
}

/// Makes sense of a stream's events, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    usage: Usage,
    finish: Option<Finish>,
    done: bool,
    spoke: bool,
    declined: bool,
}

impl Reader {
    /// Whether the model said why it stopped: the text is whole, though usage may follow.
    pub fn has_finished(&self) -> bool {
        self.finish.is_some() || self.done
    }

    /// Reads one event.
    pub fn read(&mut self, event: &Event) -> Result<Progress, StreamFault> {
        let data = event.data.trim_start();
        if data.starts_with("[DONE]") {
            self.done = true;
            return Ok(Progress::Done);
        }
        let frame: Option<Value> = serde_json::from_str(data).ok().filter(Value::is_object);
        if let Some(error) = frame.as_ref().and_then(ProviderError::of) {
            return Err(StreamFault::Provider(error));
        }
        if event.name.as_deref() == Some("error") {
            let error = frame.map(|frame| serde_json::json!({ "error": frame }));
            return Err(StreamFault::Provider(
                error.as_ref().and_then(ProviderError::of).unwrap_or_default(),
            ));
        }
        Ok(self.chunk(&frame.ok_or(StreamFault::Malformed)?))
    }

    /// The stream is over, by `[DONE]` or by its end: what the answer cost, or why it isn't one.
    pub fn end(&self) -> Result<Usage, StreamFault> {
        let reason = match self.finish {
            None if !self.done => return Err(StreamFault::Truncated),
            Some(Finish::Filter) => return Err(StreamFault::Filtered),
            reason => reason.map_or("none", Finish::name),
        };
        match (self.spoke, self.declined) {
            (true, _) => Ok(self.usage),
            (false, true) => Err(StreamFault::Declined),
            (false, false) => Err(StreamFault::Empty(reason)),
        }
    }

    fn chunk(&mut self, frame: &Value) -> Progress {
        // Some servers repeat a running total in every chunk: the last one counts.
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage_of(usage);
        }
        let choices = frame.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // One answer was asked for; a server that sends more numbers the others from 1.
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        let mut text = String::new();
        for choice in choices.iter().filter(first) {
            self.choice(choice, &mut text);
        }
        if text.is_empty() {
            return Progress::Nothing;
        }
        self.spoke = true;
        Progress::Text(text)
    }

    fn choice(&mut self, choice: &Value, text: &mut String) {
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(Finish::of(reason));
        }
        let Some(delta) = choice.get("delta") else { return };
        self.declined |= delta.get("refusal").and_then(Value::as_str).is_some_and(|said| !said.is_empty());
        match delta.get("content") {
            Some(Value::String(content)) => text.push_str(content),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                text.extend(texts);
            }
            _ => {}
        }
    }
}

fn usage_of(usage: &Value) -> Usage {
    let count = |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    Usage {
        prompt_tokens: count(usage.get("prompt_tokens")),
        cached_tokens: count(usage.get("prompt_tokens_details").and_then(|d| d.get("cached_tokens"))),
        completion_tokens: count(usage.get("completion_tokens")),
    }
}
