//! Oxitesa's patients: `POST /v1/aura/patient-lookup` with a shared secret. `tests/oxitesa.openapi.yaml` is the
//! contract.
mod answer;

use super::{OpenError, PatientLookup};
use crate::openai::{Http, address, read_bounded, retry_after};
use crate::secret::Secret;
use async_trait::async_trait;
use aura::equipment::Catalogue;
use aura::ids::Dni;
use aura::patient::{Answer, Cause};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Response, Url};
use serde_json::json;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Where the secret is sent.
pub const SECRET_HEADER: &str = "x-aura-secret";
/// How long a request may take, from the connection to the last byte.
pub const DEADLINE: Duration = Duration::from_secs(2);
/// The longest answer that is read, in bytes.
pub const LONGEST_ANSWER: usize = 256 * 1024;
/// The longest pause that its `retry-after` is granted.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The pause after a 429 that names none.
const DEFAULT_PAUSE: Duration = Duration::from_secs(2);

const PATH: &str = "v1/aura/patient-lookup";

/// The adapter.
pub struct Oxitesa {
    http: Http,
    url: Url,
    headers: HeaderMap,
    catalogue: &'static Catalogue,
    deadline: Duration,
    quiet_until: Mutex<Option<Instant>>,
}

impl fmt::Debug for Oxitesa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oxitesa").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl Oxitesa {
    /// The system below this base address. Connects to nothing yet.
    pub fn new(
        http: &Http,
        base: &str,
        secret: &Secret,
        catalogue: &'static Catalogue,
    ) -> Result<Self, OpenError> {
        let url = address(base, PATH).map_err(OpenError::Address)?;
        let mut value = HeaderValue::from_str(secret.expose()).map_err(|_| OpenError::Secret)?;
        value.set_sensitive(true);
        let headers = HeaderMap::from_iter([(SECRET_HEADER.parse().map_err(|_| OpenError::Secret)?, value)]);
        let (http, quiet_until) = (http.clone(), Mutex::new(None));
        Ok(Self { http, url, headers, catalogue, deadline: DEADLINE, quiet_until })
    }

    /// With another deadline, for machines that are busy.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    async fn ask(&self, dni: Dni) -> Result<Answer, Cause> {
        let body = json!({ "dni": dni.digits() });
        let request = self.http.client().post(self.url.clone()).headers(self.headers.clone()).json(&body);
        // reqwest's own words may hold the address; only what kind of failure it is goes further.
        let mut response = request.send().await.map_err(|error| match error.is_timeout() {
            true => Cause::Timeout,
            false => Cause::Unreachable,
        })?;
        let status = response.status().as_u16();
        match status {
            200 => answer::found(&json_body(&mut response).await?, dni, self.catalogue),
            // A path that isn't there and a proxy that doesn't know the host answer 404 as well. To take that
            // for 'no such patient' would tell an operator so, and throw away what the cache knows.
            404 => answer::not_found(&json_body(&mut response).await?),
            401 | 403 => Err(Cause::Unauthorised),
            429 => {
                self.be_quiet(
                    retry_after(response.headers(), jiff::Timestamp::now()).unwrap_or(DEFAULT_PAUSE),
                );
                Err(Cause::Throttled)
            }
            408 => Err(Cause::Timeout),
            500..=599 => {
                if let Some(wait) = retry_after(response.headers(), jiff::Timestamp::now()) {
                    self.be_quiet(wait);
                }
                Err(Cause::Failing)
            }
            // Redirects too: they aren't followed, lest document and secret go elsewhere.
            _ => Err(Cause::Malformed),
        }
    }

    fn be_quiet(&self, wait: Duration) {
        let until = Instant::now() + wait.min(LONGEST_PAUSE);
        *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
}

#[async_trait]
impl PatientLookup for Oxitesa {
    fn name(&self) -> &'static str {
        "oxitesa"
    }

    async fn by_dni(&self, dni: Dni) -> Answer {
        if !self.pause().is_zero() {
            return Answer::Unavailable(Cause::Throttled);
        }
        match timeout(self.deadline, self.ask(dni)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(cause)) => Answer::Unavailable(cause),
            Err(_) => Answer::Unavailable(Cause::Timeout),
        }
    }

    fn pause(&self) -> Duration {
        let until = *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }
}

/// The body, if it says that it is JSON, is whole and isn't too long.
async fn json_body(response: &mut Response) -> Result<Vec<u8>, Cause> {
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    if kind.is_some_and(|kind| !kind.to_ascii_lowercase().contains("json")) {
        return Err(Cause::Malformed);
    }
    read_bounded(response, LONGEST_ANSWER).await.ok_or(Cause::Malformed)
}
