//! What leaves or is kept holds no document and no telephone, and stays small (S4).
use super::{Judged, ensure};
use crate::call::{Input, Memory, Output, trace};
use crate::event::News;
use crate::mask::contains_long_number;
use crate::summary::Assignment;
use serde_json::{Value, json};
use std::collections::HashSet;

/// Rows and lessons that a call keeps at most.
const EVIDENCE: usize = 8;

/// Fields that aren't swept: a caller's telephone is for the desk's table alone (R9), and what a gate misses in
/// a sentence is counted in its own units (a sentence with a long number never reaches the gate).
const SPARED: [&str; 2] = ["phone", "findings"];

/// Sweeps texts for long numbers, each once.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    clean: HashSet<String>,
}

impl Sweeper {
    fn text(&mut self, text: &str, place: &str) -> Judged {
        if self.clean.contains(text) {
            return Ok(());
        }
        ensure(!contains_long_number(text), "S4", || format!("a long number in {place}: {text}"))?;
        self.clean.insert(text.to_owned());
        Ok(())
    }

    /// Every text of a value, names included.
    fn value(&mut self, value: &Value, place: &str) -> Judged {
        match value {
            Value::String(text) => self.text(text, place),
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item, place)),
            Value::Object(fields) => {
                let mut fields = fields.iter().filter(|(name, _)| !SPARED.contains(&name.as_str()));
                fields.try_for_each(|(name, field)| {
                    self.text(name, place)?;
                    self.value(field, place)
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    /// What the journal keeps of an input.
    pub(super) fn input(&mut self, input: Option<&Input>) -> Judged {
        let Some(line) = input.and_then(trace::input) else { return Ok(()) };
        self.value(&line.detail, "the journal's line of an input")
    }

    /// What leaves: to stores, model, desk, event log and journal.
    pub(super) fn output(&mut self, output: &Output) -> Judged {
        if let Some(line) = trace::output(output) {
            self.value(&line.detail, "the journal's line of an output")?;
        }
        match output {
            Output::Generate { request, .. } => {
                request.messages.iter().try_for_each(|message| self.text(&message.content, "a prompt"))
            }
            Output::Record(event) => self.value(&event.payload, event.kind.as_str()),
            Output::Tell(News::Answer { text, .. } | News::RedFlag { text, .. }) => {
                self.text(text, "what the desk is told")
            }
            Output::Tell(
                news
                @ (News::Suggestion(_) | News::Captured { .. } | News::Searched { .. } | News::Script(_)),
            ) => self.value(&json!(news), "what the desk is told"),
            Output::Tell(News::Summary(note)) => self.value(&json!(note), "a summary"),
            Output::Summarise(work) => self.assignment(work),
            Output::Search { query, .. } => self.text(&query.text, "a search by hand"),
            _ => Ok(()),
        }
    }

    /// What a model is told of a call that is over, and what stays in memory until it has answered.
    fn assignment(&mut self, work: &Assignment) -> Judged {
        let messages = work.request.messages.iter().map(|message| &message.content);
        let record = work.record.lines.iter().map(|line| &line.text);
        messages.chain(record).try_for_each(|text| self.text(text, "a summary's request"))?;
        self.value(&json!([work.record.given, work.record.captured]), "a summary's record")
    }

    /// What is kept of a call reads back as it was, tells no document and doesn't grow without end.
    pub(super) fn memory(&mut self, memory: &Memory, written: &str) -> Judged {
        let value: Value = serde_json::from_str(written).unwrap_or_default();
        let read: Option<Memory> = serde_json::from_str(written).ok();
        let read = read.map(|read| read.with_dni(memory.dni())); // sealed, beside it
        ensure(read.as_ref() == Some(memory), "a memory reads back", || written.to_owned())?;
        self.value(&value, "the memory")?;
        let length = |name: &str| value[name].as_array().map_or(0, Vec::len);
        let given = value["notes"]["given"].as_array().map_or(0, Vec::len);
        let small = length("rows") <= EVIDENCE && length("lessons") <= EVIDENCE && given <= 64;
        ensure(small, "bounded state", || format!("{} rows, {} lessons", length("rows"), length("lessons")))
    }
}
