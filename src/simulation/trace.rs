//! What happened, line by line, the same bytes for the same seed: long texts as their length and a checksum.
use super::mail::Ms;
use crate::call::{Input, Output};
use crate::generation::{Grounding, Message};
use crate::transcript::Turn;
use serde_json::json;
use sha2::{Digest, Sha256};

/// The lines so far.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) lines: Vec<String>,
}

impl Trace {
    pub(super) fn world(&mut self, now: Ms, what: &str) {
        self.lines.push(format!("{now:>8} * {what}"));
    }

    pub(super) fn input(&mut self, now: Ms, input: &Input) {
        self.lines.push(format!("{now:>8} > {}", heard(input)));
    }

    pub(super) fn output(&mut self, now: Ms, output: &Output) {
        self.lines.push(format!("{now:>8} <   {}", done(output)));
    }

    pub(super) fn memory(&mut self, now: Ms, memory: &str) {
        self.lines.push(format!("{now:>8} =   memory {} bytes {:016x}", memory.len(), sum([memory])));
    }

    /// The last lines.
    pub(super) fn tail(&self, most: usize) -> Vec<String> {
        self.lines.iter().skip(self.lines.len().saturating_sub(most)).cloned().collect()
    }
}

/// sha256 over all lines, hexadecimal.
pub(super) fn digest(lines: &[String]) -> String {
    let mut sha = Sha256::new();
    for line in lines {
        sha.update(line.as_bytes());
        sha.update(b"\n");
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn heard(input: &Input) -> String {
    match input {
        Input::Heard(turns) => format!("Heard {}", transcript(turns)),
        Input::Asked { reply, turns, reminder } => {
            let lines = turns.as_ref().map(|turns| transcript(turns));
            format!("Asked {} reminder={reminder} {}", reply.0, lines.as_deref().unwrap_or("none"))
        }
        Input::Settings(settings) => format!("Settings {}", json!(settings.rows())),
        Input::Retrieved { turn, found: Ok(found) } => {
            let rows = found.manuals.iter().map(|row| format!("{}@{:.2}", row.chunk.row, row.cosine));
            let rows: Vec<String> = rows.collect();
            format!("Retrieved {turn} [{}] lessons={}", rows.join(", "), found.lessons.len())
        }
        other => format!("{other:?}"),
    }
}

fn done(output: &Output) -> String {
    match output {
        Output::Generate { turn, request } => {
            let about = match &request.grounding {
                Grounding::Rows(rows) => {
                    format!("{:?}", rows.iter().map(|row| row.row.as_str()).collect::<Vec<_>>())
                }
                other => format!("{other:?}"),
            };
            format!("Generate {turn} {about} {} {}", request.max_tokens, messages(&request.messages))
        }
        Output::Record(event) => format!("Record {} {} {}", event.kind.as_str(), event.turn, event.payload),
        other => format!("{other:?}"),
    }
}

fn transcript(turns: &[Turn]) -> String {
    let last = turns.last().map(|turn| format!("{:?}: {}", turn.speaker, turn.text));
    let sum = sum(turns.iter().map(|turn| turn.text.as_str()));
    format!("{} lines {sum:016x} {:?}", turns.len(), last.unwrap_or_default())
}

fn messages(messages: &[Message]) -> String {
    let sum = sum(messages.iter().map(|message| message.content.as_str()));
    format!("{} messages {sum:016x}", messages.len())
}

/// FNV-1a over texts and their ends.
fn sum<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let bytes = texts.into_iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
