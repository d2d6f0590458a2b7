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

    /// Each model with the patient's turn it was last named in and its age in milliseconds: to be kept.
    pub fn ages(&self, now: Instant) -> Vec<(Model, usize, u64)> {
        let age =
            |at: Instant| u64::try_from(now.saturating_duration_since(at).as_millis()).unwrap_or(u64::MAX);
        self.last.iter().map(|(model, m)| (model.clone(), m.turn, age(m.at))).collect()
    }

    /// Patient turns so far.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// As it was `age` ago. A mention older than this machine's clock reaches counts as of the clock's start.
    pub fn restore(ages: Vec<(Model, usize, u64)>, turns: usize, age: Duration, now: Instant) -> Self {
        let at = |ms: u64| {
            let ago = age + Duration::from_millis(ms);
            std::iter::successors(Some(ago), |ago| Some(*ago / 2)).find_map(|ago| now.checked_sub(ago))
        };
        let last = ages
            .into_iter()
            .map(|(model, turn, ms)| (model, Mention { turn, at: at(ms).unwrap_or(now) }))
            .collect();
        Self { last, turns }
    }
}
