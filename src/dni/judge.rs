//! Whether a dictated number is used, asked again or ignored: its count of digits and the words around it.

use super::correct::{Outcome, outcome};
use super::cue::{Cue, cue, is_bare, is_unit};
use super::run::{Part, Run, Said};
use super::sense::Sense;
use super::words::{Role, Word};
use super::{Action, Asked, Extraction};
use crate::ids::Dni;

/// Words back in which a telephone, a date or a display is still what the number belongs to.
const NEAR: usize = 6;

/// Words back in which the document is still what the number belongs to.
const FAR: usize = 16;

/// A run and where it stands.
pub(super) struct Place<'a> {
    pub(super) words: &'a [Word<'a>],
    pub(super) run: &'a Run,
    /// Index after the run before it.
    pub(super) from: usize,
    /// Index of the run after it.
    pub(super) to: usize,
    /// What the other speaker has just asked for.
    pub(super) asked: Asked,
    /// Nothing else is said in the utterance.
    pub(super) bare: bool,
    /// Something was taken back before the run: `me equivoqué, mi documento es …`
    pub(super) apologised: bool,
}

/// What was found in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) extraction: Extraction,
    /// The words around it say that it is the document.
    pub(super) document: bool,
    /// The speaker may not have finished.
    pub(super) open: bool,
    /// `no es …`: named only to be denied.
    pub(super) denied: bool,
    /// The number begins with a correction: `no, es …`.
    pub(super) corrected: bool,
}

/// Judges one run.
pub(super) fn judge(place: &Place<'_>) -> Found {
    let Some((run, cue)) = place.belongs() else { return Found::default() };
    let document = cue == Some(Cue::Document);
    let wanted = document || (cue.is_none() && place.asked == Asked::Document);
    let heard = outcome(&run);
    let mut found = Found {
        document,
        open: matches!(heard.sense, Sense::Whole { open: true, .. } | Sense::Round(_)),
        denied: place.denied(),
        corrected: run.stretches.first().is_some_and(|stretch| stretch.mark.fix),
        extraction: decide(&heard, wanted, place.bare, cue),
    };
    found.extraction.corrects = heard.corrects || place.apologised;
    let reserved =
        found.extraction.dni.is_some_and(|dni| dni.digits().len() == 8 && dni.digits().starts_with('6'));
    if found.extraction.action == Action::Use && (reserved || run.doubt || cue == Some(Cue::OtherPaper)) {
        found.extraction.action = Action::AskAgain;
    }
    if run.about && found.extraction.action != Action::Ignore {
        found.extraction = again(Vec::new());
    }
    found
}

fn decide(heard: &Outcome, wanted: bool, bare: bool, cue: Option<Cue>) -> Extraction {
    let either = |ask: bool, dni: Dni| if ask { asked(dni) } else { Extraction::default() };
    match &heard.sense {
        Sense::Whole { dni, open: true } if !wanted && !bare && dni.digits().ends_with("00000") => {
            again(vec![*dni])
        }
        Sense::Whole { dni, .. } => {
            Extraction { dni: Some(*dni), action: Action::Use, ..Extraction::default() }
        }
        Sense::Doubtful(dnis) if heard.mended && dnis.len() == 1 => asked(dnis[0]),
        Sense::Doubtful(dnis) => again(dnis.clone()),
        Sense::Round(dni) if wanted || bare => again(vec![*dni]),
        Sense::Round(_) => Extraction::default(),
        Sense::Tax { dni, checked: true } => asked(*dni),
        Sense::Tax { dni, .. } => again(vec![*dni]),
        Sense::Date(dni) => either(wanted, *dni),
        Sense::Telephone { dni, tight: false } if wanted => {
            Extraction { dni: Some(*dni), action: Action::Use, ..Extraction::default() }
        }
        Sense::Telephone { dni, tight } => either(wanted || !tight, *dni),
        // A company's CUIT.
        Sense::Digits(digits) if digits.len() == 11 && digits.starts_with('3') => Extraction::default(),
        Sense::Digits(digits) => impossible(digits.len(), wanted || cue == Some(Cue::TaxNumber), bare),
        Sense::Quantity(digits) => impossible(*digits, wanted, bare && *digits == 6),
    }
}

/// A count of digits that no document has: ten and more alone are a telephone, few are something else.
fn impossible(digits: usize, wanted: bool, bare: bool) -> Extraction {
    let meant = (wanted && digits >= 3) || (bare && (wanted || matches!(digits, 5 | 6 | 9)));
    if meant { again(Vec::new()) } else { Extraction::default() }
}

