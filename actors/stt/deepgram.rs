//! Deepgram's live API: both tracks on one socket, recognised apart.
use super::dial::{Target, Tls};
use super::{OpenError, Stt};
use crate::config::Deepgram;
use crate::secret::Secret;
use aura::ears::session::{Stream, Streams};
use aura::equipment::Catalogue;
use aura::protocol::deepgram::{Options, keyterms};
use aura::stt::Dialect;

/// An address to complete.
const EXAMPLE: &str = "wss://api.deepgram.com";

/// The adapter.
pub struct DeepgramStt {
    settings: Deepgram,
    keyterms: Vec<String>,
    tls: Tls,
}

impl DeepgramStt {
    /// Names the equipment in the catalogue for the recogniser to listen for.
    pub fn new(settings: &Deepgram, catalogue: &Catalogue) -> Result<Self, OpenError> {
        let stt = Self { settings: settings.clone(), keyterms: keyterms(catalogue), tls: Tls::new()? };
        stt.target(Stream::Joined, 8000)?;
        Ok(stt)
    }

    fn options(&self, stream: Stream, rate: u32) -> Options {
        let Deepgram { model, language, mip_opt_out, .. } = self.settings.clone();
        let nova3 = model.starts_with("nova-3");
        let keyterms = if nova3 { self.keyterms.clone() } else { Vec::new() };
        Options { model, language, mip_opt_out, keyterms, ..Options::telephony(rate, stream.layout()) }
    }
}

impl Stt for DeepgramStt {
    fn name(&self) -> &'static str {
        "deepgram"
    }

    fn streams(&self) -> Streams {
        Streams::Joined
    }

    fn dialect(&self) -> Dialect {
        Dialect::Deepgram
    }

    fn target(&self, stream: Stream, rate: u32) -> Result<Target, OpenError> {
        let query = self.options(stream, rate).query()?;
        let base = self.settings.url.trim_end_matches('/').to_owned();
        let key = self.settings.key.as_ref().map(Secret::expose).unwrap_or_default();
        let header = ("authorization", format!("Token {key}"));
        Target::new(&format!("{base}/v1/listen?{query}"), Some(header), &self.tls)
            .map_err(|why| OpenError::Url { name: "DEEPGRAM_URL", url: base, why, example: EXAMPLE })
    }
}
