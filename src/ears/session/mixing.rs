//! Samples of the lanes into the streams that recognisers get.
use super::{Session, Stream, Streams, Want};
use crate::call::Input;
use crate::ears::timeline::Timeline;
use crate::ears::{Gap, Lack, Track};
use std::time::{Duration, Instant};

/// How far one track may run ahead of the other before silence stands in for what is missing, in
/// milliseconds.
const LEAD: usize = 250;

impl Session {
    pub(super) fn samples(&mut self, socket: u64, from: u32, tracks: [Vec<i16>; 2], now: Instant) {
        if self.streams == Streams::None {
            return;
        }
        // Narrow-band stays as it is: nothing is gained by more samples of it.
        let rate = *self.rate.get_or_insert(if from <= 8000 { 8000 } else { 16_000 });
        let now = self.spoken_at(socket, from, &tracks, now);
        let now_ms = self.millis(now);
        for track in Track::ALL {
            let silenced = self.on_hold && track != self.patient;
            let lane = &mut self.lanes[track.channel()];
            if lane.carried.as_ref().is_some_and(|carried| carried.socket == socket) {
                let samples = &tracks[track.channel()];
                if silenced {
                    // Music on hold is nobody's words.
                    lane.push(&vec![0; samples.len()], from, rate, now_ms);
                } else {
                    lane.push(samples, from, rate, now_ms);
                }
            }
        }
        self.mix(now, false);
    }

    /// When samples were spoken: now, but for those that waited until their call was known.
    fn spoken_at(&mut self, socket: u64, rate: u32, tracks: &[Vec<i16>; 2], now: Instant) -> Instant {
        let Some(waited) = self.waited.get_mut(&socket) else { return now };
        let samples = tracks.iter().map(Vec::len).max().unwrap_or(0) as u64;
        *waited = waited.saturating_sub(Duration::from_micros(samples * 1_000_000 / u64::from(rate.max(1))));
        let waited = *waited;
        if waited.is_zero() {
            self.waited.remove(&socket);
        }
        now.checked_sub(waited).unwrap_or(now)
    }

    pub(super) fn stand_in(&mut self, now: Instant) {
        let (now_ms, Some(rate)) = (self.millis(now), self.rate) else { return };
        for lane in &mut self.lanes {
            lane.stand_in(rate, now_ms);
        }
        // Nobody sends: then nobody is waited for either.
        let newest = self.lanes.iter().filter_map(|lane| lane.last).max();
        self.mix(now, newest.is_some_and(|last| last + LEAD as u64 <= now_ms));
    }

    /// Whether a track waits for the other's samples.
    pub(super) fn uneven(&self) -> bool {
        self.streams == Streams::Joined
            && self.ending.is_none()
            && self.lanes.iter().any(|lane| !lane.queue.is_empty())
    }

    /// Hands on what can be; `all` of it where no track waits for the other one any more.
    pub(super) fn mix(&mut self, now: Instant, all: bool) {
        match self.streams {
            // A link that was told to end takes nothing more.
            _ if self.ending.is_some() => {}
            Streams::None => {}
            Streams::Apart => {
                for track in Track::ALL {
                    let lane = &mut self.lanes[track.channel()];
                    let (samples, sparse) = (std::mem::take(&mut lane.queue), lane.is_sparse());
                    self.send(Stream::Of(track), samples, sparse, now);
                }
            }
            Streams::Joined => self.join(now, all),
        }
    }

    /// As much as both tracks have; where one is away or far behind, silence stands in for it.
    fn join(&mut self, now: Instant, all: bool) {
        let Some(rate) = self.rate else { return };
        let [inbound, outbound] = &self.lanes;
        let (a, b) = (inbound.queue.len(), outbound.queue.len());
        let both = inbound.carried.is_some() && outbound.carried.is_some();
        let far = a.abs_diff(b) > LEAD * rate as usize / 1000;
        let frames = if both && !far && !all { a.min(b) } else { a.max(b) };
        if frames == 0 {
            return;
        }
        let sparse = inbound.is_sparse() || outbound.is_sparse();
        let mut samples = vec![0; frames * 2];
        for lane in 0..2 {
            let queue = &mut self.lanes[lane].queue;
            let taken = queue.len().min(frames);
            let silence = (frames - taken) as u64 * 1000 / u64::from(rate);
            for (at, sample) in queue.drain(..taken).enumerate() {
                samples[at * 2 + lane] = sample;
            }
            self.lanes[lane].filled += silence;
        }
        self.send(Stream::Joined, samples, sparse, now);
    }

    fn send(&mut self, stream: Stream, samples: Vec<i16>, sparse: bool, now: Instant) {
        let Some(rate) = self.rate.filter(|_| !samples.is_empty()) else { return };
        let now_ms = self.millis(now);
        let channels = if stream == Stream::Joined { 2 } else { 1 };
        let frames = (samples.len() / channels) as u64;
        let outbox = &mut self.outbox;
        let line = self.open.entry(stream).or_insert_with(|| {
            outbox.push_back(Want::Open { stream, rate });
            Timeline::new(rate)
        });
        // What a lost socket would have sent is its own gap, and doesn't come late.
        let back = of(stream).iter().any(|track| self.lanes[track.channel()].is_back());
        let missing = line.arrived(frames, now_ms, sparse || back);
        self.outbox.push_back(Want::Audio { stream, samples });
        self.report_loss(stream, now_ms.saturating_sub(frames * 1000 / u64::from(rate)));
        if let Some((from_ms, to_ms)) = missing {
            self.gap(stream, from_ms, to_ms, Lack::Paused);
        }
    }

    /// A track that nobody carried and that is back: what was said meanwhile nobody heard.
    fn report_loss(&mut self, stream: Stream, began: u64) {
        for track in of(stream) {
            let lane = &mut self.lanes[track.channel()];
            if !lane.is_back() {
                continue;
            }
            if let Some(from_ms) = lane.lost.take().filter(|from| *from < began) {
                let gap = Gap { track: Some(*track), from_ms, to_ms: began, why: Lack::Lost };
                self.tell(Input::Gap(gap));
            }
        }
    }

    pub(super) fn gap(&mut self, stream: Stream, from_ms: u64, to_ms: u64, why: Lack) {
        let track = match stream {
            Stream::Joined => None,
            Stream::Of(track) => Some(track),
        };
        self.tell(Input::Gap(Gap { track, from_ms, to_ms, why }));
    }
}

/// Whose audio a stream carries.
fn of(stream: Stream) -> &'static [Track] {
    super::tracks(stream.layout())
}
