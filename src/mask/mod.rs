//! What keeps a document number out of embeddings, models, events and logs (S4).
//!
//! Every number of seven or more digits is taken for one: written together or apart (dots, spaces,
//! hyphens, commas), dictated digit by digit, in pairs or groups, or said as a number; phones and
//! CUILs with it. Left alone: codes, models, times, dates with slashes, smaller numbers, and round
//! millions of something (`dos millones de pesos`). Where in doubt it masks.

mod number;
mod run;
mod talk;

pub use talk::Talk;

use crate::dni::{dictated, numbers, spans};
use crate::ids::Dni;
use crate::transcript::Turn;
use run::{LongNumber, runs};
use std::borrow::Cow;

/// `text` with each long number as `DNI ···789` (its last three digits; `DNI ···` where they can't
/// be told). Masking twice changes nothing; nothing to mask allocates nothing.
pub fn mask(text: &str) -> Cow<'_, str> {
    match hide(text, runs(text)) {
        Cow::Borrowed(text) => hide(text, heard(text)),
        Cow::Owned(masked) => Cow::Owned(match hide(&masked, heard(&masked)) {
            Cow::Owned(again) => again,
            Cow::Borrowed(_) => masked,
        }),
    }
}

/// The lines of a conversation, masked: as [`mask`] does, and the parts of a document that is dictated over
/// several of them as `DNI ···`, from the part on that tells what it is.
pub fn mask_lines(lines: &[Turn]) -> Vec<String> {
    let masked = lines.iter().zip(pieces(lines)).map(|(line, piece)| match piece {
        true => mask_piece(&line.text),
        false => mask(&line.text).into_owned(),
    });
    masked.collect()
}

/// The lines before one that tell whether it goes on with a document.
pub(crate) const AROUND: usize = 12;

/// Which of these lines have a part of a document in them.
pub(crate) fn pieces(lines: &[Turn]) -> Vec<bool> {
    dictated(lines)
}

/// A line that has a part of a document in it, without its numbers.
pub(crate) fn mask_piece(text: &str) -> String {
    let whole = mask(text);
    if contains_label(&whole) {
        return whole.into_owned();
    }
    let parts = numbers(&whole).into_iter().filter(|at| tells_digits(&whole[at.clone()]));
    hide(&whole, parts.map(|at| LongNumber { start: at.start, end: at.end, last: None })).into_owned()
}

/// `millones miles` alone tells no digit.
fn tells_digits(number: &str) -> bool {
    let scale = |word: &str| {
        matches!(word.to_lowercase().as_str(), "mil" | "miles" | "millon" | "millón" | "millones")
    };
    number.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && !scale(word))
}

fn contains_label(text: &str) -> bool {
    text.contains("DNI ···")
}

/// What is heard as a document in spite of asides that end other numbers.
fn heard(text: &str) -> impl Iterator<Item = LongNumber> + use<> {
    spans(text).into_iter().map(|(place, may_be)| {
        let last = |dni: &Dni| dni.digits().bytes().rev().take(3).collect::<Vec<u8>>();
        let told = may_be.first().filter(|first| may_be.iter().all(|other| last(other) == last(first)));
        let last = told.and_then(|dni| <[u8; 3]>::try_from(last(dni)).ok());
        let last = last.map(|[units, tens, hundreds]| [hundreds, tens, units].map(|digit| digit - b'0'));
        LongNumber { start: place.start, end: place.end, last }
    })
}

fn hide(text: &str, numbers: impl Iterator<Item = LongNumber>) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    for run in numbers {
        masked.push_str(&text[copied..labelled(text, copied, run.start)]);
        masked.push_str("DNI ···");
        if let Some(last) = run.last {
            masked.extend(last.map(|digit| char::from(b'0' + digit)));
        }
        copied = run.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// Whether [`mask`] would change `text`: for tests that sweep whatever leaves the service.
pub fn contains_long_number(text: &str) -> bool {
    runs(text).next().is_some() || heard(text).next().is_some()
}

/// Takes a `DNI` that already stands before the number into the mask, lest it be said twice.
fn labelled(text: &str, from: usize, start: usize) -> usize {
    let before = &text[from..start];
    let bare = ["n°", "nº", "nro.", "nro", "es", "número", "numero", ":"]
        .iter()
        .find_map(|label| strip_end(before, label))
        .unwrap_or(before);
    match strip_end(bare, "dni") {
        Some(rest) if !rest.ends_with(char::is_alphanumeric) => from + rest.len(),
        _ => start,
    }
}

fn strip_end<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let text = text.trim_end();
    let (at, _) = text.char_indices().rev().nth(label.chars().count() - 1)?;
    (text[at..].to_lowercase() == label).then(|| &text[..at])
}
