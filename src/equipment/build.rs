//! From the catalogue's text to the catalogue: everything that can be wrong with it is found here.

use super::catalogue::{Catalogue, Meaning, Variant, Variants, squeezed};
use super::context::Guards;
use super::error::CatalogueError;
use super::pattern::{View, expression};
use super::source::{Entry, Source, Text};
use super::spoken_code::Letters;
use super::{Code, Model};
use regex::{Regex, RegexSet};
use std::collections::{BTreeMap, BTreeSet};

/// A catalogue half read.
pub(super) struct Builder<'a> {
    text: &'a str,
    source: &'a Source,
    manuals: BTreeMap<Model, Option<String>>,
    names: BTreeMap<String, Model>,
    meanings: Vec<Meaning>,
    entries: BTreeSet<String>,
    taken: BTreeMap<String, String>,
    expressions: [Vec<String>; 2],
    variants: [Vec<Variant>; 2],
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str, source: &'a Source) -> Result<Self, CatalogueError> {
        let mut builder = Builder {
            text,
            source,
            manuals: BTreeMap::new(),
            names: BTreeMap::new(),
            meanings: Vec::new(),
            entries: BTreeSet::new(),
            taken: BTreeMap::new(),
            expressions: Default::default(),
            variants: Default::default(),
        };
        for entry in &source.model {
            builder.model(entry)?;
        }
        let named = |entry: &Entry| entry.name.get_ref().clone();
        for entry in &source.text_code {
            builder.entry(entry, Meaning::TextCode(named(entry)))?;
        }
        for entry in &source.other {
            builder.entry(entry, Meaning::Other(named(entry)))?;
        }
        for entry in &source.ambiguous {
            builder.entry(entry, Meaning::Ambiguous { name: named(entry), alone: entry.alone })?;
        }
        Ok(builder)
    }

    fn model(&mut self, entry: &Entry) -> Result<(), CatalogueError> {
        let (line, name) = (self.line(&entry.name), entry.name.get_ref());
        let model = Model::new(name);
        let source = entry.source.as_deref().map(str::trim);
        match (source, entry.no_manual) {
            (Some(source), false) if !source.is_empty() => {
                self.manuals.insert(model.clone(), Some(source.to_owned()))
            }
            (None, true) => self.manuals.insert(model.clone(), None),
            _ => return Err(CatalogueError::Manual { line, model: name.clone() }),
        };
        for spelling in std::iter::once(&entry.name).chain(&entry.crm) {
            if let Some(other) = self.names.insert(squeezed(spelling.get_ref()), model.clone())
                && other != model
            {
                return Err(self.duplicate(spelling, name, other.as_str()));
            }
        }
        self.entry(entry, Meaning::Model(model))
    }

    fn entry(&mut self, entry: &Entry, meaning: Meaning) -> Result<(), CatalogueError> {
        let name = entry.name.get_ref();
        if !self.entries.insert(name.clone()) {
            return Err(CatalogueError::DuplicateName { line: self.line(&entry.name), name: name.clone() });
        }
        if entry.variants.is_empty() && entry.exact.is_empty() {
            return Err(CatalogueError::NoVariants { line: self.line(&entry.name), entry: name.clone() });
        }
        self.meanings.push(meaning);
        let variants = entry.variants.iter().map(|text| (text, View::Sound));
        for (variant, view) in variants.chain(entry.exact.iter().map(|text| (text, View::Spelling))) {
            self.variant(name, variant, view)?;
        }
        Ok(())
    }

    fn variant(&mut self, entry: &str, variant: &Text, view: View) -> Result<(), CatalogueError> {
        let bad = |reason: String| CatalogueError::BadVariant {
            line: self.line(variant),
            variant: variant.get_ref().clone(),
            entry: entry.to_owned(),
            reason,
        };
        let expression = expression(variant.get_ref(), view, &self.source.words).map_err(bad)?;
        let regex =
            Regex::new(&expression.regex).map_err(|error| bad(format!("can't be searched for: {error}")))?;
        let key = format!("{view:?} {}", expression.regex);
        match self.taken.insert(key, entry.to_owned()) {
            // Two spellings of one entry may sound alike.
            Some(other) if other == entry => return Ok(()),
            Some(other) => return Err(self.duplicate(variant, entry, &other)),
            None => {}
        }
        let (at, meaning) = (usize::from(view == View::Spelling), self.meanings.len() - 1);
        self.expressions[at].push(expression.regex);
        self.variants[at].push(Variant { regex, meaning, spelled: expression.spelled });
        Ok(())
    }

    pub(super) fn build(self) -> Result<Catalogue, CatalogueError> {
        let always_allowed = self.prefixes()?;
        let known = self.known()?;
        let candidates = self.candidates(&known)?;
        let [sound, spelling] = self.variants;
        let set =
            |at: usize| RegexSet::new(&self.expressions[at]).map_err(|e| CatalogueError::Toml(e.to_string()));
        let variants = [
            Variants { view: View::Sound, set: set(0)?, each: sound },
            Variants { view: View::Spelling, set: set(1)?, each: spelling },
        ];
        Ok(Catalogue {
            manuals: self.manuals,
            names: self.names,
            always_allowed,
            candidates,
            meanings: self.meanings,
            variants,
            letters: Letters::new(&self.source.codes),
            known,
            guards: Guards::new(&self.source.guards),
        })
    }

    fn prefixes(&self) -> Result<Vec<String>, CatalogueError> {
        let folder = |text: &Text| text.get_ref().len() > 1 && text.get_ref().ends_with('/');
        let checked = self.source.always_allowed.iter().map(|text| {
            let bad = || CatalogueError::Prefix { line: self.line(text), prefix: text.get_ref().clone() };
            if folder(text) { Ok(text.get_ref().clone()) } else { Err(bad()) }
        });
        checked.collect()
    }

    fn known(&self) -> Result<BTreeSet<Code>, CatalogueError> {
        let parsed = self.source.codes.known.iter().map(|text| {
            let bad = |_| CatalogueError::KnownCode { line: self.line(text), code: text.get_ref().clone() };
            Code::parse(text.get_ref()).map_err(bad)
        });
        parsed.collect()
    }

    fn candidates(&self, known: &BTreeSet<Code>) -> Result<BTreeMap<String, Vec<String>>, CatalogueError> {
        let mut all = BTreeMap::new();
        for entry in &self.source.ambiguous {
            for candidate in &entry.candidates {
                let name = candidate.get_ref();
                let code = Code::parse(name).is_ok_and(|code| known.contains(&code));
                let listed = |kind: &[Entry]| kind.iter().any(|entry| entry.name.get_ref() == name);
                let source = self.source;
                if !(code || listed(&source.model) || listed(&source.other) || listed(&source.text_code)) {
                    let (line, entry) = (self.line(candidate), entry.name.get_ref().clone());
                    return Err(CatalogueError::UnknownCandidate { line, candidate: name.clone(), entry });
                }
            }
            let names = entry.candidates.iter().map(|text| text.get_ref().clone()).collect();
            all.insert(entry.name.get_ref().clone(), names);
        }
        Ok(all)
    }

    fn line(&self, text: &Text) -> usize {
        self.text[..text.span().start].bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    fn duplicate(&self, variant: &Text, entry: &str, other: &str) -> CatalogueError {
        CatalogueError::DuplicateVariant {
            line: self.line(variant),
            variant: variant.get_ref().clone(),
            entry: entry.to_owned(),
            other: other.to_owned(),
        }
    }
}
