//! What one stretch of a dictation amounts to: a document, a doubtful one, a shape of something else.

use super::cardinal;
use super::groups::{Group, Kind, Reading, joined, readings};
use super::run::{Part, Said};
use crate::ids::Dni;
use crate::numerals::Num;

/// What a stretch amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// One document and no other. `open`: it may still be going on (`… seiscientos doce mil`).
    Whole { dni: Dni, open: bool },
    /// Documents it may be; there is a zero or a group too few, or two ways to hear it.
    Doubtful(Vec<Dni>),
    /// Round millions: an amount, or the beginning of a document.
    Round(Dni),
    /// A CUIL and the document in it; `checked`: its check digit fits.
    Tax { dni: Dni, checked: bool },
    /// Eight digits in the shape of a date.
    Date(Dni),
    /// Four digits and four: how telephones are written; `tight`: with a hyphen.
    Telephone { dni: Dni, tight: bool },
    /// A count of digits that no document has.
    Digits(String),
    /// A number of something, so many digits long.
    Quantity(usize),
}

impl Sense {
    /// One clean document.
    pub(super) fn whole(&self) -> Option<Dni> {
        match self {
            Self::Whole { dni, .. } => Some(*dni),
            _ => None,
        }
    }
}

/// Hears a stretch.
pub(super) fn sense(parts: &[Part]) -> Sense {
    let has = |wanted: Num| parts.iter().any(|part| part.said == Said::Word(wanted));
    if has(Num::Million) {
        return cardinal::millions(parts);
    }
    if has(Num::Thousand) {
        return cardinal::thousands(parts);
    }
    let ways = readings(parts);
    let first = ways.first().cloned().unwrap_or_default();
    shape(&first, parts).or_else(|| documents(&ways)).or_else(|| tax(&ways)).unwrap_or_else(|| twice(&first))
}

/// Figures in the shape of a date or of a telephone.
fn shape(reading: &Reading, parts: &[Part]) -> Option<Sense> {
    if reading.iter().any(|group| group.kind != Kind::Figures) {
        return None;
    }
    let number = |at: usize| reading.get(at).and_then(|group| group.digits.parse::<u32>().ok()).unwrap_or(0);
    let dni = Dni::parse(&joined(reading)).ok()?;
    let date = |day, month, year| {
        (1..=31).contains(&number(day))
            && (1..=12).contains(&number(month))
            && (1900..2100).contains(&number(year))
    };
    let lengths: Vec<usize> = reading.iter().map(|group| group.digits.len()).collect();
    match lengths[..] {
        [1 | 2, 1 | 2, 4] if date(0, 1, 2) => Some(Sense::Date(dni)),
        [4, 1 | 2, 1 | 2] if date(2, 1, 0) => Some(Sense::Date(dni)),
        [4, 4] => {
            let tight = parts.get(1).is_some_and(|part| part.gap == crate::tokens::Gap::Hyphen);
            Some(Sense::Telephone { dni, tight })
        }
        _ => None,
    }
}

fn documents(ways: &[Reading]) -> Option<Sense> {
    let (mut clean, mut all) = (Vec::new(), Vec::new());
    for way in ways {
        if let Ok(dni) = Dni::parse(&joined(way))
            && joined(way).len() <= 8
        {
            let (straight, cut) = (is_clean(way), way.iter().any(|group| group.cut));
            // A crooked way to hear it counts only where no straight one comes before it.
            if straight || (clean.is_empty() && !cut) {
                all.push(dni);
            }
            if straight && !cut {
                clean.push(dni);
            }
        }
        all.extend(padded(way).filter(|_| clean.is_empty() && !way.iter().any(|group| group.cut)));
    }
    let mut distinct = Vec::new();
    for dni in all {
        if !distinct.contains(&dni) {
            distinct.push(dni);
        }
    }
    match distinct[..] {
        [] => None,
        [dni] if clean.contains(&dni) => Some(Sense::Whole { dni, open: false }),
        _ => Some(Sense::Doubtful(distinct)),
    }
}

/// Whether the groups lie as a document's do: none across the places of millions, thousands and units,
/// where thirds were said or the number has but seven digits (a digit may be missing).
fn is_clean(reading: &Reading) -> bool {
    let len = joined(reading).len();
    let thirds = reading.iter().any(|group| group.kind == Kind::Cardinal && group.digits.len() == 3);
    if reading.len() == 1 || (len == 8 && !thirds) {
        return true;
    }
    let mut start = 0;
    reading.iter().all(|group| {
        let end = start + group.digits.len();
        let across = [len - 6, len - 3].iter().any(|place| start < *place && *place < end);
        start = end;
        group.kind == Kind::Loose || !across
    })
}

/// The document if zeros were left out: `diecisiete, trescientos, cuarenta y dos`, `… veinticuatro ocho`.
fn padded(reading: &Reading) -> Option<Dni> {
    let len = |at: usize| reading.get(at).map_or(0, |group: &Group| group.digits.len());
    let width = match reading.len() {
        3 if len(0) <= 2 && len(1) <= 3 && len(2) <= 3 && len(1) != len(2) && len(1).max(len(2)) == 3 => 3,
        4 if joined(reading).len() == 7 && (1..4).any(|at| len(at) == 1) => 2,
        _ => return None,
    };
    if reading.iter().any(|group| group.digits.len() > width) {
        return None;
    }
    let (head, rest) = reading.split_first()?;
    let rest: String = rest.iter().map(|group| format!("{:0>width$}", group.digits)).collect();
    Dni::parse(&format!("{}{rest}", head.digits)).ok()
}

/// Eleven digits that begin as a person's CUIL does.
fn tax(ways: &[Reading]) -> Option<Sense> {
    ways.iter().find_map(|way| {
        let digits = joined(way);
        let written = way.len() == 3 && [0, 1, 2].map(|at| way[at].digits.len()) == [2, 8, 1];
        let found = cuil(&digits)?;
        matches!(found, Sense::Tax { checked: true, .. })
            .then_some(found.clone())
            .or(written.then_some(found))
    })
}

/// The document in a CUIL of eleven digits.
pub(super) fn cuil(digits: &str) -> Option<Sense> {
    if digits.len() != 11 || !["20", "23", "24", "25", "26", "27"].contains(&&digits[..2]) {
        return None;
    }
    let dni = Dni::parse(&digits[2..10]).ok()?;
    let weights = [5_u32, 4, 3, 2, 7, 6, 5, 4, 3, 2];
    let sum: u32 = digits.bytes().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    let check = match 11 - sum % 11 {
        11 => 0,
        other => other,
    };
    let told = u32::from(digits.as_bytes()[10] - b'0');
    Some(Sense::Tax { dni, checked: check == told })
}

/// The same number said twice in a row, or no document's count of digits.
fn twice(reading: &Reading) -> Sense {
    let digits = joined(reading);
    let (half, other) = digits.split_at(digits.len() / 2);
    match Dni::parse(half) {
        Ok(dni) if half == other => Sense::Whole { dni, open: false },
        _ => Sense::Digits(digits),
    }
}
