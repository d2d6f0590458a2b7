//! Circuit breakers: a dependency that keeps failing is left alone for a while, so that its outage costs a turn nothing.
mod machine;

use self::machine::{Machine, Outcome};
use aura::generation::{Failure, FailureKind};
use jiff::Timestamp;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tracing::{info, warn};

/// Failures, with no success between them, that open a breaker.
pub const FAILURES: usize = 5;
/// The time within which they must fall.
pub const WINDOW: Duration = Duration::from_secs(30);
/// How long an open breaker waits for its first probe; doubled each time that one fails.
pub const COOL_DOWN: Duration = Duration::from_secs(5);
/// The longest wait for a probe.
pub const LONGEST_COOL_DOWN: Duration = Duration::from_secs(60);

/// Whether a dependency is asked. A breaker whose cool-down is over stays open until somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is.
    Closed,
    /// One attempt is let through to see whether it works again.
    HalfOpen,
    /// It isn't.
    Open,
}

impl State {
    /// The name in `/readyz`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::HalfOpen => "half_open",
            Self::Open => "open",
        }
    }

    /// The number in `aura_breaker_state`.
    const fn gauge(self) -> f64 {
        match self {
            Self::Closed => 0.0,
            Self::HalfOpen => 1.0,
            Self::Open => 2.0,
        }
    }
}

/// Refused: the dependency isn't asked at the moment. Its text is the same for the whole outage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{dependency} unavailable: it has failed since {} and is left alone until a probe succeeds (circuit breaker)",
    shown(*.since)
)]
pub struct Open {
    /// Which.
    pub dependency: &'static str,
    /// When the breaker first opened in this outage.
    pub since: Timestamp,
}

/// No run of more than four digits: nothing that could be taken for somebody's number (I8).
fn shown(since: Timestamp) -> impl fmt::Display {
    since.strftime("%-d %b, %H:%M:%S UTC")
}

impl From<Open> for Failure {
    fn from(open: Open) -> Self {
        Self { kind: FailureKind::Unavailable, detail: open.to_string() }
    }
}

/// The breaker of one dependency; cheap to clone, one state behind all clones.
#[derive(Clone, Debug)]
pub struct Breaker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    name: &'static str,
    machine: Mutex<Machine>,
}

impl Breaker {
    /// A closed one. The name is the `dependency` of metrics, logs and `/readyz`.
    pub fn new(name: &'static str) -> Self {
        Self(Arc::new(Shared { name, machine: Mutex::new(Machine::new()) }))
    }

    /// Which dependency.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Lets an attempt through, or refuses it at once. Whoever gets one says how it ended; dropped without a
    /// word (a caller hung up, the request itself was wrong) it counts as neither, and a probe's place is free.
    pub fn admit(&self) -> Result<Attempt, Open> {
        let mut machine = self.lock();
        let before = machine.state();
        let admitted = machine.admit(Instant::now());
        let (after, since) = (machine.state(), machine.since);
        drop(machine);
        if before != after {
            info!(dependency = self.name(), "circuit breaker half-open: one attempt probes");
        }
        match admitted {
            Some(round) => Ok(Attempt { breaker: self.clone(), round, ended: false }),
            None => Err(Open { dependency: self.name(), since }),
        }
    }

    /// Whether an attempt would be refused now; takes no probe's place. For work that must be done before.
    pub fn check(&self) -> Result<(), Open> {
        let machine = self.lock();
        match machine.refuses(Instant::now()) {
            true => Err(Open { dependency: self.name(), since: machine.since }),
            false => Ok(()),
        }
    }

    /// The state, and since when the dependency has been failing where it isn't closed.
    pub fn state(&self) -> (State, Option<Timestamp>) {
        let machine = self.lock();
        let state = machine.state();
        (state, (state != State::Closed).then_some(machine.since))
    }

    fn end(&self, round: u64, outcome: Outcome) -> u64 {
        let mut machine = self.lock();
        let before = machine.state();
        let round = machine.end(round, outcome, Instant::now());
        let after = machine.state();
        if (before, after) == (State::Closed, State::Open) {
            machine.since = Timestamp::now();
        }
        let (since, cool_down) = (machine.since, machine.cool_down);
        drop(machine);
        if before != after {
            self.tell(before, after, since, cool_down);
        }
        round
    }

    /// One line a change, none for each refusal.
    fn tell(&self, before: State, after: State, since: Timestamp, cool_down: Duration) {
        let (dependency, probe_in_s) = (self.name(), cool_down.as_secs());
        match (before, after) {
            (State::Closed, _) => {
                metrics::counter!("aura_breaker_opened_total", "dependency" => dependency).increment(1);
                warn!(dependency, probe_in_s, "circuit breaker open: {FAILURES} failures in a row");
            }
            (_, State::Closed) => info!(dependency, %since, "circuit breaker closed: it works again"),
            _ => warn!(dependency, probe_in_s, "circuit breaker open again: the probe failed"),
        }
    }

    /// Sets the metrics to what is true now.
    fn publish(&self) {
        let (state, _) = self.state();
        metrics::gauge!("aura_breaker_state", "dependency" => self.name()).set(state.gauge());
        metrics::counter!("aura_breaker_opened_total", "dependency" => self.name()).increment(0);
    }

    fn lock(&self) -> MutexGuard<'_, Machine> {
        self.0.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One use of a dependency under its breaker.
#[derive(Debug)]
#[must_use = "an attempt that nobody ends counts as neither success nor failure"]
pub struct Attempt {
    breaker: Breaker,
    round: u64,
    ended: bool,
}

impl Attempt {
    /// It worked.
    pub fn succeeded(mut self) {
        self.ended = true;
        self.breaker.end(self.round, Outcome::Succeeded);
    }

    /// The dependency failed, or took too long.
    pub fn failed(mut self) {
        self.ended = true;
        self.breaker.end(self.round, Outcome::Failed);
    }

    /// It begins to work, long before its end: a half-open breaker closes now. How it ends still counts.
    pub fn answering(&mut self) {
        self.round = self.breaker.end(self.round, Outcome::Answering);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if !self.ended {
            self.breaker.end(self.round, Outcome::Neither);
        }
    }
}

/// The breakers of everything that a turn asks.
#[derive(Clone, Debug)]
pub struct Breakers {
    /// Whatever embeds questions.
    pub embedder: Breaker,
    /// Both stores: manuals and lessons.
    pub database: Breaker,
    /// The language model.
    pub model: Breaker,
    /// The patients' system.
    pub patients: Breaker,
}

impl Default for Breakers {
    fn default() -> Self {
        let [embedder, database, model, patients] =
            ["embedder", "database", "model", "patients"].map(Breaker::new);
        Self { embedder, database, model, patients }
    }
}

impl Breakers {
    /// All of them.
    pub fn all(&self) -> [&Breaker; 4] {
        [&self.embedder, &self.database, &self.model, &self.patients]
    }

    /// Sets `aura_breaker_state` to what is true now; done whenever somebody reads the metrics.
    pub fn publish(&self) {
        self.all().into_iter().for_each(Breaker::publish);
    }
}
