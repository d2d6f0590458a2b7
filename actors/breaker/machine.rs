//! The state machine of one breaker: how it moves, its time passed in.
use super::{COOL_DOWN, FAILURES, LONGEST_COOL_DOWN, State, WINDOW};
use jiff::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// How an attempt ended, or goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// It worked.
    Succeeded,
    /// The dependency failed.
    Failed,
    /// It isn't over, and works so far.
    Answering,
    /// Nothing was learnt.
    Neither,
}

/// The state and how it moves; its time is passed in.
#[derive(Debug)]
pub(super) struct Machine {
    phase: Phase,
    /// Counts the changes of phase: what began before the last one says nothing of the present.
    round: u64,
    /// How long the present outage waits, or the last one waited, for its next probe.
    pub(super) cool_down: Duration,
    /// When the last outage began; written by whoever reads the clock.
    pub(super) since: Timestamp,
}

#[derive(Debug)]
enum Phase {
    Closed { failures: Vec<Instant> },
    Open { until: Instant },
    HalfOpen { probing: bool },
}

impl Machine {
    /// Closed.
    pub(super) fn new() -> Self {
        let phase = Phase::Closed { failures: Vec::new() };
        Self { phase, round: 0, cool_down: COOL_DOWN, since: Timestamp::UNIX_EPOCH }
    }

    /// The state.
    pub(super) fn state(&self) -> State {
        match self.phase {
            Phase::Closed { .. } => State::Closed,
            Phase::HalfOpen { .. } => State::HalfOpen,
            Phase::Open { .. } => State::Open,
        }
    }

    /// Whether an attempt would be refused.
    pub(super) fn refuses(&self, now: Instant) -> bool {
        match self.phase {
            Phase::Closed { .. } => false,
            Phase::Open { until } => now < until,
            Phase::HalfOpen { probing } => probing,
        }
    }

    /// Lets an attempt through: the round that it is of.
    pub(super) fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.refuses(now) {
            return None;
        }
        match &mut self.phase {
            Phase::Closed { .. } => {}
            Phase::Open { .. } => self.turn(Phase::HalfOpen { probing: true }),
            Phase::HalfOpen { probing } => *probing = true,
        }
        Some(self.round)
    }

    /// Takes what came of an attempt of `round`; answers the round that it is of from now on.
    pub(super) fn end(&mut self, round: u64, outcome: Outcome, now: Instant) -> u64 {
        if round != self.round {
            return round;
        }
        match (&mut self.phase, outcome) {
            (Phase::Closed { failures }, Outcome::Succeeded) => failures.clear(),
            (Phase::Closed { failures }, Outcome::Failed) => {
                failures.retain(|at| now.duration_since(*at) <= WINDOW);
                failures.push(now);
                if failures.len() >= FAILURES {
                    self.cool_down = COOL_DOWN;
                    self.turn(Phase::Open { until: now + COOL_DOWN });
                }
            }
            (Phase::HalfOpen { .. }, Outcome::Succeeded | Outcome::Answering) => {
                self.turn(Phase::Closed { failures: Vec::new() });
            }
            (Phase::HalfOpen { .. }, Outcome::Failed) => {
                self.cool_down = (self.cool_down * 2).min(LONGEST_COOL_DOWN);
                self.turn(Phase::Open { until: now + self.cool_down });
            }
            (Phase::HalfOpen { probing }, Outcome::Neither) => *probing = false,
            (Phase::Closed { .. }, Outcome::Answering | Outcome::Neither) | (Phase::Open { .. }, _) => {}
        }
        self.round
    }

    fn turn(&mut self, phase: Phase) {
        self.phase = phase;
        self.round += 1;
    }
}
