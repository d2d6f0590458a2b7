//! What each word of an utterance is to a number that is being dictated.

use crate::numerals::{Num, number, sounded_number};
use crate::tokens::{Gap, Key, Token, phonetic, plain, tokens};

/// What a word is to a dictation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Figures,
    Number(Num),
    /// `y`.
    And,
    /// `doble`, `triple`.
    Times(u8),
    /// The letter `o`, for zero or for a doubt.
    Zero,
    /// Hesitations, and the names of punctuation.
    Filler,
    /// Words that join the parts of a long number, and of nothing else: `después`, `sigue`.
    Join,
    /// `no`, `perdón`: what follows replaces.
    Fix,
    /// `repito`: what follows is the same.
    Again,
    /// `al revés`.
    Reverse,
    /// `termina en`.
    Tail,
    /// `pico`, `algo`: the number is no exact one.
    About,
    Other,
}

/// One word with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// Byte of the text that it begins at.
    pub(super) start: usize,
    pub(super) key: Key,
    pub(super) role: Role,
    pub(super) gap: Gap,
    /// A slash or a new line stands before it.
    pub(super) apart: bool,
    /// A sign of money or of a telephone (`$`, `+54`) stands before it.
    pub(super) sign: bool,
}

impl Word<'_> {
    pub(super) fn is_number(&self) -> bool {
        matches!(self.role, Role::Figures | Role::Number(_))
    }

    /// Whether it takes something back by itself, as `no` doesn't.
    pub(super) fn is_strong(&self) -> bool {
        matches!(self.key.as_str(), "perdon" | "perdone" | "equivoque" | "miento" | "digo" | "corrijo")
    }

    /// Whether a listener hears a pause before it.
    pub(super) fn paused(&self) -> bool {
        matches!(self.gap, Gap::Comma | Gap::Break)
    }
}

/// The words of `text` with their roles.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let all: Vec<Token<'_>> = tokens(text).collect();
    let mut words: Vec<Word<'_>> = Vec::with_capacity(all.len());
    let mut end = 0;
    for (at, token) in all.iter().enumerate() {
        // The label of a masked number says nothing about the next.
        let label = text[token.end()..].starts_with(" ···");
        let key = plain(if label { "" } else { token.text });
        let between = &text[end..token.start];
        let next = all.get(at + 1).filter(|next| next.gap == Gap::Space).map(|next| plain(next.text));
        let role = if token.figures { figures(between, token, &words) } else { role(&key, token, next) };
        // `SN: 1234`: a colon ends no sentence.
        let gap = if between.trim() == ":" && token.gap == Gap::Break { Gap::Comma } else { token.gap };
        let apart = between.contains(['/', '\n']) || token.gap == Gap::Colon;
        let sign = between.contains(['$', '+']);
        words.push(Word { text: token.text, start: token.start, key, role, gap, apart, sign });
        end = token.end();
    }
    words
}

/// Whether a text can hold a document at all: its number words and figures are worth seven digits.
pub(super) fn may_hold(text: &str) -> bool {
    let digits = |token: Token<'_>| match token.figures {
        true if token.gap == Gap::Glued && token.text.len() < 3 => 0,
        true => token.text.len(),
        false if token.text.len() < 3 => 0,
        false => worth(&token),
    };
    let mut sum = 0;
    tokens(text).any(|token| {
        sum += digits(token);
        sum >= 7
    })
}

/// The most digits that a word may stand for.
fn worth(token: &Token<'_>) -> usize {
    let key = plain(token.text);
    match number(&key).or_else(|| sounded_number(&phonetic(token.text))) {
        Some(Num::Unit(_)) => 1,
        Some(Num::Pair(_) | Num::Tens(_)) => 2,
        Some(Num::Hundreds(_) | Num::Thousand) => 3,
        Some(Num::Million) => 6,
        // `doble`, `triple` and whatever they repeat.
        None if matches!(key.as_str(), "doble" | "triple" | "cuadruple") => 6,
        None => 0,
    }
}

/// Figures, unless they are a code's (`H08`), or what a mask left of a number.
fn figures(between: &str, token: &Token<'_>, before: &[Word<'_>]) -> Role {
    let letter = before.last().map_or("", |word| word.key.as_str());
    let code = token.gap == Gap::Glued && (!matches!(letter, "m" | "f") || token.text.len() == 2);
    if code || between.ends_with('·') { Role::Other } else { Role::Figures }
}

fn role(key: &Key, token: &Token<'_>, next: Option<Key>) -> Role {
    let word = key.as_str();
    if let Some(num) = number(key).or_else(|| sounded_number(&phonetic(token.text))) {
        let thanks =
            next.is_some_and(|next| matches!(next.as_str(), "gracias" | "disculpas" | "perdones" | "veces"));
        return if thanks && matches!(num, Num::Thousand | Num::Million) {
            Role::Other
        } else {
            Role::Number(num)
        };
    }
    if word == "un" && next.is_some_and(|next| matches!(number(&next), Some(Num::Thousand | Num::Million))) {
        return Role::Number(Num::Unit(1));
    }
    match word {
        "y" => Role::And,
        "doble" => Role::Times(2),
        "triple" => Role::Times(3),
        "cuadruple" => Role::Times(4),
        "o" => Role::Zero,
        "eh" | "ehh" | "ehm" | "em" | "mm" | "mmm" | "este" | "guion" | "punto" | "puntos" | "coma"
        | "espacio" | "raya" | "barra" => Role::Filler,
        "a" | "ver" | "bueno" | "despues" | "luego" | "sigue" | "entonces" | "el" | "ah" | "viene"
        | "ahi" | "va" | "en" | "los" | "las" | "la" | "con" | "mas" | "me" | "es" | "son" | "era"
        | "seria" | "de" | "que" | "al" | "otra" | "lo" | "le" | "siguen" | "repetir" | "espere"
        | "espera" | "sino" => Role::Join,
        "no" | "perdon" | "perdone" | "perdoname" | "digo" | "equivoque" | "mejor" | "dicho" | "corrijo"
        | "miento" | "disculpe" | "disculpa" | "quise" | "decir" | "corrige" => Role::Fix,
        "repito" | "nuevo" | "vez" | "sea" => Role::Again,
        "reves" => Role::Reverse,
        "termina" | "terminado" | "terminan" | "final" | "finales" | "ultimo" | "ultimos" | "ultima"
        | "ultimas" => Role::Tail,
        "pico" | "algo" | "monedas" | "medio" | "largos" | "tanto" | "tantos" => Role::About,
        _ => Role::Other,
    }
}
