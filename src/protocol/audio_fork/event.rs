//! What one JSON object of a switch, or of the application behind it, tells.
use crate::ears::{Line, Metadata, Told};
use crate::protocol::pbx::{Facts, FrameError, flatten, is_digit, key, leg, track};
use serde_json::{Map, Value};

/// Under these names an object says what it is.
const KIND: [&str; 3] = ["event", "type", "eventname"];
const KEYS: [&str; 4] = ["dtmf", "digit", "digits", "dtmfdigit"];
/// Keys that one message may hold.
const MOST_KEYS: usize = 32;
/// Characters of a line that are kept.
const LONGEST_LINE: usize = 2_000;

pub(super) fn read(object: &Map<String, Value>) -> Result<Vec<Told>, FrameError> {
    let facts = flatten(object);
    let kind = kind(object);
    Ok(match kind.as_deref() {
        Some("dtmf" | "dtmfend") => keys(&facts),
        Some("hold" | "held" | "channelhold") => vec![Told::Hold(true)],
        Some("unhold" | "channelunhold" | "resume" | "resumed" | "retrieve") => vec![Told::Hold(false)],
        Some("bridge" | "bridged" | "channelbridge" | "operatorjoined" | "transfer" | "transferred") => {
            bridged(&facts)
        }
        Some("hangup" | "hungup" | "channelhangup" | "bye" | "callended" | "ended") => vec![Told::HungUp],
        Some("stop" | "flush") => vec![Told::Flush],
        Some("transcript" | "transcription") => line(&facts)?,
        None if facts.get(&KEYS).is_some() => keys(&facts),
        None | Some("start" | "metadata" | "connect" | "connected") => metadata(&facts, true),
        Some(_) => metadata(&facts, false),
    })
}

/// Only by names of the object's own: what an application adds may have a `type` too.
fn kind(object: &Map<String, Value>) -> Option<String> {
    let named = |wanted: &&str| object.iter().find(|(name, _)| key(name) == **wanted);
    KIND.iter().find_map(|wanted| named(wanted)?.1.as_str().map(key))
}

fn keys(facts: &Facts) -> Vec<Told> {
    let text = facts.get(&KEYS).unwrap_or_default().to_ascii_uppercase();
    text.chars().filter(|c| is_digit(*c)).take(MOST_KEYS).map(Told::Dtmf).collect()
}

/// Such events tell of both legs: of them only the extension is taken.
fn bridged(facts: &Facts) -> Vec<Told> {
    let extension = facts.metadata().extension;
    let metadata = Metadata { extension, ..Metadata::default() };
    let told = (!metadata.is_empty()).then(|| Told::Metadata(Box::new(metadata)));
    told.into_iter().chain([Told::Bridged]).collect()
}

fn line(facts: &Facts) -> Result<Vec<Told>, FrameError> {
    let text: String =
        facts.get(&["text", "transcript"]).unwrap_or_default().chars().take(LONGEST_LINE).collect();
    let done = facts.word(&["final", "isfinal", "done"]).is_none_or(|word| word == "true" || word == "1");
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(leg) = facts.get(&["leg", "role", "speaker"]).and_then(leg) {
        return Ok(vec![Told::Line(Line { leg, text, done })]);
    }
    let track = facts.get(&["track"]).and_then(track).ok_or(FrameError::NoSpeaker)?;
    Ok(vec![Told::TrackLine { track, text, done }])
}

/// Other events may tell of the call too; what else they hold isn't the call's.
fn metadata(facts: &Facts, variables: bool) -> Vec<Told> {
    let mut metadata = facts.metadata();
    if !variables {
        metadata.variables.clear();
    }
    let told = (!metadata.is_empty()).then(|| Told::Metadata(Box::new(metadata)));
    let status = facts.word(&["callstatus"]);
    let over = matches!(status.as_deref(), Some("completed" | "failed" | "busy" | "noanswer" | "canceled"));
    told.into_iter().chain(over.then_some(Told::HungUp)).collect()
}
