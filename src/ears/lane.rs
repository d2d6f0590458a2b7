//! One track's samples on their way to the recogniser, whichever socket carries them.
use super::Door;
use crate::audio::Resampler;

/// How long silence stands in for a peer that sends nothing while nobody speaks: long enough for a
/// recogniser to notice that an utterance is over.
const STAND_IN: u64 = 2000;
/// How long such a peer may say nothing before silence stands in.
const PATIENCE: u64 = 120;

/// What a socket brings to a track.
#[derive(Debug)]
pub(super) struct Carried {
    pub socket: u64,
    pub sparse: bool,
}

/// One track.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub carried: Option<Carried>,
    pub queue: Vec<i16>,
    resampler: Option<(u32, Resampler)>,
    /// When audio last came, in the call's milliseconds, and up to when silence stood in.
    pub last: Option<u64>,
    pub filled: u64,
    /// Since when nobody carries it.
    pub lost: Option<u64>,
    /// Numbers the lines that the switch's own recogniser heard.
    pub lines: u32,
    /// When the line began that isn't final yet, in the call's milliseconds.
    pub line_began: Option<u64>,
}

impl Lane {
    pub fn carry(&mut self, socket: u64, door: Door) {
        self.carried = Some(Carried { socket, sparse: matches!(door, Door::Asterisk | Door::AudioSocket) });
        self.flush();
    }

    /// What a resampler still holds.
    pub fn flush(&mut self) {
        if let Some((_, resampler)) = self.resampler.take() {
            self.queue.extend(resampler.finish());
        }
    }

    pub fn let_go(&mut self, now_ms: u64) {
        self.flush();
        // A dead peer is noticed late; of one that sends nothing while nobody speaks nothing was missed.
        let since = if self.is_sparse() { now_ms } else { self.last.unwrap_or(now_ms) };
        self.carried = None;
        if self.last.take().is_some() {
            self.lost.get_or_insert(since);
        }
    }

    /// Whether audio comes again after a time in which nobody carried it.
    pub fn is_back(&self) -> bool {
        self.lost.is_some() && self.last.is_some()
    }

    pub fn is_sparse(&self) -> bool {
        self.carried.as_ref().is_some_and(|carried| carried.sparse)
    }

    /// Takes samples in, at the call's rate; answers how many they were.
    pub fn push(&mut self, samples: &[i16], from: u32, to: u32, now_ms: u64) {
        if samples.is_empty() {
            return;
        }
        self.last = Some(now_ms);
        self.filled = now_ms;
        if self.resampler.as_ref().is_some_and(|(rate, _)| *rate != from) {
            self.flush();
        }
        if from == to {
            return self.queue.extend_from_slice(samples);
        }
        if self.resampler.is_none() {
            self.resampler = Resampler::new(from, to).ok().map(|resampler| (from, resampler));
        }
        if let Some((_, resampler)) = &mut self.resampler {
            self.queue.extend(resampler.push(samples));
        }
    }

    /// Lets silence stand in for a peer that sends none.
    pub fn stand_in(&mut self, rate: u32, now_ms: u64) {
        let Some(last) = self.last.filter(|_| self.is_sparse()) else { return };
        let until = now_ms.min(last + STAND_IN);
        if now_ms < last + PATIENCE || until <= self.filled {
            return;
        }
        let silence = (until - self.filled) as usize * rate as usize / 1000;
        self.queue.resize(self.queue.len() + silence, 0);
        self.filled = until;
    }

    /// Until when, in the call's milliseconds, it wants to be looked at again and again.
    pub fn watches_until(&self) -> Option<u64> {
        self.last
            .filter(|_| self.is_sparse())
            .map(|last| last + STAND_IN)
            .filter(|until| self.filled < *until)
    }
}
