//! Manuals: one Markdown file becomes the rows that are embedded and found.
mod reading;

use crate::retrieval::Chunk;
use sha2::{Digest, Sha256};

/// The longest passage that is taken in, in words: about what an embedder reads before it cuts (512 tokens).
pub const MAX_WORDS: usize = 450;

/// One manual, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manual {
    /// The path below the ingested folder, `/`-separated.
    pub source: String,
    /// The H1.
    pub title: String,
    /// From `<!-- category: x -->`; metadata, never a filter (R25).
    pub category: Option<String>,
    /// The rows in reading order; never empty.
    pub chunks: Vec<Chunk>,
    /// What was read but belongs to no row, one sentence each, with its line.
    pub notes: Vec<String>,
}

/// Why a file is no manual. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManualError {
    /// Nothing names the manual.
    #[error("line 1: no title; start the file with a line like '# SysMed M50'")]
    NoTitle,
    /// Two H1.
    #[error("line {line}: a second title (H1); split the file or make this a section ('## ')")]
    SecondTitle {
        /// Where.
        line: usize,
    },
    /// No H2 anywhere.
    #[error("line {line}: no section below the title; put the rows under a line like '## Alarmas'")]
    NoSection {
        /// Where the title is.
        line: usize,
    },
    /// An H3 before the first H2.
    #[error("line {line}: row '{row}' is in no section; put a '## ' heading above it")]
    RowOutsideSection {
        /// Where.
        line: usize,
        /// Its label.
        row: String,
    },
    /// A heading, or a table row, with nothing to say.
    #[error("line {line}: row '{row}' is empty; write its text or delete it")]
    EmptyRow {
        /// Where.
        line: usize,
        /// Its label; may be empty too.
        row: String,
    },
    /// Two rows that nothing tells apart.
    #[error(
        "line {line}: section '{section}' has a row '{row}' already (line {first}); join the two or rename one"
    )]
    DuplicateRow {
        /// Where the second is.
        line: usize,
        /// The section of both.
        section: String,
        /// The label of both.
        row: String,
        /// Where the first is.
        first: usize,
    },
    /// Cells without the names of their columns.
    #[error(
        "line {line}: a table without a header; put '| Column | Column |' and '|---|---|' above its rows"
    )]
    TableWithoutHeader {
        /// Where.
        line: usize,
    },
    /// More than an embedder reads.
    #[error("line {line}: row '{row}' has {words} words, at most {MAX_WORDS} are read; split it")]
    TooLong {
        /// Where.
        line: usize,
        /// Its label.
        row: String,
        /// Words of the passage, headings included.
        words: usize,
    },
    /// Two category comments that disagree.
    #[error("line {line}: a second category; keep one '<!-- category: … -->'")]
    SecondCategory {
        /// Where.
        line: usize,
    },
}

/// Reads one manual.
///
/// H1 is the title, H2 a section. An H3 is one row with all text below it; in a section, each row of a table is
/// one row too (its first cell the label, the others `Header: cell`); text directly below an H2 is a row that
/// bears the section's name. Comments and other HTML never enter a row.
pub fn parse(source: &str, text: &str) -> Result<Manual, ManualError> {
    reading::read(source, text)
}

/// The text that is embedded for a row: its headings, then what it says. The only place that decides it.
pub fn passage(chunk: &Chunk) -> String {
    let mut parts = vec![chunk.title.as_str(), chunk.section.as_str()];
    if chunk.row != chunk.section {
        parts.push(&chunk.row);
    }
    parts.push(&chunk.content);
    parts.join("\n")
}

/// sha256 over all that is stored and embedded of a row, hexadecimal; equal only where nothing changed.
pub fn chunk_hash(chunk: &Chunk, category: Option<&str>) -> String {
    let passage = passage(chunk);
    hash(&[
        &chunk.source,
        &chunk.title,
        &chunk.section,
        &chunk.row,
        &chunk.content,
        category.unwrap_or_default(),
        &passage,
    ])
}

impl Manual {
    /// sha256 over all rows in their order, hexadecimal.
    pub fn content_hash(&self) -> String {
        let rows: Vec<String> =
            self.chunks.iter().map(|chunk| chunk_hash(chunk, self.category.as_deref())).collect();
        hash(&rows.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// Each part with its length before it, so that no two lists of parts hash alike.
fn hash(parts: &[&str]) -> String {
    let mut sha = Sha256::new();
    for part in parts {
        sha.update((part.len() as u64).to_be_bytes());
        sha.update(part.as_bytes());
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
