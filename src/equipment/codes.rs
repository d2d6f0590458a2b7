//! Codes that displays show: E or H and digits, equal however they are written (R17).

use crate::tokens::{Gap, tokens};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The letter of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Letter {
    /// E, written without leading zeros: `E4`, `E43`.
    E,
    /// H, written with two digits: `H08`.
    H,
}

/// A display code. `H8`, `h-08` and `H08` are one code; `E4` and `E43` are two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code {
    letter: Letter,
    number: u16,
}

/// What isn't a code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{0}\" is no display code; expected E or H and one to three digits, such as H08")]
pub struct CodeError(String);

impl Code {
    /// The code of this letter and number (0–999).
    pub fn new(letter: Letter, number: u16) -> Option<Self> {
        (number < 1000).then_some(Code { letter, number })
    }

    /// Reads a whole text as one code: `H08`, `h 8`, `E-43`.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let bad = || CodeError(text.to_owned());
        let text = text.trim();
        let letter = match text.chars().next() {
            Some('e' | 'E') => Letter::E,
            Some('h' | 'H') => Letter::H,
            _ => return Err(bad()),
        };
        let digits = text[1..].trim_start_matches([' ', '-', '–']);
        if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        digits.parse().map(|number| Code { letter, number }).map_err(|_| bad())
    }

    /// The letter.
    pub fn letter(self) -> Letter {
        self.letter
    }

    /// The number, 0–999.
    pub fn number(self) -> u16 {
        self.number
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.letter {
            Letter::E => write!(f, "E{}", self.number),
            Letter::H => write!(f, "H{:02}", self.number),
        }
    }
}

impl FromStr for Code {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        Code::parse(text)
    }
}

impl TryFrom<String> for Code {
    type Error = CodeError;

    fn try_from(text: String) -> Result<Self, CodeError> {
        Code::parse(&text)
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.to_string()
    }
}

/// The codes written in a text, each once, in order: a normalised question or a row of a manual.
/// Only whole words count (`E4` isn't in `E43`, nor `H2` in `H2O`), with at most a hyphen inside;
/// letters said apart are [`super::Catalogue::normalise`]'s, which knows addresses from codes.
pub fn codes_in(text: &str) -> Vec<Code> {
    let mut codes = Vec::new();
    let mut words = tokens(text).peekable();
    while let Some(letter) = words.next() {
        let Some(number) = words.peek().copied() else { break };
        let between = &text[letter.end()..number.start];
        let after = &text[number.end()..];
        let whole =
            letter.gap != Gap::Glued && matches!(between, "" | "-" | "–") && number.figures && ends(after);
        if whole
            && let Ok(code) = Code::parse(&text[letter.start..number.end()])
            && !codes.contains(&code)
        {
            codes.push(code);
        }
    }
    codes
}

/// Neither a letter nor decimals follow.
fn ends(after: &str) -> bool {
    let mut next = after.chars();
    match next.next() {
        Some('.' | ',') => !next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric(),
        None => true,
    }
}
