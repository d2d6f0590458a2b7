//! The query string of a live session, and what no session can work with.
use super::terms::within_limits;
use crate::ears::Layout;
use thiserror::Error;

/// The shortest `utterance_end_ms` that is taken: interim results come about once a second.
const SHORTEST_UTTERANCE_END: u32 = 1000;

/// A session's options. They hold for a connection: each reconnection sends them all again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The model, `nova-3` where nothing speaks against it.
    pub model: String,
    /// The language, `es`. It stays Spanish whatever single words are taken for.
    pub language: String,
    /// Samples a second and channel, as they are sent: a wrong one gives wrong text, not an error.
    pub rate: u32,
    /// One channel or two, interleaved; two are recognised apart.
    pub channels: u8,
    /// Words before they are settled.
    pub interim_results: bool,
    /// Milliseconds of silence that end an utterance; `None` for never.
    pub endpointing: Option<u32>,
    /// Milliseconds between words that end an utterance where noise hides the silence.
    pub utterance_end_ms: Option<u32>,
    /// Whether it tells when speech starts.
    pub vad_events: bool,
    /// Digits for numbers in words.
    pub numerals: bool,
    /// Capitals and marks.
    pub punctuate: bool,
    /// More of both; holds text back until an entity is whole, so it isn't for a live call.
    pub smart_format: bool,
    /// Names to listen for, the worthiest first; what is beyond the limits isn't sent ([`within_limits`]).
    pub keyterms: Vec<String>,
    /// Keeps the audio out of the provider's training (health data).
    pub mip_opt_out: bool,
}

/// Options that can't work together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// Nothing to choose by.
    #[error("the speech-to-text {0} is empty; name one, such as nova-3 and es")]
    Missing(&'static str),
    /// Utterance ends are counted between interim results.
    #[error("utterance_end_ms needs interim_results: without them it never comes; switch them on")]
    UtteranceEndWithoutInterims,
    /// Refused by the server.
    #[error("utterance_end_ms is {0}; expected 1000 or more")]
    UtteranceEndTooShort(u32),
    /// Refused by the server.
    #[error("keyterms work with nova-3 models only, not with {0}; choose nova-3 or leave them out")]
    KeytermsNeedNova3(String),
    /// Their variants for a trade speak English only.
    #[error("the model {model} doesn't hear the language {language}; choose nova-3")]
    EnglishOnly {
        /// The model.
        model: String,
        /// The language.
        language: String,
    },
    /// A rate that no telephone has.
    #[error("{0} samples a second can't be sent; expected 8000 to 48000")]
    Rate(u32),
    /// Neither mono nor stereo.
    #[error("{0} channels can't be sent; expected 1 or 2")]
    Channels(u8),
}

impl Options {
    /// What a call's audio is recognised with: Spanish, words at once, utterances that end in noise too.
    #[must_use]
    pub fn telephony(rate: u32, layout: Layout) -> Self {
        Self {
            model: "nova-3".to_owned(),
            language: "es".to_owned(),
            rate,
            channels: if layout == Layout::Stereo { 2 } else { 1 },
            interim_results: true,
            endpointing: Some(300),
            utterance_end_ms: Some(SHORTEST_UTTERANCE_END),
            vad_events: true,
            numerals: true,
            punctuate: true,
            smart_format: false,
            keyterms: Vec::new(),
            mip_opt_out: true,
        }
    }

    /// Whether a session can work with these.
    pub fn check(&self) -> Result<(), OptionsError> {
        for (what, value) in [("model", &self.model), ("language", &self.language)] {
            if value.trim().is_empty() {
                return Err(OptionsError::Missing(what));
            }
        }
        if !(8000..=48_000).contains(&self.rate) {
            return Err(OptionsError::Rate(self.rate));
        }
        if !(1..=2).contains(&self.channels) {
            return Err(OptionsError::Channels(self.channels));
        }
        match self.utterance_end_ms {
            Some(_) if !self.interim_results => return Err(OptionsError::UtteranceEndWithoutInterims),
            Some(ms) if ms < SHORTEST_UTTERANCE_END => return Err(OptionsError::UtteranceEndTooShort(ms)),
            _ => {}
        }
        self.check_model()
    }

    fn check_model(&self) -> Result<(), OptionsError> {
        let nova3 = self.model == "nova-3" || self.model.starts_with("nova-3-");
        if !self.keyterms.is_empty() && !nova3 {
            return Err(OptionsError::KeytermsNeedNova3(self.model.clone()));
        }
        let trade = self.model.strip_prefix("nova-2-").is_some_and(|variant| variant != "general");
        if trade && !self.language.starts_with("en") {
            let (model, language) = (self.model.clone(), self.language.clone());
            return Err(OptionsError::EnglishOnly { model, language });
        }
        Ok(())
    }

    /// The query, without its question mark. Samples are 16 bits, little-endian.
    pub fn query(&self) -> Result<String, OptionsError> {
        self.check()?;
        let flag = |on: bool| if on { "true" } else { "false" }.to_owned();
        let mut pairs = vec![
            ("model", self.model.clone()),
            ("language", self.language.clone()),
            ("encoding", "linear16".to_owned()),
            ("sample_rate", self.rate.to_string()),
            ("channels", self.channels.to_string()),
            ("multichannel", flag(self.channels > 1)),
            ("interim_results", flag(self.interim_results)),
            ("endpointing", self.endpointing.map_or_else(|| flag(false), |ms| ms.to_string())),
        ];
        pairs.extend(self.utterance_end_ms.map(|ms| ("utterance_end_ms", ms.to_string())));
        pairs.extend([
            ("vad_events", flag(self.vad_events)),
            ("numerals", flag(self.numerals)),
            ("punctuate", flag(self.punctuate)),
            ("smart_format", flag(self.smart_format)),
            ("mip_opt_out", flag(self.mip_opt_out)),
        ]);
        pairs.extend(within_limits(self.keyterms.iter().cloned()).into_iter().map(|term| ("keyterm", term)));
        let written: Vec<String> =
            pairs.iter().map(|(key, value)| format!("{key}={}", escaped(value))).collect();
        Ok(written.join("&"))
    }
}

/// A value as a query may hold it: UTF-8, with everything but unreserved characters as `%XX`.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
