//! A labelled set: what is asked, and what would be right.
use crate::retrieval::Chunk;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;

/// A file of labelled queries.
#[derive(Clone, Debug, Deserialize)]
pub struct LabelledSet {
    /// The queries.
    pub queries: Vec<Labelled>,
}

/// What should come of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// A row is injected.
    Hit,
    /// Nothing technical is injected.
    Miss,
    /// Aura asks which equipment it is.
    Ask,
    /// It isn't searched.
    Gate,
}

/// One query with its labels.
#[derive(Clone, Debug, Deserialize)]
pub struct Labelled {
    /// Its id.
    pub id: String,
    /// What is said.
    pub text: String,
    /// Through which channel.
    pub channel: crate::channel::Channel,
    /// The patient's equipment on file.
    #[serde(default)]
    pub crm_models: Vec<String>,
    /// Equipment named earlier.
    #[serde(default)]
    pub sticky: Vec<String>,
    /// What should come of it.
    pub outcome: Expected,
    /// The right row.
    pub expected: Option<Place>,
    /// Other right rows.
    #[serde(default)]
    pub accept: Vec<Place>,
    /// The manuals that may be searched; null is all.
    pub expected_filter: Option<ExpectedFilter>,
    /// Manuals from which an answer would be another equipment's.
    #[serde(default)]
    pub must_not_sources: BTreeSet<String>,
}

/// The filter that a query should get.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedFilter {
    /// The manuals of the equipment in play.
    pub sources: BTreeSet<String>,
}

/// Where an answer stands.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Place {
    /// The manual.
    pub source: String,
    /// The section.
    pub section: String,
    /// The row; unset means any row of the section.
    pub row: Option<String>,
}

impl Place {
    /// Where a row stands.
    pub fn of(chunk: &Chunk) -> Self {
        Self { source: chunk.source.clone(), section: chunk.section.clone(), row: Some(chunk.row.clone()) }
    }

    fn covers(&self, other: &Self) -> bool {
        self.source == other.source
            && self.section == other.section
            && (self.row.is_none() || self.row == other.row)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} § {}", self.source, self.section)?;
        self.row.iter().try_for_each(|row| write!(f, " § {row}"))
    }
}

impl Labelled {
    /// Whether an answer from there is right.
    pub fn accepts(&self, place: &Place) -> bool {
        self.expected.iter().chain(&self.accept).any(|right| right.covers(place))
    }
}
