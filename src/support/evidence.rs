//! A manual's row, or a lesson, as evidence: everything that it says, made ready to be compared.
use super::denial::{Step, steps};
use super::lexicon::Kind;
use super::names::named;
use super::reading::{self, Predicate, Reading, Term};
use crate::equipment::Catalogue;
use crate::retrieval::Chunk;
use crate::sentence::Sentences;
use std::collections::{BTreeSet, HashMap};

/// Whether a term occurs plainly, denied, or where that can't be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Occurs {
    pub(super) plain: bool,
    pub(super) denied: bool,
}

/// One row, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    pub(super) sentences: Vec<Reading>,
    /// How many of them are headings.
    pub(super) headings: usize,
    /// The same sentences word for word ([`super::denial`]).
    pub(super) steps: Vec<Vec<Step>>,
    pub(super) terms: HashMap<String, Occurs>,
    pub(super) models: BTreeSet<String>,
    pub(super) brands: BTreeSet<String>,
    /// Display codes that it holds, as the catalogue writes them.
    pub(super) codes: BTreeSet<String>,
}

impl Evidence {
    pub(super) fn of_row(row: &Chunk, catalogue: &Catalogue) -> Self {
        let headings = Self::of([row.title.as_str(), &row.section, &row.row].into_iter(), catalogue);
        let mut evidence = Evidence { headings: headings.sentences.len(), ..headings };
        evidence.read(row.content.lines(), catalogue);
        evidence
    }

    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>, catalogue: &Catalogue) -> Self {
        let mut evidence = Evidence::default();
        evidence.read(lines, catalogue);
        evidence
    }

    fn read<'a>(&mut self, lines: impl Iterator<Item = &'a str>, catalogue: &Catalogue) {
        for line in lines {
            let named = named(line, catalogue);
            self.models.extend(named.models);
            self.brands.extend(named.brands);
            let mut cutter = Sentences::default();
            let mut sentences = cutter.push(&named.text);
            sentences.extend(cutter.flush());
            for sentence in sentences {
                for reading in reading::read(&sentence) {
                    self.add(reading);
                }
            }
        }
    }

    fn add(&mut self, reading: Reading) {
        for term in &reading.terms {
            let occurs = self.terms.entry(term.class.clone()).or_default();
            occurs.plain |= !term.denied;
            occurs.denied |= term.denied || term.shaded;
            if term.kind == Kind::Name {
                self.codes.insert(term.class.clone());
            }
        }
        self.steps.push(steps(&reading.words));
        self.sentences.push(reading);
    }

    /// Every verb with its sentence's place.
    pub(super) fn predicates(&self) -> impl Iterator<Item = (usize, &Predicate)> {
        self.sentences
            .iter()
            .enumerate()
            .flat_map(|(n, reading)| reading.predicates.iter().map(move |p| (n, p)))
    }

    /// What the verb of sentence `n` may be about: what stands around it, and before it if a pronoun stands for it.
    pub(super) fn around(&self, n: usize, predicate: &Predicate) -> Vec<&Term> {
        let Some(reading) = self.sentences.get(n) else { return Vec::new() };
        let mut around = reading.around(predicate);
        let elliptic = !predicate.directive && !around.iter().any(|term| term.thing());
        if predicate.pronoun || elliptic {
            around.extend(reading.terms.iter());
            around.extend(self.sentences[n.saturating_sub(2)..n].iter().flat_map(|earlier| &earlier.terms));
        }
        around
    }
}
