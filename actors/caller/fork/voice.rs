//! Who lends the call's people a voice.
use super::espeak;
use std::path::{Path, PathBuf};

/// How lines are spoken, as asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Voice {
    /// By espeak-ng where it is installed, else as text.
    #[default]
    Auto,
    /// By espeak-ng: the server's recogniser has to understand it.
    Espeak,
    /// As the PBX's own transcript beside silence: needs no recogniser.
    Text,
}

/// How they are spoken in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// By this program.
    Espeak(PathBuf),
    /// As text frames.
    Text,
}

impl Speaker {
    /// Decides.
    pub async fn choose(voice: Voice, program: &Path) -> Self {
        let espeak = match voice {
            Voice::Auto => espeak::installed(program).await,
            Voice::Espeak => true,
            Voice::Text => false,
        };
        if espeak { Self::Espeak(program.to_owned()) } else { Self::Text }
    }

    /// Its name for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Espeak(_) => "espeak-ng",
            Self::Text => "texto",
        }
    }
}
