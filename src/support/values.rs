//! Numbers as figures or as words, in thousandths, and what limits them.
use super::fold::Word;
use crate::numerals::{self, Num};
use crate::tokens::{Gap, plain};

/// One in thousandths.
pub(super) const ONE: i64 = 1000;

/// Digits of the longest number that is read; longer ones are nobody's measure.
const LONGEST: usize = 9;

/// Whether what a number limits is the number itself, or what lies on one side of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

fn num(word: &Word) -> Option<Num> {
    numerals::number(&plain(&word.text))
}

/// Whether a number begins or goes on with this word.
pub(super) fn is_number(word: &Word) -> bool {
    word.figures || num(word).is_some()
}

/// The number that begins at word `at`: its value in thousandths, and the word behind it.
pub(super) fn number(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let word = words.get(at)?;
    let (mut value, mut end) = if word.figures { figures(words, at)? } else { spoken(words, at)? };
    if word.figures && words.get(end).is_some_and(|next| next.is(&["mil"])) {
        (value, end) = (value.saturating_mul(1000), end + 1);
    }
    if let Some((fraction, behind)) = decimals(words, end) {
        (value, end) = (value + fraction, behind);
    }
    Some((value, end))
}

fn figures(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let whole = &words[at].text;
    if whole.len() > LONGEST {
        return None;
    }
    let mut value: i64 = whole.parse().ok()?;
    let mut end = at + 1;
    while let Some(next) = words.get(end).filter(|next| next.figures && next.gap == Gap::Point) {
        if next.text.len() != 3 || whole.len() > 3 || value > 999_999 {
            break;
        }
        (value, end) = (value * 1000 + next.text.parse::<i64>().ok()?, end + 1);
    }
    value *= ONE;
    if let Some(next) = words.get(end).filter(|next| next.figures && next.gap == Gap::Point && end == at + 1)
    {
        (value, end) = (value + thousandths(&next.text)?, end + 1);
    }
    Some((value, end))
}

/// `5` after a decimal comma is 500 thousandths.
fn thousandths(digits: &str) -> Option<i64> {
    let three: String = digits.chars().chain("000".chars()).take(3).collect();
    three.parse().ok()
}

fn spoken(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let (mut total, mut group, mut end) = (0_i64, 0_i64, at);
    let mut last: Option<Num> = None;
    while let Some(word) = words.get(end) {
        let and = last.is_some_and(|num| matches!(num, Num::Tens(_))) && word.is(&["y", "i"]);
        let next = if and { end + 1 } else { end };
        let Some(found) = words.get(next).filter(|word| end == at || !word.breaks()).and_then(num) else {
            break;
        };
        let joins = match (last, found) {
            (None, _) | (Some(_), Num::Thousand | Num::Million) => true,
            (Some(Num::Tens(_)), Num::Unit(1..)) => true,
            (Some(Num::Hundreds(_) | Num::Thousand), Num::Unit(1..) | Num::Pair(_) | Num::Tens(_)) => !and,
            (Some(Num::Thousand | Num::Million), Num::Hundreds(_)) => !and,
            _ => false,
        };
        if !joins || (and && !matches!(found, Num::Unit(1..))) {
            break;
        }
        match found {
            Num::Unit(n) | Num::Pair(n) | Num::Tens(n) | Num::Hundreds(n) => group += i64::from(n),
            Num::Thousand => (total, group) = (total + group.max(1) * 1000, 0),
            Num::Million => (total, group) = ((total + group).max(1).saturating_mul(1_000_000), 0),
        }
        (last, end) = (Some(found), next + 1);
    }
    (end > at).then(|| ((total + group).saturating_mul(ONE), end))
}

