//! One-time tickets for websockets, in memory: one process, half a minute, one use.
use super::Via;
use crate::store::Hash;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long a ticket is good.
pub const TICKET_LIFE: Duration = Duration::from_secs(30);
/// Most that wait to be used; past it none is issued.
const MOST: usize = 10_000;
/// Most that one session or token has.
const MOST_OF_ONE: usize = 16;

struct Ticket {
    via: Via,
    origin: Option<String>,
    until: Instant,
}

/// Those that wait to be used.
#[derive(Default)]
pub(super) struct Tickets {
    waiting: HashMap<Hash, Ticket>,
}

impl Tickets {
    /// Keeps a ticket; false where too many wait.
    pub fn add(&mut self, hash: Hash, via: Via, origin: Option<String>, now: Instant) -> bool {
        self.waiting.retain(|_, ticket| ticket.until > now);
        let own = self.waiting.values().filter(|ticket| ticket.via == via).count();
        if self.waiting.len() >= MOST || own >= MOST_OF_ONE {
            return false;
        }
        self.waiting.insert(hash, Ticket { via, origin, until: now + TICKET_LIFE });
        true
    }

    /// Whose ticket it is. It is used up, whether it is good here or not: one that went astray opens nothing.
    pub fn take(&mut self, hash: &Hash, origin: Option<&str>, now: Instant) -> Option<Via> {
        let ticket = self.waiting.remove(hash)?;
        (ticket.until > now && ticket.origin.as_deref() == origin).then_some(ticket.via)
    }
}
