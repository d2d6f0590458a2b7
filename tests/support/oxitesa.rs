//! A stand-in for the patients' system that keeps to the contract file, or breaks it where a test says so.
pub mod contract;

use super::openai::{Answer, Received, StandIn, Step};
use contract::Contract;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The secret that it expects.
pub const SECRET: &str = "compartido-0f3a9c7be1d2";

/// How it behaves.
#[derive(Clone, Debug)]
pub enum Mood {
    /// By the contract.
    Well,
    /// Another secret is expected.
    OtherSecret,
    /// Too many requests, with the header or without.
    Throttles(Option<&'static str>),
    /// 500.
    Fails,
    /// 503 with a `retry-after`.
    Away(&'static str),
    /// Takes the request and never says a word.
    Mute,
    /// Headers and half a body, then nothing until the client hangs up.
    Stalls,
    /// The connection is cut in the middle of the body.
    HalfAnAnswer,
    /// A body of these bytes, status and content type.
    Says(u16, &'static str, String),
    /// A redirect to this address.
    Redirects(String),
    /// A body longer than anybody reads.
    Huge,
}

/// A running stand-in.
pub struct Oxitesa {
    server: StandIn,
    mood: Arc<Mutex<Mood>>,
}

impl Oxitesa {
    /// With these patients, by document: lists of devices.
    pub async fn start(patients: &[(&str, Value)]) -> Self {
        let patients: BTreeMap<String, Value> =
            patients.iter().map(|(dni, devices)| ((*dni).to_owned(), devices.clone())).collect();
        let (mood, contract) = (Arc::new(Mutex::new(Mood::Well)), Contract::read());
        let playing = Arc::clone(&mood);
        let server = StandIn::responding(move |_, received| {
            let mood = playing.lock().unwrap().clone();
            answer(&contract, &patients, &mood, received)
        });
        Self { server: server.await, mood }
    }

    /// Changes how it behaves from the next request on.
    pub fn turns(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// What a deployment sets as its address.
    pub fn url(&self) -> String {
        self.server.base_url().trim_end_matches("/v1").to_owned()
    }

    /// All requests so far; that each follows the contract was seen when it came.
    pub fn received(&self) -> Vec<Received> {
        self.server.received()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        self.server.asked(count).await;
    }
}

fn answer(
    contract: &Contract,
    patients: &BTreeMap<String, Value>,
    mood: &Mood,
    received: &Received,
) -> Answer {
    contract.check_request(&received.path, &received.body);
    let whole = |status: u16, body: Value| {
        contract.check_answer(status, &body);
        Answer::new(status, "application/json", body.to_string())
    };
    let secret = received.headers.get(&contract.secret_header());
    if matches!(mood, Mood::OtherSecret) || secret.is_none_or(|secret| secret != SECRET) {
        return whole(401, json!({"error": "unauthorised", "message": "La clave no corresponde."}));
    }
    let dni = received.body["dni"].as_str().unwrap_or_default();
    let found = || {
        let devices = patients.get(dni);
        devices.map(|devices| json!({"dni": dni, "devices": devices, "since": "2026-01-01"}))
    };
    match mood {
        Mood::Well | Mood::OtherSecret => match found() {
            Some(body) => whole(200, body),
            None => whole(404, json!({"error": "patient_not_found", "message": "No está en el padrón."})),
        },
        Mood::Throttles(after) => {
            let refused = whole(429, json!({"error": "too_many_requests"}));
            after
                .iter()
                .fold(refused, |answer, after| answer.header(&contract.retry_header(429, after), after))
        }
        Mood::Fails => whole(500, json!({"error": "failed", "message": format!("falló con {dni}")})),
        Mood::Away(after) => {
            whole(503, json!({"error": "unavailable"})).header(&contract.retry_header(503, after), after)
        }
        Mood::Mute => Answer::mute(),
        Mood::Stalls => half(found()).then(Step::Hold),
        Mood::HalfAnAnswer => half(found()).broken_off(),
        Mood::Says(status, kind, body) => Answer::new(*status, kind, body.as_str()),
        Mood::Redirects(to) => Answer::new(307, "text/plain", "").header("location", to),
        Mood::Huge => {
            let mut body = found().expect("a patient who is known");
            body["padding"] = Value::from("x".repeat(300_000));
            Answer::new(200, "application/json", body.to_string())
        }
    }
}

fn half(body: Option<Value>) -> Answer {
    let body = body.expect("a patient who is known").to_string();
    Answer::new(200, "application/json", &body.as_bytes()[..body.len() / 2])
}
