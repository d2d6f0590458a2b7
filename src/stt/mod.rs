//! From a recogniser's results to utterances: each word once, each utterance with one id (FAULTS D).
use crate::ears::Track;
use std::time::Duration;

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
