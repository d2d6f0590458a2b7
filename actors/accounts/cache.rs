//! Whoever was known a moment ago, so that not every request asks the database, and an outage of it doesn't
//! put everybody out.
use super::{Via, Who};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// So long nobody is asked again. It is also how late another process's changes are noticed.
const FRESH: Duration = Duration::from_secs(3);
/// While the database is away: so long after it last knew them.
const STALE: Duration = Duration::from_secs(5 * 60);
/// Most that are remembered.
const MOST: usize = 10_000;

struct Held {
    who: Who,
    known: Instant,
    ask_after: Instant,
    until: Instant,
}

/// What is remembered.
#[derive(Default)]
pub(super) struct Cache {
    held: HashMap<Via, Held>,
    forgotten: u64,
}

impl Cache {
    /// Whoever needn't be asked for.
    pub fn fresh(&self, via: &Via, now: Instant) -> Option<Who> {
        let held = self.held.get(via)?;
        (now < held.ask_after && now < held.until).then(|| held.who.clone())
    }

    /// Whoever is still let in while the database is away; it is asked again a moment later.
    pub fn stale(&mut self, via: &Via, now: Instant) -> Option<Who> {
        let held = self.held.get_mut(via)?;
        if now >= held.until || now >= held.known + STALE {
            return None;
        }
        held.ask_after = now + FRESH;
        Some(held.who.clone())
    }

    /// To be taken before the database is asked.
    pub fn mark(&self) -> u64 {
        self.forgotten
    }

    /// Remembers an answer, unless somebody was forgotten since `mark`: then it may be older than that.
    pub fn keep(&mut self, who: Who, remaining: Duration, mark: u64, now: Instant) {
        if self.forgotten != mark {
            return;
        }
        if self.held.len() >= MOST {
            self.held.retain(|_, held| now < held.until && now < held.ask_after);
        }
        if self.held.len() >= MOST {
            self.held.clear();
        }
        let held = Held { known: now, ask_after: now + FRESH, until: now + remaining, who };
        self.held.insert(held.who.via, held);
    }

    /// Forgets one.
    pub fn forget(&mut self, via: &Via) {
        self.forgotten += 1;
        self.held.remove(via);
    }

    /// Forgets all.
    pub fn forget_all(&mut self) {
        self.forgotten += 1;
        self.held.clear();
    }
}
