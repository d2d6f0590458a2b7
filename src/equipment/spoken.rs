//! The catalogue's names as callers say them, for a recogniser to listen for.
use super::catalogue::{Catalogue, Meaning};
use super::codes::{Code, Letter};
use crate::numerals::cardinal;
use crate::tokens::tokens;

/// How the letters that stand in names and codes are said.
const LETTERS: [(char, &str); 26] = [
    ('a', "a"),
    ('b', "be"),
    ('c', "ce"),
    ('d', "de"),
    ('e', "e"),
    ('f', "efe"),
    ('g', "ge"),
    ('h', "hache"),
    ('i', "i"),
    ('j', "jota"),
    ('k', "ka"),
    ('l', "ele"),
    ('m', "eme"),
    ('n', "ene"),
    ('o', "o"),
    ('p', "pe"),
    ('q', "cu"),
    ('r', "erre"),
    ('s', "ese"),
    ('t', "te"),
    ('u', "u"),
    ('v', "ve"),
    ('w', "doble ve"),
    ('x', "equis"),
    ('y', "i griega"),
    ('z', "zeta"),
];

impl Catalogue {
    /// Names and codes worth listening for, the worthiest first: models as written, models that are spelled
    /// (`siete efe cinco`), what displays say, other devices, names that leave the device open. A term may
    /// come twice.
    pub fn spoken_terms(&self) -> Vec<String> {
        let models = || self.models().map(|model| model.as_str());
        let mut terms: Vec<String> = models().map(str::to_owned).collect();
        terms.extend(models().filter_map(spelled));
        let texts = self.meanings.iter().filter_map(|meaning| match meaning {
            Meaning::TextCode(name) => Some(name.clone()),
            _ => None,
        });
        terms.extend(texts);
        terms.extend(self.known.iter().map(|code| said(*code)));
        let rest = self.meanings.iter().filter_map(|meaning| match meaning {
            Meaning::Other(name) | Meaning::Ambiguous { name, .. } => Some(name.clone()),
            _ => None,
        });
        terms.extend(rest);
        terms
    }
}

/// A name of letters and figures as it is spelled; `None` for names that are words.
fn spelled(name: &str) -> Option<String> {
    let mut words = Vec::new();
    for token in tokens(name) {
        if token.figures {
            words.push(cardinal(token.text.parse().ok().filter(|value| *value < 1000)?));
        } else if token.text.len() <= 2 {
            words.extend(token.text.chars().map(letter).collect::<Option<Vec<_>>>()?);
        } else {
            return None;
        }
    }
    let mixed = name.contains(|c: char| c.is_ascii_digit());
    mixed.then(|| words.join(" "))
}

fn letter(letter: char) -> Option<String> {
    let lower = letter.to_ascii_lowercase();
    LETTERS.iter().find(|(c, _)| *c == lower).map(|(_, name)| (*name).to_owned())
}

/// A code as it is read off a display: `hache cero ocho`, `e cuatro`.
fn said(code: Code) -> String {
    let (name, zero) = match code.letter() {
        Letter::H if code.number() < 10 => ("hache", "cero "),
        Letter::H => ("hache", ""),
        Letter::E => ("e", ""),
    };
    format!("{name} {zero}{}", cardinal(code.number()))
}
