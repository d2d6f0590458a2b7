//! What a recogniser says on one connection, in that connection's own time and by channel.
use std::time::Duration;

/// A word with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// As it is to be shown.
    pub text: String,
    /// Where it begins.
    pub start: Duration,
    /// Where it ends.
    pub end: Duration,
}

/// What was heard of a stretch of audio.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretch {
    /// The channel, where the recogniser names one.
    pub channel: Option<usize>,
    /// The words, trimmed; may be empty.
    pub text: String,
    /// The same one by one, where the recogniser tells.
    pub words: Vec<Word>,
    /// Whether it is settled: it isn't sent again.
    pub settled: bool,
    /// Whether the speaker is taken for done.
    pub endpoint: bool,
    /// From where to where, where the recogniser tells.
    pub span: Option<(Duration, Duration)>,
}

/// One message of a recogniser.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Words, or silence.
    Stretch(Stretch),
    /// By the words' timing the speaker is done.
    UtteranceEnd {
        /// The channel, where the recogniser names one.
        channel: Option<usize>,
        /// Where the last word ends, where it is known.
        last_word_end: Option<Duration>,
    },
    /// All that was sent has been answered.
    Goodbye,
    /// The recogniser's complaint, or why its message can't be read; safe to log.
    Trouble(String),
    /// Nothing of use, but a sign of life.
    Alive,
}
