//! Which names a sentence holds: models, brands, and a text without them.
use super::evidence::Evidence;
use super::fold::words;
use super::lexicon::lexicon;
use crate::equipment::{Catalogue, ManualOf, Model};
use std::collections::BTreeSet;

/// A text whose models' names have become 'equipo', and what it named.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Named {
    pub(super) text: String,
    /// Canonical names, of other devices too.
    pub(super) models: BTreeSet<String>,
    pub(super) brands: BTreeSet<String>,
}

/// Takes the names out. Codes come out as the catalogue writes them.
pub(super) fn named(text: &str, catalogue: &Catalogue) -> Named {
    let normalised = catalogue.normalise(&without_masked(text));
    let mut models: BTreeSet<String> = normalised.others.into_iter().collect();
    models.extend(normalised.models.iter().map(|model| model.as_str().to_owned()));
    let brands = words(text)
        .into_iter()
        .map(|word| word.text)
        .filter(|word| lexicon().brands.contains(word))
        .collect();
    let mut plain = normalised.text;
    let kind = |model: &&String| matches!(catalogue.manual_of(&Model::new(model)), ManualOf::NoManual);
    for model in models.iter().filter(|model| !kind(model)) {
        plain = replaced(&plain, model);
    }
    for message in &normalised.text_codes {
        plain = plain.replace(message.as_str(), &one_word(message));
    }
    Named { text: plain, models, brands }
}

/// Without the last figures of a masked document: 'DNI ···789'.
fn without_masked(text: &str) -> String {
    let mut pieces = text.split("···");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |kept, piece| kept + piece.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// What a display spells out as one name: 'No Breath' denies nothing.
fn one_word(message: &str) -> String {
    let letters: String = message.chars().filter(|c| c.is_alphanumeric()).collect();
    format!("{letters}9")
}

/// A brand before its model goes with it: 'su SysMed M50' becomes 'su equipo'.
fn replaced(text: &str, name: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let head = &rest[..at];
        let trimmed = head.trim_end();
        let brand = trimmed.rsplit(' ').next().filter(|word| lexicon().brands.contains(&word.to_lowercase()));
        kept.push_str(brand.map_or(head, |word| &trimmed[..trimmed.len() - word.len()]));
        if kept.trim_end().ends_with("equipo") {
            kept.truncate(kept.trim_end().len() - "equipo".len());
        }
        kept.push_str("equipo");
        rest = &rest[at + name.len()..];
    }
    kept.push_str(rest);
    kept
}

/// What a sentence names without leave: models that nobody said, unless they are a kind of device
/// (CPAP) that a row names, and brands that nobody said.
pub(super) fn unsaid(
    claim: &Named,
    said: &BTreeSet<Model>,
    heard: &Evidence,
    rows: &BTreeSet<String>,
    catalogue: &Catalogue,
) -> Vec<String> {
    let known = |name: &String| {
        let model = Model::new(name);
        let kind = matches!(catalogue.manual_of(&model), ManualOf::NoManual) && rows.contains(name);
        kind || said.contains(&model) || heard.models.contains(name)
    };
    let models = claim.models.iter().filter(|name| !known(name)).map(|name| format!("model: {name}"));
    let of_said = |brand: &String| {
        heard.brands.contains(brand)
            || said.iter().any(|model| model.as_str().to_lowercase().contains(brand.as_str()))
    };
    let brands = claim.brands.iter().filter(|brand| !of_said(brand)).map(|brand| format!("brand: {brand}"));
    models.chain(brands).collect()
}
