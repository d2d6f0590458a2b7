//! Before the search: whether to search at all, what for, and in which manuals.
use super::Search;
use super::filter::{self, FilterReason};
use super::reading::Reading;
use crate::channel::Profile;
use crate::equipment::{Catalogue, ManualOf, Model};
use crate::settings::Snapshot;
use serde::Serialize;
use std::collections::BTreeSet;

/// What the conversation knows when a turn is planned.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The channel's row.
    pub profile: &'static Profile,
    /// The settings in force.
    pub settings: &'a Snapshot,
    /// Models, codes and manuals.
    pub catalogue: &'a Catalogue,
    /// The patient's equipment on file; filters all call long (R7).
    pub on_file: &'a BTreeSet<Model>,
    /// Models named before that still filter (DECISIONS 7).
    pub sticky: &'a BTreeSet<Model>,
    /// Models named in this turn.
    pub named: &'a BTreeSet<Model>,
    /// Models named at any time in this call: known for DECISIONS 4, though they filter no more.
    pub earlier: &'a BTreeSet<Model>,
    /// A question that waits for the answer to 'which equipment?'.
    pub pending: Option<&'a str>,
}

/// Why a turn isn't searched, or is although it looks as if it shouldn't. The `reason` of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Searched as it stands.
    Search,
    /// The turn answers 'which equipment?': the question that waited is searched (DECISIONS 4).
    AnsweredAsk,
    /// Too few words (R30): neither embedded nor searched.
    ShortTurn,
}

/// How a turn is to be looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Whether to search.
    pub step: Step,
    /// What to search; empty text where the step is [`Step::ShortTurn`].
    pub search: Search,
    /// Why the filter is what it is.
    pub filter_reason: FilterReason,
    /// Sources of devices whose rows may be injected (DECISIONS 4).
    pub known_sources: BTreeSet<String>,
    /// The equipment in play: on file, sticky and named.
    pub equipment: BTreeSet<Model>,
    /// Whether asking for the model could help: not where the turn names one without a manual.
    pub may_ask: bool,
    /// The manuals of the models that this turn itself names; where there are any, it isn't asked which
    /// equipment it is.
    pub named_sources: BTreeSet<String>,
}

impl Plan {
    /// Whether a row of this manual may be injected and rested on, however open the search (DECISIONS 4).
    pub fn permits(&self, source: &str, catalogue: &Catalogue) -> bool {
        self.known_sources.contains(source)
            || catalogue.always_allowed().iter().any(|prefix| source.starts_with(prefix.as_str()))
    }
}

/// Decides gate, query and filter of one turn.
pub fn plan(reading: &Reading, known: &Known<'_>) -> Plan {
    let equipment: BTreeSet<Model> =
        known.on_file.iter().chain(known.sticky).chain(known.named).cloned().collect();
    let everything: BTreeSet<Model> = equipment.iter().chain(known.earlier).cloned().collect();
    let has_manual = |model: &Model| matches!(known.catalogue.manual_of(model), ManualOf::Manual(_));
    let (filter, filter_reason) = filter::resolve(&equipment, known.catalogue);
    let step = step(reading, known);
    let text = match (step, known.pending) {
        (Step::ShortTurn, _) => String::new(),
        (Step::AnsweredAsk, Some(question)) => prefixed(known.named, question),
        _ if known.profile.query_prefix => prefixed(&in_focus(known), &reading.text),
        _ => reading.text.clone(),
    };
    Plan {
        step,
        search: Search { text, filter },
        filter_reason,
        known_sources: filter::known_sources(&everything, known.named, known.catalogue),
        may_ask: known.named.iter().all(has_manual),
        named_sources: filter::known_sources(known.named, known.named, known.catalogue),
        equipment,
    }
}

/// The gate (R30).
fn step(reading: &Reading, known: &Known<'_>) -> Step {
    if known.pending.is_some() && !known.named.is_empty() {
        return Step::AnsweredAsk;
    }
    let least = known.profile.min_words.resolve(known.settings, known.profile.channel);
    let bypass = known.profile.always_rag_on_equipment && reading.names_equipment;
    if reading.words < least && !bypass { Step::ShortTurn } else { Step::Search }
}

/// The models that go before the query: this turn's, else those still in play (DECISIONS 6).
fn in_focus(known: &Known<'_>) -> BTreeSet<Model> {
    if known.named.is_empty() { known.sticky.clone() } else { known.named.clone() }
}

/// The query with those models before it that it doesn't name itself.
fn prefixed(models: &BTreeSet<Model>, text: &str) -> String {
    let mut query: Vec<&str> =
        models.iter().map(Model::as_str).filter(|model| !text.contains(model)).collect();
    query.push(text);
    query.join(" ")
}
