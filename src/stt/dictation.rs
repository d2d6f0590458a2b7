//! Whether somebody who has stopped for breath is in the middle of a document number.
use crate::equipment::Catalogue;
use crate::numerals::{Num, number};
use crate::tokens::{Token, plain, tokens};

/// The most words from the end that are looked at: a document needs fewer.
const LOOKED_AT: usize = 40;

/// The most words that a name and what tells it from a number take.
const NAME_WORDS: usize = 12;

/// Digits of a document; an old one may have one less.
const DOCUMENT: usize = 8;

/// Whether `text` ends in digits (figures or number words) that may be the beginning of a document: fewer than
/// eight, seven only if they are grouped like one. Codes, models and times of day end no document.
pub(super) fn is_pending(text: &str) -> bool {
    let Some((before, groups)) = tail(text) else { return false };
    let digits: usize = groups.iter().sum();
    let whole = digits >= DOCUMENT || groups == [1, 3, 3];
    !whole && !hour(before) && !glued(text) && !ends_in_name(text)
}

/// The word before the digits at the end, and how many digits each group has; `None` if there are none.
fn tail(text: &str) -> Option<(&str, Vec<usize>)> {
    let all: Vec<Token<'_>> = tokens(text).collect();
    let from = all.len().saturating_sub(LOOKED_AT);
    let (mut begin, mut any) = (all.len(), false);
    for (at, token) in all.iter().enumerate().skip(from).rev() {
        match part(token) {
            Part::Digits => (begin, any) = (at, true),
            Part::Joint if any => {}
            // A hesitation after the last digit is part of the pause.
            Part::Hesitation => {}
            _ => break,
        }
    }
    let before = begin.checked_sub(1).map_or("", |at| all[at].text);
    any.then(|| (before, groups(&all[begin..])))
}

enum Part {
    Digits,
    Joint,
    Hesitation,
    Other,
}

fn part(token: &Token<'_>) -> Part {
    let word = plain(token.text);
    if token.figures || number(&word).is_some() {
        return Part::Digits;
    }
    match word.as_str() {
        "y" | "doble" | "triple" | "punto" | "guion" | "coma" => Part::Joint,
        "eh" | "ehh" | "ehm" | "em" | "mm" | "mmm" | "este" => Part::Hesitation,
        _ => Part::Other,
    }
}

/// Digits by groups as they were said: `treinta y dos` is one of two, `cuatrocientos cincuenta y seis` one of
/// three. `mil` and `millones` part groups and promise nothing.
fn groups(run: &[Token<'_>]) -> Vec<usize> {
    let (mut groups, mut open, mut times): (Vec<usize>, Option<Num>, usize) = (Vec::new(), None, 1);
    for token in run {
        if token.figures {
            groups.push(token.text.len() * times);
            (open, times) = (None, 1);
            continue;
        }
        let word = plain(token.text);
        match number(&word) {
            Some(num) => {
                let width = width(num);
                if width > 0 && !joins(open, num) {
                    groups.push(width * times);
                }
                (open, times) = ((width > 0).then_some(num), 1);
            }
            None => times = multiple(word.as_str()).unwrap_or(times),
        }
    }
    groups
}

fn multiple(word: &str) -> Option<usize> {
    match word {
        "doble" => Some(2),
        "triple" => Some(3),
        _ => None,
    }
}

fn width(num: Num) -> usize {
    match num {
        Num::Unit(_) => 1,
        Num::Pair(_) | Num::Tens(_) => 2,
        Num::Hundreds(_) => 3,
        Num::Thousand | Num::Million => 0,
    }
}

/// Whether a word goes on with the group before it.
fn joins(open: Option<Num>, num: Num) -> bool {
    let tens = matches!(open, Some(Num::Tens(_)));
    let hundreds = matches!(open, Some(Num::Hundreds(_)));
    match num {
        Num::Unit(1..) => tens || hundreds,
        Num::Pair(_) | Num::Tens(_) => hundreds,
        _ => false,
    }
}

/// `a las ocho`.
fn hour(before: &str) -> bool {
    plain(before).as_str() == "las"
}

/// Whether the digits belong to what equipment or its display is called: `M50`, `error hache cero ocho`.
fn ends_in_name(text: &str) -> bool {
    let begin = text.rmatch_indices(char::is_whitespace).nth(NAME_WORDS).map_or(0, |(at, _)| at);
    let found = Catalogue::builtin().normalise(&text[begin..]);
    let codes = found.codes.iter().map(ToString::to_string);
    let names = found.models.iter().map(|model| model.as_str().to_owned());
    let others = found.others.into_iter().chain(found.text_codes).chain(found.ambiguous);
    let end = found.text.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    codes.chain(names).chain(others).any(|name| end.ends_with(&name.to_lowercase()))
}

/// Letters and figures in one word: `LG103`, `X7`, whatever it is the name of.
fn glued(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    last.contains(char::is_alphabetic) && last.contains(|c: char| c.is_ascii_digit())
}
