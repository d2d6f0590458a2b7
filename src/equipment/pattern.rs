//! The small language of the catalogue's variants, and what becomes of it: expressions over folded words.

use crate::numerals::{below_thousand, cardinal};
use crate::tokens::{Key, phonetic, plain, tokens};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What may stand between two words of one name: see `sentence.rs` for the marks.
const GAP: &str = "[~ ,.-]?";
/// How words are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// As they sound.
    Sound,
    /// As they are spelled, accents and case aside.
    Spelling,
}

impl View {
    pub(super) fn fold(self, word: &str) -> Key {
        match self {
            View::Sound => phonetic(word),
            View::Spelling => plain(word),
        }
    }
}

/// A compiled variant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) regex: String,
    /// It holds letters or numbers said one by one, which addresses and amounts also do.
    pub(super) spelled: bool,
}

/// The expression for `variant`, or what is wrong with it.
pub(super) fn expression(
    variant: &str,
    view: View,
    words: &BTreeMap<String, Vec<String>>,
) -> Result<Expression, String> {
    let (mut regex, mut spelled, mut joined, mut any) = (String::from(r"\b"), false, false, false);
    for item in variant.split_whitespace() {
        let (item, optional) = item.strip_suffix('?').map_or((item, false), |item| (item, true));
        let (body, of_signs) = self::item(item, view, words)?;
        spelled |= of_signs;
        let before = if joined { GAP } else { "" };
        let after = if optional && !joined { GAP } else { "" };
        let _ = write!(regex, "(?:{before}{body}{after}){}", if optional { "?" } else { "" });
        joined |= !optional;
        any |= !optional;
    }
    if !any {
        return Err("is empty; expected at least one item that must be there".to_owned());
    }
    regex.push_str(r"\b");
    Ok(Expression { regex, spelled })
}

/// One item: its expression and whether it is a letter or a number.
fn item(item: &str, view: View, words: &BTreeMap<String, Vec<String>>) -> Result<(String, bool), String> {
    if item == "#" {
        let word = alternatives(below_thousand(), view)?;
        return Ok((format!("(?:[0-9]{{1,3}}|{word})"), true));
    }
    let Some(name) = item.strip_prefix('{') else { return Ok((literal(item, view)?, false)) };
    let name = name.strip_suffix('}').ok_or_else(|| format!("has '{item}' without a closing '}}'"))?;
    if let Ok(value) = name.parse::<u16>() {
        return if value < 1000 {
            number(value, view).map(|body| (body, true))
        } else {
            Err(format!("has the number {value}; expected one below 1000"))
        };
    }
    let class = words.get(name).filter(|class| !class.is_empty());
    let class = class.ok_or_else(|| format!("uses {{{name}}}, which [words] doesn't define"))?;
    let sign = name.len() <= 2 && name.bytes().all(|b| b.is_ascii_uppercase());
    Ok((alternatives(class.iter().map(String::as_str), view)?, sign))
}

fn alternatives<'a>(choices: impl Iterator<Item = &'a str>, view: View) -> Result<String, String> {
    let mut bodies = Vec::new();
    for choice in choices {
        let parts = choice.split_whitespace().map(|word| literal(word, view));
        let body = parts.collect::<Result<Vec<_>, _>>()?.join(GAP);
        if body.is_empty() {
            return Err("uses a class of [words] that holds an empty word".to_owned());
        }
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    Ok(format!("(?:{})", bodies.join("|")))
}

/// A word, folded as the text will be: letters and figures are apart there.
fn literal(word: &str, view: View) -> Result<String, String> {
    if word.contains(|c: char| !c.is_alphanumeric() && c != '-' && !('\u{300}'..='\u{36f}').contains(&c)) {
        return Err(format!(
            "has '{word}'; expected letters, figures, {{class}}, {{number}} or #, and ? at the end"
        ));
    }
    let keys: Vec<Key> =
        tokens(word).map(|part| if part.figures { plain(part.text) } else { view.fold(part.text) }).collect();
    if keys.is_empty() || keys.iter().any(|key| key.as_str() == "_") {
        return Err(format!("has '{word}', which isn't made of letters that Spanish spells with"));
    }
    Ok(keys.iter().map(Key::as_str).collect::<Vec<_>>().join(GAP))
}

/// A number in figures, as a word, or digit by digit, each in either way.
fn number(value: u16, view: View) -> Result<String, String> {
    let digits: Vec<u16> = value.to_string().bytes().map(|b| u16::from(b - b'0')).collect();
    let mut spelled = Vec::new();
    for (place, digit) in digits.iter().enumerate() {
        let (figure, word) = (digit.to_string(), cardinal(*digit));
        let zero = if *digit == 0 && place > 0 { Some("o") } else { None };
        spelled.push(alternatives([figure.as_str(), &word].into_iter().chain(zero), view)?);
    }
    let (figures, word) = (value.to_string(), cardinal(value));
    let together = alternatives([figures.as_str(), word.as_str()].into_iter(), view)?;
    Ok(if digits.len() == 1 { together } else { format!("(?:{together}|{})", spelled.join(GAP)) })
}
