//! Numbers in a sentence, however they are said: where each begins and ends, and its last digits.

use super::number::Run;
use crate::numerals::{Num, number};
use crate::tokens::{Token, plain, tokens};

/// Hesitations and asides in a row after which a dictation is taken to have ended.
pub(super) const ASIDES: usize = 4;

/// A long number in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongNumber {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its last three digits, if they can be told.
    pub(super) last: Option<[u8; 3]>,
}

/// The long numbers of a text, in order.
pub(super) struct Runs<'a, I: Iterator<Item = Token<'a>>> {
    text: &'a str,
    tokens: std::iter::Peekable<I>,
    run: Option<Run>,
}

/// The long numbers of `text`; reads on as it is asked, without allocating.
pub(super) fn runs(text: &str) -> Runs<'_, impl Iterator<Item = Token<'_>>> {
    Runs { text, tokens: tokens(text).peekable(), run: None }
}

impl<'a, I: Iterator<Item = Token<'a>>> Iterator for Runs<'a, I> {
    type Item = LongNumber;

    fn next(&mut self) -> Option<LongNumber> {
        while let Some(token) = self.tokens.next() {
            let word = plain(token.text);
            let part = self.part(&token, word.as_str());
            let breaks = self.run.as_ref().is_some_and(|run| run.breaks(self.text, &token, part));
            let closed = if breaks { self.close(word.as_str()) } else { None };
            match part {
                Part::Other => {}
                Part::Aside(aside) => {
                    if let Some(run) = &mut self.run {
                        run.aside(aside);
                    }
                }
                _ => self.run.get_or_insert_with(|| Run::new(token.start)).take(&token, part),
            }
            if closed.is_some() {
                return closed;
            }
        }
        self.close("")
    }
}

/// What a token is to a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Figures,
    Word(Num),
    Aside(Aside),
    Other,
}

/// What may stand inside a dictation without ending it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Aside {
    And,
    Times(u8),
    Hesitation,
    /// `cuatro o ocho`: the letter, for zero.
    Zero,
    /// Only where much has been dictated already: in ordinary speech these end a number.
    Late,
    Correction,
}

impl<'a, I: Iterator<Item = Token<'a>>> Runs<'a, I> {
    fn part(&mut self, token: &Token<'_>, word: &str) -> Part {
        if token.figures {
            let masked = self.text[..token.start].ends_with('·');
            return if masked { Part::Other } else { Part::Figures };
        }
        if let Some(num) = number(&plain(token.text)) {
            let alone = num == Num::Million && self.run.is_none();
            return if alone { Part::Other } else { Part::Word(num) };
        }
        match word {
            "un" if self.before_thousands() => Part::Word(Num::Unit(1)),
            _ => aside(word).map_or(Part::Other, Part::Aside),
        }
    }

    fn before_thousands(&mut self) -> bool {
        let next = self.tokens.peek().and_then(|next| number(&plain(next.text)));
        matches!(next, Some(Num::Thousand | Num::Million))
    }

    fn close(&mut self, next: &str) -> Option<LongNumber> {
        self.run.take()?.finish(next)
    }
}

fn aside(word: &str) -> Option<Aside> {
    Some(match word {
        "y" => Aside::And,
        "doble" => Aside::Times(2),
        "triple" => Aside::Times(3),
        "eh" | "ehh" | "ehm" | "em" | "mm" | "mmm" | "este" | "guion" | "punto" | "coma" | "espacio" => {
            Aside::Hesitation
        }
        "o" => Aside::Zero,
        "a" | "ver" | "bueno" | "despues" | "luego" | "sigue" | "entonces" | "sea" | "el" | "dicho"
        | "ah" => Aside::Late,
        "no" | "perdon" | "digo" | "repito" | "mejor" | "corrijo" => Aside::Correction,
        _ => return None,
    })
}
