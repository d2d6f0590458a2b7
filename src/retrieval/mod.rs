//! Retrieval: which rows of which manual answer this turn, decided without IO.
pub mod block;
pub mod decide;
pub mod filter;
pub mod plan;
pub mod reading;
pub mod report;
pub mod score;

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many of the nearest rows are fetched (R16; DECISIONS 3).
pub const CANDIDATE_LIMIT: usize = 3;

/// One row of a manual: the unit that is embedded, found and injected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The manual's path below the ingested folder, e.g. `concentradores electricos/m50_sysmedm50.md`.
    pub source: String,
    /// The manual's title (its H1).
    pub title: String,
    /// The section (its H2).
    pub section: String,
    /// The row's label (its H3, or a table row's first cell).
    pub row: String,
    /// The row's text without its headings.
    pub content: String,
}

/// A row that was fetched, with its raw cosine to the query, −1 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The row.
    pub chunk: Chunk,
    /// Raw cosine of the embedding model; [`score::Scale`] maps it to what thresholds speak.
    pub cosine: f32,
}

/// What a supervisor taught (R2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonKind {
    /// A wrong answer put right; threshold `rag.similarityThreshold`.
    Correction,
    /// An answer that was approved; threshold `rag.approvedThreshold`.
    Approved,
}

/// A lesson near the query, whatever its score: thresholds are applied in the domain (R24).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonCandidate {
    /// sha256 of the complaint, hexadecimal (R26).
    pub id: String,
    /// What kind of lesson.
    pub kind: LessonKind,
    /// The patient's complaint that it was learnt on.
    pub complaint: String,
    /// What to answer.
    pub answer: String,
    /// Raw cosine.
    pub cosine: f32,
}

/// Restricts the manual search, inside the SQL (R5). No filter at all is `None` of it (R8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// The manuals of the equipment in play.
    pub sources: BTreeSet<String>,
    /// Folders that are always searched, e.g. `cap/` and `tubos/`.
    pub prefixes: Vec<String>,
}

impl Filter {
    /// Whether a row of `source` may come out of a search under this filter.
    pub fn admits(&self, source: &str) -> bool {
        self.sources.contains(source)
            || self.prefixes.iter().any(|prefix| source.starts_with(prefix.as_str()))
    }
}

/// What is asked of both vector stores at once (R1).
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The text to embed: masked (S4), normalised (R22), with the prefix where the channel has one.
    pub text: String,
    /// Restricts the manuals; `None` searches the whole corpus.
    pub filter: Option<Filter>,
}

/// What both stores answered. Ordered by cosine, nearest first; at most [`CANDIDATE_LIMIT`] rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Nearest rows of `knowledge_base`.
    pub manuals: Vec<Candidate>,
    /// Nearest lessons of `memory_embeddings`.
    pub lessons: Vec<LessonCandidate>,
    /// Milliseconds to embed the query.
    pub embed_ms: u32,
    /// Milliseconds for both queries.
    pub query_ms: u32,
    /// The embedding model that measured the cosines.
    pub model: String,
}
