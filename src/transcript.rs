//! What was said: turns in order, as a channel hands them over.
use crate::ears::Track;
use serde::{Deserialize, Serialize};

/// What recognisers write where they heard a voice but no words.
const UNINTELLIGIBLE: &str = "(unintelligible audio)";

/// What a model is told of a turn without words, in Spanish.
const NOT_UNDERSTOOD: &str = "(no se entendió)";

/// Bytes of one turn that are kept: ten minutes of uninterrupted speech.
const LONGEST: usize = 16 * 1024;

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The person who needs help.
    Patient,
    /// Whoever helps: Aura, or a human.
    Agent,
}

/// Where a line of a forked call was heard. Bots' lines have none: their peers send them in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// On which track.
    pub track: Track,
    /// When it began, in milliseconds since the call's first audio.
    pub at_ms: u64,
    /// Whether it may still change.
    pub partial: bool,
}

/// One uninterrupted stretch of speech by one speaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who spoke.
    pub speaker: Speaker,
    /// The words, trimmed and free of recognisers' placeholders. Empty only if `unclear`:
    /// then there is nothing to count, embed or search for.
    pub text: String,
    /// Something was heard here that could not be understood.
    pub unclear: bool,
    /// Where it was heard, if the call is forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Turn {
    /// Takes a recogniser's text in; `None` if nobody said anything.
    #[must_use]
    pub fn heard(speaker: Speaker, raw: &str) -> Option<Self> {
        let cleaned = without_placeholder(raw);
        let unclear = cleaned.is_some();
        let text = newest(cleaned.unwrap_or_else(|| raw.trim().to_owned()));
        (unclear || !text.is_empty()).then_some(Self { speaker, text, unclear, place: None })
    }

    /// The turn as a model reads it: never empty, as some models refuse an empty message.
    #[must_use]
    pub fn for_prompt(&self) -> &str {
        if self.text.is_empty() { NOT_UNDERSTOOD } else { &self.text }
    }
}

/// The end of what would be longer than anybody speaks without a pause.
fn newest(mut text: String) -> String {
    if text.len() > LONGEST {
        let from = text.len() - LONGEST;
        let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.drain(..from);
    }
    text
}

/// The text without placeholders and with its spaces folded, or `None` if it holds none.
fn without_placeholder(raw: &str) -> Option<String> {
    // ASCII lower case keeps every byte where it was, so offsets hold in both texts.
    let lower = raw.to_ascii_lowercase();
    let mut kept = String::new();
    let mut from = 0;
    for (at, found) in lower.match_indices(UNINTELLIGIBLE) {
        kept.push_str(&raw[from..at]);
        kept.push(' ');
        from = at + found.len();
    }
    if from == 0 {
        return None;
    }
    kept.push_str(&raw[from..]);
    Some(kept.split_whitespace().collect::<Vec<_>>().join(" "))
}
