//! The catalogue once checked: which models exist, where their manuals are, and how all of it is spelled.

use super::build::Builder;
use super::context::Guards;
use super::error::CatalogueError;
use super::pattern::View;
use super::source::Source;
use super::spoken_code::Letters;
use super::{Code, Model};
use crate::tokens::{plain, tokens};
use regex::{Regex, RegexSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

/// What is known of a model's manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManualOf<'a> {
    /// Its source: the path it was ingested under.
    Manual(&'a str),
    /// A model of the catalogue for which there is none (R8).
    NoManual,
    /// No model of the catalogue.
    Unknown,
}

/// What a variant stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Model(Model),
    /// A device that is none of the catalogue's models.
    Other(String),
    TextCode(String),
    /// `alone`: only where nothing else is said.
    Ambiguous {
        name: String,
        alone: bool,
    },
}

/// A variant ready to be looked for.
pub(super) struct Variant {
    pub(super) regex: Regex,
    pub(super) meaning: usize,
    pub(super) spelled: bool,
}

/// All variants compared in one way.
pub(super) struct Variants {
    pub(super) view: View,
    pub(super) set: RegexSet,
    pub(super) each: Vec<Variant>,
}

/// Models, text codes, how both are misheard, and the manuals (R6, R22).
pub struct Catalogue {
    pub(super) manuals: BTreeMap<Model, Option<String>>,
    pub(super) names: BTreeMap<String, Model>,
    pub(super) always_allowed: Vec<String>,
    pub(super) candidates: BTreeMap<String, Vec<String>>,
    pub(super) meanings: Vec<Meaning>,
    pub(super) variants: [Variants; 2],
    pub(super) letters: Letters,
    pub(super) known: BTreeSet<Code>,
    pub(super) guards: Guards,
}

impl PartialEq for Catalogue {
    /// There is one a process, or one a test: it is compared by where it is.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Catalogue {
    /// Its size, not its thousand patterns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("models", &self.manuals.len()).finish_non_exhaustive()
    }
}

impl Catalogue {
    /// Reads and checks a catalogue in the format of `catalogue.toml`, which explains it. Errors name
    /// the line and the entry.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let source: Source = toml::from_str(text).map_err(|e| CatalogueError::Toml(e.to_string()))?;
        Builder::new(text, &source)?.build()
    }

    /// The catalogue that Aura ships.
    pub fn builtin() -> &'static Catalogue {
        static BUILTIN: LazyLock<Catalogue> = LazyLock::new(|| {
            Catalogue::parse(include_str!("catalogue.toml")).unwrap_or_else(|error| {
                // Every test of this module reads it; a build whose own data is broken must not start.
                unreachable!("src/equipment/catalogue.toml: {error}")
            })
        });
        &BUILTIN
    }

    /// Where a model's manual is.
    pub fn manual_of(&self, model: &Model) -> ManualOf<'_> {
        match self.manuals.get(model) {
            Some(Some(source)) => ManualOf::Manual(source),
            Some(None) => ManualOf::NoManual,
            None => ManualOf::Unknown,
        }
    }

    /// The models, in order of their names.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.manuals.keys()
    }

    /// The manuals that the catalogue names and `present` lacks, for the warning at boot (R6).
    pub fn missing_sources(&self, present: &BTreeSet<String>) -> Vec<(Model, String)> {
        let named = self.manuals.iter().filter_map(|(model, source)| Some((model, source.as_ref()?)));
        named
            .filter(|(_, source)| !present.contains(*source))
            .map(|(model, source)| (model.clone(), source.clone()))
            .collect()
    }

    /// Prefixes of the sources that any search may use, whatever the equipment (R5).
    pub fn always_allowed(&self) -> &[String] {
        &self.always_allowed
    }

    /// The model that a customer system means by `name`: its own name or one of its `crm` names, case,
    /// spaces and hyphens aside. No guessing: `Zen-O` isn't the Zen-O Lite.
    pub fn canonical(&self, name: &str) -> Option<Model> {
        self.names.get(&squeezed(name)).cloned()
    }

    /// What an ambiguous form, as [`super::Normalised::ambiguous`] reports it, may be.
    pub fn candidates(&self, form: &str) -> &[String] {
        self.candidates.get(form).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn squeezed(name: &str) -> String {
    tokens(name).map(|token| plain(token.text).as_str().to_owned()).collect()
}
