//! Errors over HTTP: problem+json (RFC 9457), one shape for all doors.
use actix_web::http::StatusCode;
use actix_web::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde_json::json;
use std::fmt;

/// What went wrong with a request, and what to do about it.
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    retry_after: Option<u32>,
    challenge: Option<&'static str>,
}

impl Problem {
    /// A problem with this status; the detail names what failed, what was expected, what to do.
    pub fn new(status: StatusCode, detail: impl fmt::Display) -> Self {
        Self { status, detail: detail.to_string(), retry_after: None, challenge: None }
    }

    /// With the seconds after which the peer may try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// With what the peer has to show (`WWW-Authenticate`).
    #[must_use]
    pub fn challenge(mut self, challenge: &'static str) -> Self {
        self.challenge = Some(challenge);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status, self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let body = json!({ "type": "about:blank", "title": title, "status": self.status.as_u16(), "detail": self.detail });
        let mut response = HttpResponse::build(self.status);
        if let Some(seconds) = self.retry_after {
            response.insert_header((RETRY_AFTER, seconds.to_string()));
        }
        if let Some(challenge) = self.challenge {
            response.insert_header((WWW_AUTHENTICATE, challenge));
        }
        response.content_type("application/problem+json").body(body.to_string())
    }
}
