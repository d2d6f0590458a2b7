//! Who a live call's caller is and what they have, for the panel of whoever asks (R13–R15).
use actix::prelude::*;
use aura::equipment::Model;
use aura::event::News;
use aura::identity::Held;
use aura::ids::{AgentId, CallId};
use aura::patient::{Devices, Outage, Progress};
use std::collections::BTreeSet;

/// What is known of this call's caller; `None` where no such call is live.
#[derive(Message, Clone, Debug)]
#[rtype(result = "Option<Panel>")]
pub struct Show(pub CallId);

/// Who a caller is and what they have (R13–R15). Holds devices: it is for a panel, and on record (S5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The operator who has the call.
    pub claimed_by: Option<AgentId>,
    /// The document, where it came from and how far it has come.
    pub held: Option<Held>,
    /// How far the look-up has come.
    pub progress: Progress,
    /// The patients' system doesn't answer.
    pub outage: Option<Outage>,
    /// The adapter that answered.
    pub source: Option<&'static str>,
    /// The equipment that narrows the search.
    pub models: BTreeSet<Model>,
    /// Whether it comes from the cache: without detail.
    pub cached: bool,
    /// The devices; `None` where the detail isn't known.
    pub devices: Option<Devices>,
}

impl Panel {
    /// Takes in what a call tells.
    pub(super) fn told(&mut self, news: &News) {
        match news {
            News::Claimed { by, .. } => self.claimed_by.clone_from(by),
            News::Identity { held, .. } => {
                if held.map(|held| held.dni()) != self.held.map(|held| held.dni()) {
                    self.devices = None; // somebody else's
                }
                self.held = *held;
            }
            News::LookUp { progress, outage, source, models, cached } => {
                if *progress != Progress::Dni {
                    self.devices = None;
                }
                (self.progress, self.outage, self.source) = (*progress, *outage, *source);
                (self.models, self.cached) = (models.clone(), *cached);
            }
            _ => {}
        }
    }
}
