//! The registry of live calls: opens one, finds it again on a redial, forgets it when it is over.
mod given_up;

use crate::call::{Attach, CallActor, Detach, Drain, Happened, Origin, Wires};
use crate::capture::Reread;
use crate::clock::now;
use crate::desk::Tell;
use crate::journal::{Recalled, Record, Remembered};
use crate::llm::Generate;
use crate::lookup::{Equipment, LookUp};
use crate::rag::Retrieve;
use crate::summary::Summarise;
use crate::vault::Vault;
use actix::prelude::*;
use aura::call::{Input, LINGER, Spec};
use aura::channel::Channel;
use aura::ears::session::Former;
use aura::equipment::Catalogue;
use aura::ids::CallId;
use aura::prompt::Prompt;
use aura::retrieval::score::Scale;
use aura::settings::{OFF, Snapshot};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tokio::sync::watch;

/// Prompts by key (the active version) and by `key@version`: which a call gets is decided when it starts
/// (DECISIONS 13), and a rebuilt one keeps.
pub type Prompts = BTreeMap<String, Arc<Prompt>>;

/// How a call is reached.
#[derive(Clone)]
pub struct CallHandle {
    serial: u64,
    channel: Channel,
    /// What a rebuilt call knows of its former ears.
    pub ears: Option<Former>,
    /// Tells it what happened.
    pub happened: Recipient<Happened>,
    /// Gives it a socket.
    pub attach: Recipient<Attach>,
    /// Takes a socket away.
    pub detach: Recipient<Detach>,
    drain: Recipient<Drain>,
}

/// Why a call isn't opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The cap of live calls is reached.
    #[error("{live} calls are live, which is the cap; raise AURA_MAX_CALLS or add a server")]
    Full {
        /// How many are live.
        live: usize,
    },
    /// The process is going down.
    #[error("this server is draining; dial again and another will answer")]
    Draining,
    /// The channel is switched off.
    #[error("{0} is switched off; `aura settings set {0}.mode answer` takes calls again")]
    Off(Channel),
    /// A live call of another channel has this id.
    #[error("a live call of {0} has this id; check who dials with other calls' ids")]
    Taken(Channel),
    /// No prompt is active for the channel.
    #[error("no active prompt '{0}'; see `aura prompts list`")]
    NoPrompt(&'static str),
}

/// What answers a call on its own arbiter: between a question and its answer no thread is changed.
#[derive(Clone)]
pub struct Near {
    /// The language model's actor.
    pub llm: Recipient<Generate>,
}

/// What every call begins with.
pub struct Blueprint {
    /// Models, codes and manuals.
    pub catalogue: &'static Catalogue,
    /// Maps the embedder's cosines.
    pub scale: Scale,
    /// The adapter and model that answers.
    pub responder: String,
    /// Where calls' work goes, wherever they are carried.
    pub wires: Shared,
    /// The settings, live.
    pub settings: watch::Receiver<Arc<Snapshot>>,
    /// The active prompts, live.
    pub prompts: watch::Receiver<Arc<Prompts>>,
    /// The cap of live calls.
    pub max_calls: usize,
}

/// What all calls share.
#[derive(Clone)]
pub struct Shared {
    /// Searches.
    pub rag: Recipient<Retrieve>,
    /// The operators' desk.
    pub desk: Recipient<Tell>,
    /// The journal.
    pub journal: Recipient<Record>,
    /// The patients' system.
    pub lookup: Recipient<LookUp>,
    /// Where a patient's devices are shown.
    pub equipment: Recipient<Equipment>,
    /// A second reader of documents.
    pub reader: Option<Recipient<Reread>>,
    /// Summaries that a model words.
    pub summary: Recipient<Summarise>,
    /// Seals documents.
    pub vault: Vault,
}

impl Shared {
    fn with(&self, near: &Near) -> Wires {
        let Self { rag, desk, journal, lookup, equipment, reader, summary, vault } = self.clone();
        Wires { rag, llm: near.llm.clone(), desk, journal, lookup, equipment, reader, summary, vault }
    }
}

/// All live calls. Holds addresses, never state (I5); its guards never leave this file.
pub struct Calls {
    live: DashMap<CallId, CallHandle>,
    /// Calls of the last process that nobody has redialled yet.
    recalled: DashMap<CallId, (Channel, Remembered)>,
    blueprint: Blueprint,
    serial: AtomicU64,
    draining: AtomicBool,
    sockets: AtomicUsize,
}

/// Counts a socket for as long as it lives.
pub struct SocketGuard(Arc<Calls>);

