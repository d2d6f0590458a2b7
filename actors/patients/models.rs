//! From a device as a customer's system writes it to the models of the catalogue.
use aura::equipment::{Catalogue, Model};
use aura::patient::{Context, Device, Devices};

/// What stands for a device whose model nobody wrote down: no catalogue knows it, so the filter opens (R8),
/// and the device's name stays on the panel's side.
pub const NO_MODEL: &str = "sin modelo";
/// The longest model that is kept as it is written, in characters.
const LONGEST: usize = 40;
/// Categories of what has no model and needs none: their manuals are in every filter (R5).
const CYLINDERS: [&str; 4] = ["tubo", "tubos", "cilindro", "cilindros"];

/// A device as it came: what it is called, and its model where that is a field of its own.
#[derive(Clone)]
pub struct Raw {
    /// The panel's part.
    pub device: Device,
    /// The model's field.
    pub model: Option<String>,
}

/// Both halves of a patient, each with its own part (R13).
pub fn halves(raw: Vec<Raw>, catalogue: &Catalogue) -> (Context, Devices) {
    let models = raw.iter().flat_map(|raw| models(raw, catalogue)).collect();
    (Context { models }, Devices::new(raw.into_iter().map(|raw| raw.device).collect()))
}

/// A model's field is believed as a whole or not at all (`M50 Plus` is no M50) and kept as it is where the
/// catalogue doesn't know it; a name may hold more than the model (`Concentrador SysMed M50 5 L`).
fn models(raw: &Raw, catalogue: &Catalogue) -> Vec<Model> {
    let name = &raw.device.name;
    let category = raw.device.category.as_deref().unwrap_or_default().trim().to_lowercase();
    if CYLINDERS.contains(&category.as_str()) {
        return Vec::new();
    }
    if let Some(model) = raw.model.as_deref().map(str::trim).filter(|model| !model.is_empty()) {
        return vec![whole(model, catalogue).unwrap_or_else(|| kept(model))];
    }
    if let Some(model) = catalogue.canonical(name) {
        return vec![model];
    }
    let normalised = catalogue.normalise(name);
    let found: Vec<Model> = normalised
        .models
        .into_iter()
        .chain(normalised.others.iter().map(|other| Model::new(other)))
        .collect();
    if found.is_empty() { vec![Model::new(NO_MODEL)] } else { found }
}

/// The model that this text is a spelling of, all of it.
fn whole(text: &str, catalogue: &Catalogue) -> Option<Model> {
    catalogue.canonical(text).or_else(|| {
        let normalised = catalogue.normalise(text);
        normalised.models.into_iter().find(|model| model.as_str() == normalised.text)
    })
}

/// A system may write a whole sentence there: that isn't a model's name any more.
fn kept(model: &str) -> Model {
    if model.chars().count() <= LONGEST { Model::new(model) } else { Model::new(NO_MODEL) }
}
