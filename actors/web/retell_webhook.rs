//! Retell's webhooks: what isn't signed is refused at once, what is accepted is on disk first (DECISIONS 23).
use super::peers::Peers;
use crate::calls::Calls;
use crate::journal::{Accept, Entry, Fact};
use crate::problem::Problem;
use crate::secret::Secret;
use actix::prelude::*;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use aura::call::Input;
use aura::protocol::retell::webhook::{
    MAX_WEBHOOK, Reported, Signature, SignatureError, Topic, Webhook, decode, verify,
};
use jiff::Timestamp;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::time::Duration;
use tracing::{info, warn};
use uuid::{Builder, Uuid};

/// Retell gives up after 10 s: it is answered before.
const DEADLINE: Duration = Duration::from_secs(8);
/// When Retell may try again, in seconds.
const RETRY_AFTER: u32 = 5;
/// The header that says who sent it.
const SIGNATURE: &str = "x-retell-signature";

/// What the door needs.
#[derive(Clone)]
pub struct Hook {
    /// Keys that sign; none: the door is closed.
    pub keys: Vec<Secret>,
    /// The addresses that may come in.
    pub peers: Peers,
    /// Keeps what is told.
    pub journal: Recipient<Accept>,
}

/// Adds the route; any other method gets 405.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource("/retell/webhook").route(web::post().to(receive)));
}

/// What became of a webhook, as it is counted.
struct Refused {
    topic: Option<Topic>,
    outcome: &'static str,
    problem: Problem,
}

impl Refused {
    fn new(outcome: &'static str, problem: Problem) -> Self {
        Self { topic: None, outcome, problem }
    }

    fn unsigned(error: &SignatureError) -> Self {
        Self::new("unsigned", Problem::new(StatusCode::UNAUTHORIZED, error))
    }
}

async fn receive(
    request: HttpRequest,
    body: Payload,
    hook: Data<Hook>,
    calls: Data<Calls>,
) -> Result<HttpResponse, Problem> {
    let done = tokio::time::timeout(DEADLINE, take(&request, body, &hook, &calls)).await;
    let late = || {
        let detail = format!("not done within {} s; send it again", DEADLINE.as_secs());
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(RETRY_AFTER);
        Err(Refused::new("late", problem))
    };
    match done.unwrap_or_else(|_| late()) {
        Ok((topic, outcome, response)) => {
            count(Some(topic), outcome);
            Ok(response)
        }
        Err(Refused { topic, outcome, problem }) => {
            count(topic, outcome);
            warn!(%problem, "a webhook was refused");
            Err(problem)
        }
    }
}

/// `unread`: refused before it was known what it tells.
fn count(topic: Option<Topic>, outcome: &'static str) {
    let event = topic.map_or("unread", Topic::as_str);
    metrics::counter!("aura_webhooks_total", "event" => event, "outcome" => outcome).increment(1);
}

type Taken = Result<(Topic, &'static str, HttpResponse), Refused>;

async fn take(request: &HttpRequest, body: Payload, hook: &Hook, calls: &Calls) -> Taken {
    if hook.keys.is_empty() {
        let detail =
            "no webhooks here: set RETELL_API_KEY to the key with the webhook badge in Retell's dashboard";
        return Err(Refused::new("no_key", Problem::new(StatusCode::NOT_FOUND, detail)));
    }
    hook.peers.admit(request).map_err(|problem| Refused::new("address", problem))?;
    let raw = signed(request, body, &hook.keys).await?;
    let webhook = decode(&raw)
        .map_err(|error| Refused::new("unreadable", Problem::new(StatusCode::BAD_REQUEST, error)))?;
    match webhook {
        Webhook::Reported(reported) => keep(*reported, hook, calls).await,
        // Nobody is looked up by a phone number: it is no identity (R9).
        Webhook::Inbound => {
            Ok((Topic::CallInbound, "answered", HttpResponse::Ok().json(json!({ "call_inbound": {} }))))
        }
        Webhook::Passed(topic) => Ok((topic, "passed", HttpResponse::NoContent().finish())),
    }
}

/// The body as it came, once it is known to be Retell's. A header that can't be right is refused unread.
async fn signed(request: &HttpRequest, body: Payload, keys: &[Secret]) -> Result<Bytes, Refused> {
    let now = || Timestamp::now().as_millisecond();
    let header = header(request).map_err(|error| Refused::unsigned(&error))?;
    let early = Signature::parse(header).and_then(|signature| signature.check_time(now()));
    early.map_err(|error| Refused::unsigned(&error))?;
    let raw = match body.to_bytes_limited(MAX_WEBHOOK).await {
        Ok(Ok(raw)) => raw,
        Ok(Err(error)) => {
            let detail = format!("the body broke off ({error}); send it again");
            return Err(Refused::new("broken", Problem::new(StatusCode::BAD_REQUEST, detail)));
        }
        Err(_) => {
            let detail = format!("the body is too large: expected at most {MAX_WEBHOOK} bytes");
            return Err(Refused::new("too_large", Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)));
        }
    };
    let keys: Vec<&str> = keys.iter().map(Secret::expose).collect();
    verify(&keys, &raw, Some(header), now()).map_err(|error| Refused::unsigned(&error))?;
    Ok(raw)
}

/// The one signature: of two, it could not be said which is meant.
fn header(request: &HttpRequest) -> Result<&str, SignatureError> {
    let mut all = request.headers().get_all(SIGNATURE);
    match (all.next(), all.next()) {
        (None, _) => Err(SignatureError::Missing),
        (Some(only), None) => only.to_str().map_err(|_| SignatureError::Malformed),
        (Some(_), Some(_)) => Err(SignatureError::Malformed),
    }
}

async fn keep(reported: Reported, hook: &Hook, calls: &Calls) -> Taken {
    let topic = reported.topic;
    // Whatever becomes of the fact, the call is over by the peer's own word.
    if topic == Topic::CallEnded && calls.tell(&reported.call, Input::HungUp) {
        info!(call = %reported.call, "ended by webhook");
    }
    let id = fact_id(&reported);
    let entry = Entry { id, at: Timestamp::now(), fact: Fact::Event(reported.into_event()) };
    let not_kept = |why: String| {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, why).retry_after(RETRY_AFTER);
        Err(Refused { topic: Some(topic), outcome: "not_kept", problem })
    };
    match hook.journal.send(Accept(entry)).await {
        Ok(Ok(())) => Ok((topic, "kept", HttpResponse::NoContent().finish())),
        Ok(Err(error)) => not_kept(error.to_string()),
        Err(error) => not_kept(format!("the journal doesn't answer ({error}); send it again")),
    }
}

/// The same for each repetition, so that it is one row however often and wherever it comes in.
fn fact_id(reported: &Reported) -> Uuid {
    let digest = Sha256::digest(reported.key());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}
