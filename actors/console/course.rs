//! The course of a connection: numbers for requests, when to ask whether the server is there, when to dial again.
//! No IO; times are milliseconds of a clock that only goes forward.
use aura::protocol::desk::{Ask, Message, Request, VERSION};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often the server is asked whether it is there.
pub const PING_MS: u64 = 15_000;
/// After how long without a frame the connection is dead.
pub const DEAD_MS: u64 = 30_000;
/// The first wait before dialling again, and the longest.
const WAITS: (u64, u64) = (500, 8_000);
/// A connection that stood for so long was a good one: the next wait is short again.
const STOOD_MS: u64 = 10_000;
/// Requests that wait for an answer; the server closes on more than 32 that it hasn't read.
const MOST: usize = 24;

/// What is due.
#[derive(Clone, Debug, PartialEq)]
pub enum Beat {
    /// Nothing until then.
    Until(u64),
    /// This is to be sent.
    Ping(Request),
    /// Nobody is there.
    Dead,
}

/// One client's connections, one after the other.
#[derive(Debug)]
pub struct Course {
    extension: Option<String>,
    next: u64,
    pending: BTreeMap<u64, Ask>,
    welcomed: Option<u64>,
    heard: u64,
    pinged: u64,
    tries: u32,
}

impl Course {
    /// Before the first connection. `extension`: where the operator sits.
    pub fn new(extension: Option<String>) -> Self {
        Self { extension, next: 1, pending: BTreeMap::new(), welcomed: None, heard: 0, pinged: 0, tries: 0 }
    }

    /// A connection stands: what is said first.
    pub fn opened(&mut self, now: u64) -> Request {
        (self.heard, self.pinged) = (now, now);
        self.number(Ask::Hello { version: VERSION, extension: self.extension.clone() })
    }

    /// What goes over the wire for this; the request comes back where it can't be sent just now.
    pub fn ask(&mut self, ask: Ask) -> Result<Request, Ask> {
        if self.welcomed.is_none() || self.pending.len() >= MOST {
            return Err(ask);
        }
        Ok(self.number(ask))
    }

    /// A frame came: the request that it answers.
    pub fn told(&mut self, message: &Message, now: u64) -> Option<Ask> {
        self.heard = now;
        let about = |ask: &Ask| match (message, ask) {
            (Message::Patient(patient), Ask::SeePatient { call }) => patient.call == *call,
            (Message::Telephone { callback, .. }, Ask::SeeTelephone { callback: asked }) => callback == asked,
            (Message::Callbacks { .. }, Ask::Callbacks) => true,
            _ => false,
        };
        let id = match message {
            Message::Welcome(welcome) => {
                self.welcomed = Some(now);
                Some(welcome.id)
            }
            Message::Done { id } | Message::Watching { id, .. } | Message::Pong { id } => Some(*id),
            Message::Refused { id, .. } => *id,
            // These carry no number: they answer the oldest that asked for them.
            _ => self.pending.iter().find(|(_, ask)| about(ask)).map(|(id, _)| *id),
        };
        self.pending.remove(&id?)
    }

    /// Anything came, were it no frame of the protocol's.
    pub fn heard(&mut self, now: u64) {
        self.heard = now;
    }

    /// What is due by now.
    pub fn beat(&mut self, now: u64) -> Beat {
        let (dead, ping) = (self.heard + DEAD_MS, self.pinged + PING_MS);
        if now >= dead {
            return Beat::Dead;
        }
        if now >= ping && self.welcomed.is_some() {
            self.pinged = now;
            return Beat::Ping(self.number(Ask::Ping));
        }
        Beat::Until(if self.welcomed.is_some() { dead.min(ping) } else { dead })
    }

    /// The connection is gone, or couldn't be made: how long to wait, and how many requests that would have changed
    /// something nobody answered. `spread` (0 to 1) keeps clients from dialling all at once.
    pub fn broke(&mut self, now: u64, spread: f64) -> (Duration, usize) {
        if self.welcomed.take().is_some_and(|since| now.saturating_sub(since) >= STOOD_MS) {
            self.tries = 0;
        }
        let longest = WAITS.0.saturating_mul(1 << self.tries.min(8)).min(WAITS.1);
        self.tries = self.tries.saturating_add(1);
        let unanswered = self.pending.values().filter(|ask| changes(ask)).count();
        self.pending.clear();
        (Duration::from_millis(longest).mul_f64(0.75 + spread.clamp(0.0, 1.0) / 4.0), unanswered)
    }

    fn number(&mut self, ask: Ask) -> Request {
        let id = self.next;
        self.next += 1;
        self.pending.insert(id, ask.clone());
        Request { id, ask }
    }
}

/// Whether it matters that nobody knows whether it was done.
const fn changes(ask: &Ask) -> bool {
    !matches!(
        ask,
        Ask::Hello { .. }
            | Ask::Watch { .. }
            | Ask::Unwatch { .. }
            | Ask::SeePatient { .. }
            | Ask::Callbacks
            | Ask::Ping
    )
}
