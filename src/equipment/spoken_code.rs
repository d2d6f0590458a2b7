//! Codes as they are spoken: the letter's name, then digits, words or a number; and what only sounds so.

use super::Catalogue;
use super::codes::{Code, Letter};
use super::context::Context;
use super::sentence::Word;
use super::source;
use crate::numerals::{Num, sounded_number};
use crate::tokens::{Gap, Key, phonetic};

/// How the letters of codes are said.
pub(super) struct Letters {
    e: Vec<Key>,
    h: Vec<Key>,
}

impl Letters {
    pub(super) fn new(codes: &source::Codes) -> Self {
        let fold = |names: &[String]| names.iter().map(|name| phonetic(name)).collect();
        Letters { e: fold(&codes.e), h: fold(&codes.h) }
    }

    /// The letter that a word says, and the number if both are one word (`ecuatro`).
    fn read(&self, word: &Word<'_>) -> Option<(Letter, Option<Num>)> {
        let both = [(Letter::E, &self.e), (Letter::H, &self.h)];
        if let Some((letter, _)) = both.iter().find(|(_, names)| names.contains(&word.sound)) {
            return Some((*letter, None));
        }
        let said = word.sound.as_str();
        both.iter().find_map(|(letter, names)| {
            let rests = names.iter().filter_map(|name| said.strip_prefix(name.as_str()));
            let number =
                rests.filter(|rest| rest.len() > 2).find_map(|rest| sounded_number(&phonetic(rest)))?;
            matches!(number, Num::Unit(_) | Num::Pair(_) | Num::Tens(_)).then_some((*letter, Some(number)))
        })
    }
}

/// A number as it was said.
struct Said {
    value: u16,
    end: usize,
    /// It began with zero, as nothing but a code does.
    zero: bool,
}

/// The code that begins at word `at`, and where it ends.
pub(super) fn code_at(catalogue: &Catalogue, context: &Context<'_>, at: usize) -> Option<(Code, usize)> {
    let word = context.word(at).filter(|word| !word.token.figures && word.gap != Gap::Glued)?;
    let (letter, joined) = match catalogue.letters.read(word) {
        Some(read) => read,
        // 'error he cuatro': after that word nothing else can be meant.
        None if word.is("he") && context.before(at).is_some_and(|w| w.is("eror") || w.is("kodigo")) => {
            (Letter::E, None)
        }
        None => return None,
    };
    let said = match joined {
        Some(number) => with_unit(context, number, at + 1)?,
        None => number(context, at + 1)?,
    };
    let code = Code::new(letter, said.value)?;
    let tight = context.word(at + 1).is_some_and(|next| {
        next.token.figures && matches!(next.gap, Gap::Glued | Gap::Hyphen) && said.end == at + 2
    });
    let sure = tight || joined.is_some() || said.zero;
    let meant = !in_other_use(context, at, &said, letter, tight)
        && (sure || likely(catalogue, context, at, &said, code));
    meant.then_some((code, said.end))
}

/// Without a word about a display near it, a code said loosely must be one of the manuals' and must
/// not follow what makes it a hesitation; alone in its turn it may be any.
fn likely(catalogue: &Catalogue, context: &Context<'_>, at: usize, said: &Said, code: Code) -> bool {
    let alone = at == 0 && said.end == context.sentence.words.len();
    alone || context.cue_before(at) || (catalogue.known.contains(&code) && !context.hesitates(at))
}

/// Times, quantities, places, formulas, spelled words and addresses of mail.
fn in_other_use(context: &Context<'_>, at: usize, said: &Said, letter: Letter, tight: bool) -> bool {
    let end = said.end;
    let before = context.before(at);
    // `H15` in capitals and in one piece is written so on purpose.
    let written = tight && context.word(at).is_some_and(|word| matches!(word.token.text, "E" | "H"));
    let hour = context.word(at).is_some_and(|word| word.is("h"))
        && before.is_some_and(|word| word.token.figures && !context.taken[at - 1])
        && context.word(at).is_some_and(|word| word.gap == Gap::Space);
    let spelling = before.is_some_and(|word| {
        word.letter()
            && !["a", "e", "i", "o", "u", "y"].iter().any(|vowel| word.is(vowel))
            && !context.taken[at - 1]
    });
    let water = letter == Letter::H
        && said.value == 2
        && !said.zero
        && context.word(end).is_some_and(|word| word.is("o"))
        && context.close_after(end + 1).is_none();
    let mail = (end..end + 3).any(|next| context.word(next).is_some_and(|word| word.is("aroba")));
    let counted = !tight && !said.zero && context.counts_after(end);
    let more = context.goes_on(end) && !context.word(end).is_some_and(|word| word.is("y"));
    (!written && (hour || spelling))
        || water
        || mail
        || counted
        || more
        || context.money_after(end)
        || context.place_before(at)
        || context.place_after(at, end)
}

