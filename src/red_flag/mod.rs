//! What in a caller's words is an emergency now (S1): judged before every gate, lock, debounce and model.
//!
//! `flags.toml` holds the signs ('le falta el aire') and the cues that excuse them ('ayer', 'si un día',
//! 'de la risa'); [`lexicon`] knows words by their sound, [`pattern`] finds them in a row, [`judge`] weighs
//! a sign against what is said around it. In doubt a sign stands: a false alarm costs a sentence.

mod device;
mod hearing;
mod judge;
mod lexicon;
mod list;
mod pattern;
mod source;
mod trie;

use serde::{Deserialize, Serialize};

/// The kinds of emergency, ordered by precedence: fire, then breathing, then the rest (DECISIONS 16).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RedFlag {
    /// Fire, smoke, sparks, a smell of burning.
    Fire,
    /// Breathing or consciousness, convulsions too.
    Breathing,
    /// Anything else: chest pain, bleeding, signs of a stroke, burns and cold burns, poisoning, a blow to
    /// the head.
    Other,
}

impl RedFlag {
    /// Its name in events and settings: `fire`, `breathing` or `other`.
    pub const fn as_str(self) -> &'static str {
        match self {
            RedFlag::Fire => "fire",
            RedFlag::Breathing => "breathing",
            RedFlag::Other => "other",
        }
    }
}

/// The first of the emergencies that `utterance` tells of, if any (S1). Takes what speech-to-text writes:
/// case, accents and punctuation may be missing, words may be misspelled. What is denied, past and over,
/// only imagined, told of others, a manner of speaking or said of the apparatus is none. Any text is
/// welcome; of a very long one the last 2,000 words (32 KiB) are judged.
pub fn red_flag(utterance: &str) -> Option<RedFlag> {
    judge::red_flag(list::List::builtin(), utterance)
}

/// Compiles the list, so that no caller waits for it: call it when the service starts. More than once
/// costs nothing.
pub fn ready() {
    list::List::builtin();
}
