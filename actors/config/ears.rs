//! What is configured of forked calls: doors, tokens, the recogniser.
use super::{ConfigError, Parse, bad, networks, secrets};
use crate::secret::Secret;
use ipnet::IpNet;
use std::net::SocketAddr;

/// Which recogniser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SttChoice {
    /// Deepgram's live API.
    Deepgram,
    /// A vosk-server, or what speaks its protocol.
    Vosk,
    /// None: switches that transcribe themselves send text.
    Transcript,
}

/// Deepgram's address and options.
#[derive(Clone, Debug)]
pub struct Deepgram {
    /// `DEEPGRAM_URL`, default `wss://api.deepgram.com`.
    pub url: String,
    /// `DEEPGRAM_API_KEY`.
    pub key: Option<Secret>,
    /// `DEEPGRAM_MODEL`.
    pub model: String,
    /// `DEEPGRAM_LANGUAGE`.
    pub language: String,
    /// `DEEPGRAM_MIP_OPT_OUT`: keeps the audio out of the provider's training.
    pub mip_opt_out: bool,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Ears {
    /// `AURA_STT`: `deepgram`, `vosk` or `transcript`; unset follows what is configured.
    pub stt: SttChoice,
    /// Deepgram.
    pub deepgram: Deepgram,
    /// `VOSK_URL`, default `ws://127.0.0.1:2700`.
    pub vosk_url: String,
    /// `AURA_FORK_TOKENS`: tokens of the forks' doors, comma-separated; two while one is rotated.
    pub tokens: Vec<Secret>,
    /// Whether forks may come at all: with a token, or where only this machine can dial.
    pub open: bool,
    /// `AURA_ASTERISK_PINGS`: whether Asterisk's sockets are pinged; old builds hang up when they are.
    pub asterisk_pings: bool,
    /// `AURA_AUDIOSOCKET_LISTEN`: where AudioSocket is taken in; unset is nowhere.
    pub audiosocket: Option<SocketAddr>,
    /// `AURA_AUDIOSOCKET_ALLOW`: addresses or networks that may connect to it; it has no token.
    pub audiosocket_allow: Vec<IpNet>,
    /// `AURA_AUDIOSOCKET_PAIRING`: whether a UUID's last digit tells the leg.
    pub audiosocket_pairing: bool,
}

impl Ears {
    pub(super) fn read(parse: &Parse<'_>, listen: SocketAddr) -> Result<Self, ConfigError> {
        let get = parse.get;
        let deepgram = Deepgram {
            url: get("DEEPGRAM_URL").unwrap_or_else(|| "wss://api.deepgram.com".to_owned()),
            key: get("DEEPGRAM_API_KEY").map(Secret::new),
            model: get("DEEPGRAM_MODEL").unwrap_or_else(|| "nova-3".to_owned()),
            language: get("DEEPGRAM_LANGUAGE").unwrap_or_else(|| "es".to_owned()),
            mip_opt_out: parse.or("DEEPGRAM_MIP_OPT_OUT", "true", "true or false")?,
        };
        let tokens = secrets(&get("AURA_FORK_TOKENS").unwrap_or_default());
        let open = !tokens.is_empty() || listen.ip().is_loopback();
        let ears = Self {
            stt: choice(get, &deepgram)?,
            deepgram,
            vosk_url: get("VOSK_URL").unwrap_or_else(|| "ws://127.0.0.1:2700".to_owned()),
            tokens,
            open,
            asterisk_pings: parse.or("AURA_ASTERISK_PINGS", "false", "true or false")?,
            audiosocket: audiosocket(parse)?,
            audiosocket_allow: networks(
                "AURA_AUDIOSOCKET_ALLOW",
                &get("AURA_AUDIOSOCKET_ALLOW").unwrap_or_default(),
            )?,
            audiosocket_pairing: parse.or("AURA_AUDIOSOCKET_PAIRING", "true", "true or false")?,
        };
        ears.check()?;
        Ok(ears)
    }

    /// AudioSocket has no token: whoever can reach it is let in, unless addresses are named.
    fn check(&self) -> Result<(), ConfigError> {
        let exposed = self.audiosocket.filter(|address| !address.ip().is_loopback());
        match exposed {
            Some(address) if self.audiosocket_allow.is_empty() => Err(ConfigError {
                name: "AURA_AUDIOSOCKET_ALLOW",
                value: String::new(),
                expected: format!(
                    "the addresses of the switches, since AURA_AUDIOSOCKET_LISTEN={address} can be reached from outside"
                ),
            }),
            _ => Ok(()),
        }
    }
}

fn audiosocket(parse: &Parse<'_>) -> Result<Option<SocketAddr>, ConfigError> {
    let name = "AURA_AUDIOSOCKET_LISTEN";
    let Some(value) = (parse.get)(name) else { return Ok(None) };
    value.parse().map(Some).map_err(|_| bad(name, &value, "an address such as 127.0.0.1:9092"))
}

fn choice(get: &dyn Fn(&str) -> Option<String>, deepgram: &Deepgram) -> Result<SttChoice, ConfigError> {
    let choice = match get("AURA_STT").as_deref() {
        Some("deepgram") => SttChoice::Deepgram,
        Some("vosk") => SttChoice::Vosk,
        Some("transcript") => SttChoice::Transcript,
        Some(other) => return Err(bad("AURA_STT", other, "deepgram, vosk or transcript")),
        None if deepgram.key.is_some() => SttChoice::Deepgram,
        None if get("VOSK_URL").is_some() => SttChoice::Vosk,
        None => SttChoice::Transcript,
    };
    if choice == SttChoice::Deepgram && deepgram.key.is_none() {
        let expected = "a key, since AURA_STT=deepgram".to_owned();
        return Err(ConfigError { name: "DEEPGRAM_API_KEY", value: String::new(), expected });
    }
    Ok(choice)
}
