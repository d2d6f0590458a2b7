//! Where a stream's samples belong in the call: audio counts samples, the call counts milliseconds.
use std::collections::VecDeque;
use std::time::Duration;

/// Jitter that means nothing, in milliseconds.
const SLACK: u64 = 300;
/// How long audio must have flowed again before what is missing counts as a gap: a stalled network delivers late.
const SETTLE: u64 = 1000;
/// By how much, in milliseconds, what is missing becomes less while a stall drains.
const DRAIN: u64 = 100;
/// By how much recognisers may mistake where a word begins, in milliseconds.
const ONSET: u64 = 200;
/// Places that are kept; the oldest are forgotten.
const MOST: usize = 4096;

/// One stream's samples in the call's time.
#[derive(Clone, Debug)]
pub struct Timeline {
    rate: u32,
    frames: u64,
    /// From this frame on the stream stands at this time.
    anchors: VecDeque<(u64, u64)>,
    late: Option<Late>,
}

/// Audio that hasn't come yet, or never will.
#[derive(Clone, Copy, Debug)]
struct Late {
    /// The frame before which it is missing.
    frame: u64,
    /// Since when hardly less is missing, in the call's milliseconds, and how much was then.
    since: u64,
    then: u64,
    /// The least that was missing, in milliseconds.
    least: u64,
}

impl Timeline {
    /// A stream that hasn't begun; `rate` in samples a second.
    pub fn new(rate: u32) -> Self {
        Self { rate: rate.max(1), frames: 0, anchors: VecDeque::new(), late: None }
    }

    /// The call's time, in milliseconds, of a moment in the stream's audio.
    pub fn at_ms(&self, audio: Duration) -> u64 {
        let frame = audio.as_millis() as u64 * u64::from(self.rate) / 1000;
        self.placed(frame)
    }

    /// The same of the moment in which somebody begins to speak: right before a break in the call's time it
    /// is behind that break.
    pub fn began_ms(&self, audio: Duration) -> u64 {
        let frame = audio.as_millis() as u64 * u64::from(self.rate) / 1000;
        let onset = ONSET * u64::from(self.rate) / 1000;
        let likely = self.late.map(|late| (late.frame, self.placed(late.frame)));
        let breaks = likely.into_iter().chain(self.anchors.iter().skip(1).rev().copied());
        let after = breaks.take_while(|(from, _)| frame < *from).filter(|(from, _)| *from <= frame + onset);
        match after.last() {
            Some((from, at)) => at.saturating_sub(self.millis(from - frame)).max(self.placed(frame)),
            None => self.placed(frame),
        }
    }

    /// As far as is known now: what is missing still most likely never comes, so that words right after a
    /// pause stand behind it before it has become certain.
    fn placed(&self, frame: u64) -> u64 {
        let late = self.late.filter(|late| late.frame <= frame);
        self.at_frame(frame) + late.map_or(0, |late| late.least)
    }

    /// `frames` more that have just arrived. `sparse`: the peer sends nothing while nobody speaks, so that
    /// missing audio is silence. Answers a gap that has become certain, in the call's milliseconds.
    pub fn arrived(&mut self, frames: u64, now_ms: u64, sparse: bool) -> Option<(u64, u64)> {
        let began = now_ms.saturating_sub(self.millis(frames));
        if self.anchors.is_empty() {
            self.anchor(self.frames, began);
        }
        let expected = self.at_frame(self.frames + frames);
        let gap = if expected > now_ms + SLACK || (sparse && expected + SLACK < now_ms) {
            self.late = None;
            self.anchor(self.frames, began);
            None
        } else {
            self.missing(now_ms.saturating_sub(expected), now_ms)
        };
        self.frames += frames;
        gap
    }

    /// Audio that is missing and doesn't come late either is a gap where it began to be missing.
    fn missing(&mut self, missing: u64, now_ms: u64) -> Option<(u64, u64)> {
        if missing <= SLACK {
            self.late = None;
            return None;
        }
        let new = Late { frame: self.frames, since: now_ms, then: missing, least: missing };
        let late = self.late.get_or_insert(new);
        // Another hole: the one before it won't be filled any more.
        let another = missing > late.least + SLACK;
        if missing + DRAIN < late.then {
            (late.since, late.then) = (now_ms, missing); // a stall drains
        }
        late.least = late.least.min(missing);
        let Late { frame, since, least, .. } = *late;
        if !another && now_ms < since + SETTLE {
            return None;
        }
        let rest = missing - least;
        self.late = another.then_some(Late { then: rest, least: rest, ..new });
        let from = self.at_frame(frame);
        self.anchor(frame, from + least);
        Some((from, from + least))
    }

    fn anchor(&mut self, frame: u64, at_ms: u64) {
        self.anchors.retain(|(known, _)| *known < frame);
        self.anchors.push_back((frame, at_ms));
        if self.anchors.len() > MOST {
            self.anchors.pop_front();
        }
    }

    fn at_frame(&self, frame: u64) -> u64 {
        let known = self.anchors.iter().rev().find(|(from, _)| *from <= frame).or(self.anchors.front());
        known.map_or(0, |(from, at)| at + self.millis(frame.saturating_sub(*from)))
    }

    fn millis(&self, frames: u64) -> u64 {
        frames * 1000 / u64::from(self.rate)
    }
}
