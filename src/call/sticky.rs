//! Which equipment a conversation speaks of: named now, a while ago, ever (R7, DECISIONS 4, 7).
use crate::equipment::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq)]
struct Mention {
    turn: usize,
    at: Instant,
}

/// The models named so far, with when they were last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sticky {
    last: BTreeMap<Model, Mention>,
    turns: usize,
}

impl Sticky {
    /// The patient named these, in a `new` turn or in the one heard before.
    pub fn hear(&mut self, named: &BTreeSet<Model>, new: bool, now: Instant) {
        self.turns += usize::from(new);
        for model in named {
            self.last.insert(model.clone(), Mention { turn: self.turns, at: now });
        }
    }

    /// Models named within the last `turns` turns and `window`, this turn's included.
    pub fn active(&self, turns: usize, window: Duration, now: Instant) -> BTreeSet<Model> {
        let fresh = |m: &Mention| self.turns - m.turn < turns && now.saturating_duration_since(m.at) < window;
        self.last.iter().filter(|(_, mention)| fresh(mention)).map(|(model, _)| model.clone()).collect()
    }

    /// Models named at any time.
    pub fn ever(&self) -> BTreeSet<Model> {
        self.last.keys().cloned().collect()
    }
}
