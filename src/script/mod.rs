//! The script of a call (E15): which of its six steps is open, as the talk shows and the operator may put right.
//!
//! Each final line is read for what is said at a step. The talk goes forward by anything that belongs to a
//! later step; back only by a question of the operator's, or when the patient opens another topic. What an
//! operator corrects holds until the talk clearly moves on.
mod cues;

use crate::equipment::Catalogue;
use crate::phrases::desk;
use crate::transcript::Turn;
use cues::{Cue, Manner};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A step, in the script's order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Saludo.
    Greeting,
    /// Identificación.
    Identification,
    /// Motivo.
    Reason,
    /// Equipo.
    Equipment,
    /// Resolución.
    Resolution,
    /// Cierre.
    Closing,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::Greeting,
        Self::Identification,
        Self::Reason,
        Self::Equipment,
        Self::Resolution,
        Self::Closing,
    ];

    /// The name in events and on the wire.
    pub const fn as_str(self) -> &'static str {
        desk::step(self).en
    }

    /// The name on the panel.
    pub const fn label(self) -> &'static str {
        desk::step(self).es
    }
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Nothing of it was said.
    Todo,
    /// The talk is there.
    Open,
    /// The talk was there, or what it asks for is known.
    Done,
}

/// One row of the panel's checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// Which step.
    pub step: Step,
    /// Its name in Spanish.
    pub label: &'static str,
    /// Where it stands.
    pub progress: Progress,
}

/// The script as the panel shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The open step.
    pub open: Step,
    /// Whether an operator put it there.
    pub corrected: bool,
    /// All six, in order.
    pub steps: Vec<StepView>,
}

/// What an operator put right, and what the talk has said against it since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Correction {
    /// The step that it was taken from.
    rejected: Step,
    /// What speaks for other steps.
    towards: BTreeMap<Step, u8>,
}

/// What speaks clearly for a step.
const CLEAR: u8 = 2;

/// One call's script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    open: Step,
    done: BTreeSet<Step>,
    correction: Option<Correction>,
}

impl Default for Script {
    fn default() -> Self {
        Self { open: Step::Greeting, done: BTreeSet::new(), correction: None }
    }
}

impl Script {
    /// The open step.
    pub fn open(&self) -> Step {
        self.open
    }

    /// Takes in a final line of either side; the step that it opened, if it opened one.
    pub fn heard(&mut self, line: &Turn, catalogue: &Catalogue) -> Option<Step> {
        if line.text.is_empty() || line.place.is_some_and(|place| place.partial) {
            return None;
        }
        let cues = cues::read(line, catalogue);
        let target = self.target(&cues);
        self.done.extend(cues.iter().filter(|cue| cue.tells).map(|cue| cue.step));
        let (step, manner) = target?;
        let moves = match &mut self.correction {
            Some(correction) => correction.yields(self.open, step, manner),
            None => step > self.open || (manner.returns() && step != self.open),
        };
        moves.then(|| self.move_to(step))
    }

    /// The operator puts the open step right.
    pub fn correct(&mut self, step: Step) -> Option<Step> {
        let rejected = self.open;
        self.correction = Some(Correction { rejected, towards: BTreeMap::new() });
        if step == rejected {
            return None; // it holds all the same
        }
        self.done.retain(|done| *done != step);
        self.open = step;
        Some(step)
    }

    /// What a step asks for is known by other ways, e.g. the document was typed.
    pub fn settle(&mut self, step: Step) -> bool {
        self.done.insert(step)
    }

    /// Reads all lines anew, as who spoke them was put right. What an operator corrected stays.
    pub fn reread(&mut self, lines: &[&Turn], catalogue: &Catalogue) -> Option<Step> {
        let before = self.open;
        let mut anew = Self::default();
        for line in lines {
            anew.heard(line, catalogue);
        }
        if self.correction.is_some() {
            self.done = anew.done.into_iter().filter(|step| *step != before).collect();
            return None;
        }
        *self = anew;
        (self.open != before).then_some(self.open)
    }

    /// The script as the panel shows it.
    pub fn view(&self) -> View {
        let progress = |step: Step| match step {
            step if step == self.open => Progress::Open,
            step if self.done.contains(&step) => Progress::Done,
            _ => Progress::Todo,
        };
        let steps = Step::ALL.map(|step| StepView { step, label: step.label(), progress: progress(step) });
        View { open: self.open, corrected: self.correction.is_some(), steps: steps.to_vec() }
    }

    /// Steps before the open one of which nothing was said.
    pub fn missed(&self) -> impl Iterator<Item = Step> + '_ {
        Step::ALL.into_iter().filter(|step| *step < self.open && !self.done.contains(step))
    }

    /// What a line speaks for: the strongest of its cues, of these the first step that isn't done.
    fn target(&self, cues: &[Cue]) -> Option<(Step, Manner)> {
        let manner = cues.iter().map(|cue| cue.manner).max()?;
        let mut steps: Vec<Step> =
            cues.iter().filter(|cue| cue.manner == manner).map(|cue| cue.step).collect();
        steps.sort_unstable();
        let open = steps.iter().find(|step| !self.done.contains(step) && **step != Step::Greeting);
        open.or(steps.last()).filter(|step| **step != Step::Greeting).map(|step| (*step, manner))
    }

    fn move_to(&mut self, step: Step) -> Step {
        if self.open != Step::Greeting {
            self.done.insert(self.open);
        }
        self.correction = None;
        self.open = step;
        step
    }
}

impl Correction {
    /// Whether the talk has clearly moved on: once to a later step; twice to an earlier one, or to the one that
    /// the operator took the call away from.
    fn yields(&mut self, held: Step, step: Step, manner: Manner) -> bool {
        if step == held {
            self.towards.clear();
            return false;
        }
        let against = step < held || step == self.rejected;
        let weight = match manner {
            Manner::Mention if against => 0,
            Manner::Mention => 1,
            Manner::Tell if step < held => 0,
            Manner::Tell | Manner::New | Manner::Ask => CLEAR,
        };
        let sum = self.towards.entry(step).or_default();
        *sum = sum.saturating_add(weight);
        *sum >= if against { 2 * CLEAR } else { CLEAR }
    }
}

/// Whether a patient's words tell a reason for the call.
pub(crate) fn tells_reason(text: &str, catalogue: &Catalogue) -> bool {
    let line = Turn {
        speaker: crate::transcript::Speaker::Patient,
        text: text.to_owned(),
        unclear: false,
        place: None,
    };
    cues::read(&line, catalogue).iter().any(|cue| cue.step == Step::Reason)
}
