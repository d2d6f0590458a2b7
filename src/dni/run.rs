//! Numbers as they are dictated: runs of number words, cut where the speaker corrects themselves.

use super::words::{Role, Word};
use crate::numerals::Num;
use crate::tokens::Gap;

/// Asides between two parts of a number that a listener still takes as one dictation.
const ASIDES: usize = 7;

/// Parts of a dictation that are kept together: more than a document said twice, digit by digit, and corrected.
const PARTS: usize = 64;

/// One part of a number, as it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Figures(String),
    Word(Num),
    /// `doble cero`: as good as single digits.
    Repeated(String),
}

/// One part of a number and what stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) said: Said,
    pub(super) gap: Gap,
    /// `y` stands before it.
    pub(super) and: bool,
}

impl Part {
    pub(super) fn paused(&self) -> bool {
        matches!(self.gap, Gap::Comma | Gap::Break)
    }
}

/// How a stretch relates to the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// `no, perdón`: replaces.
    pub(super) fix: bool,
    /// Nothing but `no`, and no pause after it: the next may be what it isn't.
    pub(super) bare_no: bool,
    /// `repito`: says the same.
    pub(super) again: bool,
    /// `termina en`: its digits are the last ones.
    pub(super) tail: bool,
}

/// A stretch of a dictation between two corrections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) mark: Mark,
    pub(super) parts: Vec<Part>,
}

/// One dictation in an utterance, with the places of its first and last word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) stretches: Vec<Stretch>,
    /// `y pico`.
    pub(super) about: bool,
    /// Taken back at its end: `…, no, perdón`.
    pub(super) retracted: bool,
    /// `…, no, al revés` at its end.
    pub(super) reversed: bool,
    /// An `o` was taken for a zero.
    pub(super) doubt: bool,
}

impl Run {
    /// Whether its last word takes a unit after `y`.
    fn takes_unit(&self) -> bool {
        matches!(last_said(self), Some(Said::Word(Num::Tens(_) | Num::Pair(10) | Num::Hundreds(_))))
    }
}

/// The runs of an utterance, in order.
pub(super) fn runs(words: &[Word<'_>]) -> Vec<Run> {
    let (mut runs, mut open) = (Vec::new(), None::<Run>);
    let mut between: Vec<usize> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !word.is_number() {
            if open.is_some() {
                between.push(at);
            }
            continue;
        }
        let mut asides: Vec<&Word<'_>> = between.drain(..).map(|at| &words[at]).collect();
        match &mut open {
            Some(run) if goes_on(run, &asides, word) => extend(run, &asides, word),
            _ => {
                runs.extend(open.take().map(|run| close(run, &asides)));
                open = Some(begin(words, at));
                // Only a `doble` right before it belongs to it.
                asides = words[..at]
                    .last()
                    .filter(|word| matches!(word.role, Role::Times(_)))
                    .into_iter()
                    .collect();
            }
        }
        if let Some(run) = &mut open {
            push(run, word, &asides);
            run.last = at;
        }
    }
    let asides: Vec<&Word<'_>> = between.iter().map(|at| &words[*at]).collect();
    runs.extend(open.map(|run| close(run, &asides)));
    runs
}

