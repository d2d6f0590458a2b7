//! Twilio Media Streams: JSON in text frames only, µ-law in base64, counters as strings.
mod order;

use super::pbx::{Decoded, Facts, FrameError, encoding, flatten, is_digit, objects, track};
use crate::ears::{Encoding, Shape, Told, Track};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use order::Order;
use serde_json::{Map, Value};

/// Reads one stream. Chunks of a track that come out of order are put in order, and repeated ones left
/// out; a lost one is waited for until ten later ones are there (200 ms).
#[derive(Clone, Debug, Default)]
pub struct Stream {
    orders: [Order; 2],
}

impl Stream {
    /// A stream at its start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one text frame. `start` tells the call, its tracks and their format: `customParameters` may hold
    /// `call`, `leg` and all else that metadata may. `stop` tells that the call is over: the PBX sends nothing
    /// more on this stream, whatever ended it. `mark` and `connected` tell nothing.
    pub fn text(&mut self, frame: &str) -> Decoded {
        objects(frame, |object| match object.get("event").and_then(Value::as_str) {
            Some("start") => Ok(vec![start(object)]),
            Some("media") => self.media(object),
            Some("dtmf") => Ok(dtmf(object)),
            Some("stop") => Ok(self.stop()),
            _ => Ok(Vec::new()),
        })
    }

    /// How many chunks were left out as repeated, and how many never came.
    pub fn disorder(&self) -> (u64, u64) {
        let sum = |part: fn(&Order) -> u64| self.orders.iter().map(part).sum();
        (sum(|order| order.repeated), sum(|order| order.lost))
    }

    fn media(&mut self, object: &Map<String, Value>) -> Result<Vec<Told>, FrameError> {
        let Some(media) = object.get("media").and_then(Value::as_object) else { return Ok(Vec::new()) };
        let text = |name: &str| media.get(name).and_then(Value::as_str);
        let bytes = STANDARD.decode(text("payload").unwrap_or_default()).map_err(|_| FrameError::Payload)?;
        // A stream without tracks is what the forked leg says.
        let track = text("track").and_then(track).unwrap_or(Track::Inbound);
        let chunk = media.get("chunk").and_then(number);
        let ready = self.orders[track.channel()].put(chunk, bytes);
        Ok(ready.into_iter().map(|bytes| audio(track, bytes)).collect())
    }

    fn stop(&mut self) -> Vec<Told> {
        let mut told = Vec::new();
        for track in Track::ALL {
            told.extend(self.orders[track.channel()].rest().into_iter().map(|bytes| audio(track, bytes)));
        }
        told.push(Told::HungUp);
        told
    }
}

fn audio(track: Track, bytes: Vec<u8>) -> Told {
    Told::Audio { track: Some(track), bytes }
}

/// Counters are strings, and numbers with those who imitate Twilio.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn start(object: &Map<String, Value>) -> Told {
    let Some(start) = object.get("start").and_then(Value::as_object) else {
        return Told::Metadata(Box::new(flatten(object).metadata()));
    };
    let mut facts = Facts::default();
    for (name, value) in start.get("customParameters").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.as_str() {
            facts.push(name, value);
        }
    }
    let format = start.get("mediaFormat").and_then(Value::as_object);
    let written = format.and_then(|format| format.get("encoding")).and_then(Value::as_str);
    let written = match written.map(|name| (name, encoding(name))) {
        Some((name, None)) => return Told::Unreadable(name.chars().take(32).collect()),
        Some((_, known)) => known,
        None => None,
    };
    // After the parameters: what the integrator says of the call comes first.
    if let Some(call) = start.get("callSid").and_then(Value::as_str) {
        facts.push("callSid", call);
    }
    let mut metadata = facts.metadata();
    metadata.encoding = written.or(Some(Encoding::Mulaw));
    metadata.rate = format
        .and_then(|format| format.get("sampleRate"))
        .and_then(number)
        .map_or(Some(8_000), |rate| u32::try_from(rate).ok());
    let tracks = start.get("tracks").and_then(Value::as_array).map_or(1, Vec::len);
    metadata.layout = Some(if tracks > 1 { Shape::Stereo } else { Shape::Mono });
    Told::Metadata(Box::new(metadata))
}

fn dtmf(object: &Map<String, Value>) -> Vec<Told> {
    let digit =
        object.get("dtmf").and_then(|dtmf| dtmf.get("digit")).and_then(Value::as_str).unwrap_or_default();
    let digit = digit.to_ascii_uppercase();
    digit.chars().filter(|c| is_digit(*c)).take(1).map(Told::Dtmf).collect()
}
