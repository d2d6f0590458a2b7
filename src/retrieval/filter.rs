//! Which manuals may be searched: the equipment of the conversation, as a WHERE (R5–R8).
use super::Filter;
use crate::equipment::{Catalogue, ManualOf, Model};
use serde::Serialize;
use std::collections::BTreeSet;

/// Why the search is restricted, or isn't; said in events and by `aura ask`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum FilterReason {
    /// Restricted to the manuals of these models.
    Equipment {
        /// The union of what the patient has on file and what was named.
        models: Vec<Model>,
    },
    /// Open: no equipment is known.
    NothingKnown,
    /// Open: this known model has no manual, so a filter would hide the only material there is.
    NoManual {
        /// The model without a manual.
        model: Model,
    },
    /// Open: this identifier isn't in the map.
    NotInMap {
        /// The unknown identifier.
        model: Model,
    },
}

/// The filter for the equipment in play, or `None` for the whole corpus (R8: fail open).
pub fn resolve(equipment: &BTreeSet<Model>, catalogue: &Catalogue) -> (Option<Filter>, FilterReason) {
    if equipment.is_empty() {
        return (None, FilterReason::NothingKnown);
    }
    let mut sources = BTreeSet::new();
    for model in equipment {
        match catalogue.manual_of(model) {
            ManualOf::Manual(source) => drop(sources.insert(source.to_owned())),
            ManualOf::NoManual => return (None, FilterReason::NoManual { model: model.clone() }),
            ManualOf::Unknown => return (None, FilterReason::NotInMap { model: model.clone() }),
        }
    }
    let filter = Filter { sources, prefixes: catalogue.always_allowed().to_vec() };
    (Some(filter), FilterReason::Equipment { models: equipment.iter().cloned().collect() })
}

/// The sources of the models whose rows may be injected, however open the search (DECISIONS 4).
///
/// When the turn names a model without a manual, no other device's row counts: only models with a
/// manual that this same turn names.
pub fn known_sources(
    known: &BTreeSet<Model>,
    named: &BTreeSet<Model>,
    catalogue: &Catalogue,
) -> BTreeSet<String> {
    let names_one_without = named.iter().any(|m| !matches!(catalogue.manual_of(m), ManualOf::Manual(_)));
    let counted = if names_one_without { named } else { known };
    counted
        .iter()
        .filter_map(|model| match catalogue.manual_of(model) {
            ManualOf::Manual(source) => Some(source.to_owned()),
            ManualOf::NoManual | ManualOf::Unknown => None,
        })
        .collect()
}
