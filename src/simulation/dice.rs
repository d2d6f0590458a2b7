//! Repeatable chance: the same seed throws the same dice on every machine (splitmix64).

/// Dice with a memory.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high.saturating_sub(low) + 1)
    }

    /// Below `n`; 0 where there is nothing below.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// So often in a hundred throws.
    pub(super) fn in_hundred(&mut self, times: u64) -> bool {
        self.next() % 100 < times
    }

    /// One of these, none of nothing.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// One of these, each as often as its weight says.
    pub(super) fn weighted<T: Copy>(&mut self, of: &[(u64, T)], otherwise: T) -> T {
        let all: u64 = of.iter().map(|(weight, _)| weight).sum();
        let mut left = self.next() % all.max(1);
        for (weight, item) in of {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return *item,
            }
        }
        otherwise
    }
}
