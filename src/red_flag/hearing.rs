//! An utterance as the list hears it: words with their classes, numbers with their worth.

use super::lexicon::{Classes, sound};
use super::list::List;
use crate::numerals::{Num, number};
use crate::tokens::{Gap, Token, plain, tokens};
use std::ops::RangeInclusive;

/// An utterance longer than this is judged by its end: what is said last is what is happening.
const MOST_BYTES: usize = 32 * 1024;
/// The same in words.
const MOST_WORDS: usize = 2_000;

/// How far around a sign a sentence is looked at, in words.
pub(super) const REACH: usize = 24;
/// So many pills are too many.
const MANY: u16 = 5;
/// Numbers that are heard as years.
const YEARS: RangeInclusive<u16> = 1930..=2100;

/// A word.
pub(super) struct Word {
    pub(super) classes: Classes,
    pub(super) gap: Gap,
    /// A gap of a pattern stops here: negations and adversatives.
    pub(super) wall: bool,
    /// `sí` with its accent opens no condition.
    pub(super) accented: bool,
}

/// All words of an utterance, in order.
pub(super) struct Heard<'a> {
    pub(super) words: Vec<Word>,
    pub(super) list: &'a List,
    /// The first word at which a sign may begin: what was said before a cut would be missing.
    pub(super) first: usize,
    /// Whether it holds a question mark.
    pub(super) asks: bool,
}

impl<'a> Heard<'a> {
    pub(super) fn new(list: &'a List, text: &str) -> Self {
        let start = text.ceil_char_boundary(text.len().saturating_sub(MOST_BYTES));
        let text = &text[start..];
        let mut found: Vec<Token<'_>> = tokens(text).collect();
        let over = found.len().saturating_sub(MOST_WORDS);
        found.drain(..over);
        let first = if start > 0 || over > 0 { REACH } else { 0 };
        let words = (0..found.len()).map(|at| word(list, &found[at..])).collect();
        Heard { words, list, first, asks: text.contains('?') }
    }

    /// Whether word `at` is in `class`.
    pub(super) fn is(&self, at: usize, class: Classes) -> bool {
        self.words.get(at).is_some_and(|word| word.classes.meets(&class))
    }

    /// Whether a sentence or the utterance ends before word `at`.
    pub(super) fn breaks(&self, at: usize) -> bool {
        at == 0 || self.words.get(at).is_none_or(|word| word.gap == Gap::Break)
    }

    /// Whether a clause does end before word `at`: a pause, or the word that begins another.
    pub(super) fn ends_clause(&self, at: usize) -> bool {
        self.pauses(at) || self.is(at, self.list.named.clause)
    }

    /// Whether a clause may end before word `at`: a comma, or the end of the sentence.
    pub(super) fn pauses(&self, at: usize) -> bool {
        self.breaks(at) || self.words.get(at).is_some_and(|word| word.gap == Gap::Comma)
    }
}

fn word(list: &List, rest: &[Token<'_>]) -> Word {
    let Some(token) = rest.first() else {
        return Word { classes: Classes::NONE, gap: Gap::Break, wall: true, accented: false };
    };
    let mut classes = if token.figures { Classes::NONE } else { list.lexicon.classes(&sound(token.text)) };
    if let Some((worth, words)) = value(rest) {
        classes.join(&list.named.number);
        if worth >= MANY {
            classes.join(&list.named.many);
        }
        if list.low.contains(&worth) && !counts(list, rest.get(words..).unwrap_or_default()) {
            classes.join(&list.named.low);
        }
    }
    if token.figures && token.text.starts_with("08") {
        classes.join(&list.named.contact); // 0800, 0810: toll-free numbers
    }
    if token.figures && token.text.parse().is_ok_and(|year| YEARS.contains(&year)) {
        classes.join(&list.named.year);
    }
    let accented = token.text.chars().any(|c| matches!(c, 'í' | 'Í'));
    Word { classes, gap: token.gap, wall: classes.meets(&list.named.wall), accented }
}

/// Whether a number before `rest` counts years, litres or what happens in a minute.
fn counts(list: &List, rest: &[Token<'_>]) -> bool {
    let is = |at: usize, class| {
        rest.get(at).is_some_and(|token| list.lexicon.classes(&sound(token.text)).meets(&class))
    };
    is(0, list.named.unit) || (is(0, list.named.per) && is(1, list.named.unit))
}

/// What the number that begins here is worth and how many words it has, where it is below a thousand.
fn value(rest: &[Token<'_>]) -> Option<(u16, usize)> {
    let token = rest.first()?;
    if token.figures {
        let decimal = rest.get(1).is_some_and(|next| next.figures && next.gap == Gap::Point);
        return token.text.parse().ok().filter(|value| *value < 1000 && !decimal).map(|value| (value, 1));
    }
    let word = |at: usize| rest.get(at).map(|token| plain(token.text));
    match number(&word(0)?)? {
        Num::Unit(value) | Num::Pair(value) | Num::Hundreds(value) => Some((value, 1)),
        Num::Tens(tens) => {
            let and = word(1).is_some_and(|next| next.as_str() == "y");
            let at = if and { 2 } else { 1 };
            match word(at).and_then(|unit| number(&unit)) {
                Some(Num::Unit(unit)) => Some((tens + unit, at + 1)),
                _ => Some((tens, 1)),
            }
        }
        Num::Thousand | Num::Million => None,
    }
}
