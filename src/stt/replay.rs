//! The audio that a recogniser hasn't settled yet, so that another connection can hear it again.
use std::collections::VecDeque;

/// Samples from `base` on, by frames of the whole link. What lies before `sent` has been sent on this
/// connection.
#[derive(Debug)]
pub(super) struct Replay {
    samples: VecDeque<i16>,
    channels: usize,
    base: u64,
    sent: u64,
    /// Frames that are kept at the most.
    bound: u64,
}

impl Replay {
    pub(super) fn new(channels: usize, bound: u64) -> Self {
        Self { samples: VecDeque::new(), channels: channels.max(1), base: 0, sent: 0, bound: bound.max(1) }
    }

    /// The end of all audio so far.
    pub(super) fn head(&self) -> u64 {
        self.base + (self.samples.len() / self.channels) as u64
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) fn unsent(&self) -> u64 {
        self.head() - self.sent
    }

    /// Takes whole frames in. Where there are too many the oldest go; answers those that were never sent.
    pub(super) fn push(&mut self, samples: &[i16]) -> Option<(u64, u64)> {
        let whole = samples.len() / self.channels * self.channels;
        let sent = self.sent;
        let all = self.head() + (whole / self.channels) as u64;
        let keep = all.saturating_sub(self.bound);
        self.forget(keep);
        // More at once than there is room for.
        let skip = (keep.saturating_sub(self.base) as usize * self.channels).min(whole);
        self.samples.extend(&samples[skip..whole]);
        self.base = self.base.max(keep);
        self.sent = self.sent.max(self.base);
        (self.base > sent).then_some((sent, self.base))
    }

    /// The next frames, at most so many, as bytes for the wire (16 bits, little-endian).
    pub(super) fn take(&mut self, frames: u64) -> Vec<u8> {
        let frames = frames.min(self.unsent());
        let from = (self.sent - self.base) as usize * self.channels;
        let to = from + frames as usize * self.channels;
        self.sent += frames;
        let mut bytes = Vec::with_capacity(2 * (to - from));
        self.samples.range(from..to).for_each(|sample| bytes.extend_from_slice(&sample.to_le_bytes()));
        bytes
    }

    /// Nothing before `frame` is needed again; what wasn't sent stays.
    pub(super) fn settle(&mut self, frame: u64) {
        self.forget(frame.min(self.sent));
    }

    /// Begins anew from `frame`, or from the oldest that there is; answers where.
    pub(super) fn rewind(&mut self, frame: u64) -> u64 {
        self.sent = frame.clamp(self.base, self.head());
        self.sent
    }

    fn forget(&mut self, before: u64) {
        let gone = before.saturating_sub(self.base).min(self.head() - self.base);
        self.samples.drain(..gone as usize * self.channels);
        self.base += gone;
    }
}