/// A number from word `at` on.
fn number(context: &Context<'_>, at: usize) -> Option<Said> {
    let at = if context.word(at)?.is("guion") { at + 1 } else { at };
    let first = context.word(at)?;
    if context.taken[at] || matches!(first.gap, Gap::Break | Gap::Colon | Gap::Point) {
        return None;
    }
    match digit(first) {
        Some(0) => after_zero(context, at + 1),
        None if first.is("o") => after_zero(context, at + 1),
        Some(value) => Some(second_digit(context, value, at + 1)),
        None if first.token.figures => figures(first, at),
        None => with_unit(context, first.number?, at + 1),
    }
}

fn digit(word: &Word<'_>) -> Option<u16> {
    match word.number {
        Some(Num::Unit(unit)) => Some(unit),
        None if word.token.figures && word.token.text.len() == 1 => word.token.text.parse().ok(),
        _ => None,
    }
}

fn figures(word: &Word<'_>, at: usize) -> Option<Said> {
    let text = word.token.text;
    let value = text.parse().ok().filter(|_| text.len() <= 3)?;
    Some(Said { value, end: at + 1, zero: text.starts_with('0') })
}

/// `cero ocho`, `o ocho`, `0 0 8`.
fn after_zero(context: &Context<'_>, mut at: usize) -> Option<Said> {
    loop {
        let word = context.word(at).filter(|word| !matches!(word.gap, Gap::Break | Gap::Colon))?;
        at += 1;
        match digit(word)? {
            0 => {}
            value => return Some(Said { value, end: at, zero: true }),
        }
    }
}

/// `cuatro tres`, unless the second counts something.
fn second_digit(context: &Context<'_>, value: u16, at: usize) -> Said {
    let alone = Said { value, end: at, zero: false };
    let Some(next) = context.close_after(at).filter(|next| !context.taken[at] && next.gap != Gap::Point)
    else {
        return alone;
    };
    match digit(next) {
        Some(second) if !context.counts_after(at + 1) && !context.begins[at] => {
            Said { value: value * 10 + second, end: at + 1, zero: false }
        }
        _ => alone,
    }
}

/// A number word and, after tens or hundreds, what belongs to it.
fn with_unit(context: &Context<'_>, first: Num, at: usize) -> Option<Said> {
    let (value, tens) = match first {
        Num::Unit(value) | Num::Pair(value) => (value, false),
        Num::Tens(value) => (value, true),
        Num::Hundreds(value) => return Some(below_hundred(context, value, at)),
        Num::Thousand | Num::Million => return None,
    };
    if !tens {
        return Some(Said { value, end: at, zero: false });
    }
    let and = context.close_after(at).is_some_and(|word| word.is("y") || word.is("i"));
    let unit_at = at + usize::from(and);
    let unit = context.close_after(unit_at).filter(|_| !context.begins[unit_at]).and_then(digit);
    let joins = unit.filter(|unit| *unit > 0 && (and || !context.counts_after(unit_at + 1)));
    Some(match joins {
        Some(unit) => Said { value: value + unit, end: unit_at + 1, zero: false },
        None => Said { value, end: at, zero: false },
    })
}

fn below_hundred(context: &Context<'_>, hundreds: u16, at: usize) -> Said {
    let rest = context.close_after(at).and_then(|word| word.number);
    let rest = rest.filter(|num| matches!(num, Num::Unit(1..) | Num::Pair(_) | Num::Tens(_)));
    match rest.and_then(|num| with_unit(context, num, at + 1)) {
        Some(said) => Said { value: hundreds + said.value, ..said },
        None => Said { value: hundreds, end: at, zero: false },
    }
}
