//! The speech-to-text port: a link to a recogniser for each stream of a call. The only file that names its
//! adapters.
pub mod deepgram;
mod dial;
mod pump;
pub mod vosk;

use crate::config::{Config, SttChoice};
use aura::ears::session::{Stream, Streams};
use aura::equipment::Catalogue;
use aura::stt::Dialect;
use deepgram::DeepgramStt;
pub use dial::{Socket, Target, Tls};
pub use pump::{FromLink, Linked, ToLink, start};
use std::sync::Arc;
use vosk::VoskStt;

/// Why no recogniser can be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its address.
    #[error("{name}='{url}' can't be used ({why}); expected an address such as {example}")]
    Url {
        /// The variable.
        name: &'static str,
        /// What it holds.
        url: String,
        /// What is wrong.
        why: String,
        /// What it could be.
        example: &'static str,
    },
    /// Its options.
    #[error("the recogniser can't be used: {0}")]
    Options(#[from] aura::protocol::deepgram::OptionsError),
    /// Its certificates.
    #[error("TLS to the recogniser needs the system's certificates ({0}); install ca-certificates")]
    Tls(String),
}

/// The recogniser that the configuration names.
pub fn open(config: &Config, catalogue: &Catalogue) -> Result<Arc<dyn Stt>, OpenError> {
    Ok(match config.ears.stt {
        SttChoice::Deepgram => Arc::new(DeepgramStt::new(&config.ears.deepgram, catalogue)?),
        SttChoice::Vosk => Arc::new(VoskStt::new(&config.ears.vosk_url)?),
        SttChoice::Transcript => Arc::new(Transcript),
    })
}

/// A recogniser, or none.
pub trait Stt: Send + Sync {
    /// The adapter's name in logs: `deepgram`, `vosk` or `transcript`.
    fn name(&self) -> &'static str;
    /// How it wants a call's audio.
    fn streams(&self) -> Streams;
    /// What is spoken with it.
    fn dialect(&self) -> Dialect;
    /// Where a stream of this rate (samples a second) is sent.
    fn target(&self, stream: Stream, rate: u32) -> Result<Target, OpenError>;
}

/// Nobody recognises here: switches that do it themselves send text.
struct Transcript;

impl Stt for Transcript {
    fn name(&self) -> &'static str {
        "transcript"
    }

    fn streams(&self) -> Streams {
        Streams::None
    }

    fn dialect(&self) -> Dialect {
        Dialect::Vosk
    }

    fn target(&self, _: Stream, _: u32) -> Result<Target, OpenError> {
        Err(OpenError::Url {
            name: "AURA_STT",
            url: "transcript".to_owned(),
            why: "no audio is recognised".to_owned(),
            example: "deepgram",
        })
    }
}
