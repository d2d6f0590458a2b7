//! How the stand-in for Deepgram behaves on one connection: by the document, unless told otherwise.
use std::time::Duration;

/// How an utterance's end is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The last final of an utterance carries `speech_final`.
    WithText,
    /// The text comes at once as a final; `speech_final` comes later, with an empty text.
    InEmptyFinal,
    /// Finals come, `speech_final` never does, as in noise.
    Never,
}

/// A handshake that fails.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The status, e.g. 429.
    pub status: u16,
    /// The header `dg-error`.
    pub error: String,
}

/// What happens on one connection. Times called `…_after` and `at` are seconds of its audio.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The handshake fails.
    pub refuse: Option<Refusal>,
    /// Closes with this code and reason.
    pub close_after: Option<(f64, u16, String)>,
    /// Hangs up without a close frame.
    pub drop_after: Option<f64>,
    /// Reads and listens, but says nothing from here on.
    pub mute_after: Option<f64>,
    /// Reads nothing from here on, and keeps the socket open.
    pub deaf_after: Option<f64>,
    /// Reads nothing for a while, once.
    pub stall: Option<(f64, Duration)>,
    /// Each message comes later by this.
    pub delay: Duration,
    /// How an utterance's end is told.
    pub endpoint: Endpoint,
    /// In how many finals a sentence comes.
    pub pieces: usize,
    /// How often `UtteranceEnd` comes, where it is asked for: the document says once, after `speech_final` too.
    pub utterance_ends: usize,
    /// An empty final comes after so many seconds of silence.
    pub empty_final_every: Option<f64>,
    /// Whether `Finalize` is answered if nothing was pending.
    pub answers_empty_finalize: bool,
    /// Without audio or KeepAlive for so long, it closes with NET-0001.
    pub idle: Duration,
    /// Without any audio for so long, it closes with NET-0000, KeepAlive or not.
    pub no_audio: Option<Duration>,
    /// With too many keyterms it hears nothing and closes after this (the service: 30 s).
    pub overlong: Duration,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            refuse: None,
            close_after: None,
            drop_after: None,
            mute_after: None,
            deaf_after: None,
            stall: None,
            delay: Duration::ZERO,
            endpoint: Endpoint::WithText,
            pieces: 1,
            utterance_ends: 1,
            empty_final_every: Some(3.0),
            answers_empty_finalize: true,
            idle: Duration::from_secs(10),
            no_audio: None,
            overlong: Duration::from_millis(300),
        }
    }
}

impl Behaviour {
    /// Refuses the handshake.
    pub fn refusing(status: u16, error: &str) -> Self {
        Self { refuse: Some(Refusal { status, error: error.to_owned() }), ..Self::default() }
    }

    /// Closes after so many seconds of audio.
    pub fn closing(after: f64, code: u16, reason: &str) -> Self {
        Self { close_after: Some((after, code, reason.to_owned())), ..Self::default() }
    }

    /// Accepts, and never says a word.
    pub fn mute() -> Self {
        Self { mute_after: Some(0.0), ..Self::default() }
    }
}
