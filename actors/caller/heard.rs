//! What Retell would have written down: a cumulative transcript of what was said and heard.
use serde_json::{Value, json};

/// Seconds that a spoken word takes in a transcript.
pub(super) const WORD: f64 = 0.35;

/// The transcript of one call.
#[derive(Debug, Default)]
pub(super) struct Heard {
    entries: Vec<Value>,
    /// Seconds spoken so far.
    clock: f64,
    /// The last entry is the caller's and not yet final: the next words replace it.
    open: bool,
}

impl Heard {
    /// What the caller has said of a turn so far; it replaces what was heard of the same turn before.
    pub fn caller_so_far(&mut self, text: &str) {
        if self.open {
            self.entries.pop();
        }
        self.open = true;
        let entry = self.entry("user", text).0;
        self.entries.push(entry);
    }

    /// What the caller has said of a turn in the end.
    pub fn caller(&mut self, text: &str) {
        self.caller_so_far(text);
        self.open = false;
        self.clock = self.entry("user", text).1;
    }

    /// What the caller heard of an answer.
    pub fn agent(&mut self, text: &str) {
        self.open = false;
        if text.trim().is_empty() {
            return;
        }
        let (entry, end) = self.entry("agent", text);
        self.entries.push(entry);
        self.clock = end;
    }

    /// An entry that starts now, and when it ends.
    fn entry(&self, role: &str, text: &str) -> (Value, f64) {
        let mut end = self.clock;
        let words: Vec<Value> = text
            .split_whitespace()
            .map(|word| {
                let start = end;
                end = ((start + WORD) * 100.0).round() / 100.0;
                json!({"word": word, "start": start, "end": end})
            })
            .collect();
        (json!({"role": role, "content": text, "words": words}), end)
    }

    /// A frame of this kind with the transcript as it stands, twice if the agent asked for tool calls.
    pub fn frame(&self, kind: &str, tool_calls: bool, more: &[(&str, Value)]) -> String {
        let mut frame = json!({"interaction_type": kind, "transcript": self.entries});
        if tool_calls {
            frame["transcript_with_tool_calls"] = json!(self.entries);
        }
        for (name, value) in more {
            frame[*name] = value.clone();
        }
        frame.to_string()
    }
}

/// The growing beginnings of a sentence, as a recogniser hands them out before it is sure: so many at most.
pub(super) fn beginnings(text: &str, most: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let step = words.len().div_ceil(most + 1).max(1);
    (1..words.len()).step_by(step).take(most).map(|n| words[..n].join(" ")).collect()
}
