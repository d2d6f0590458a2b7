//! The answers of the stand-in: right ones, and each way of being wrong.
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::time::Duration;

/// One thing that the stand-in does while it answers.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends bytes as one chunk.
    Bytes(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Says nothing more until the client hangs up.
    Hold,
    /// Sends the same again and again until the client hangs up.
    Forever(Vec<u8>, Duration),
}

/// A scripted answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers beside the transfer encoding.
    pub headers: Vec<(String, String)>,
    /// The body, step by step.
    pub steps: Vec<Step>,
    /// Closes the socket in the middle of the body, at the end of the steps.
    pub breaks_off: bool,
    /// Reads the request and never says a word, not even headers.
    pub mute: bool,
}

/// A chunk with text.
pub fn delta(text: &str) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}], "usage": null})
}

/// The chunk that says why the model stopped.
pub fn finish(reason: &str) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": null})
}

/// The chunk with the usage, which has no choices.
pub fn usage(prompt: u32, completion: u32) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, "prompt_tokens_details": {"cached_tokens": 0}}})
}

/// Frames as server-sent events; a string goes out without quotes.
pub fn frames(frames: &[Value]) -> String {
    frames
        .iter()
        .map(|frame| match frame {
            Value::String(text) => format!("data: {text}\n\n"),
            frame => format!("data: {frame}\n\n"),
        })
        .collect()
}

/// A vector that depends on the text alone, and isn't of length 1.
pub fn vector_of(text: &str, dims: usize) -> Vec<f32> {
    let seed = text.bytes().fold(7_u32, |seed, byte| seed.wrapping_mul(31).wrapping_add(u32::from(byte)));
    (0..dims as u32).map(|i| 1.0 + (seed.wrapping_mul(i + 1) % 97) as f32).collect()
}

impl Answer {
    /// A status with a body of some content type.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), content_type.into())],
            steps: vec![Step::Bytes(body.into())],
            breaks_off: false,
            mute: false,
        }
    }

    /// A stream of exactly these bytes.
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream; charset=utf-8", body)
    }

    /// A stream of these frames.
    pub fn framed(all: &[Value]) -> Self {
        Self::stream(frames(all))
    }

    /// A whole answer by the book: a role, the texts, the reason, the usage, `[DONE]`.
    pub fn spoken(texts: &[&str]) -> Self {
        let role = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]});
        let mut all = vec![role];
        all.extend(texts.iter().map(|text| delta(text)));
        all.extend([finish("stop"), usage(1200, 9), "[DONE]".into()]);
        Self::framed(&all)
    }

    /// A refusal as the document has it; its message quotes what it should not.
    pub fn refused(status: u16, code: &str, kind: &str) -> Self {
        let error = json!({"error": {"message": "Invalid: 'me duele el pecho' (key sk-test-123)", "type": kind, "param": null, "code": code}});
        Self::new(status, "application/json", error.to_string())
    }

    /// What a proxy says.
    pub fn html(status: u16) -> Self {
        Self::new(status, "text/html", "<html><h1>Bad gateway</h1></html>")
    }

    /// Headers never come.
    pub fn mute() -> Self {
        Self { mute: true, ..Self::stream("") }
    }

    /// Vectors, as base64 or as floats; the array is in reverse order, as `index` allows.
    pub fn embeddings(vectors: &[Vec<f32>], base64: bool) -> Self {
        let item = |(index, vector): (usize, &Vec<f32>)| {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            let embedding = if base64 { json!(STANDARD.encode(bytes)) } else { json!(vector) };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        };
        let data: Vec<_> = vectors.iter().enumerate().map(item).rev().collect();
        let body = json!({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}});
        Self::new(200, "application/json", body.to_string())
    }

    /// With one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With one more step.
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// With a step before all others, after the headers.
    pub fn after(mut self, step: Step) -> Self {
        self.steps.insert(0, step);
        self
    }

    /// Closes the socket in the middle of the body.
    pub fn broken_off(mut self) -> Self {
        self.breaks_off = true;
        self
    }

    /// Sends the body in chunks of `size` bytes.
    pub fn cut_every(mut self, size: usize) -> Self {
        let cut = |step: Step| match step {
            Step::Bytes(bytes) => bytes.chunks(size).map(|piece| Step::Bytes(piece.to_vec())).collect(),
            other => vec![other],
        };
        self.steps = self.steps.into_iter().flat_map(cut).collect();
        self
    }

    /// Sends the body in two chunks, cut after each place where `mark` ends, with a pause so that the pieces
    /// can't meet again on their way.
    pub fn cut_after(mut self, mark: &[u8]) -> Self {
        let Some(Step::Bytes(bytes)) = self.steps.first().cloned() else { return self };
        let at = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        self.steps[0] = Step::Bytes(bytes[..at].to_vec());
        self.steps.insert(1, Step::Pause(Duration::from_millis(20)));
        self.steps.insert(2, Step::Bytes(bytes[at..].to_vec()));
        self
    }

    /// The status line and headers.
    pub fn head(&self) -> String {
        let headers: String =
            self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("HTTP/1.1 {} Scripted\r\n{headers}transfer-encoding: chunked\r\n\r\n", self.status)
    }
}
