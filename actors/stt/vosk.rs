//! A vosk-server, or whatever speaks its protocol: one track a socket.
use super::dial::{Target, Tls};
use super::{OpenError, Stt};
use aura::ears::session::{Stream, Streams};
use aura::stt::Dialect;

/// The adapter.
pub struct VoskStt {
    url: String,
    tls: Tls,
}

impl VoskStt {
    /// A server at this address.
    pub fn new(url: &str) -> Result<Self, OpenError> {
        let stt = Self { url: url.to_owned(), tls: Tls::new()? };
        stt.target(Stream::Joined, 8000)?;
        Ok(stt)
    }
}

impl Stt for VoskStt {
    fn name(&self) -> &'static str {
        "vosk"
    }

    fn streams(&self) -> Streams {
        Streams::Apart
    }

    fn dialect(&self) -> Dialect {
        Dialect::Vosk
    }

    fn target(&self, _: Stream, _: u32) -> Result<Target, OpenError> {
        Target::new(&self.url, None, &self.tls).map_err(|why| OpenError::Url {
            name: "VOSK_URL",
            url: self.url.clone(),
            why,
            example: "ws://127.0.0.1:2700",
        })
    }
}
