//! Where a running text first says something technical.
use super::fold::words;
use super::lexicon::{Kind, VerbKind, lexicon};
use super::names::named;
use super::quantities::quantities;
use super::senses::{Sense, Senses};
use super::verbs::Mood;
use crate::equipment::Catalogue;

/// Words that belong to what follows them.
const LEADS: [&str; 26] = [
    "no", "nunca", "el", "la", "los", "las", "un", "una", "su", "sus", "del", "de", "a", "en", "con", "sin",
    "lo", "le", "se", "que", "hay", "tiene", "debe", "puede", "cada", "al",
];

/// Where the first technical value of a running text begins (byte index), None if there is none so far.
/// The last word counts as technical while it may yet become so.
pub fn first_technical(text: &str, catalogue: &'static Catalogue) -> Option<usize> {
    let lexicon = lexicon();
    let words = words(text);
    let senses = Senses { words: &words, lexicon };
    let figures = quantities(&words, lexicon).into_iter().map(|quantity| quantity.at);
    let open = text.chars().next_back().is_some_and(char::is_alphanumeric);
    let technical = |at: &usize| {
        let word = &words[*at];
        let last = open && *at + 1 == words.len();
        let begun = || last && word.text.len() >= 2 && lexicon.begins_term(&word.text);
        match senses.at(*at) {
            Sense::Opaque => true,
            Sense::Free => word.figures,
            Sense::Verb(verb) => {
                verb.kind == VerbKind::Action && !verb.weak && verb.mood != Mood::First || begun()
            }
            Sense::Term(_, Kind::Weighty) => false,
            Sense::Term(_, Kind::Unknown) => lexicon.brands.contains(&word.text) || begun(),
            Sense::Term(_, Kind::Generic) => false,
            Sense::Term(..) => true,
        }
    };
    let word = (0..words.len()).find(technical).into_iter().chain(figures).min();
    let name = model(text, &words.iter().map(|word| word.start).collect::<Vec<_>>(), catalogue);
    let mut at = word.into_iter().chain(name).min()?;
    let generic = |at: usize| matches!(senses.at(at), Sense::Term(_, Kind::Generic));
    while at > 0 && !words[at].breaks() && (words[at - 1].is(&LEADS) || generic(at - 1)) {
        at -= 1;
    }
    Some(words[at].start)
}

/// The word with which the first model's name is complete, or the one before it where two make the name.
fn model(text: &str, starts: &[usize], catalogue: &'static Catalogue) -> Option<usize> {
    let names = |text: &str| {
        let named = named(text, catalogue);
        !(named.models.is_empty() && named.brands.is_empty())
    };
    if !names(text) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let last = ends.into_iter().position(|end| names(&text[..end]))?;
    // The shortest tail that still names it begins where the name does.
    let end = starts.get(last + 1).copied().unwrap_or(text.len());
    (0..=last).rev().find(|first| names(&text[starts[*first]..end]))
}