impl Drop for SocketGuard {
    fn drop(&mut self) {
        self.0.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Calls {
    /// An empty registry.
    pub fn new(blueprint: Blueprint) -> Arc<Self> {
        Arc::new(Self {
            live: DashMap::new(),
            recalled: DashMap::new(),
            blueprint,
            serial: AtomicU64::new(1),
            draining: AtomicBool::new(false),
            sockets: AtomicUsize::new(0),
        })
    }

    /// Finds the call, or opens it on the caller's arbiter, which is `near`'s.
    pub fn open(self: &Arc<Self>, id: &CallId, channel: Channel, near: &Near) -> Result<CallHandle, Refused> {
        // A redial too: whoever was let go of must not be taken on again by a process that is about to end.
        if self.draining.load(Ordering::Relaxed) {
            return Err(Refused::Draining);
        }
        let live = self.live.len();
        match self.live.entry(id.clone()) {
            Entry::Occupied(entry) if entry.get().happened.connected() => match entry.get().channel {
                of if of == channel => Ok(entry.get().clone()),
                other => Err(Refused::Taken(other)),
            },
            entry => {
                if live >= self.blueprint.max_calls {
                    return Err(Refused::Full { live });
                }
                let before = self.recalled.remove(id).filter(|(_, (source, _))| *source == channel);
                let before = before.map(|(_, (_, remembered))| self.unsealed(id, remembered));
                if before.is_none() && self.is_off(channel) {
                    return Err(Refused::Off(channel));
                }
                let handle = self.start(id, channel, before, near)?;
                entry.insert(handle.clone());
                metrics::gauge!("aura_calls_live").increment(1.0);
                Ok(handle)
            }
        }
    }

    /// Tells a live call what happened; false where there is none. Never opens one.
    pub fn tell(&self, id: &CallId, input: Input) -> bool {
        let happened = self.live.get(id).map(|entry| entry.happened.clone());
        let told = happened.filter(Recipient::connected).map(|call| call.do_send(Happened(input)));
        told.is_some()
    }

    /// The same, and waits until it has happened.
    pub async fn happen(&self, id: &CallId, input: Input) -> bool {
        let happened = self.live.get(id).map(|entry| entry.happened.clone());
        match happened {
            Some(call) => call.send(Happened(input)).await.is_ok(),
            None => false,
        }
    }

    /// A number for a socket, never used twice, and its count while it lives.
    pub fn socket(self: &Arc<Self>) -> (u64, SocketGuard) {
        self.sockets.fetch_add(1, Ordering::Relaxed);
        (self.serial.fetch_add(1, Ordering::Relaxed), SocketGuard(Arc::clone(self)))
    }

    /// How many sockets carry calls.
    pub fn sockets(&self) -> usize {
        self.sockets.load(Ordering::Relaxed)
    }

    /// How many calls are live.
    pub fn live(&self) -> usize {
        self.live.len()
    }

    /// Opens no more calls and asks each to let go of its socket after the turn at hand.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
        let handles: Vec<CallHandle> = self.live.iter().map(|entry| entry.value().clone()).collect();
        for handle in handles {
            handle.drain.do_send(Drain);
        }
    }

    /// What is remembered, with the document that the call went by.
    fn unsealed(&self, id: &CallId, remembered: Remembered) -> Remembered {
        let vault = &self.blueprint.wires.vault;
        let dni = remembered.sealed.as_ref().and_then(|sealed| vault.unseal(sealed, id.as_str()));
        Remembered { memory: remembered.memory.with_dni(dni), ..remembered }
    }

    fn is_off(&self, channel: Channel) -> bool {
        let settings = self.blueprint.settings.borrow();
        settings.text(channel.profile().mode, channel) == OFF
    }

    /// Waits for the redial of calls that the last process left: those that nobody redials are ended.
    pub fn recall(self: &Arc<Self>, calls: Vec<Recalled>) {
        let now = Timestamp::now();
        for call in calls {
            let silent = now.duration_since(call.remembered.last).unsigned_abs();
            let (id, source, remembered) = (call.id, call.source, call.remembered);
            self.recalled.insert(id.clone(), (source, remembered));
            let (registry, left) = (Arc::clone(self), LINGER.saturating_sub(silent));
            actix_rt::spawn(async move {
                tokio::time::sleep(left).await;
                registry.give_up(&id);
            });
        }
    }

    /// The prompt that a call has, or begins with.
    fn prompt(&self, key: &'static str, before: Option<&Remembered>) -> Result<Arc<Prompt>, Refused> {
        let prompts = self.blueprint.prompts.borrow();
        let kept = before.map(|before| {
            let (key, version) = &before.memory.prompt;
            format!("{key}@{version}")
        });
        let prompt = kept.and_then(|name| prompts.get(&name)).or_else(|| prompts.get(key));
        prompt.cloned().ok_or(Refused::NoPrompt(key))
    }

    fn spec(&self, id: &CallId, channel: Channel, prompt: Arc<Prompt>) -> Spec {
        let blueprint = &self.blueprint;
        Spec {
            id: id.clone(),
            profile: channel.profile(),
            catalogue: blueprint.catalogue,
            settings: Arc::clone(&blueprint.settings.borrow()),
            prompt,
            scale: blueprint.scale,
            responder: blueprint.responder.clone(),
            second_reader: blueprint.wires.reader.is_some(),
            began: (now(), u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()),
        }
    }

    fn start(
        self: &Arc<Self>,
        id: &CallId,
        channel: Channel,
        before: Option<Remembered>,
        near: &Near,
    ) -> Result<CallHandle, Refused> {
        let blueprint = &self.blueprint;
        let prompt = self.prompt(channel.profile().prompt_key, before.as_ref())?;
        let mut settings = blueprint.settings.clone();
        let snapshot = Arc::clone(&settings.borrow_and_update());
        let spec = Spec { settings: snapshot, ..self.spec(id, channel, prompt) };
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let (registry, key) = (Arc::downgrade(self), id.clone());
        let over = Box::new(move || {
            if let Some(registry) = registry.upgrade() {
                registry.forget(&key, serial);
            }
        });
        if before.is_some() {
            metrics::counter!("aura_calls_rebuilt_total", "cause" => "restart").increment(1);
        }
        let ears = before.as_ref().and_then(Remembered::ears);
        let origin = Origin { spec, before };
        let address = CallActor::new(origin, blueprint.wires.with(near), settings, over).start();
        Ok(CallHandle {
            serial,
            channel,
            ears,
            happened: address.clone().recipient(),
            attach: address.clone().recipient(),
            detach: address.clone().recipient(),
            drain: address.recipient(),
        })
    }

    fn forget(&self, id: &CallId, serial: u64) {
        metrics::gauge!("aura_calls_live").decrement(1.0);
        self.live.remove_if(id, |_, handle| handle.serial == serial);
    }
}
