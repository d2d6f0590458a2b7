//! What Aura says to a switch that asked for the transcript.
use crate::ears::{Leg, Line};
use serde_json::json;

/// A line as a `transcription` message: the switch raises an event of that name with its data. The words
/// go out as they are given: mask them before.
pub fn transcription(line: &Line) -> String {
    let speaker = match line.leg {
        Leg::Patient => "patient",
        Leg::Operator => "operator",
    };
    let data = json!({ "leg": speaker, "text": line.text, "final": line.done });
    json!({ "type": "transcription", "data": data }).to_string()
}
