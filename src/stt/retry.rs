//! When to dial again: soon after a fault that passes, seldom after one that somebody must mend.
use super::link::{Limits, Refusal};
use std::time::Duration;

/// How a connection failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It may be better at once.
    Passing { why: String, not_before: Duration },
    /// It stays so until somebody acts.
    Lasting(String),
}

impl Failure {
    pub(super) fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), not_before: Duration::ZERO }
    }

    /// Why the handshake was refused, and what to do.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let detail = super::brief(&refusal.detail);
        let advice = match refusal.status {
            Some(401 | 403) => "check the recogniser's key and its rights",
            Some(402) => "the recogniser's account is out of credit: pay, or choose another provider",
            Some(408 | 425 | 429) | Some(500..) | None => {
                let status =
                    refusal.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
                let why = format!("the recogniser can't be reached ({status} {detail})");
                return Self::Passing { why, not_before: refusal.retry_after.unwrap_or_default() };
            }
            Some(_) => "check the recogniser's address, model and options",
        };
        let status = refusal.status.unwrap_or_default();
        Self::Lasting(format!("the recogniser refused the session ({status} {detail}); {advice}"))
    }

    /// Why an open socket was closed.
    pub(super) fn closed(code: Option<u16>, reason: &str) -> Self {
        let code_text = code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
        let why = format!("the recogniser closed the connection ({code_text} {})", super::brief(reason));
        match code {
            Some(1002 | 1003 | 1007 | 1008) => {
                Self::Lasting(format!("{why}; check encoding, sample rate and channels"))
            }
            _ => Self::passing(why),
        }
    }
}

/// What to do after a failure.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// When to dial again.
    pub(super) wait: Duration,
    /// Why nobody should count on it, where that is news.
    pub(super) gave_up: Option<String>,
}

/// The failures in a row, and the dice.
#[derive(Debug)]
pub(super) struct Retry {
    failures: u32,
    given_up: bool,
    seed: u64,
}

impl Retry {
    pub(super) fn new(seed: u64) -> Self {
        Self { failures: 0, given_up: false, seed }
    }

    pub(super) fn given_up(&self) -> bool {
        self.given_up
    }

    /// The recogniser answers: whether that is news.
    pub(super) fn answered(&mut self) -> bool {
        self.failures = 0;
        std::mem::take(&mut self.given_up)
    }

    pub(super) fn failed(&mut self, failure: Failure, limits: &Limits) -> Verdict {
        self.failures = self.failures.saturating_add(1);
        let (why, wait) = match failure {
            Failure::Lasting(why) => (Some(why), limits.probe),
            Failure::Passing { why, not_before } if self.failures > limits.attempts => {
                (Some(why), limits.slow.max(not_before.min(limits.probe)))
            }
            Failure::Passing { not_before, .. } => {
                let doublings = (self.failures - 1).min(16);
                let most = limits.backoff_cap.min(limits.backoff_base * 2_u32.pow(doublings));
                // Somebody who has given up isn't called back by a milder fault: he waits the long time.
                let wait = if self.given_up { limits.slow } else { self.jitter(most) };
                (None, wait.max(not_before.min(limits.probe)))
            }
        };
        let news = why.filter(|_| !self.given_up);
        self.given_up |= news.is_some();
        Verdict { wait, gave_up: news }
    }

    /// Anything from nothing to `most`, so that many calls don't come back at once (splitmix64).
    fn jitter(&mut self, most: Duration) -> Duration {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(mixed % (most + 1))
    }
}
