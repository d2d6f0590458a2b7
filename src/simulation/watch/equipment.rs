//! Which equipment is in play, worked out beside the call (I12, R5–R8, DECISIONS 4, 7).
use super::super::mail::Ms;
use super::super::stores::always_open;
use super::Watch;
use crate::equipment::{Catalogue, ManualOf, Model};
use crate::ids::{AgentId, Dni, ReplyId};
use crate::patient::Found;
use crate::retrieval::{Filter, filter, reading};
use crate::settings;
use crate::transcript::{Speaker, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// What a call knows of its conversation; a rebuilt one knows what was kept of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) newest: Option<ReplyId>,
    /// The operator who has the call.
    pub(super) agent: Option<AgentId>,
    pub(super) lines: Vec<Turn>,
    pub(super) on_file: BTreeSet<Model>,
    pub(super) dni: Option<Dni>,
    /// The newest question to the patients' system.
    pub(super) ask: u32,
    /// Each model's last mention: the patient's turn, and when.
    pub(super) named: BTreeMap<Model, (usize, Ms)>,
    /// The patient's lines that were read, and turns that were counted.
    read: usize,
    turns: usize,
}

impl Known {
    /// Another patient's equipment counts no more.
    pub(super) fn asks(&mut self, ask: u32, dni: Option<Dni>) {
        if std::mem::replace(&mut self.dni, dni) != dni {
            self.on_file.clear();
        }
        self.ask = ask;
    }

    pub(super) fn looked_up(&mut self, found: &Found) {
        let context = match found {
            Found::Found(context) => Some(context),
            Found::NotFound => None,
            Found::Unavailable { cached, .. } => cached.as_ref(),
        };
        self.on_file = context.map(|context| context.models.clone()).unwrap_or_default();
    }

    pub(super) fn patient(&self) -> impl Iterator<Item = (usize, &Turn)> {
        self.lines.iter().enumerate().filter(|(_, line)| line.speaker == Speaker::Patient)
    }

    /// Reads what is new since the last question, and the last line again.
    pub(super) fn hear(&mut self, catalogue: &Catalogue, at: Ms) -> BTreeSet<Model> {
        let count = self.patient().count();
        let first = self.read.min(count.saturating_sub(1));
        let unread = self.patient().skip(first).map(|(_, line)| reading::read(&line.text, catalogue).named());
        let named: BTreeSet<Model> = unread.flatten().collect();
        self.turns += usize::from(count > self.read);
        self.read = count;
        for model in &named {
            self.named.insert(model.clone(), (self.turns, at));
        }
        named
    }

    pub(super) fn ever(&self) -> BTreeSet<Model> {
        self.named.keys().cloned().collect()
    }
}

impl Watch {
    /// The filter of a question asked now, in which the patient names these.
    pub(super) fn filter(&self, named: &BTreeSet<Model>, at: Ms) -> Option<Filter> {
        let channel = self.profile.channel;
        let turns = self.settings.count(&settings::STICKY_TURNS, channel);
        let window = self.settings.count(&settings::STICKY_MINUTES, channel) as Ms * 60_000;
        let fresh = |(turn, when): (usize, Ms)| self.known.turns - turn < turns && at - when < window;
        let sticky = self.known.named.iter().filter(|(_, mention)| self.profile.sticky && fresh(**mention));
        let sticky = sticky.map(|(model, _)| model);
        let all = self.known.on_file.iter().chain(named).chain(sticky).cloned().collect();
        filter::resolve(&all, self.catalogue).0
    }

    /// Whether rows of this manual may be injected in a turn that names these models: the filter admits
    /// it, and it is nobody's or its device is known. Beside a model without a manual only those named with
    /// it count.
    pub(super) fn permits(&self, named: &BTreeSet<Model>, filter: &Option<Filter>, source: &str) -> bool {
        let manual = |model: &Model| self.catalogue.manual_of(model);
        let its = |model: &Model| manual(model) == ManualOf::Manual(source);
        let known = match named.iter().all(|model| matches!(manual(model), ManualOf::Manual(_))) {
            true => self.known.on_file.iter().chain(self.known.named.keys()).any(its),
            false => named.iter().any(its),
        };
        (always_open(source) || known) && filter.as_ref().is_none_or(|filter| filter.admits(source))
    }
}
