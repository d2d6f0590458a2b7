//! The query of Deepgram's live API, checked as strictly as the document words it.
use super::super::g711::{from_alaw, from_mulaw};

/// All keyterms together may have so many tokens.
pub const KEYTERM_TOKENS: usize = 500;
/// Known to the service, deaf here.
const UNHEARD: [&str; 8] = ["linear32", "flac", "amr-nb", "amr-wb", "opus", "ogg-opus", "speex", "g729"];
const SWITCHES: [&str; 14] = [
    "multichannel",
    "interim_results",
    "vad_events",
    "smart_format",
    "punctuate",
    "no_delay",
    "numerals",
    "profanity_filter",
    "filler_words",
    "dictation",
    "mip_opt_out",
    "detect_entities",
    "diarize",
    "measurements",
];
const REPEATABLE: [&str; 7] = ["keyterm", "keywords", "tag", "search", "replace", "redact", "extra"];
const SINGLE: [&str; 11] = [
    "model",
    "language",
    "encoding",
    "sample_rate",
    "channels",
    "endpointing",
    "utterance_end_ms",
    "version",
    "diarize_model",
    "callback",
    "callback_method",
];

/// How samples are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 16 bits, little-endian.
    Linear16,
    /// G.711.
    Mulaw,
    /// G.711.
    Alaw,
    /// Not said: a container is expected.
    Container,
}

impl Encoding {
    /// Bytes of a sample.
    pub fn width(self) -> usize {
        if self == Self::Linear16 { 2 } else { 1 }
    }

    /// One sample.
    pub fn decode(self, bytes: &[u8]) -> i16 {
        match self {
            Self::Linear16 => i16::from_le_bytes([bytes[0], bytes[1]]),
            Self::Mulaw => from_mulaw(bytes[0]),
            Self::Alaw => from_alaw(bytes[0]),
            Self::Container => 0,
        }
    }
}

/// What a connection was asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How samples are coded.
    pub encoding: Encoding,
    /// Samples a second.
    pub rate: u32,
    /// Channels that are interleaved.
    pub channels: usize,
    /// Whether each is heard on its own.
    pub multichannel: bool,
    /// Whether partials are sent.
    pub interims: bool,
    /// Milliseconds of silence that end an utterance.
    pub endpointing: Option<u64>,
    /// Milliseconds after the last word.
    pub utterance_end: Option<u64>,
    /// Whether the begin of speech is told.
    pub vad: bool,
    /// Whether the model takes keyterms.
    pub nova3: bool,
    /// Whether the keyterms are too many.
    pub overlong: bool,
}

/// The pairs of a query, decoded.
pub fn pairs(query: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or(format!("{pair} has no value"))?;
        Ok((decode(name)?, decode(value)?))
    };
    query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}

fn decode(text: &str) -> Result<String, String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
                let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
                bytes.push(byte.ok_or(format!("{text} is cut inside an escape"))?);
                rest = &after[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| format!("{text} is no UTF-8"))
}

/// A guess at the service's tokens: one for each four letters begun of a word.
pub fn tokens<'a>(terms: impl Iterator<Item = &'a str>) -> usize {
    terms.flat_map(str::split_whitespace).map(|word| word.chars().count().div_ceil(4)).sum()
}

/// What is asked for, or the sentence for `dg-error`.
pub fn check(pairs: &[(String, String)]) -> Result<Options, String> {
    for (name, value) in pairs {
        known(name, value)?;
        let alone = pairs.iter().filter(|pair| pair.0 == *name).count() == 1;
        require(alone || REPEATABLE.contains(&&**name), &format!("{name} comes more than once"))?;
    }
    let one = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.as_str());
    let on = |name: &str| one(name) == Some("true");
    let nova3 = model(one("model").unwrap_or("base"), one("language").unwrap_or("en"), one)?;
    let given = |name: &str| one(name).is_some();
    require(!nova3 || !given("keywords"), "keywords is not for nova-3: use keyterm")?;
    require(nova3 || !given("keyterm"), "keyterm is for nova-3 only")?;
    let utterance_end = one("utterance_end_ms").map(number).transpose()?;
    require(utterance_end.is_none_or(|ms| ms >= 1_000), "utterance_end_ms is 1000 or more")?;
    require(utterance_end.is_none() || on("interim_results"), "utterance_end_ms requires interim_results")?;
    let endpointing = match one("endpointing") {
        Some("false") => None,
        value => Some(value.map_or(Ok(10), number)?),
    };
    let encoding = encoding(one("encoding"))?;
    let headerless = encoding != Encoding::Container;
    require(!headerless || given("sample_rate"), "encoding needs sample_rate")?;
    let rate = one("sample_rate").map_or(Ok(8_000), number)?;
    require((8_000..=48_000).contains(&rate), "sample_rate is 8000 to 48000")?;
    let channels = one("channels").map_or(Ok(1), number)? as usize;
    require(channels > 0, "channels is 1 or more")?;
    require(!on("multichannel") || channels > 1, "multichannel needs channels")?;
    let keyterms = pairs.iter().filter(|pair| pair.0 == "keyterm").map(|pair| pair.1.as_str());
    let (rate, multichannel) = (rate as u32, on("multichannel"));
    let (interims, vad, overlong) =
        (on("interim_results"), on("vad_events"), tokens(keyterms) > KEYTERM_TOKENS);
    let (encoding, channels) = (encoding, channels);
    Ok(Options {
        encoding,
        rate,
        channels,
        multichannel,
        interims,
        endpointing,
        utterance_end,
        vad,
        nova3,
        overlong,
    })
}

fn known(name: &str, value: &str) -> Result<(), String> {
    if SWITCHES.contains(&name) {
        return require(["true", "false"].contains(&value), &format!("{name} is true or false, not {value}"));
    }
    require(name != "detect_language", "detect_language is not available for streaming")?;
    let known = SINGLE.contains(&name) || REPEATABLE.contains(&name) || name == "language_hint";
    require(known, &format!("{name} is no parameter"))?;
    require(!value.is_empty(), &format!("{name} is empty"))
}

/// Whether it is of the third generation.
fn model<'a>(model: &str, language: &str, one: impl Fn(&str) -> Option<&'a str>) -> Result<bool, String> {
    let nova3 = ["nova-3", "nova-3-general", "nova-3-medical"].contains(&model);
    let nova2 = model == "nova-2" || model == "nova-2-general";
    let english = model.starts_with("nova-2-") && !nova2;
    require(nova3 || nova2 || english, &format!("{model} is no model"))?;
    require(!english || language.starts_with("en"), &format!("{model} does not speak {language}"))?;
    let hinted = one("language_hint").is_none() || nova3 && language == "multi";
    require(hinted, "language_hint is for nova-3 with language=multi")?;
    Ok(nova3)
}

fn encoding(name: Option<&str>) -> Result<Encoding, String> {
    match name {
        None => Ok(Encoding::Container),
        Some("linear16") => Ok(Encoding::Linear16),
        Some("mulaw") => Ok(Encoding::Mulaw),
        Some("alaw") => Ok(Encoding::Alaw),
        Some(name) if UNHEARD.contains(&name) => Err(format!("this stand-in does not hear {name}")),
        Some(name) => Err(format!("{name} is no encoding")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

fn require(right: bool, what: &str) -> Result<(), String> {
    if right { Ok(()) } else { Err(what.to_owned()) }
}
