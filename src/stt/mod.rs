//! From a recogniser's results to utterances: each word once, each utterance with one id (FAULTS D).
//!
//! A [`Link`] carries one socket's audio to a recogniser, whatever the network does; an [`Assembler`] a track
//! makes [`Utterance`]s of what comes back.
use crate::ears::Track;
use crate::mask::mask;
use std::time::Duration;

mod assembler;
mod dialect;
mod dictation;
mod link;
mod mending;
mod replay;
mod retry;
pub mod said;

pub use assembler::{Assembled, Assembler, Patience};
pub use dialect::Dialect;
pub use link::{Frame, Limits, Link, LinkOut, Refusal, Spec};

/// What a recogniser says of a stretch of audio. Times count the audio of the whole link, in samples' time:
/// reconnections are mended before.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Whose.
    pub track: Track,
    /// The words; may be empty.
    pub text: String,
    /// Whether this stretch is settled: it isn't sent again.
    pub settled: bool,
    /// Whether the recogniser took the speaker for done.
    pub endpoint: bool,
    /// Where the stretch begins.
    pub start: Duration,
    /// Where it ends.
    pub end: Duration,
}

/// What a recogniser tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Words, or silence.
    Heard(Heard),
    /// By the words' timing the speaker is done.
    UtteranceEnd {
        /// Whose.
        track: Track,
        /// Where the last word ends.
        last_word_end: Duration,
    },
    /// All that was sent has been answered: the goodbye.
    Finished,
    /// The recogniser's own complaint.
    Trouble(String),
}

/// One utterance as it stands: the same id until it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// Counts a track's utterances from 0.
    pub id: u32,
    /// Whose.
    pub track: Track,
    /// The words so far.
    pub text: String,
    /// Whether it changes no more.
    pub done: bool,
    /// Whether its end was never settled by the recogniser (the link broke).
    pub unconfirmed: bool,
    /// Where it begins, in the link's audio time.
    pub start: Duration,
    /// Where it ends so far.
    pub end: Duration,
}

/// Somebody else's text for a log line: short, without long numbers.
fn brief(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(1000).collect();
    mask(clean.trim()).chars().take(160).collect()
}
