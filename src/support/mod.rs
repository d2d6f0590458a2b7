//! The support gate: nothing technical is said that the evidence doesn't say (S2, DECISIONS 17).
//!
//! A sentence is read ([`reading`]), asked whether it says anything technical ([`ordinary`]), and held
//! against each row by itself ([`comparison`]). What can't be read or resolved counts as technical.

mod actions;
mod alike;
mod assurance;
mod checks;
mod clauses;
mod comparison;
mod conditions;
mod courtesy;
mod denial;
mod echo;
mod evidence;
mod figures;
mod first;
mod fold;
mod idioms;
mod implied;
mod known;
mod lexicon;
mod lights;
mod names;
mod objects;
mod order;
mod ordinary;
mod qualities;
mod quantities;
mod reading;
mod reference;
mod schedule;
mod senses;
mod tubes;
mod urgent;
mod values;
mod verbs;
mod walk;

use crate::equipment::{Catalogue, Model, codes_in};
use crate::retrieval::Chunk;
use evidence::Evidence;
use names::{named, unsaid};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use first::first_technical;

/// What a turn's answer may rest on, made ready once a turn (facts extracted and normalised).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Support {
    rows: Vec<Arc<Evidence>>,
    /// Of tubes, while the turn is about a device of its own: only for what is said of tubes.
    tubes: Vec<Arc<Evidence>>,
    heard: Evidence,
    said: BTreeSet<Model>,
    models: BTreeSet<String>,
    catalogue: Option<Known>,
}

/// The catalogue, compared by where it is.
#[derive(Clone, Copy)]
struct Known(&'static Catalogue);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What the gate makes of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing technical.
    Plain,
    /// Technical, and one row says all of it.
    Supported,
    /// Technical, and no row says all of it; what is missing, for the event log: `number: 15 día`.
    Unsupported(Vec<String>),
}

impl Verdict {
    /// Whether the sentence may be spoken.
    pub fn may_leave(&self) -> bool {
        !matches!(self, Verdict::Unsupported(_))
    }
}

impl Support {
    /// Makes the evidence of a turn ready.
    ///
    /// `rows`: manual rows allowed as evidence, already reduced by the caller to those that today's filter admits.
    /// `lessons`: texts of supervisors' lessons. `heard`: all the patient's own lines so far. `question`: the
    /// patient's last turn; where it names a code, only rows that hold the code are evidence.
    /// `said`: the models that the patient has named.
    pub fn new(
        rows: &[Chunk],
        lessons: &[&str],
        heard: &[&str],
        question: &str,
        said: &BTreeSet<Model>,
        catalogue: &'static Catalogue,
    ) -> Self {
        let asked = catalogue.normalise(question);
        let written = codes_in(&asked.text).into_iter().map(|code| code.to_string());
        let codes: BTreeSet<String> = written.chain(asked.codes.iter().map(ToString::to_string)).collect();
        let (aside, rows) = tubes::parted(rows, &asked.models, catalogue);
        let of_rows = rows.into_iter().map(|row| known::row(row, catalogue));
        let of_lessons = lessons.iter().map(|lesson| known::lesson(lesson, catalogue));
        let all: Vec<Arc<Evidence>> = of_rows.chain(of_lessons).collect();
        let models = all.iter().flat_map(|row| row.models.clone()).collect();
        let holds =
            |row: &Arc<Evidence>| codes.is_empty() || codes.iter().any(|code| row.codes.contains(code));
        let last = (heard.last() != Some(&question)).then_some(question);
        let mut heard = Evidence::of(heard.iter().copied().chain(last), catalogue);
        heard.models.extend(asked.models.iter().map(|model| model.as_str().to_owned()));
        Support {
            rows: all.into_iter().filter(holds).collect(),
            tubes: aside.into_iter().map(|row| known::row(row, catalogue)).filter(holds).collect(),
            heard,
            said: said.clone(),
            models,
            catalogue: Some(Known(catalogue)),
        }
    }

    /// Judges one sentence about to be spoken.
    pub fn check(&self, sentence: &str) -> Verdict {
        let catalogue = self.catalogue.map_or_else(Catalogue::builtin, |known| known.0);
        let claim = named(sentence, catalogue);
        let mut missing = unsaid(&claim, &self.said, &self.heard, &self.models, catalogue);
        let readings = reference::read_without(&claim.text, &self.heard);
        if readings.iter().any(|reading| reading.obscure) {
            missing.push("unreadable".to_owned());
        }
        let technical: Vec<_> =
            readings.iter().filter(|reading| ordinary::technical(reading, &self.heard)).collect();
        if !missing.is_empty() {
            return Verdict::Unsupported(missing);
        }
        if technical.is_empty() {
            // What isn't technical may yet be a row's own words with its 'no' taken out.
            let turned = |reading| {
                denial::turned_everywhere(reading, &self.rows)
                    .or_else(|| denial::opposed(reading, &self.rows))
                    .or_else(|| self.rows.iter().find_map(|row| urgent::put_off(reading, row)))
            };
            return match readings.iter().find_map(turned) {
                Some(reason) => Verdict::Unsupported(vec![reason]),
                None if claim.models.is_empty() => Verdict::Plain,
                None => Verdict::Supported,
            };
        }
        let judge = |row: &Arc<Evidence>| -> Vec<String> {
            technical.iter().flat_map(|reading| comparison::missing(reading, row, &self.heard)).collect()
        };
        let tubes = tubes::spoken_of(&technical).then_some(&self.tubes).into_iter().flatten();
        let best = self.rows.iter().chain(tubes).map(judge).min_by_key(Vec::len);
        match best {
            Some(missing) if missing.is_empty() => Verdict::Supported,
            Some(missing) => Verdict::Unsupported(missing),
            None => Verdict::Unsupported(ordinary::reasons(&technical)),
        }
    }
}