/// `coma cinco`, `coma veinticinco`, `punto 5`, `y medio`.
fn decimals(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let word = words.get(at)?;
    let next = words.get(at + 1)?;
    if word.is(&["y"]) && next.is(&["medio", "media"]) {
        return Some((ONE / 2, at + 2));
    }
    if word.is(&["y"]) && next.is(&["cuarto"]) {
        return Some((ONE / 4, at + 2));
    }
    if !word.is(&["coma", "punto", "con"]) {
        return None;
    }
    if next.figures {
        return (!word.is(&["con"])).then(|| Some((thousandths(&next.text)?, at + 2)))?;
    }
    let (value, end) = spoken(words, at + 1).filter(|_| !word.is(&["con"]))?;
    Some((thousandths(&(value / ONE).to_string())?, end))
}

/// Phrases before a number that limit it.
const LEAST_BEFORE: [&[&str]; 21] = [
    &["posterior", "a"],
    &["posteriores", "a"],
    &["al", "menos"],
    &["lo", "menos"],
    &["minimo"],
    &["minimo", "de"],
    &["minima", "de"],
    &["mas", "de"],
    &["desde"],
    &["partir", "de"],
    &["arriba", "de"],
    &["encima", "de"],
    &["despues", "de"],
    &["despues", "del"],
    &["superior", "a"],
    &["mayor", "a"],
    &["mayor", "de"],
    &["mayor", "que"],
    &["mas", "que"],
    &["siquiera"],
    &["pasar", "de"],
];
const MOST_BEFORE: [&[&str]; 19] = [
    &["anterior", "a"],
    &["anteriores", "a"],
    &["hasta"],
    &["maximo"],
    &["maximo", "de"],
    &["maxima", "de"],
    &["sumo"],
    &["como", "mucho"],
    &["menos", "de"],
    &["debajo", "de"],
    &["antes", "de"],
    &["antes", "del"],
    &["inferior", "a"],
    &["menor", "a"],
    &["menor", "de"],
    &["menor", "que"],
    &["abajo", "de"],
    &["menos", "que"],
    &["dentro", "de"],
];
/// Phrases behind it.
const LEAST_BEHIND: [&[&str]; 8] = [
    &["como", "minimo"],
    &["por", "lo", "menos"],
    &["al", "menos"],
    &["o", "mas"],
    &["para", "arriba"],
    &["minimo"],
    &["de", "minimo"],
    &["en", "adelante"],
];
const MOST_BEHIND: [&[&str]; 7] = [
    &["como", "maximo"],
    &["a", "lo", "sumo"],
    &["como", "mucho"],
    &["o", "menos"],
    &["para", "abajo"],
    &["maximo"],
    &["de", "maximo"],
];

/// What limits the number in words `at` to before `end`, and the word behind all that says so.
pub(super) fn bound(words: &[Word], at: usize, end: usize) -> (Bound, usize) {
    // 'Antes de los cinco minutos'
    let article = at > 0 && words[at - 1].is(&["el", "la", "los", "las", "esos", "esas"]);
    let to = at - usize::from(article);
    let before: Vec<&str> = words[to.saturating_sub(4)..to].iter().map(|word| word.text.as_str()).collect();
    let not = |tail: &[&str]| ["no", "ni"].iter().any(|no| before.ends_with(&[&[*no], tail].concat()));
    if not(&["mas", "de"]) || not(&["mas", "que"]) {
        return (Bound::AtMost, end);
    }
    if not(&["menos", "de"]) || not(&["menos", "que"]) {
        return (Bound::AtLeast, end);
    }
    if LEAST_BEFORE.iter().any(|tail| before.ends_with(tail)) {
        return (Bound::AtLeast, end);
    }
    if MOST_BEFORE.iter().any(|tail| before.ends_with(tail)) {
        return (Bound::AtMost, end);
    }
    let rest = &words[end.min(words.len())..];
    let after: Vec<&str> = rest.iter().take(4).map(|word| word.text.as_str()).collect();
    let behind = |phrases: &[&'static [&'static str]]| {
        phrases.iter().find(|head| after.starts_with(head)).map(|head| head.len())
    };
    if let Some(length) = behind(&LEAST_BEHIND) {
        (Bound::AtLeast, end + length)
    } else if let Some(length) = behind(&MOST_BEHIND) {
        (Bound::AtMost, end + length)
    } else {
        (Bound::Exact, end)
    }
}
