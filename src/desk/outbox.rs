//! What one client still has to be sent: bounded, one batch under way at a time, and a deadline for that.
//!
//! Of what may still change only the newest is kept; what is final is never dropped. A client that falls behind
//! is closed, connects again and catches up by number.
use super::feed::Frame;
use crate::ids::CallId;
use crate::protocol::desk::Key;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// How long a batch may be under way, in milliseconds.
pub const DEADLINE_MS: u64 = 5_000;
/// Frames that may wait: the longest call twice over.
const MOST: usize = 16_384;
/// Bytes that may wait.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of one batch, and frames.
const BATCH: (usize, usize) = (64 * 1024, 256);

/// No more fits: the client is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

struct Slot {
    text: Arc<str>,
    /// Of an event that may still change.
    partial: Option<(CallId, Key)>,
    call: Option<CallId>,
}

/// A frame may be a patient's panel or a telephone: it prints as its length.
impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({} bytes)", self.text.len())
    }
}

/// One client's.
#[derive(Debug, Default)]
pub struct Outbox {
    slots: BTreeMap<u64, Slot>,
    next: u64,
    partials: HashMap<(CallId, Key), u64>,
    bytes: usize,
    under_way: Option<u64>,
}

impl Outbox {
    /// An event of a call that the client watches.
    pub fn event(&mut self, frame: &Frame) -> Result<(), Full> {
        let key = frame.key.clone().map(|key| (frame.call.clone(), key));
        // What it replaces may go, even by what is final.
        if let Some(older) = key.as_ref().and_then(|key| self.partials.remove(key)) {
            self.remove(older);
        }
        let partial = key.filter(|_| frame.partial);
        self.add(Slot { text: Arc::clone(&frame.text), partial, call: Some(frame.call.clone()) })
    }

    /// Anything else; never dropped.
    pub fn message(&mut self, text: Arc<str>) -> Result<(), Full> {
        self.add(Slot { text, partial: None, call: None })
    }

    /// Something about a call that goes when the client watches it no more.
    pub fn about(&mut self, call: &CallId, text: Arc<str>) -> Result<(), Full> {
        self.add(Slot { text, partial: None, call: Some(call.clone()) })
    }

    /// What waits of a call isn't sent any more: the client watches it no longer, or from the beginning.
    pub fn forget(&mut self, call: &CallId) {
        let of = |slot: &Slot| slot.call.as_ref() == Some(call);
        let gone: Vec<u64> =
            self.slots.iter().filter(|(_, slot)| of(slot)).map(|(number, _)| *number).collect();
        for number in gone {
            self.remove(number);
        }
    }

    /// The next batch, oldest first, if none is under way and something waits.
    pub fn batch(&mut self, now: u64) -> Vec<Arc<str>> {
        let mut batch = Vec::new();
        if self.under_way.is_some() {
            return batch;
        }
        let mut bytes = 0;
        while batch.len() < BATCH.1
            && bytes < BATCH.0
            && let Some(number) = self.slots.keys().next().copied()
            && let Some(slot) = self.remove(number)
        {
            bytes += slot.text.len();
            batch.push(slot.text);
        }
        self.under_way = (!batch.is_empty()).then_some(now);
        batch
    }

    /// The batch has gone out.
    pub fn delivered(&mut self) {
        self.under_way = None;
    }

    /// Whether the batch under way has been so for too long.
    pub fn is_behind(&self, now: u64) -> bool {
        self.under_way.is_some_and(|since| now.saturating_sub(since) >= DEADLINE_MS)
    }

    /// Frames and bytes that wait.
    pub fn waiting(&self) -> (usize, usize) {
        (self.slots.len(), self.bytes)
    }

    fn add(&mut self, slot: Slot) -> Result<(), Full> {
        if self.slots.len() >= MOST || self.bytes + slot.text.len() > MOST_BYTES {
            return Err(Full);
        }
        self.bytes += slot.text.len();
        self.next += 1;
        if let Some(key) = slot.partial.clone() {
            self.partials.insert(key, self.next);
        }
        self.slots.insert(self.next, slot);
        Ok(())
    }

    fn remove(&mut self, number: u64) -> Option<Slot> {
        let slot = self.slots.remove(&number)?;
        self.bytes -= slot.text.len();
        if let Some(key) = &slot.partial
            && self.partials.get(key) == Some(&number)
        {
            self.partials.remove(key);
        }
        Some(slot)
    }
}
