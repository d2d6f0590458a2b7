//! What one turn of the patient says to the search: masked, normalised, read for models and codes.
use crate::equipment::{Catalogue, Code, Model};
use crate::mask::mask;
use crate::words::count_words;
use std::collections::BTreeSet;

/// A turn, read once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Words of the raw text (DECISIONS 5).
    pub words: usize,
    /// The text to embed: long numbers masked (S4), equipment and codes in their technical form (R22).
    pub text: String,
    /// Models of the catalogue that are named, in the order of the text.
    pub models: Vec<Model>,
    /// Devices named that are none of the catalogue's: no manual here is theirs.
    pub others: Vec<Model>,
    /// Codes named, in the order of the text (R17).
    pub codes: Vec<Code>,
    /// Codes that are phrases, e.g. `Low O2`; left to the embedding.
    pub text_codes: Vec<String>,
    /// Whether it holds a form that may be several devices, e.g. a brand alone.
    pub ambiguous: bool,
    /// Whether a model, a code or an alarm is named: R30's bypass.
    pub names_equipment: bool,
}

/// Reads a turn.
pub fn read(raw: &str, catalogue: &Catalogue) -> Reading {
    let masked = mask(raw);
    let normalised = catalogue.normalise(&masked);
    Reading {
        words: count_words(raw),
        names_equipment: normalised.names_equipment_or_code(),
        ambiguous: !normalised.ambiguous.is_empty(),
        text: normalised.text,
        models: normalised.models,
        others: normalised.others.iter().map(|name| Model::new(name)).collect(),
        codes: normalised.codes,
        text_codes: normalised.text_codes,
    }
}

impl Reading {
    /// Everything that is named: an identifier outside the catalogue opens the filter (R8) and lets no
    /// other device's row through (DECISIONS 4).
    pub fn named(&self) -> BTreeSet<Model> {
        self.models.iter().chain(&self.others).cloned().collect()
    }
}
