//! Calls that were live when the last process ended, as their journal tells them.
use super::segment::Reader;
use super::{Entry, Fact};
use aura::call::Memory;
use aura::call::trace::{ENDED, HEARD, MEMORY, SEALED};
use aura::channel::Channel;
use aura::ears::Track;
use aura::ears::session::Former;
use aura::ids::CallId;
use aura::transcript::{Place, Speaker, Turn};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use tracing::warn;

/// A call that ended with its process.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// Which.
    pub id: CallId,
    /// Through which channel.
    pub source: Channel,
    /// What a rebuild needs.
    pub remembered: Remembered,
    /// The segment in which its journal begins.
    pub first_segment: u64,
}

/// What a rebuild needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// Its state, but for the document that it went by.
    pub memory: Memory,
    /// That document, sealed.
    pub sealed: Option<String>,
    /// When that was.
    pub at: Timestamp,
    /// When anything was last heard of the call.
    pub last: Timestamp,
    /// The transcript, masked.
    pub transcript: Vec<Turn>,
    /// Its last line's number.
    pub seq: u64,
}

impl Remembered {
    /// What is known of a forked call's ears; none where nothing was heard.
    pub fn ears(&self) -> Option<Former> {
        let last = self.transcript.iter().filter_map(|turn| turn.place).map(|place| place.at_ms).max()?;
        let since = Timestamp::now().duration_since(self.last).unsigned_abs();
        let patient = self.memory.patient().unwrap_or(Track::Inbound);
        Some(Former { age: Duration::from_millis(last) + since, patient })
    }
}

#[derive(Default)]
struct Draft {
    memory: Option<(Memory, Timestamp)>,
    sealed: Option<String>,
    source: Option<Channel>,
    lines: Vec<Turn>,
    seq: u64,
    last: Timestamp,
    first_segment: u64,
}

#[derive(Deserialize)]
struct Heard {
    index: usize,
    speaker: Speaker,
    text: String,
    place: Option<Place>,
}

/// The longest transcript that is believed, in lines.
const LINES: usize = 100_000;

/// Reads all segments; a call's last line (`ended`) forgets it.
pub(super) fn read(folder: &Path, segments: &[u64]) -> Vec<Recalled> {
    let mut drafts: HashMap<CallId, Draft> = HashMap::new();
    for segment in segments {
        match Reader::open(folder, *segment, 0) {
            Ok(Some(mut reader)) => {
                while let Ok(Some(entry)) = reader.next() {
                    take(&mut drafts, entry, *segment);
                }
            }
            Ok(None) => {}
            Err(error) => warn!(%error, segment, "a journal segment can't be read; its calls aren't rebuilt"),
        }
    }
    drafts.into_iter().filter_map(|(id, draft)| draft.recalled(id)).collect()
}

fn take(drafts: &mut HashMap<CallId, Draft>, entry: Entry, segment: u64) {
    let Fact::Line(line) = entry.fact else { return };
    if line.line.what == ENDED {
        drafts.remove(&line.call);
        return;
    }
    let draft =
        drafts.entry(line.call).or_insert_with(|| Draft { first_segment: segment, ..Draft::default() });
    draft.source = Some(line.source);
    draft.seq = draft.seq.max(line.seq);
    draft.last = entry.at;
    match line.line.what.as_str() {
        MEMORY => {
            let sealed = line.line.detail.get(SEALED).and_then(Value::as_str).map(str::to_owned);
            match serde_json::from_value(line.line.detail) {
                Ok(memory) => (draft.memory, draft.sealed) = (Some((memory, entry.at)), sealed),
                Err(error) => warn!(%error, "a call's memory is of another version; it isn't rebuilt"),
            }
        }
        HEARD => {
            if let Ok(heard) = serde_json::from_value::<Heard>(line.line.detail) {
                draft.hear(heard);
            }
        }
        _ => {}
    }
}

impl Draft {
    fn hear(&mut self, heard: Heard) {
        if heard.index >= LINES {
            return;
        }
        let unclear = heard.text.is_empty();
        let Heard { index, speaker, text, place } = heard;
        if self.lines.len() <= index {
            // Lines before it may not have been final when the process ended: nobody knows what they said.
            let unknown = Turn { speaker: Speaker::Agent, text: String::new(), unclear: true, place: None };
            self.lines.resize(index + 1, unknown);
        }
        self.lines[index] = Turn { speaker, text, unclear, place };
    }

    fn recalled(self, id: CallId) -> Option<Recalled> {
        let (memory, at) = self.memory?;
        let Self { sealed, last, lines: transcript, seq, .. } = self;
        let remembered = Remembered { memory, sealed, at, last, transcript, seq };
        Some(Recalled { id, source: self.source?, remembered, first_segment: self.first_segment })
    }
}
