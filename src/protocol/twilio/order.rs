//! The chunks of one track, in order.
use std::collections::BTreeMap;

/// Chunks that wait for one before them.
const MOST_WAITING: usize = 10;
/// A number so much lower than expected is no repetition: the stream counts anew.
const ANEW: u64 = 500;

#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The number that is next, once one has come.
    next: Option<u64>,
    waiting: BTreeMap<u64, Vec<u8>>,
    pub(super) repeated: u64,
    pub(super) lost: u64,
}

impl Order {
    /// Takes in a chunk; what is in order now. One without a number is taken as it comes.
    pub(super) fn put(&mut self, chunk: Option<u64>, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(chunk) = chunk else { return vec![bytes] };
        // They count from 1: where the first to come is a later one, it may have overtaken that.
        let first = if chunk <= MOST_WAITING as u64 { chunk.min(1) } else { chunk };
        let next = *self.next.get_or_insert(first);
        if chunk + ANEW < next {
            let mut ready = self.rest();
            ready.push(bytes);
            self.next = Some(chunk + 1);
            return ready;
        }
        if chunk < next || self.waiting.contains_key(&chunk) {
            self.repeated += 1;
            return Vec::new();
        }
        self.waiting.insert(chunk, bytes);
        let mut ready = self.in_order();
        if self.waiting.len() > MOST_WAITING {
            self.skip();
            ready.extend(self.in_order());
        }
        ready
    }

    /// All that waits, at the end.
    pub(super) fn rest(&mut self) -> Vec<Vec<u8>> {
        let mut ready = Vec::new();
        while !self.waiting.is_empty() {
            self.skip();
            ready.extend(self.in_order());
        }
        ready
    }

    fn in_order(&mut self) -> Vec<Vec<u8>> {
        let mut ready = Vec::new();
        while let Some(next) = self.next
            && let Some(bytes) = self.waiting.remove(&next)
        {
            ready.push(bytes);
            self.next = next.checked_add(1);
        }
        ready
    }

    /// What is missing doesn't come any more.
    fn skip(&mut self) {
        if let (Some(next), Some(first)) = (self.next, self.waiting.first_key_value()) {
            self.lost += first.0 - next;
            self.next = Some(*first.0);
        }
    }
}
