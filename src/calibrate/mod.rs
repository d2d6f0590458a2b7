//! Calibration: a labelled set against the decisions, over a sweep of thresholds (R31).
pub mod fit;
pub mod labels;
mod table;

pub use labels::{Expected, Labelled, LabelledSet, Place};
pub use table::{Row, Table, wilson};

use crate::equipment::{Catalogue, Code};
use crate::retrieval::Found;
use crate::retrieval::decide::{self, Decision, Outcome, Thresholds};
use crate::retrieval::plan::Plan;
use crate::retrieval::score::Scale;

/// How one query fared at one threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first injected row is the right one.
    Right,
    /// A row of a device that isn't in play: the dangerous one.
    WrongEquipment(Place),
    /// Permitted material, wrong row.
    WrongSection(Place),
    /// Nothing injected, as it should be.
    RightMiss,
    /// Nothing injected although a row answers.
    Missed,
    /// Asked which equipment, as it should.
    RightAsk,
    /// Asked although it should have answered or stayed silent.
    WrongAsk,
    /// Too short to be searched, as it should be.
    Gate,
    /// Too short to be searched, although it should have been.
    LostAtGate,
}

/// One query with what the stores answered for it.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The query and its labels.
    pub query: &'a Labelled,
    /// How it was planned.
    pub plan: Plan,
    /// The codes it names.
    pub codes: Vec<Code>,
    /// What was found; `None` where the gate closed.
    pub found: Option<Found>,
    /// Whether devices' rows are held back while their model is unknown (DECISIONS 4).
    pub guarded: bool,
}

impl Trial<'_> {
    /// Decides the trial at a threshold.
    pub fn decide(&self, threshold: f32, scale: Scale, catalogue: &Catalogue) -> Option<Decision> {
        let thresholds = Thresholds { knowledge: threshold, similarity: 2.0, approved: 2.0, ask: true };
        let found = self.found.as_ref()?;
        let plan = self.plan_in_force();
        Some(decide::decide(found, &plan, &self.codes, &thresholds, scale, catalogue))
    }

    /// Without the guard every fetched row's device counts as known: what a search without any
    /// equipment rule would do.
    fn plan_in_force(&self) -> Plan {
        let mut plan = self.plan.clone();
        if !self.guarded {
            let fetched = self.found.iter().flat_map(|found| &found.manuals);
            plan.known_sources.extend(fetched.map(|candidate| candidate.chunk.source.clone()));
        }
        plan
    }

    /// How it fared.
    pub fn verdict(&self, threshold: f32, scale: Scale, catalogue: &Catalogue) -> Verdict {
        let Some(decision) = self.decide(threshold, scale, catalogue) else {
            return match self.query.outcome {
                Expected::Gate | Expected::Miss => Verdict::Gate,
                Expected::Hit | Expected::Ask => Verdict::LostAtGate,
            };
        };
        match (&decision.outcome, self.query.outcome) {
            (Outcome::Hit(rows), _) => match rows.first() {
                Some(first) => self.judge(&Place::of(&first.chunk), catalogue),
                None => Verdict::Missed,
            },
            (Outcome::Ask, Expected::Ask) => Verdict::RightAsk,
            (Outcome::Ask, _) => Verdict::WrongAsk,
            (Outcome::Miss(_), Expected::Miss) => Verdict::RightMiss,
            (Outcome::Miss(_), Expected::Hit | Expected::Ask | Expected::Gate) => Verdict::Missed,
        }
    }

    fn judge(&self, place: &Place, catalogue: &Catalogue) -> Verdict {
        if self.query.accepts(place) {
            return Verdict::Right;
        }
        let always =
            catalogue.always_allowed().iter().any(|prefix| place.source.starts_with(prefix.as_str()));
        let in_play = self.query.expected_filter.as_ref().is_some_and(|f| f.sources.contains(&place.source));
        let named_so = self.query.must_not_sources.contains(&place.source);
        if named_so || !(always || in_play) {
            Verdict::WrongEquipment(place.clone())
        } else {
            Verdict::WrongSection(place.clone())
        }
    }
}