fn asked(dni: Dni) -> Extraction {
    Extraction { dni: Some(dni), action: Action::AskAgain, ..Extraction::default() }
}

fn again(candidates: Vec<Dni>) -> Extraction {
    Extraction { action: Action::AskAgain, candidates, ..Extraction::default() }
}

impl Place<'_> {
    /// The run without what belongs to a quantity, and the cue that it stands under; `None`: not a document.
    fn belongs(&self) -> Option<(Run, Option<Cue>)> {
        let mut run = self.run.clone();
        if self.words[run.first].sign {
            return None;
        }
        if self.counts() && !without_amount(&mut run) {
            return None;
        }
        let cue = self.cue_before().or_else(|| self.cue_after());
        match cue {
            Some(Cue::Telephone | Cue::Foreign) => None,
            None if self.asked == Asked::Else => None,
            cue => Some((run, cue)),
        }
    }

    /// Whether the words right after make the number an amount.
    fn counts(&self) -> bool {
        let mut after = self.words[self.run.last + 1..].iter();
        let first = after.next().filter(|word| !word.paused());
        let unit = if first.is_some_and(|word| word.key.as_str() == "de") { after.next() } else { first };
        unit.is_some_and(|word| is_unit(&word.key))
    }

    fn cue_before(&self) -> Option<Cue> {
        let mut across = false;
        for (back, at) in (0..self.run.first).rev().enumerate().take(FAR) {
            across |= self.words[at + 1].gap == crate::tokens::Gap::Break || at < self.from;
            match cue(&self.words[at].key) {
                Some(Cue::Telephone | Cue::Foreign) if across || back >= NEAR => {}
                Some(found) => return Some(found),
                None if spelled(self.words, at) => return Some(Cue::Document),
                None => {}
            }
        }
        None
    }

    /// `… es mi documento`, `… de teléfono`.
    fn cue_after(&self) -> Option<Cue> {
        let mut after = self.words[self.run.last + 1..self.to].iter();
        after.next().filter(|word| matches!(word.key.as_str(), "es" | "de" | "son"))?;
        after
            .take(3)
            .take_while(|word| !word.paused() && word.role != Role::And)
            .find_map(|word| cue(&word.key))
    }

    /// `no es …` right before it, without a pause.
    fn denied(&self) -> bool {
        let lead: Vec<_> = self.words[..self.run.first].iter().rev().take(3).collect();
        let is =
            |at: usize, wanted: &[&str]| lead.get(at).is_some_and(|word| wanted.contains(&word.key.as_str()));
        let at = usize::from(is(0, &["el"]));
        is(at, &["es", "era"]) && is(at + 1, &["no"]) && !lead[at].paused()
    }
}

fn spelled(words: &[Word<'_>], at: usize) -> bool {
    let is = |back: usize, wanted: &[&str]| {
        at.checked_sub(back).is_some_and(|at| wanted.contains(&words[at].key.as_str()))
    };
    is(0, &["i"]) && is(1, &["n", "ene"]) && is(2, &["d", "de"])
}

/// Takes the amount off the end of a run: what was said after the last pause. False: it is all amount.
fn without_amount(run: &mut Run) -> bool {
    if run.stretches.len() > 1 {
        run.stretches.pop();
        return true;
    }
    let Some(stretch) = run.stretches.last_mut() else { return false };
    let pause = stretch.parts.iter().rposition(|part| part.paused() || part.and);
    let written = |part: &Part| matches!(&part.said, Said::Figures(figures) if figures.len() >= 7);
    // `23456789 5 litros`: the figures themselves tell where the number ends.
    let pause = pause.or_else(|| (stretch.parts.len() == 2 && written(&stretch.parts[0])).then_some(1));
    match pause {
        Some(at) if at > 0 => {
            stretch.parts.truncate(at);
            true
        }
        _ => false,
    }
}

/// Whether the words outside the runs add nothing.
pub(super) fn is_bare_around(words: &[Word<'_>], runs: &[Run]) -> bool {
    let (mut at, adds) = (0, |word: &Word<'_>| !is_nothing(word));
    for run in runs {
        if words[at..run.first].iter().any(adds) {
            return false;
        }
        at = run.last + 1;
    }
    !words[at..].iter().any(adds)
}

fn is_nothing(word: &Word<'_>) -> bool {
    is_bare(&word.key)
        // `son tres millones …` is said of money.
        || (word.role != Role::Other && word.key.as_str() != "son")
        || cue(&word.key) == Some(Cue::Document)
}
