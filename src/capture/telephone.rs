//! A telephone for a call back, as the patient says it: digits that only the call back may see.
use crate::numerals::{Num, number};
use crate::tokens::{plain, tokens};
use std::fmt;
use std::ops::RangeInclusive;

/// Digits of a telephone in Argentina: a local number, up to one with country and mobile prefix (E13).
const DIGITS: RangeInclusive<usize> = 6..=13;

/// A telephone. Prints as `Tel. ···4567` and isn't serialisable: the digits come out through
/// [`Telephone::digits`] alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Telephone(String);

/// Why a text is no telephone. Never holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTelephone {
    /// Something other than digits, spaces, hyphens, dots, brackets and a leading `+`.
    #[error("telephone refused: it holds something other than digits, spaces, hyphens and brackets")]
    NotDigits,
    /// An impossible count of digits.
    #[error("telephone refused: expected 6 to 13 digits, got {0}; ask for it again")]
    Digits(usize),
}

impl Telephone {
    /// Takes a written number in: `11 4567-8900`, `+54 9 341 555-1234`.
    pub fn parse(text: &str) -> Result<Self, BadTelephone> {
        let text = text.trim();
        let bare = text.strip_prefix('+').unwrap_or(text);
        let mark = |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '(' | ')' | '/');
        if !bare.chars().all(|c| c.is_ascii_digit() || mark(c)) {
            return Err(BadTelephone::NotDigits);
        }
        Self::of(bare.chars().filter(char::is_ascii_digit).collect())
    }

    /// The number in a line of somebody who says one: figures or number words, alone or in groups. The first
    /// stretch of a possible count of digits; an impossible one is none (E13).
    pub fn said_in(text: &str) -> Option<Self> {
        let mut stretches = vec![String::new()];
        let mut tens = None;
        for token in tokens(text) {
            let key = plain(token.text);
            let digits = if token.figures { Some(token.text.to_owned()) } else { spoken(&key, &mut tens) };
            match (digits, stretches.last_mut()) {
                (Some(digits), Some(stretch)) => stretch.push_str(&digits),
                (None, Some(stretch)) if !stretch.is_empty() && !is_joint(key.as_str()) => {
                    flush(stretch, &mut tens);
                    stretches.push(String::new());
                }
                _ => {}
            }
        }
        if let Some(stretch) = stretches.last_mut() {
            flush(stretch, &mut tens);
        }
        stretches.into_iter().find_map(|digits| Self::of(digits).ok())
    }

    /// The digits, for the call back: never for a log, a model or an event.
    pub fn digits(&self) -> &str {
        &self.0
    }

    fn of(digits: String) -> Result<Self, BadTelephone> {
        if DIGITS.contains(&digits.len()) {
            Ok(Self(digits))
        } else {
            Err(BadTelephone::Digits(digits.len()))
        }
    }
}

/// Words between the groups of a dictated number.
fn is_joint(word: &str) -> bool {
    matches!(word, "y" | "eh" | "guion" | "despues" | "luego")
}

/// What waits: tens or hundreds whose rest may follow.
type Waiting = Option<u16>;

/// A number word's digits: `treinta y cuatro` waits for its `cuatro`.
fn spoken(word: &crate::tokens::Key, waiting: &mut Waiting) -> Option<String> {
    let before = |waiting: &mut Waiting| waiting.take().map(|n| n.to_string()).unwrap_or_default();
    match number(word)? {
        Num::Unit(unit) => match waiting.take() {
            Some(held) if held % 10 == 0 && unit > 0 => Some((held + unit).to_string()),
            held => Some(format!("{}{unit}", held.map(|n| n.to_string()).unwrap_or_default())),
        },
        Num::Pair(pair) => match waiting.take() {
            Some(held) if held % 100 == 0 => Some((held + pair).to_string()),
            held => Some(format!("{}{pair}", held.map(|n| n.to_string()).unwrap_or_default())),
        },
        Num::Tens(tens) => match waiting.take() {
            Some(held) if held % 100 == 0 => {
                *waiting = Some(held + tens);
                Some(String::new())
            }
            held => {
                *waiting = Some(tens);
                Some(held.map(|n| n.to_string()).unwrap_or_default())
            }
        },
        Num::Hundreds(hundreds) => {
            let digits = before(waiting);
            *waiting = Some(hundreds);
            Some(digits)
        }
        Num::Thousand | Num::Million => None,
    }
}

fn flush(stretch: &mut String, waiting: &mut Waiting) {
    if let Some(held) = waiting.take() {
        stretch.push_str(&held.to_string());
    }
}

impl fmt::Display for Telephone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.0.len().saturating_sub(4);
        write!(f, "Tel. ···{}", self.0.get(from..).unwrap_or_default())
    }
}

impl fmt::Debug for Telephone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telephone(***)")
    }
}
