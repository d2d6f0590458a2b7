//! What is configured of the second reader of documents: a model on this machine or a private network.
use super::{ConfigError, Parse, bad};
use crate::capture::private;
use crate::secret::Secret;

/// The server that reads documents a second time; it sees digits, which no other model may (S4).
#[derive(Clone, Debug)]
pub struct Extractor {
    /// `AURA_EXTRACTOR_URL`: an OpenAI-compatible server of one's own.
    pub base_url: String,
    /// `AURA_EXTRACTOR_MODEL`.
    pub model: String,
    /// `AURA_EXTRACTOR_API_KEY`, where the server wants one.
    pub api_key: Option<Secret>,
}

impl Extractor {
    /// `None` unless an address is set. One that is public by its numbers is refused here, one by its name
    /// when it is opened.
    pub(super) fn read(parse: &Parse<'_>) -> Result<Option<Self>, ConfigError> {
        let get = parse.get;
        let name = "AURA_EXTRACTOR_URL";
        let Some(base_url) = get(name) else { return Ok(None) };
        private::check_literal(&base_url)
            .map_err(|why| bad(name, &why.shown(&base_url), private::EXPECTED))?;
        let Some(model) = get("AURA_EXTRACTOR_MODEL") else {
            return Err(bad("AURA_EXTRACTOR_MODEL", "", "the model's name, since AURA_EXTRACTOR_URL is set"));
        };
        Ok(Some(Self { base_url, model, api_key: get("AURA_EXTRACTOR_API_KEY").map(Secret::new) }))
    }
}
