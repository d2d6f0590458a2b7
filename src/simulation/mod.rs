//! Whole calls by repeatable chance: a peer, a patient, stores, a model and machines that do anything in
//! any order on a virtual clock, and a watcher that holds each step against the house's invariants.
//!
//! The same seed gives the same call, byte for byte: [`Outcome::trace`] tells all that happened.
mod begin;
mod crash;
mod dice;
mod fork;
mod look_up;
mod mail;
mod model;
mod on_call;
mod peer;
mod script;
mod stores;
mod tally;
mod trace;
mod watch;
mod world;

use crate::call::{Input, Output};
use std::collections::BTreeMap;
use std::time::Instant;
use world::World;

/// What came of one simulated call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The dice's seed.
    pub seed: u64,
    /// Inputs that the call was given.
    pub steps: u64,
    /// How often each outcome and reason occurred, by name.
    pub counts: BTreeMap<String, u64>,
    /// The first invariant that didn't hold; the call isn't followed further.
    pub violation: Option<Violation>,
    /// Each input (`>`), output (`<`), memory (`=`) and turn of fortune (`*`), in milliseconds of virtual time.
    pub trace: Vec<String>,
}

impl Outcome {
    /// sha256 over the trace, hexadecimal: equal seeds, equal digests.
    pub fn digest(&self) -> String {
        trace::digest(&self.trace)
    }
}

/// An invariant that didn't hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// After which input, counted from 1.
    pub step: u64,
    /// Which invariant, e.g. `I3` or `S1`.
    pub invariant: &'static str,
    /// What was expected and what happened.
    pub detail: String,
    /// The last lines of the trace.
    pub tail: Vec<String>,
}

/// Runs the call of this seed. `start` is any moment; only what passes after it counts.
pub fn simulate(seed: u64, start: Instant) -> Outcome {
    simulate_tampered(seed, start, |_, _| {})
}

/// As [`simulate`], with a hand between the call and the world: `tamper` may change what the call did in
/// answer to an input, which shows that the watcher bites.
pub fn simulate_tampered(seed: u64, start: Instant, tamper: impl FnMut(&Input, &mut Vec<Output>)) -> Outcome {
    World::new(seed, start, tamper).run()
}
