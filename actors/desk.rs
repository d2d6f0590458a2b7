//! What the operators' desk knows of live calls: who the caller is and what they have, for the panel of
//! whoever asks. Watching and claiming come with the desk itself.
use crate::lookup::Equipment;
use actix::prelude::*;
use aura::equipment::Model;
use aura::event::{DeskEvent, News};
use aura::identity::Held;
use aura::ids::CallId;
use aura::patient::{Devices, Outage, Progress};
use std::collections::{BTreeSet, HashMap};

/// Tell the desk.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub struct Tell(pub DeskEvent);

/// What is known of this call's caller; `None` where no such call is live.
#[derive(Message, Clone, Debug)]
#[rtype(result = "Option<Panel>")]
pub struct Show(pub CallId);

/// Who a caller is and what they have (R13–R15). Holds devices: it is for a panel, and on record (S5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
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
    fn told(&mut self, news: &News) {
        match news {
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

/// The desk.
#[derive(Default)]
pub struct Desk {
    panels: HashMap<CallId, Panel>,
    /// Who is told everything too.
    watcher: Option<Recipient<Tell>>,
}

impl Desk {
    /// A desk that hands on what it is told.
    pub fn watched(watcher: Option<Recipient<Tell>>) -> Self {
        Self { watcher, ..Self::default() }
    }
}

impl Actor for Desk {
    type Context = Context<Self>;

    /// All calls tell it, and none waits for it.
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(1024);
    }
}

impl Handler<Tell> for Desk {
    type Result = ();

    fn handle(&mut self, tell: Tell, _: &mut Self::Context) {
        let Tell(DeskEvent { call, news, .. }) = &tell;
        match news {
            News::Closed => _ = self.panels.remove(call),
            News::Opened | News::Identity { .. } | News::LookUp { .. } => {
                self.panels.entry(call.clone()).or_default().told(news);
            }
            _ => {}
        }
        if let Some(watcher) = &self.watcher {
            watcher.do_send(tell);
        }
    }
}

impl Handler<Equipment> for Desk {
    type Result = ();

    fn handle(&mut self, equipment: Equipment, _: &mut Self::Context) {
        // Of a call that is over, or of another document than the caller's by now, nothing is kept.
        let panel = self.panels.get_mut(&equipment.call);
        let panel = panel.filter(|panel| panel.held.is_some_and(|held| held.dni() == equipment.dni));
        if let Some(panel) = panel {
            panel.devices = equipment.devices;
        }
    }
}

impl Handler<Show> for Desk {
    type Result = MessageResult<Show>;

    fn handle(&mut self, Show(call): Show, _: &mut Self::Context) -> Self::Result {
        MessageResult(self.panels.get(&call).cloned())
    }
}
