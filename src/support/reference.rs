//! References of the office (`C1T3`, `R45-K2`): letters and figures mixed, and nothing that a display shows.
use super::evidence::Evidence;
use super::fold::words;
use super::lexicon::{Kind, lexicon};
use super::ordinary::technical;
use super::reading::{Reading, read};
use crate::equipment::Code;

/// What such a reference is one of.
const LABELS: [&str; 14] = [
    "referencia",
    "reclamo",
    "pedido",
    "tramite",
    "gestion",
    "expediente",
    "ticket",
    "seguimiento",
    "solicitud",
    "orden",
    "turno",
    "caso",
    "afiliado",
    "registro",
];
/// What may stand between the two.
const BETWEEN: [&str; 16] = [
    "es",
    "el",
    "la",
    "numero",
    "nro",
    "con",
    "como",
    "bajo",
    "de",
    "del",
    "su",
    "registrado",
    "anotado",
    "quedo",
    "queda",
    "sera",
];
/// How many words may stand between them.
const APART: usize = 6;
/// Things that an office may count and deliver.
const DELIVERED: [&str; 6] = ["numero", "codigo", "letra", "oxigeno", "tubo", "manual"];

/// Reads a sentence without its references, where nothing in it is technical; else as it stands.
pub(super) fn read_without(text: &str, heard: &Evidence) -> Vec<Reading> {
    let Some(rest) = without(text) else { return read(text) };
    let readings = read(&rest);
    let thing = |reading: &Reading| {
        let held = |class: &str| DELIVERED.contains(&class);
        reading.terms.iter().any(|term| term.kind == Kind::Generic && !held(&term.class))
    };
    if readings.iter().any(|reading| technical(reading, heard) || thing(reading)) {
        return read(text);
    }
    readings
}

/// The text without the references in it; none where there are none.
fn without(text: &str) -> Option<String> {
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let mut kept = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let marks = |c: char| !c.is_alphanumeric();
        let name = piece.trim_matches(marks);
        let owner = pieces.get(at + 1).is_some_and(|next| ["de", "del"].contains(&next.trim_matches(marks)));
        if mixed(name) && labelled(&pieces[..at]) && !(owner && piece.ends_with(name)) {
            kept.push(piece.replace(name, ""));
        } else {
            kept.push((*piece).to_owned());
        }
    }
    (kept.iter().zip(&pieces).any(|(kept, piece)| kept != piece)).then(|| kept.join(" "))
}

/// Whether the words before it say what it is: 'su número de reclamo es'.
fn labelled(before: &[&str]) -> bool {
    for piece in before.iter().rev().take(APART) {
        if piece.ends_with(['.', ';', '?', '!', ')']) {
            return false;
        }
        match words(piece).as_slice() {
            [word] if word.is(&LABELS) => return true,
            [word] if word.is(&BETWEEN) => {}
            _ => return false,
        }
    }
    false
}

/// `C1T3`, `R45-K2`, `AB1234`: no display code, no quantity, and nothing that begins like one.
fn mixed(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '/');
    if !plain || name.len() < 4 {
        return false;
    }
    let parts: Vec<&str> = name.split(['-', '/']).collect();
    let code = |text: &str| Code::parse(text).is_ok();
    let shown = parts.iter().any(|part| code(part) || begins_like_a_code(part))
        || parts.windows(2).any(|pair| code(&pair.concat()));
    if shown || parts.iter().any(|part| part.is_empty() || amount(part)) {
        return false;
    }
    let figures = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(char::is_ascii_alphabetic).count();
    let runs: usize = parts.iter().map(|part| runs(part)).sum();
    figures > 0 && letters > 0 && (runs > 2 || figures > 3)
}

/// How many runs of letters and of figures.
fn runs(part: &str) -> usize {
    let bytes = part.as_bytes();
    1 + bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// `E05B`, `H2O2`.
fn begins_like_a_code(part: &str) -> bool {
    let bytes = part.as_bytes();
    matches!(bytes, [b'e' | b'E' | b'h' | b'H', next, ..] if next.is_ascii_digit())
}

/// `2L`, `15min`: a figure and its unit.
fn amount(part: &str) -> bool {
    let unit = part.trim_start_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    unit.len() < part.len() && (lexicon().unit(&unit).is_some() || matches!(unit.as_str(), "h" | "m" | "v"))
}
