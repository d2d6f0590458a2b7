//! Why a request gets no answer, in OpenAI's shape. Once a stream has begun there are no errors: a safe sentence
//! is spoken instead.
use super::request::BadRequest;
use serde::Serialize;

/// A refusal. Its text never repeats what anybody said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The body can't be used.
    #[error("Request refused: {0}.")]
    Invalid(#[from] BadRequest),
    /// The key is missing or wrong.
    #[error(
        "The key is missing or wrong; send `Authorization: Bearer` with the one that is configured here."
    )]
    Key,
    /// There is no such model.
    #[error("There is no such model here; see /v1/models.")]
    NoModel,
    /// There is nothing at this address.
    #[error("There is nothing at this address; expected /v1/chat/completions or /v1/models.")]
    NoAddress,
    /// The peer asks more often than it may.
    #[error("Too many requests; try again in {retry_after} s.")]
    TooMany {
        /// When it may ask again, in seconds.
        retry_after: u32,
    },
    /// We can't take more, or are on our way down.
    #[error("The service can't take this request now; try again in {retry_after} s.")]
    Overloaded {
        /// When it may be better, in seconds.
        retry_after: u32,
    },
}

#[derive(Serialize)]
struct Body<'a> {
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    message: &'a str,
    r#type: &'static str,
    param: Option<&'static str>,
    code: Option<&'static str>,
}

impl Refusal {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Invalid(BadRequest::TooLarge { .. }) => 413,
            Self::Invalid(_) => 400,
            Self::Key => 401,
            Self::NoModel | Self::NoAddress => 404,
            Self::TooMany { .. } => 429,
            Self::Overloaded { .. } => 503,
        }
    }

    /// Seconds for the header `Retry-After`.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Self::TooMany { retry_after } | Self::Overloaded { retry_after } => Some(*retry_after),
            Self::Invalid(_) | Self::Key | Self::NoModel | Self::NoAddress => None,
        }
    }

    /// The body: `{"error":{"message","type","param","code"}}`.
    pub fn body(&self) -> Vec<u8> {
        let (kind, code) = match self {
            Self::Invalid(_) => ("invalid_request_error", None),
            Self::Key => ("authentication_error", Some("invalid_api_key")),
            Self::NoModel => ("not_found_error", Some("model_not_found")),
            Self::NoAddress => ("not_found_error", None),
            Self::TooMany { .. } => ("rate_limit_error", Some("rate_limit_exceeded")),
            Self::Overloaded { .. } => ("overloaded_error", Some("service_unavailable")),
        };
        let param = match self {
            Self::Invalid(BadRequest::Field { field, .. }) => Some(*field),
            Self::NoModel => Some("model"),
            _ => None,
        };
        let error = Error { message: &self.to_string(), r#type: kind, param, code };
        serde_json::to_vec(&Body { error }).unwrap_or_default()
    }
}
