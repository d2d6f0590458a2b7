//! How one try may fail, whether another may do better, and when.
use super::read_bounded;
use aura::protocol::provider_error::{ProviderError, blames_request, worth_retrying};
use reqwest::Response;
use reqwest::header::{HeaderMap, LOCATION};
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How much of a refusal is read, and for how long: only its code matters.
const REFUSAL_BYTES: usize = 64 * 1024;
const REFUSAL_TIME: Duration = Duration::from_millis(500);

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something took longer than it may.
    Timeout {
        /// What was waited for.
        waited: &'static str,
        /// How long.
        limit: Duration,
    },
    /// The server failed, as a text that is safe to log.
    Failed(String),
    /// The server is well and won't take this very request; a text that is safe to log.
    Refused(String),
}

/// Why one try failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What happened.
    pub kind: Kind,
    /// Whether another try may do better.
    pub passing: bool,
    /// How long the server asked to be left alone.
    pub wait: Option<Duration>,
}

impl Trouble {
    /// A deadline passed.
    pub fn timeout(waited: &'static str, limit: Duration) -> Self {
        Self { kind: Kind::Timeout { waited, limit }, passing: true, wait: None }
    }

    /// Something else went wrong at `host`; `what` must be safe to log.
    pub fn failed(host: &str, what: impl std::fmt::Display, passing: bool) -> Self {
        Self { kind: Kind::Failed(format!("{host}: {what}")), passing, wait: None }
    }

    /// This very request is at fault, not `host`; `what` must be safe to log.
    pub fn refused(host: &str, what: impl std::fmt::Display) -> Self {
        Self { kind: Kind::Refused(format!("{host}: {what}")), passing: false, wait: None }
    }

    /// The transport failed before an answer. reqwest's own text may hold the address with its query, so
    /// only the kind of failure is kept.
    pub fn transport(host: &str, connect: Duration, error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::refused(host, "the request could not be written; check the settings");
        }
        if error.is_connect() && error.is_timeout() {
            return Self::timeout("connecting", connect);
        }
        let cause = io_cause(error).map_or_else(String::new, |kind| format!(" ({kind})"));
        let what = match error.is_connect() {
            true => format!("no connection{cause}; check the address, the network and the certificates"),
            false => format!("the connection broke before an answer came{cause}"),
        };
        Self::failed(host, what, true)
    }

    /// The server answered with a status that is no success.
    pub async fn refusal(host: &str, mut response: Response) -> Self {
        let status = response.status().as_u16();
        let wait = retry_after(response.headers(), jiff::Timestamp::now());
        let should_retry = header(response.headers(), "x-should-retry").map(str::to_owned);
        let redirected = response.headers().contains_key(LOCATION);
        let body = tokio::time::timeout(REFUSAL_TIME, read_bounded(&mut response, REFUSAL_BYTES)).await;
        let error = body.ok().flatten().map(|body| ProviderError::of_body(&body)).unwrap_or_default();
        let advice = match status {
            300..=399 if redirected => "it redirects elsewhere; set the final address",
            401 | 403 => "check the API key and what it may do",
            404 => "check the base URL and the model's name",
            429 if error.is_permanent() => "the account has no credit left",
            429 => "too many requests at once; raise the account's limit",
            400..=499 => "check that the server takes this model and these fields",
            _ => "the server is in trouble; try again later",
        };
        let passing = worth_retrying(status, should_retry.as_deref(), &error);
        let what = format!("answered {status} ({error}); {advice}");
        match blames_request(status) {
            true => Self { wait, passing, ..Self::refused(host, what) },
            false => Self { wait, ..Self::failed(host, what, passing) },
        }
    }
}

/// The system's error below another one.
fn io_cause(error: &reqwest::Error) -> Option<std::io::ErrorKind> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        source = cause.source();
    }
    None
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// `retry-after-ms`, else `retry-after` in seconds or as a date. Nothing that lies in the past.
pub fn retry_after(headers: &HeaderMap, now: jiff::Timestamp) -> Option<Duration> {
    let seconds = |name: &str| header(headers, name)?.trim().parse::<f64>().ok();
    let date = || {
        let date = jiff::fmt::rfc2822::parse(header(headers, "retry-after")?.trim()).ok()?;
        Some(date.timestamp().duration_since(now).as_secs_f64())
    };
    let wait =
        seconds("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| seconds("retry-after")).or_else(date);
    wait.filter(|wait| *wait > 0.0).and_then(|wait| Duration::try_from_secs_f64(wait).ok())
}

/// The pause before try `n` (from 0) that nobody prescribed: `base` doubled each time, at most 8 s, less a
/// random quarter, so that clients that failed together don't come back together.
pub fn backoff(base: Duration, n: u32) -> Duration {
    let full = base.saturating_mul(2_u32.saturating_pow(n)).min(Duration::from_secs(8));
    let random = RandomState::new().hash_one(n) >> 32;
    full - full.mul_f64(random as f64 / f64::from(u32::MAX) / 4.0)
}
