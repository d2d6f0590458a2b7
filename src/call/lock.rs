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
    /// Whether a turn lets go of what is held: another model or code is named, the equipment set has
    /// changed, or a held row's manual has left the filter.
    pub fn released_by(&self, codes: &[Code], equipment: &BTreeSet<Model>, filter: Option<&Filter>) -> bool {
        let lacks = |code: &Code| {
            !self.rows.iter().any(|r| codes_in(&r.row).contains(code) || codes_in(&r.content).contains(code))
        };
        let left = |row: &Chunk| filter.is_some_and(|filter| !filter.admits(&row.source));
        equipment != &self.equipment || codes.iter().any(lacks) || self.rows.iter().any(left)
    }
}
