//! The registry of forked calls' ears: opens them with the call, finds them again for a further socket.
use crate::calls::{Calls, Near, Refused, SocketGuard};
use crate::ears::{EarsActor, Heard, Plug, Swap, Unplug};
use crate::stt::Stt;
use actix::prelude::*;
use aura::channel::Channel;
use aura::ears::{Door, Track};
use aura::ids::CallId;
use aura::settings::{self, OUTBOUND, Snapshot};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// How a call's ears are reached.
#[derive(Clone)]
pub struct EarsHandle {
    serial: u64,
    /// Gives them a socket.
    pub plug: Recipient<Plug>,
    /// Lets them hear.
    pub heard: Recipient<Heard>,
    /// Takes a socket away.
    pub unplug: Recipient<Unplug>,
    swap: Recipient<Swap>,
}

/// All ears there are. Holds addresses, never state (I5); its guards never leave this file.
pub struct Forks {
    live: DashMap<CallId, EarsHandle>,
    calls: Arc<Calls>,
    stt: Arc<dyn Stt>,
    settings: watch::Receiver<Arc<Snapshot>>,
    serial: AtomicU64,
}

impl Forks {
    /// An empty registry.
    pub fn new(calls: Arc<Calls>, stt: Arc<dyn Stt>, settings: watch::Receiver<Arc<Snapshot>>) -> Arc<Self> {
        Arc::new(Self { live: DashMap::new(), calls, stt, settings, serial: AtomicU64::new(1) })
    }

    /// The call's ears, or new ones with the call, on the caller's arbiter.
    pub fn open(self: &Arc<Self>, id: &CallId, near: &Near) -> Result<EarsHandle, Refused> {
        let call = self.calls.open(id, Channel::AudioFork, near)?;
        match self.live.entry(id.clone()) {
            Entry::Occupied(entry) if entry.get().heard.connected() => Ok(entry.get().clone()),
            entry => {
                let serial = self.serial.fetch_add(1, Ordering::Relaxed);
                let (registry, key) = (Arc::downgrade(self), id.clone());
                let over = Box::new(move || {
                    if let Some(registry) = registry.upgrade() {
                        registry.live.remove_if(&key, |_, handle| handle.serial == serial);
                    }
                });
                let (number, _) = self.calls.socket(); // what is counted while it drains are its sockets
                let ears = EarsActor::new(id.as_str(), call, number, Arc::clone(&self.stt), over).start();
                let handle = EarsHandle {
                    serial,
                    plug: ears.clone().recipient(),
                    heard: ears.clone().recipient(),
                    unplug: ears.clone().recipient(),
                    swap: ears.recipient(),
                };
                entry.insert(handle.clone());
                Ok(handle)
            }
        }
    }

    /// Patient and operator of a live call are the other way round; false where there is no such call.
    pub fn swap(&self, id: &CallId) -> bool {
        let ears = self.live.get(id).map(|entry| entry.swap.clone());
        ears.filter(Recipient::connected).map(|ears| ears.do_send(Swap)).is_some()
    }

    /// A number for a socket, never used twice, and its count while it lives.
    pub fn socket(&self) -> (u64, SocketGuard) {
        self.calls.socket()
    }

    /// How many calls are heard.
    pub fn live(&self) -> usize {
        self.live.len()
    }

    /// Which track is the patient's where the switch doesn't say: the door's setting.
    pub fn patient(&self, door: Door) -> Track {
        let setting = match door {
            Door::AudioFork => &settings::AUDIO_FORK_PATIENT,
            Door::Twilio => &settings::TWILIO_PATIENT,
            Door::Asterisk | Door::AudioSocket => &settings::ASTERISK_PATIENT,
        };
        let settings = self.settings.borrow();
        if settings.text(setting, Channel::AudioFork) == OUTBOUND { Track::Outbound } else { Track::Inbound }
    }
}
