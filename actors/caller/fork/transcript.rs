//! What comes back, as mod_audio_fork takes it, and the transcript that grows from it.
use aura::ears::{Leg, Line};
use serde_json::Value;

/// Messages that the module passes on, but that no script judges.
const OTHERS: [&str; 7] = ["playAudio", "killAudio", "transfer", "disconnect", "json", "mark", "clearMarks"];

/// A message of the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FromServer {
    /// A line, so far or for good.
    Line(Line),
    /// Another that the module passes on.
    Other,
}

/// Reads a text frame. The error says what the module would have dropped, or that the server complains.
pub(super) fn read(text: &str) -> Result<FromServer, String> {
    let message: Value = serde_json::from_str(text)
        .map_err(|_| format!("a text frame of {} bytes that is no JSON", text.len()))?;
    match message.get("type").map(Value::as_str) {
        // Without a type it is passed on as it is.
        None => Ok(FromServer::Other),
        Some(Some("transcription")) => line(&message["data"]).map(FromServer::Line),
        Some(Some("error")) => Err(format!("the server complains: {}", message["data"])),
        Some(Some(kind)) if OTHERS.contains(&kind) => Ok(FromServer::Other),
        Some(kind) => Err(format!("a message of the unknown type `{}`", kind.unwrap_or("(no text)"))),
    }
}

fn line(data: &Value) -> Result<Line, String> {
    let leg = match data["leg"].as_str() {
        Some("patient") => Leg::Patient,
        Some("operator") => Leg::Operator,
        _ => return Err("a transcription whose `leg` is neither patient nor operator".to_owned()),
    };
    let text = data["text"].as_str().ok_or("a transcription without a text as `text`")?.to_owned();
    let done = data["final"].as_bool().ok_or("a transcription whose `final` is neither true nor false")?;
    Ok(Line { leg, text, done })
}

/// The lines that aren't final yet: one a leg at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Open(Vec<Line>);

impl Open {
    /// A line came: it takes the place of what its leg had said so far.
    pub fn take(&mut self, line: &Line) {
        self.0.retain(|open| open.leg != line.leg);
        if !line.done && !line.text.trim().is_empty() {
            self.0.push(line.clone());
        }
    }

    /// Those that are open, the newest last.
    pub fn lines(&self) -> &[Line] {
        &self.0
    }
}
