//! The context lock: the first hit holds until the caller speaks of something else (R23, DECISIONS 8).
use crate::equipment::{Code, Model, codes_in};
use crate::retrieval::report::Rag;
use crate::retrieval::{Chunk, Filter, LessonCandidate};
use std::collections::BTreeSet;

/// What a hit put into the prompt, held for the turns that follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The rows, the one to follow first.
    pub rows: Vec<Chunk>,
    /// Lessons that passed with them.
    pub lessons: Vec<LessonCandidate>,
    /// How they were found, repeated by the events of later turns.
    pub rag: Rag,
    /// The equipment in play when they were found.
    pub equipment: BTreeSet<Model>,
}

impl Held {
    /// Whether a turn lets go of what is held: it names another model, or a code or message that no held
    /// row has; the equipment set has changed; or a held row's manual has left the filter.
    pub fn released_by(
        &self,
        named: &Named<'_>,
        equipment: &BTreeSet<Model>,
        filter: Option<&Filter>,
    ) -> bool {
        let left = |row: &Chunk| filter.is_some_and(|filter| !filter.admits(&row.source));
        let elsewhere = |source: &String| !self.rows.iter().any(|row| row.source == *source);
        equipment != &self.equipment
            || named.without_manual
            || named.sources.iter().any(elsewhere)
            || named.any_missing(&self.rows)
            || self.rows.iter().any(left)
    }

    /// The held rows, those first that have what the turn names.
    pub fn rows_for(&self, named: &Named<'_>) -> Vec<Chunk> {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| !named.any_in(row));
        rows
    }
}

/// What a turn names: models, and codes (`H08`) or messages (`Low O2`) of a display.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The manuals of its models.
    pub sources: &'a BTreeSet<String>,
    /// Whether one of its models has no manual here.
    pub without_manual: bool,
    /// Codes of a letter and a number.
    pub codes: &'a [Code],
    /// Messages, by their technical name.
    pub messages: &'a [String],
}

impl Named<'_> {
    fn any_missing(&self, rows: &[Chunk]) -> bool {
        self.codes.iter().any(|code| !rows.iter().any(|row| has_code(row, *code)))
            || self.messages.iter().any(|message| !rows.iter().any(|row| has_message(row, message)))
    }

    fn any_in(&self, row: &Chunk) -> bool {
        self.codes.iter().any(|code| has_code(row, *code))
            || self.messages.iter().any(|message| has_message(row, message))
    }
}

fn has_code(row: &Chunk, code: Code) -> bool {
    codes_in(&row.row).contains(&code) || codes_in(&row.content).contains(&code)
}

fn has_message(row: &Chunk, message: &str) -> bool {
    let message = message.to_lowercase();
    [&row.row, &row.content].into_iter().any(|text| text.to_lowercase().contains(&message))
}
