//! Which calls wait for which document, and what they have been told.
use super::{Equipment, LookUp, LookedUp};
use aura::ids::Dni;
use aura::patient::{Cause, Context, Devices, Found, Outage};
use std::collections::HashMap;

/// What becomes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// It waits for a request that is under way.
    Waits,
    /// It is the first for its document.
    TakesOff,
    /// Too many documents wait.
    Refused,
}

/// All who wait.
pub(super) struct Waiting {
    source: &'static str,
    documents: HashMap<Dni, Document>,
}

#[derive(Default)]
struct Document {
    calls: Vec<Waiter>,
    /// That the system is away and asked again, once that is known.
    away: Option<Found>,
}

struct Waiter {
    asked: LookUp,
    told: bool,
}

impl Waiting {
    pub(super) fn new(source: &'static str) -> Self {
        Self { source, documents: HashMap::new() }
    }

    /// Takes a question in; whoever joins an outage is told of it at once.
    pub(super) fn join(&mut self, asked: LookUp, most: usize) -> Joined {
        for document in self.documents.values_mut() {
            document.calls.retain(|waiter| waiter.asked.call != asked.call);
        }
        let room = self.documents.len() < most;
        let joined = match self.documents.contains_key(&asked.dni) {
            true => Joined::Waits,
            false if room => Joined::TakesOff,
            false => return Joined::Refused,
        };
        let document = self.documents.entry(asked.dni).or_default();
        let told = document.away.as_ref().map(|away| tell(&asked, away, None, self.source)).is_some();
        document.calls.push(Waiter { asked, told });
        self.count();
        joined
    }

    /// Whether a live call still waits for a document; one that nobody waits for is forgotten.
    pub(super) fn wanted(&mut self, dni: Dni) -> bool {
        let Some(document) = self.documents.get_mut(&dni) else { return false };
        document.calls.retain(|waiter| waiter.asked.reply.connected());
        let wanted = !document.calls.is_empty();
        if !wanted {
            self.documents.remove(&dni);
            self.count();
        }
        wanted
    }

    /// The system is away and will be asked again: each call hears so once.
    pub(super) fn away(&mut self, dni: Dni, cause: Cause, cached: Option<Context>) {
        let Some(document) = self.documents.get_mut(&dni) else { return };
        let found = Found::Unavailable { outage: Outage { cause, retrying: true }, cached };
        for waiter in document.calls.iter_mut().filter(|waiter| !waiter.told) {
            tell(&waiter.asked, &found, None, self.source);
            waiter.told = true;
        }
        document.away = Some(found);
    }

    /// The last word on what was asked so far. Who asks from now on waits for a new request.
    pub(super) fn end(&mut self, dni: Dni, found: &Found, devices: Option<&Devices>) {
        let Some(document) = self.documents.get_mut(&dni) else { return };
        document.away = None;
        for waiter in std::mem::take(&mut document.calls) {
            tell(&waiter.asked, found, devices, self.source);
        }
    }

    fn count(&self) {
        metrics::gauge!("aura_lookups_waiting").set(self.documents.len() as f64);
    }
}

fn tell(asked: &LookUp, found: &Found, devices: Option<&Devices>, source: &'static str) {
    let ask = asked.ask;
    if let Found::Found(_) | Found::Unavailable { cached: Some(_), .. } = found {
        let (call, devices) = (asked.call.clone(), devices.cloned());
        asked.desk.do_send(Equipment { call, ask, dni: asked.dni, source, devices });
    }
    asked.reply.do_send(LookedUp { ask, dni: asked.dni, found: found.clone(), source });
}