/// A new run; what leads it may already be a correction of an earlier line, or say that its digits are the last.
fn begin(words: &[Word<'_>], at: usize) -> Run {
    let lead: Vec<&Word<'_>> = words[..at].iter().rev().take_while(|word| joins(word)).collect();
    let has = |role: Role| lead.iter().any(|word| word.role == role);
    let mark = Mark { fix: has(Role::Fix), tail: has(Role::Tail), ..Mark::default() };
    Run { first: at, last: at, stretches: vec![Stretch { mark, parts: Vec::new() }], ..Run::default() }
}

fn joins(word: &Word<'_>) -> bool {
    !matches!(word.role, Role::Other | Role::About | Role::Figures | Role::Number(_))
}

/// Whether a number after these asides still belongs to the run.
fn goes_on(run: &Run, asides: &[&Word<'_>], next: &Word<'_>) -> bool {
    let said = run.stretches.iter().map(|stretch| stretch.parts.len()).sum::<usize>();
    let fix = asides.iter().any(|word| matches!(word.role, Role::Fix | Role::Again | Role::Reverse));
    let states = |word: &&Word<'_>| matches!(word.key.as_str(), "es" | "son" | "era" | "seria");
    let joined = asides.iter().any(|word| matches!(word.role, Role::Join | Role::Tail));
    // `el dos, el siete, …`
    let each = asides.iter().all(|word| matches!(word.key.as_str(), "el" | "y"));
    let apart = next.apart || asides.iter().any(|word| word.apart);
    let and = asides.iter().any(|word| word.role == Role::And);
    // Seven figures in one are a number of their own, unless a CUIL's first two stand before them.
    let tied = matches!(next.gap, Gap::Hyphen | Gap::Point) && asides.is_empty();
    let written = next.role == Role::Figures && next.text.len() >= 7 && !tied;
    let tax = said == 1 && matches!(last_said(run), Some(Said::Figures(figures)) if figures.len() == 2);
    asides.len() <= ASIDES
        && said < PARTS
        && (fix || !written || tax)
        && asides.iter().all(|word| joins(word))
        && (fix || !apart)
        && (fix || !asides.iter().any(states))
        && (fix || !joined || said >= 2 || each)
        && (fix || each || !and || said >= 3 || run.takes_unit())
}

fn last_said(run: &Run) -> Option<&Said> {
    run.stretches.last()?.parts.last().map(|part| &part.said)
}

fn extend(run: &mut Run, asides: &[&Word<'_>], next: &Word<'_>) {
    let has = |role: Role| asides.iter().any(|word| word.role == role);
    let mark = Mark {
        fix: has(Role::Fix) || has(Role::Reverse),
        again: has(Role::Again) && !has(Role::Fix),
        tail: has(Role::Tail),
        bare_no: !next.paused() && matches!(asides, [no] if no.key.as_str() == "no"),
    };
    if mark != Mark::default() {
        run.stretches.push(Stretch { mark, parts: Vec::new() });
    }
}

fn push(run: &mut Run, word: &Word<'_>, asides: &[&Word<'_>]) {
    let Some(stretch) = run.stretches.last_mut() else { return };
    let fresh = stretch.parts.is_empty();
    let (mut times, mut and, mut gap) = (1, false, word.gap);
    for aside in asides {
        match aside.role {
            Role::Times(n) => times = usize::from(n),
            Role::And => and = true,
            Role::Zero if !fresh => {
                run.doubt = true;
                stretch.parts.push(Part { said: Said::Word(Num::Unit(0)), gap: aside.gap, and: false });
            }
            _ => {}
        }
        if aside.paused() {
            gap = Gap::Comma;
        }
    }
    stretch.parts.push(Part { said: said(word, times), gap, and });
}

fn said(word: &Word<'_>, times: usize) -> Said {
    match word.role {
        Role::Number(Num::Unit(unit)) if times > 1 => Said::Repeated(unit.to_string().repeat(times)),
        Role::Number(num) => Said::Word(num),
        _ if times > 1 => Said::Repeated(word.text.repeat(times)),
        _ => Said::Figures(word.text.to_owned()),
    }
}

/// What trails the last number of a run.
fn close(mut run: Run, asides: &[&Word<'_>]) -> Run {
    let trail: Vec<&&Word<'_>> = asides.iter().take_while(|word| joins(word)).collect();
    let has = |role: Role| trail.iter().any(|word| word.role == role);
    let ends = trail.len() == asides.len();
    let only_no = ends && trail.last().is_some_and(|word| word.key.as_str() == "no");
    run.about = asides.first().is_some_and(|word| word.role == Role::And)
        && asides.get(1).is_some_and(|word| word.role == Role::About);
    run.reversed = has(Role::Reverse);
    run.retracted = trail.iter().any(|word| word.is_strong()) || only_no;
    if has(Role::Tail)
        && let Some(stretch) = run.stretches.last_mut()
    {
        stretch.mark.tail = true;
    }
    run
}
