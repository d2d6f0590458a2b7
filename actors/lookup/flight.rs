//! One document's way to an answer: request, pause, request, until it is known or nobody waits any more.
use super::Limits;
use super::cache::Cache;
use super::waiting::Waiting;
use crate::breaker::{Attempt, Breaker};
use crate::openai::backoff;
use crate::patients::PatientLookup;
use aura::ids::Dni;
use aura::patient::{Answer, Cause, Context, Found, Outage};
use futures_util::FutureExt;
use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tracing::warn;

/// Everything that documents share.
pub(super) struct Flights {
    pub(super) waiting: RefCell<Waiting>,
    lookup: Arc<dyn PatientLookup>,
    cache: Cache,
    breaker: Breaker,
    permits: Semaphore,
    limits: Limits,
}

impl Flights {
    pub(super) fn new(
        lookup: Arc<dyn PatientLookup>,
        cache: Cache,
        breaker: Breaker,
        limits: Limits,
    ) -> Self {
        let waiting = RefCell::new(Waiting::new(lookup.name()));
        Self { waiting, lookup, cache, breaker, permits: Semaphore::new(limits.permits), limits }
    }

    pub(super) fn source(&self) -> &'static str {
        self.lookup.name()
    }

    /// Asks for as long as somebody wants to know. One at a time for a document: its answers, and what the
    /// cache makes of them, can't overtake each other.
    pub(super) async fn fly(self: Rc<Self>, dni: Dni) {
        while self.wanted(dni) {
            self.inquire(dni).await;
        }
    }

    fn wanted(&self, dni: Dni) -> bool {
        self.waiting.borrow_mut().wanted(dni)
    }

    async fn inquire(&self, dni: Dni) {
        let (begun, mut tries, mut pauses) = (Instant::now(), 0, 0);
        let mut cached: Option<Option<Context>> = None;
        loop {
            let cause = match self.ask(dni).await {
                Answer::Found(context, devices) => {
                    let found = Found::Found(context);
                    self.waiting.borrow_mut().end(dni, &found, Some(&devices));
                    if let Found::Found(context) = found {
                        self.cache.keep(dni, &context).await;
                    }
                    return;
                }
                Answer::NotFound => {
                    self.waiting.borrow_mut().end(dni, &Found::NotFound, None);
                    return self.cache.forget(dni).await;
                }
                Answer::Unavailable(cause) => cause,
            };
            // What a breaker holds back is no request.
            tries += u32::from(cause != Cause::LeftAlone);
            let cached = match &cached {
                Some(cached) => cached.clone(),
                None => cached.insert(self.cache.recall(dni, cause).await).clone(),
            };
            let Some(wait) = self.pause(cause, tries, pauses, begun) else {
                warn!(source = self.source(), cause = cause.as_str(), tries, "a patient can't be looked up");
                let outage = Outage { cause, retrying: false };
                let found = Found::Unavailable { outage, cached };
                return self.waiting.borrow_mut().end(dni, &found, None);
            };
            self.waiting.borrow_mut().away(dni, cause, cached);
            sleep(wait).await;
            pauses += 1;
            if !self.wanted(dni) {
                return;
            }
        }
    }

    /// How long to wait before asking again, if that may help and there is time.
    fn pause(&self, cause: Cause, tries: u32, pauses: u32, begun: Instant) -> Option<Duration> {
        let Limits { tries: most, within, pause, .. } = self.limits;
        if !cause.is_passing() || tries >= most {
            return None;
        }
        let asked_for = self.lookup.pause();
        let wait = match asked_for.is_zero() {
            true => backoff(pause, pauses),
            // Not all at the same moment.
            false => asked_for + backoff(pause, 0),
        };
        (begun.elapsed() + wait <= within).then_some(wait)
    }

    /// One request, under a permit and the breaker.
    async fn ask(&self, dni: Dni) -> Answer {
        let answer = match timeout(self.limits.deadline, self.permits.acquire()).await {
            Ok(Ok(_permit)) => match self.breaker.admit() {
                Ok(attempt) => self.request(dni, attempt).await,
                Err(_) => Answer::Unavailable(Cause::LeftAlone),
            },
            _ => Answer::Unavailable(Cause::Timeout),
        };
        let outcome = match &answer {
            Answer::Found(..) => "found",
            Answer::NotFound => "not_found",
            Answer::Unavailable(cause) => cause.as_str(),
        };
        metrics::counter!("aura_lookups_total", "source" => self.source(), "outcome" => outcome).increment(1);
        answer
    }

    async fn request(&self, dni: Dni, attempt: Attempt) -> Answer {
        let begun = Instant::now();
        // A panic in an adapter must not leave the calls without an answer.
        let asked = AssertUnwindSafe(self.lookup.by_dni(dni)).catch_unwind();
        let answer = match timeout(self.limits.deadline, asked).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Answer::Unavailable(Cause::Malformed),
            Err(_) => Answer::Unavailable(Cause::Timeout),
        };
        let ms = begun.elapsed().as_secs_f64() * 1000.0;
        metrics::histogram!("aura_lookup_ms", "source" => self.source()).record(ms);
        match &answer {
            Answer::Found(..) | Answer::NotFound => attempt.succeeded(),
            Answer::Unavailable(Cause::Timeout | Cause::Unreachable | Cause::Failing) => attempt.failed(),
            // It answers, and something is to be put right or waited for: no outage.
            Answer::Unavailable(_) => drop(attempt),
        }
        answer
    }
}
