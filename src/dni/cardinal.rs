//! Documents said as a number: `veintitrés millones cuatrocientos cincuenta y seis mil …`.

use super::groups::{Group, first_digits, joined, readings};
use super::run::{Part, Said};
use super::sense::{Sense, cuil};
use crate::ids::Dni;
use crate::numerals::Num;
use crate::tokens::Gap;

/// A stretch with `millones` in it.
pub(super) fn millions(parts: &[Part]) -> Sense {
    let at = place(parts, Num::Million);
    let (head, rest) = (&parts[..at], &parts[at + 1..]);
    let again = rest.iter().any(|part| part.said == Said::Word(Num::Million));
    let decimal = head.iter().skip(1).any(|part| part.gap == Gap::Point);
    if head.is_empty() || again || decimal || place(head, Num::Thousand) < head.len() {
        return Sense::Quantity(9);
    }
    let head = best(head);
    let (before, millions) = split_head(&head);
    if before.is_empty() {
        return below(&millions, rest);
    }
    within_tax(&before, &millions, rest).unwrap_or(Sense::Digits(format!("{before}{millions}000000")))
}

/// What was said before the millions, and the millions: `veinte, veintitrés millones` is a CUIL's beginning.
fn split_head(head: &[Group]) -> (String, String) {
    let all = joined(head);
    match head.split_last() {
        Some((last, before)) if all.len() > 2 => (joined(before), last.digits.clone()),
        _ => (String::new(), all),
    }
}

fn below(millions: &str, rest: &[Part]) -> Sense {
    let long = || Sense::Digits(format!("{millions}{}", first_digits(rest)));
    match under_a_million(rest) {
        Under::Sure { digits, open } => match Dni::parse(&format!("{millions}{digits}")) {
            Ok(dni) if rest.is_empty() => Sense::Round(dni),
            Ok(dni) => Sense::Whole { dni, open },
            Err(_) => long(),
        },
        Under::Unsure(digits) => match Dni::parse(&format!("{millions}{digits}")) {
            Ok(dni) => Sense::Doubtful(vec![dni]),
            Err(_) => long(),
        },
        Under::Unknown => long(),
    }
}

fn within_tax(before: &str, millions: &str, rest: &[Part]) -> Option<Sense> {
    let (check, rest) = rest.split_last()?;
    let check = match &check.said {
        Said::Word(Num::Unit(unit)) => unit.to_string(),
        Said::Figures(figure) if figure.len() == 1 => figure.clone(),
        _ => return None,
    };
    let Under::Sure { digits, .. } = under_a_million(rest) else { return None };
    cuil(&format!("{before}{millions:0>2}{digits}{check}"))
}

/// The six digits after the millions.
enum Under {
    /// `open`: the speaker may not have finished.
    Sure {
        digits: String,
        open: bool,
    },
    Unsure(String),
    Unknown,
}

fn under_a_million(rest: &[Part]) -> Under {
    let at = place(rest, Num::Thousand);
    if at == rest.len() {
        return without_thousand(rest);
    }
    let (thousands, units) = (&rest[..at], &rest[at + 1..]);
    if place(units, Num::Thousand) < units.len() {
        return Under::Unknown;
    }
    let thousands = if thousands.is_empty() { Some("001".to_owned()) } else { third(thousands) };
    match (thousands, third(units)) {
        (Some(thousands), Some(units_digits)) => {
            Under::Sure { digits: format!("{thousands}{units_digits}"), open: units.is_empty() }
        }
        (Some(thousands), None) if first_digits(units).len() < 3 => {
            Under::Unsure(format!("{thousands}{:0>3}", first_digits(units)))
        }
        _ => Under::Unknown,
    }
}

fn without_thousand(rest: &[Part]) -> Under {
    if rest.is_empty() {
        return Under::Sure { digits: "000000".to_owned(), open: true };
    }
    let ways = readings(rest);
    let digits = first_digits(rest);
    if let Some(six) = ways.iter().map(|way| joined(way)).find(|digits| digits.len() == 6) {
        return Under::Sure { digits: six, open: false };
    }
    match best(rest)[..] {
        [ref only] if only.digits.len() <= 3 => {
            Under::Sure { digits: format!("{digits:0>6}"), open: only.digits.len() == 3 }
        }
        [ref one, ref two] if one.digits.len().max(two.digits.len()) == 3 => {
            Under::Unsure(format!("{:0>3}{:0>3}", one.digits, two.digits))
        }
        _ => Under::Unknown,
    }
}

/// Up to three digits that fill one place; `None` where they don't.
fn third(parts: &[Part]) -> Option<String> {
    readings(parts).iter().find_map(|way| {
        let digits = joined(way);
        // `mil cero ocho`: a zero said first leaves no doubt about the place of the rest.
        let whole = digits.len() == 3 || (digits.len() < 3 && (way.len() <= 1 || digits.starts_with('0')));
        whole.then(|| format!("{digits:0>3}"))
    })
}

/// A stretch with `mil` and no `millones`: an amount or a year, unless it was put in the place of `millones`.
pub(super) fn thousands(parts: &[Part]) -> Sense {
    let at = place(parts, Num::Thousand);
    let (head, units) = (&parts[..at], &parts[at + 1..]);
    if place(units, Num::Thousand) < units.len() {
        return Sense::Quantity(0);
    }
    let head = best(head);
    let tail = first_digits(units);
    let (before, thousand) = match head.split_last() {
        Some((last, before)) => (joined(before), last.digits.clone()),
        None => (String::new(), "1".to_owned()),
    };
    if is_date(&before, &thousand, &tail) {
        return Sense::Quantity(8);
    }
    let units = third(units);
    let digits = match &units {
        Some(units) => format!("{before}{thousand:0>3}{units}"),
        None => format!("{before}{thousand}{tail}"),
    };
    let misplaced = !before.is_empty() || (units.is_none() && tail.len() == 6);
    match Dni::parse(&digits) {
        Ok(dni) if misplaced => Sense::Doubtful(vec![dni]),
        _ if misplaced => Sense::Digits(digits),
        _ => Sense::Quantity(digits.trim_start_matches('0').len()),
    }
}

/// `veintitrés cuatro mil novecientos cincuenta y seis`, `… dos mil cinco`.
fn is_date(before: &str, thousand: &str, tail: &str) -> bool {
    let last_century = tail.len() == 3 && tail.starts_with('9');
    let days = if last_century { format!("{before}{thousand}") } else { before.to_owned() };
    let this_century = thousand == "2" && tail.len() <= 2;
    (last_century || this_century)
        && (1..days.len()).any(|cut| {
            let (day, month) = days.split_at(cut);
            let in_range = |text: &str, most: u32| text.parse().is_ok_and(|n: u32| (1..=most).contains(&n));
            days.len() <= 4 && in_range(day, 31) && in_range(month, 12)
        })
}

fn best(parts: &[Part]) -> Vec<Group> {
    readings(parts).into_iter().next().unwrap_or_default()
}

fn place(parts: &[Part], wanted: Num) -> usize {
    parts.iter().position(|part| part.said == Said::Word(wanted)).unwrap_or(parts.len())
}
