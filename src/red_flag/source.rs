//! The list of red flags as it is written: TOML's shapes, before anything is compiled.

use super::RedFlag;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a list was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum ListError {
    /// Not TOML, or a field of another name or kind than expected.
    #[error("the list can't be read: {0}")]
    Toml(String),
    /// A pattern or a word list names a class that isn't there, or that needs itself.
    #[error("\"{0}\" isn't a class of [words] (or it names itself); write it there first")]
    UnknownClass(String),
    /// What stands for a word holds something else.
    #[error("\"{0}\" isn't a word, a stem* or a ~stem*; letters and figures only")]
    NoWord(String),
    /// A pattern without a word that must be said.
    #[error("the pattern \"{0}\" begins with a gap or holds no word; begin it with a word")]
    NoStart(String),
    /// More different words than the engine has room for.
    #[error("{found} different words and classes in patterns, at most {most} fit; put words into classes")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many fit.
        most: usize,
    },
}

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// A reading of the oximeter in this range is an emergency, in percent.
    pub(super) low_saturation: (u16, u16),
    /// Classes: words, stems and other classes between spaces.
    pub(super) words: BTreeMap<String, String>,
    /// What tells of an emergency.
    pub(super) sign: Vec<Sign>,
    /// What tells that a sign is none.
    pub(super) cue: BTreeMap<Cue, Vec<String>>,
}

/// Patterns that mean one thing and are excused by the same things.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sign {
    pub(super) flag: RedFlag,
    #[serde(default)]
    pub(super) unless: Vec<Unless>,
    pub(super) say: Vec<String>,
}

/// What excuses some signs only; denial, the past and the imagined excuse every one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unless {
    /// It is said of the apparatus.
    Device,
    /// It is said of whoever is telephoned.
    Contact,
    /// It is a manner of speaking.
    Idiom,
    /// It is as always.
    Habit,
    /// It is little.
    Mild,
}

/// Groups of cues; the data file explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cue {
    /// Before a sign that itself begins with a `no`.
    DeniesNo,
    /// After a noun: `humo no hay`.
    DeniesAfter,
    /// A time that is over.
    Past,
    /// It ended well.
    Over,
    /// It began and hasn't ended.
    GoesOn,
    /// Today, a moment ago.
    Now,
    /// Openers of what hasn't happened.
    Imagined,
    /// A `si` that opens no condition.
    RealIf,
    /// What is asked or done on a condition.
    Asks,
    /// Heard or read.
    Told,
    /// Filed, diagnosed, of somebody else.
    Filed,
    /// Manners of speaking.
    Idiom,
    /// What the sign is part of: 'filtro de aire'.
    Compound,
    /// As always.
    Habit,
    /// Worse than always.
    Worse,
    /// A little of it.
    Mild,
}

impl Cue {
    /// How many there are.
    pub(super) const COUNT: usize = Cue::Mild as usize + 1;
}
