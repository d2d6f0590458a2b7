//! How recognisers differ, for a link: what is written to each, and what may be expected of it.
use super::said::Said;
use crate::protocol::{deepgram, vosk};
use std::time::Duration;

/// A recogniser's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Deepgram's live API: both channels on one socket, answers when it likes.
    Deepgram,
    /// vosk-server's: one channel a socket, one reply to each audio message.
    Vosk,
}

impl Dialect {
    /// What is written right after the handshake.
    pub(super) fn greeting(self, rate: u32) -> Option<String> {
        match self {
            Self::Deepgram => None,
            Self::Vosk => Some(vosk::config(rate)),
        }
    }

    /// What keeps an idle socket open, where that is needed.
    pub(super) const fn keep_alive(self) -> Option<&'static str> {
        match self {
            Self::Deepgram => Some(deepgram::KEEP_ALIVE),
            Self::Vosk => None,
        }
    }

    /// What asks for all that is held back.
    pub(super) const fn finalize(self) -> &'static str {
        match self {
            Self::Deepgram => deepgram::FINALIZE,
            Self::Vosk => vosk::RESET,
        }
    }

    /// What asks for the rest and the end.
    pub(super) const fn goodbye(self) -> &'static str {
        match self {
            Self::Deepgram => deepgram::CLOSE_STREAM,
            Self::Vosk => vosk::EOF,
        }
    }

    /// Reads a message.
    pub(super) fn read(self, text: &str) -> Said {
        match self {
            Self::Deepgram => deepgram::read(text),
            Self::Vosk => vosk::read(text),
        }
    }

    /// Whether each audio message, and each request, is answered by exactly one reply.
    pub(super) const fn replies(self) -> bool {
        matches!(self, Self::Vosk)
    }

    /// The least and the most audio of one message.
    pub(super) const fn chunk(self) -> (Duration, Duration) {
        match self {
            Self::Deepgram => (Duration::from_millis(50), Duration::from_millis(100)),
            // A reply each: fewer and larger.
            Self::Vosk => (Duration::from_millis(100), Duration::from_millis(100)),
        }
    }

    /// How much audio must have gone unanswered before silence is suspicious. A recogniser that listens
    /// answers even silence every few seconds.
    pub(super) const fn mute_after(self) -> Duration {
        match self {
            Self::Deepgram => Duration::from_secs(10),
            Self::Vosk => Duration::ZERO,
        }
    }
}
