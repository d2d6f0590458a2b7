//! The actor that asks the patients' system for calls: one request a document however many calls want it,
//! asked again while that may help, with the cache behind an outage (R12).
mod cache;
mod flight;
mod waiting;

pub use cache::PatientCache;

use crate::breaker::Breaker;
use crate::patients::PatientLookup;
use crate::vault::Vault;
use actix::prelude::*;
use aura::ids::{CallId, Dni};
use aura::patient::{Cause, Devices, Found, Outage};
use cache::Cache;
use flight::Flights;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use waiting::Joined;

/// Whose document is this?
///
/// The answer comes as one or more [`LookedUp`]: at once that the system is away and asked again, where it is
/// so, and later how that ended. A call that asks anew gives up what it asked before.
#[derive(Message)]
#[rtype(result = "()")]
pub struct LookUp {
    /// Which call.
    pub call: CallId,
    /// The call's own number for the question; it comes back with the answer.
    pub ask: u32,
    /// The document.
    pub dni: Dni,
    /// The call.
    pub reply: Recipient<LookedUp>,
    /// The panel.
    pub desk: Recipient<Equipment>,
}

/// What the system said, for the call: the engine's half.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub struct LookedUp {
    /// Which question.
    pub ask: u32,
    /// Of which document.
    pub dni: Dni,
    /// The answer.
    pub found: Found,
    /// The adapter (R14).
    pub source: &'static str,
}

/// What the system said, for the panel: sent before the call is told, when there is a patient, or models of
/// one from the cache.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[rtype(result = "()")]
pub struct Equipment {
    /// Which call.
    pub call: CallId,
    /// Which question.
    pub ask: u32,
    /// Of which document.
    pub dni: Dni,
    /// The adapter (R14).
    pub source: &'static str,
    /// The devices; `None` where only the cache answered, which has models and no detail (R13).
    pub devices: Option<Devices>,
}

/// How much is asked, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests at once.
    pub permits: usize,
    /// Documents that are asked for or wait at once; one more is refused (I7).
    pub documents: usize,
    /// Requests for one document, the first included.
    pub tries: u32,
    /// The time within which the last of them begins.
    pub within: Duration,
    /// The pause before the second; doubled each time, less a random part.
    pub pause: Duration,
    /// How long a request may wait for its permit, and how long it may take, whatever its adapter allows.
    pub deadline: Duration,
    /// How long the cache may take.
    pub cache: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            permits: 16,
            documents: 256,
            tries: 6,
            within: Duration::from_secs(60),
            pause: Duration::from_millis(500),
            deadline: Duration::from_secs(3),
            cache: Duration::from_secs(1),
        }
    }
}

/// Asks one system for all calls.
pub struct PatientLookupActor {
    flights: Rc<Flights>,
    limits: Limits,
}

impl PatientLookupActor {
    /// With the cache that backs it up, and the breaker that leaves it alone.
    pub fn new(
        lookup: Arc<dyn PatientLookup>,
        cache: Arc<dyn PatientCache>,
        vault: Vault,
        breaker: Breaker,
        limits: Limits,
    ) -> Self {
        let cache = Cache::new(cache, vault, lookup.name(), limits.cache);
        Self { flights: Rc::new(Flights::new(lookup, cache, breaker, limits)), limits }
    }
}

impl Actor for PatientLookupActor {
    type Context = Context<Self>;
}

impl Handler<LookUp> for PatientLookupActor {
    type Result = ();

    fn handle(&mut self, asked: LookUp, _: &mut Self::Context) {
        let (dni, ask, reply) = (asked.dni, asked.ask, asked.reply.clone());
        let joined = self.flights.waiting.borrow_mut().join(asked, self.limits.documents);
        match joined {
            Joined::Waits => {}
            Joined::TakesOff => drop(actix_rt::spawn(Rc::clone(&self.flights).fly(dni))),
            Joined::Refused => {
                let source = self.flights.source();
                metrics::counter!("aura_lookups_total", "source" => source, "outcome" => "refused")
                    .increment(1);
                // So many wait only behind a system that doesn't answer.
                let outage = Outage { cause: Cause::LeftAlone, retrying: false };
                let found = Found::Unavailable { outage, cached: None };
                reply.do_send(LookedUp { ask, dni, found, source });
            }
        }
    }
}
