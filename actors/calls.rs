//! The registry of live calls: opens one, finds it again on a redial, forgets it when it is over.
use crate::call::{Attach, CallActor, Detach, Drain, Happened, Wires};
use actix::prelude::*;
use aura::call::{Call, Spec};
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::ids::CallId;
use aura::prompt::Prompt;
use aura::retrieval::score::Scale;
use aura::settings::Snapshot;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tokio::sync::watch;

/// The active prompts by key: which a call gets is decided when it starts (DECISIONS 13).
pub type Prompts = BTreeMap<String, Arc<Prompt>>;

/// How a call is reached.
#[derive(Clone)]
pub struct CallHandle {
    serial: u64,
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
    /// No prompt is active for the channel.
    #[error("no active prompt '{0}'; see `aura prompts list`")]
    NoPrompt(&'static str),
}

/// What every call begins with.
pub struct Blueprint {
    /// Models, codes and manuals.
    pub catalogue: &'static Catalogue,
    /// Maps the embedder's cosines.
    pub scale: Scale,
    /// The adapter and model that answers.
    pub responder: String,
    /// Where calls' work goes.
    pub wires: Wires,
    /// The settings, live.
    pub settings: watch::Receiver<Arc<Snapshot>>,
    /// The active prompts, live.
    pub prompts: watch::Receiver<Arc<Prompts>>,
    /// The cap of live calls.
    pub max_calls: usize,
}

/// All live calls. Holds addresses, never state (I5); its guards never leave this file.
pub struct Calls {
    live: DashMap<CallId, CallHandle>,
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
            blueprint,
            serial: AtomicU64::new(1),
            draining: AtomicBool::new(false),
            sockets: AtomicUsize::new(0),
        })
    }

    /// Finds the call, or opens it on the caller's arbiter.
    pub fn open(self: &Arc<Self>, id: &CallId, channel: Channel) -> Result<CallHandle, Refused> {
        let live = self.live.len();
        match self.live.entry(id.clone()) {
            Entry::Occupied(entry) if entry.get().happened.connected() => Ok(entry.get().clone()),
            entry => {
                if self.draining.load(Ordering::Relaxed) {
                    return Err(Refused::Draining);
                }
                if live >= self.blueprint.max_calls {
                    return Err(Refused::Full { live });
                }
                let handle = self.start(id, channel)?;
                entry.insert(handle.clone());
                metrics::gauge!("aura_calls_live").increment(1.0);
                Ok(handle)
            }
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

    fn start(self: &Arc<Self>, id: &CallId, channel: Channel) -> Result<CallHandle, Refused> {
        let profile = channel.profile();
        let blueprint = &self.blueprint;
        let prompt = blueprint.prompts.borrow().get(profile.prompt_key).cloned();
        let mut settings = blueprint.settings.clone();
        let spec = Spec {
            id: id.clone(),
            profile,
            catalogue: blueprint.catalogue,
            settings: Arc::clone(&settings.borrow_and_update()),
            prompt: prompt.ok_or(Refused::NoPrompt(profile.prompt_key))?,
            scale: blueprint.scale,
            responder: blueprint.responder.clone(),
        };
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let (registry, key) = (Arc::downgrade(self), id.clone());
        let over = Box::new(move || {
            if let Some(registry) = registry.upgrade() {
                registry.forget(&key, serial);
            }
        });
        let address = CallActor::new(Call::new(spec), blueprint.wires.clone(), settings, over).start();
        Ok(CallHandle {
            serial,
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
