//! Corrections inside a dictation: what `no, perdón, cuatro cinco` makes of the digits before it.

use super::groups::first_digits;
use super::run::{Part, Run, Said, Stretch};
use super::sense::{Sense, sense};
use crate::ids::Dni;
use crate::numerals::Num;

/// What a whole run amounts to, corrections taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) sense: Sense,
    /// Put together from what was said first and a correction of a part: to be asked again.
    pub(super) mended: bool,
    /// The speaker said that something before was wrong.
    pub(super) corrects: bool,
}

/// Hears a run from its first stretch to its last.
pub(super) fn outcome(run: &Run) -> Outcome {
    let mut stretches = run.stretches.iter();
    let first = stretches.next().cloned().unwrap_or_default();
    let mut heard = Outcome { sense: sense(&first.parts), mended: false, corrects: first.mark.fix };
    let mut base = first;
    for next in stretches {
        heard = follow(heard, &mut base, next);
    }
    if run.reversed || run.retracted {
        heard = taken_back(heard, run.reversed);
    }
    heard
}

fn follow(so_far: Outcome, base: &mut Stretch, next: &Stretch) -> Outcome {
    let corrects = so_far.corrects || next.mark.fix;
    let outcome = |sense, mended| Outcome { sense, mended, corrects };
    let heard = sense(&next.parts);
    let before = so_far.sense.whole();
    match (&heard, before) {
        (Sense::Whole { dni, .. }, Some(before))
            if (!next.mark.fix || next.mark.bare_no) && before != *dni =>
        {
            outcome(Sense::Doubtful(vec![before, *dni]), false)
        }
        (Sense::Digits(_) | Sense::Quantity(_), None) if !next.mark.fix && !next.mark.again => {
            base.parts.extend(next.parts.iter().cloned());
            outcome(sense(&base.parts), so_far.mended)
        }
        (Sense::Digits(_) | Sense::Quantity(_), _) => {
            let digits = first_digits(&next.parts);
            let found = match before {
                Some(before) => splice(&before.digits(), &digits, next.mark.tail),
                None => restart(&base.parts, &digits),
            };
            let sure = before.is_none_or(|before| next.mark.tail || is_near(&before.digits(), &digits));
            mend(so_far.sense, found, corrects, sure)
        }
        _ => {
            *base = next.clone();
            outcome(heard, false)
        }
    }
}

/// Whether `digits` are the last ones of `whole`, but for two that were swapped or one that was misheard.
fn is_near(whole: &str, digits: &str) -> bool {
    let Some(end) = whole.len().checked_sub(digits.len()).map(|at| &whole[at..]) else { return false };
    let differ = end.bytes().zip(digits.bytes()).filter(|(one, other)| one != other).count();
    sorted(end) == sorted(digits) || (differ <= 1 && digits.len() > 1)
}

fn sorted(digits: &str) -> Vec<u8> {
    let mut bytes = digits.as_bytes().to_vec();
    bytes.sort_unstable();
    bytes
}

fn mend(before: Sense, mut found: Vec<Dni>, corrects: bool, sure: bool) -> Outcome {
    let sense = match (&found[..], before.whole()) {
        ([same], Some(before)) if *same == before => Sense::Whole { dni: before, open: false },
        ([], Some(before)) => Sense::Doubtful(vec![before]),
        ([], None) => return Outcome { sense: Sense::Digits(String::new()), mended: false, corrects },
        _ => Sense::Doubtful(std::mem::take(&mut found)),
    };
    let mended = sure && matches!(&sense, Sense::Doubtful(dnis) if Some(dnis[0]) != before.whole());
    Outcome { sense, mended, corrects }
}

/// The documents that `digits` makes of a whole one: its end, and (unless said to be the end) two or more
/// digits that had been swapped.
pub(super) fn splice(whole: &str, digits: &str, tail: bool) -> Vec<Dni> {
    let count = digits.len();
    if count == 0 || count >= whole.len() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let put = |at: usize| Dni::parse(&format!("{}{digits}{}", &whole[..at], &whole[at + count..])).ok();
    found.extend(put(whole.len() - count));
    for at in (0..whole.len() - count).filter(|_| !tail && count > 1) {
        let window = &whole[at..at + count];
        if window != digits && sorted(window) == sorted(digits) {
            found.extend(put(at).filter(|dni| !found.contains(dni)));
        }
    }
    found
}

/// The documents that `digits` makes of an unfinished dictation: said again from some digit on, which is the
/// one that it begins with where that tells.
fn restart(parts: &[Part], digits: &str) -> Vec<Dni> {
    let base = first_digits(parts);
    let pair = parts.first().is_some_and(|part| {
        matches!(part.said, Said::Word(Num::Pair(_) | Num::Tens(_)))
            || matches!(&part.said, Said::Figures(figures) if figures.len() == 2)
    });
    let totals: &[usize] = if pair { &[8] } else { &[8, 7] };
    let kept: Vec<usize> = totals
        .iter()
        .filter_map(|total| total.checked_sub(digits.len()))
        .filter(|keep| *keep <= base.len())
        .collect();
    let restated: Vec<usize> = kept
        .iter()
        .copied()
        .filter(|keep| !digits.is_empty() && base[*keep..].starts_with(&digits[..1]))
        .collect();
    let kept = if restated.len() == 1 { restated } else { kept };
    kept.iter().filter_map(|keep| Dni::parse(&format!("{}{digits}", &base[..*keep])).ok()).collect()
}

fn taken_back(heard: Outcome, reversed: bool) -> Outcome {
    let Some(dni) = heard.sense.whole() else { return Outcome { corrects: true, ..heard } };
    let digits = dni.digits();
    let (start, end) = digits.split_at(digits.len() - 2);
    let swapped: String = end.chars().rev().collect();
    let candidate = if reversed { Dni::parse(&format!("{start}{swapped}")).unwrap_or(dni) } else { dni };
    Outcome { sense: Sense::Doubtful(vec![candidate]), mended: false, corrects: true }
}
