//! What can be wrong with a catalogue, said so that its author finds the line.

use thiserror::Error;

/// Why a catalogue was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CatalogueError {
    /// Not TOML, or a field of another name or kind than expected.
    #[error("the catalogue can't be read: {0}")]
    Toml(String),
    /// Two entries bear one name.
    #[error("line {line}: the name \"{name}\" is taken by another entry; give each entry its own name")]
    DuplicateName {
        /// Line of the second, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// One spelling leads to two entries.
    #[error(
        "line {line}: \"{variant}\" of \"{entry}\" is already a spelling of \"{other}\"; remove one of them"
    )]
    DuplicateVariant {
        /// Line of the second, from 1.
        line: usize,
        /// The spelling.
        variant: String,
        /// The entry that it was found in.
        entry: String,
        /// The entry that already had it.
        other: String,
    },
    /// A variant that isn't one.
    #[error("line {line}: the variant \"{variant}\" of \"{entry}\" {reason}")]
    BadVariant {
        /// Its line, from 1.
        line: usize,
        /// The variant.
        variant: String,
        /// The entry that it was found in.
        entry: String,
        /// What is wrong with it and what was expected.
        reason: String,
    },
    /// An entry without any spelling.
    #[error("line {line}: \"{entry}\" has no variants; without one it is never recognised")]
    NoVariants {
        /// Its line, from 1.
        line: usize,
        /// The entry.
        entry: String,
    },
    /// A model says neither where its manual is nor that it has none, or says both.
    #[error("line {line}: the model \"{model}\" needs either a non-empty `source` or `no_manual = true`")]
    Manual {
        /// Its line, from 1.
        line: usize,
        /// The model.
        model: String,
    },
    /// An ambiguous form points to nothing known.
    #[error(
        "line {line}: \"{candidate}\", candidate of \"{entry}\", is no model, other device, text code or known code"
    )]
    UnknownCandidate {
        /// Line of the candidate, from 1.
        line: usize,
        /// The candidate.
        candidate: String,
        /// The ambiguous form.
        entry: String,
    },
    /// A prefix that would let through more than a folder.
    #[error("line {line}: the prefix \"{prefix}\" must be a folder that ends in '/', such as \"cap/\"")]
    Prefix {
        /// Its line, from 1.
        line: usize,
        /// The prefix.
        prefix: String,
    },
    /// A known code that isn't E or H and digits.
    #[error("line {line}: \"{code}\" is no code; expected E or H and one to three digits")]
    KnownCode {
        /// Its line, from 1.
        line: usize,
        /// What was written.
        code: String,
    },
}
