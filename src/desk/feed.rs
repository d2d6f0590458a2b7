//! What happened in a call since it began: each event once, numbered, the newest of its key alone.
use crate::ids::CallId;
use crate::protocol::desk::{Cursor, Event, Happening, Key, Message};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Events that are kept of a call: some ten hours of talk.
const MOST: usize = 8_000;
/// Bytes that are kept of a call.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// One event as it is sent: written once, whoever watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Of which call.
    pub call: CallId,
    /// Its number within the call.
    pub seq: u64,
    /// What replaces it.
    pub key: Option<Key>,
    /// Whether a newer one of its key is expected.
    pub partial: bool,
    /// The whole frame, as it goes over the wire.
    pub text: Arc<str>,
}

/// One call's events.
#[derive(Debug, Default)]
pub struct Feed {
    frames: BTreeMap<u64, Arc<Frame>>,
    newest: HashMap<Key, u64>,
    seq: u64,
    bytes: usize,
    /// The highest number that was dropped for want of room.
    cut: u64,
    /// The number before the first: whoever has seen only that, or less, has seen nothing of this.
    before: u64,
    over: bool,
}

/// What a watcher lacks.
#[derive(Debug)]
pub struct Since {
    /// Whether it starts from the beginning, and what the watcher had is to be forgotten.
    pub anew: bool,
    /// Whether the beginning is kept no more.
    pub cut: bool,
    /// The events, in order.
    pub frames: Vec<Arc<Frame>>,
    /// The last number.
    pub seq: u64,
}

impl Feed {
    /// Takes an event in; `None` where it can't be written.
    pub fn tell(&mut self, call: &CallId, happening: Happening, at: u64) -> Option<Arc<Frame>> {
        match happening {
            // An id that is used again names another call.
            Happening::Opened { .. } if self.over => *self = Self::after(self.seq),
            Happening::Closed => self.over = true,
            _ => {}
        }
        let (key, partial) = (happening.key(), happening.is_partial());
        let seq = self.seq + 1;
        let event = Message::Event(Event { call: call.clone(), seq, at, happening });
        let text: Arc<str> = serde_json::to_string(&event).ok()?.into();
        let frame = Arc::new(Frame { call: call.clone(), seq, key: key.clone(), partial, text });
        self.seq = seq;
        self.bytes += frame.text.len();
        self.frames.insert(seq, Arc::clone(&frame));
        if let Some(key) = key
            && let Some(before) = self.newest.insert(key, seq)
            && let Some(gone) = self.frames.remove(&before)
        {
            self.bytes -= gone.text.len();
        }
        while self.frames.len() > MOST || self.bytes > MOST_BYTES {
            self.drop_oldest();
        }
        Some(frame)
    }

    /// Of a call whose id was used before, up to this number.
    fn after(seq: u64) -> Self {
        Self { seq, before: seq, ..Self::default() }
    }

    fn drop_oldest(&mut self) {
        let Some((seq, gone)) = self.frames.pop_first() else { return };
        self.bytes -= gone.text.len();
        self.cut = seq;
        if let Some(key) = &gone.key {
            self.newest.remove(key);
        }
    }

    /// What came after this number.
    fn since(&self, after: u64) -> Since {
        let frames = self.frames.range(after + 1..).map(|(_, frame)| Arc::clone(frame)).collect();
        Since { anew: after <= self.before, cut: self.cut > after, frames, seq: self.seq }
    }
}

/// All calls' events, of one life of the server.
#[derive(Debug)]
pub struct Feeds {
    epoch: u64,
    feeds: HashMap<CallId, Feed>,
    /// The highest number of calls that were forgotten: should one come back, a client may still be at that.
    forgotten: u64,
}

impl Feeds {
    /// Nothing has happened yet. `epoch` names this life of the server, e.g. by when it began.
    pub fn new(epoch: u64) -> Self {
        Self { epoch, feeds: HashMap::new(), forgotten: 0 }
    }

    /// Which life of the server counts.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Takes an event in; whoever watches is sent the frame.
    pub fn tell(&mut self, call: &CallId, happening: Happening, at: u64) -> Option<Arc<Frame>> {
        let before = self.forgotten;
        self.feeds.entry(call.clone()).or_insert_with(|| Feed::after(before)).tell(call, happening, at)
    }

    /// What a watcher lacks who is at `after`; `None` where there is no such call. Where the server has begun
    /// anew since, that is everything.
    pub fn since(&self, call: &CallId, after: Option<Cursor>) -> Option<Since> {
        let feed = self.feeds.get(call)?;
        let known = after.filter(|after| after.epoch == self.epoch && after.seq <= feed.seq);
        Some(feed.since(known.map_or(0, |after| after.seq)))
    }

    /// Whether anything of the call is kept.
    pub fn holds(&self, call: &CallId) -> bool {
        self.feeds.contains_key(call)
    }

    /// Forgets a call.
    pub fn forget(&mut self, call: &CallId) {
        if let Some(feed) = self.feeds.remove(call) {
            self.forgotten = self.forgotten.max(feed.seq);
        }
    }

    /// The words of an event that a mark is about.
    pub fn frame(&self, call: &CallId, key: &Key) -> Option<Arc<Frame>> {
        let feed = self.feeds.get(call)?;
        feed.newest.get(key).and_then(|seq| feed.frames.get(seq)).cloned()
    }

    /// Bytes that are held of all calls.
    pub fn bytes(&self) -> usize {
        self.feeds.values().map(|feed| feed.bytes).sum()
    }
}
