//! When the patient has stopped speaking: a suggestion waits for it, though not for ever (E9).
use crate::ears::Track;
use crate::words::count_words;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a patient who never pauses goes without a suggestion, from the first words on.
pub const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Words by which an utterance must have grown to be worth a suggestion of its own, where one was started in
/// the middle of it.
const GROWN: usize = 3;

/// Which utterance: its track, and its number there.
pub type Utterance = (Track, u32);

/// The pauses in force: settings act from the next words on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Silence before a suggestion is started: `suggestion.debounceMs`.
    pub quiet: Duration,
    /// The longest wait; never shorter than `quiet`.
    pub longest: Duration,
}

impl Pace {
    /// The pace for a setting of so many milliseconds.
    pub fn of(debounce_ms: u64) -> Self {
        let quiet = Duration::from_millis(debounce_ms);
        Self { quiet, longest: LONGEST_WAIT.max(quiet) }
    }
}

/// What the patient's words do to a suggestion that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A new utterance: it is abandoned (E4, E9).
    Interrupts,
    /// Nothing: it is the same utterance, or there is none to abandon.
    GoesOn,
}

/// Why a suggestion is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// The patient paused.
    Quiet,
    /// The patient didn't, for as long as is waited.
    Longest,
}

/// The wait of one call. Only the patient's words are told to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debounce {
    /// Utterances that are being spoken, with their words so far.
    open: BTreeMap<Utterance, usize>,
    /// Utterances that a suggestion was started in the middle of, with the words that it knew.
    carried: BTreeMap<Utterance, usize>,
    /// Whether whole words wait for an answer.
    owed: bool,
    /// Whether what interrupted may yet turn out to be no words at all.
    interrupted: bool,
    quiet_at: Option<Instant>,
    longest_at: Option<Instant>,
}

impl Debounce {
    /// Words of an utterance that may still grow. `busy`: a suggestion is being written.
    pub fn partial(&mut self, of: Utterance, text: &str, busy: bool, pace: Pace, now: Instant) -> Heard {
        let words = count_words(text);
        if words == 0 || self.carried.contains_key(&of) {
            return Heard::GoesOn;
        }
        let new = self.open.insert(of, words).is_none();
        self.wait(pace, now);
        self.quiet_at = None; // who is speaking hasn't paused
        self.interrupt(new && busy)
    }

    /// An utterance is whole; `text` is empty where its words were taken back.
    pub fn last(&mut self, of: Utterance, text: &str, busy: bool, pace: Pace, now: Instant) -> Heard {
        let words = count_words(text);
        let new = self.open.remove(&of).is_none();
        let known = self.carried.remove(&of);
        if known.is_some_and(|known| words < known + GROWN) {
            return Heard::GoesOn;
        }
        if words == 0 {
            self.taken_back(now);
            return Heard::GoesOn;
        }
        self.owed = true;
        self.wait(pace, now);
        let heard = self.interrupt(new && known.is_none() && busy);
        self.interrupted = false; // it was words
        if self.open.is_empty() {
            self.quiet_at = Some(now + pace.quiet);
        }
        heard
    }

    /// When [`Debounce::ring`] is due.
    pub fn deadline(&self) -> Option<Instant> {
        let quiet = self.quiet_at.filter(|_| self.open.is_empty());
        [quiet, self.longest_at].into_iter().flatten().min()
    }

    /// Time passed: whether a suggestion is to be started now, once for all that was said.
    pub fn ring(&mut self, now: Instant) -> Option<Rung> {
        if self.deadline().is_none_or(|due| now < due) {
            return None;
        }
        let rung = if self.open.is_empty() { Rung::Quiet } else { Rung::Longest };
        let carried = std::mem::take(&mut self.open);
        *self = Self { carried: std::mem::take(&mut self.carried), ..Self::default() };
        self.carried.extend(carried);
        Some(rung)
    }

    /// Nothing that was said so far is waited for any more: the operator asked by hand, or the call is over.
    pub fn settle(&mut self) {
        let carried = std::mem::take(&mut self.open);
        *self = Self { carried, ..Self::default() };
    }

    /// What was answered is to be answered anew, after a pause: what the answer rested on is gone.
    pub fn again(&mut self, pace: Pace, now: Instant) {
        self.owed = true;
        self.wait(pace, now);
        self.quiet_at.get_or_insert(now + pace.quiet);
    }

    fn wait(&mut self, pace: Pace, now: Instant) {
        self.longest_at.get_or_insert(now + pace.longest);
    }

    fn interrupt(&mut self, interrupts: bool) -> Heard {
        self.interrupted |= interrupts;
        if interrupts { Heard::Interrupts } else { Heard::GoesOn }
    }

    /// There were no words after all: what waits goes on waiting, and what was abandoned for them is due again.
    fn taken_back(&mut self, now: Instant) {
        if !self.open.is_empty() {
            return;
        }
        if self.owed || self.interrupted {
            self.interrupted = false;
            self.quiet_at = Some(now);
        } else {
            self.longest_at = None;
        }
    }
}
