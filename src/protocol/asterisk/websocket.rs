//! chan_websocket: control in text frames, as plain words or as JSON, and media in binary ones.
use crate::ears::{Encoding, Shape, Told};
use crate::protocol::pbx::{Decoded, Facts, FrameError, MAX_TEXT, flatten, is_digit, objects};

/// Reads one text frame: `MEDIA_START format:ulaw channel_id:… …` or `{"event":"MEDIA_START",…}`.
///
/// `MEDIA_START` tells the format and the channel; the call's id is that of `channel_variables` (`AURA_CALL`,
/// `AURA_LEG` and the like, JSON only), else the channel's own, which no two legs share: name the call in
/// the URL. `DTMF_END` tells a key. All other control is about what Aura would play, and tells nothing.
pub fn text(frame: &str) -> Decoded {
    if frame.len() > MAX_TEXT {
        return FrameError::TooLarge { len: frame.len() }.into();
    }
    if frame.trim_start().starts_with('{') {
        return objects(frame, |object| {
            let facts = flatten(object);
            Ok(read(facts.get(&["event"]).unwrap_or_default(), &facts))
        });
    }
    let mut words = frame.split_whitespace();
    let event = words.next().unwrap_or_default();
    let mut facts = Facts::default();
    words.filter_map(|word| word.split_once(':')).for_each(|(name, value)| facts.push(name, value));
    Decoded { told: read(event, &facts), fault: None }
}

/// Reads one binary frame: samples in the announced format. It may come before `MEDIA_START` (fault 60).
pub fn binary(bytes: Vec<u8>) -> Told {
    Told::Audio { track: None, bytes }
}

fn read(event: &str, facts: &Facts) -> Vec<Told> {
    match event {
        "MEDIA_START" => vec![start(facts)],
        "DTMF_END" => {
            let digit = facts.get(&["digit"]).unwrap_or_default().to_ascii_uppercase();
            digit.chars().filter(|c| is_digit(*c)).take(1).map(Told::Dtmf).collect()
        }
        _ => Vec::new(),
    }
}

fn start(facts: &Facts) -> Told {
    let mut metadata = facts.metadata();
    if let Some(name) = facts.get(&["format"]) {
        let Some((encoding, rate)) = format(name) else {
            return Told::Unreadable(name.chars().take(32).collect());
        };
        metadata.encoding = Some(encoding);
        metadata.rate = Some(rate);
    }
    metadata.layout = metadata.layout.or(Some(Shape::Mono));
    Told::Metadata(Box::new(metadata))
}

/// Asterisk's name of a format, if it is one that is read: how samples are written, and samples a second.
pub fn format(name: &str) -> Option<(Encoding, u32)> {
    let rate = match name {
        "ulaw" => return Some((Encoding::Mulaw, 8_000)),
        "alaw" => return Some((Encoding::Alaw, 8_000)),
        "slin" | "slin8" => 8_000,
        "slin12" => 12_000,
        "slin16" => 16_000,
        "slin24" => 24_000,
        "slin32" => 32_000,
        "slin44" => 44_100,
        "slin48" => 48_000,
        "slin96" => 96_000,
        "slin192" => 192_000,
        _ => return None,
    };
    Some((Encoding::L16, rate))
}
