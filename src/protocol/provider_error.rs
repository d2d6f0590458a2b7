//! What an OpenAI-compatible server says when it refuses: its code and type, and never a word of its prose.
use serde_json::Value;
use std::fmt;

/// Codes and types that speak of one request's content, by a server that is well.
const OF_REQUEST: &[&str] = &["content_filter", "context_length_exceeded", "invalid_request_error"];

/// Codes and types that a second try can't change.
const PERMANENT: &[&str] = &[
    "authentication_error",
    "billing_hard_limit_reached",
    "context_length_exceeded",
    "insufficient_quota",
    "invalid_api_key",
    "invalid_request_error",
    "model_not_found",
    "not_found_error",
    "permission_error",
];

/// The safe part of an error object. A message may quote the request, so it is never kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderError {
    /// `error.code`: a label of at most 64 characters, or a number as text.
    pub code: Option<String>,
    /// `error.type`.
    pub kind: Option<String>,
}

impl ProviderError {
    /// Reads `error` from a frame or a body. `None` where there is none, or it is null.
    pub fn of(frame: &Value) -> Option<Self> {
        match frame.get("error") {
            None | Some(Value::Null | Value::Bool(false)) => None,
            Some(error) => Some(Self { code: label(error.get("code")), kind: label(error.get("type")) }),
        }
    }

    /// Reads a whole body; one that isn't JSON, or says nothing of an error, tells nothing.
    pub fn of_body(body: &[u8]) -> Self {
        serde_json::from_slice(body).ok().and_then(|frame| Self::of(&frame)).unwrap_or_default()
    }

    /// Whether the same request would fail again, whatever the status says.
    pub fn is_permanent(&self) -> bool {
        [&self.code, &self.kind].into_iter().flatten().any(|label| {
            PERMANENT.contains(&label.as_str()) || label.parse().is_ok_and(|status| !is_passing(status))
        })
    }
}

impl ProviderError {
    /// Whether the server is well and only this very request is wrong, for an error without a status (with one,
    /// [`blames_request`] decides). The code decides over the type: a wrong key is an `invalid_request_error` too.
    pub fn blames_request(&self) -> bool {
        let label = self.code.as_ref().or(self.kind.as_ref());
        label.is_some_and(|label| {
            OF_REQUEST.contains(&label.as_str()) || label.parse().is_ok_and(blames_request)
        })
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.code, &self.kind) {
            (Some(code), Some(kind)) => write!(f, "code {code}, type {kind}"),
            (Some(code), None) => write!(f, "code {code}"),
            (None, Some(kind)) => write!(f, "type {kind}"),
            (None, None) => f.write_str("no code"),
        }
    }
}

/// Whether a status may be gone at the next try.
pub fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 429) || (500..600).contains(&status)
}

/// Whether a status says that this very request is wrong: another one would be answered. A wrong key, an
/// unknown model, no credit or too many requests are not the request's fault.
pub fn blames_request(status: u16) -> bool {
    matches!(status, 400 | 413 | 414 | 415 | 422 | 431)
}

/// Whether a refusal is worth a second try. `should_retry` is the server's `x-should-retry`, which decides
/// over the status, but not over an empty account.
pub fn worth_retrying(status: u16, should_retry: Option<&str>, error: &ProviderError) -> bool {
    let quota = [&error.code, &error.kind].into_iter().flatten().any(|l| l == "insufficient_quota");
    match should_retry.map(str::trim) {
        _ if quota => false,
        Some("true") => true,
        Some("false") => false,
        _ => is_passing(status),
    }
}

/// A machine's label as it may be logged. Anything longer, with spaces, or with a run of digits that could
/// be somebody's number is dropped.
fn label(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let number_like = text.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() > 4);
    (plain && !number_like && (1..=64).contains(&text.len())).then_some(text)
}
