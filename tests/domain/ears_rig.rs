//! A forked call's ears on a clock that the test holds, with sockets that send what can be told apart.
use aura::call::Input;
use aura::ears::session::{Session, Stream, Streams, Want};
use aura::ears::{Door, Fork, Gap, Layout, Line, Metadata, Piece, Spoken, Track};
use aura::ids::CallId;
use aura::stt::{Heard, Patience, Report};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub const IN: Track = Track::Inbound;
pub const OUT: Track = Track::Outbound;

/// The session, what it wanted and when, in milliseconds since the beginning.
pub struct Rig {
    pub session: Session,
    start: Instant,
    pub now: Instant,
    timer: Option<Instant>,
    pub wants: Vec<(u64, Want)>,
    opened: BTreeSet<Stream>,
    finished: BTreeSet<Stream>,
    over: bool,
    /// What each track sent so far: never 0, and each sample another than its neighbours.
    pub sent: [Vec<i16>; 2],
}

impl Rig {
    pub fn new(streams: Streams) -> Self {
        let now = Instant::now();
        let session = Session::new(streams, Patience::default(), None, now);
        let (wants, sent) = (Vec::new(), [Vec::new(), Vec::new()]);
        let (opened, finished) = (BTreeSet::new(), BTreeSet::new());
        Self { session, start: now, now, timer: None, wants, opened, finished, over: false, sent }
    }

    pub fn ms(&self) -> u64 {
        (self.now - self.start).as_millis() as u64
    }

    /// One thing happens, then all that the session wants, then the timer: a tick that is due sooner stays.
    pub fn step(&mut self, happen: impl FnOnce(&mut Session, Instant)) {
        happen(&mut self.session, self.now);
        let at = self.ms();
        for count in 0.. {
            assert!(count < 10_000, "poll never ends");
            let Some(want) = self.session.poll() else { break };
            self.check(&want);
            self.wants.push((at, want));
        }
        assert_eq!(self.session.is_over(), self.over);
        let due = self.session.deadline(self.now);
        assert!(!self.over || due.is_none(), "it is over and wants to be woken");
        self.timer = [self.timer, due].into_iter().flatten().min();
    }

    /// What holds of every want.
    fn check(&mut self, want: &Want) {
        assert!(!self.over, "told after the end: {want:?}");
        match want {
            Want::Open { stream, rate } => {
                assert!(self.opened.insert(*stream), "opened twice");
                assert!([8000, 16_000].contains(rate));
            }
            Want::Audio { stream, samples } => {
                assert!(self.opened.contains(stream), "audio before its link");
                assert!(!self.finished.contains(stream), "audio after the end of its link");
                assert!(!samples.is_empty());
                assert!(*stream != Stream::Joined || samples.len().is_multiple_of(2));
            }
            Want::Finalize(stream) => assert!(self.opened.contains(stream)),
            Want::Finish(stream) => {
                assert!(self.opened.contains(stream) && self.finished.insert(*stream));
            }
            Want::Tell(Input::Gap(gap)) => assert!(gap.from_ms < gap.to_ms, "{gap:?}"),
            Want::Over => self.over = true,
            _ => {}
        }
    }

    /// Time passes; ticks come when they were asked for.
    pub fn wait(&mut self, ms: u64) {
        let until = self.now + Duration::from_millis(ms);
        while let Some(at) = self.timer.filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.timer = None;
            self.step(|session, now| session.tick(now));
            assert!(self.session.deadline(self.now).is_none_or(|due| due > self.now), "it would never rest");
        }
        self.now = until;
    }

    pub fn plug(&mut self, socket: u64, door: Door, layout: Layout) {
        self.plug_for(socket, door, layout, IN);
    }

    pub fn plug_for(&mut self, socket: u64, door: Door, layout: Layout, patient: Track) {
        let call = CallId::parse("call_1").unwrap();
        let (metadata, waited) = (Metadata::default(), Duration::ZERO);
        let fork = Fork { call, door, layout, patient, metadata, waited };
        self.step(|session, now| session.plug(socket, &fork, now));
    }

    pub fn unplug(&mut self, socket: u64) {
        self.step(|session, now| session.unplug(socket, false, now));
    }

    pub fn piece(&mut self, socket: u64, piece: Piece) {
        self.step(|session, now| session.piece(socket, piece, now));
    }

    pub fn line(&mut self, socket: u64, line: Line) {
        self.piece(socket, Piece::Line(line));
    }

    /// Samples of `tracks` for so many milliseconds, at once.
    pub fn send(&mut self, socket: u64, rate: u32, tracks: &[Track], ms: u64) {
        let count = (u64::from(rate) * ms / 1000) as usize;
        let [inbound, outbound] = Track::ALL.map(|track| self.next(track, tracks.contains(&track), count));
        self.piece(socket, Piece::Samples { rate, inbound, outbound });
    }

    fn next(&mut self, track: Track, carried: bool, count: usize) -> Vec<i16> {
        let sent = &mut self.sent[track.channel()];
        let sign = if track == IN { 1 } else { -1 };
        let begin = sent.len();
        let new = (begin..begin + if carried { count } else { 0 }).map(|n| sign * (n % 30_000 + 1) as i16);
        sent.extend(new);
        sent[begin..].to_vec()
    }

    /// So many milliseconds of talk at 8 kHz, each 20 ms as they are spoken.
    pub fn talk(&mut self, socket: u64, tracks: &[Track], ms: u64) {
        for _ in 0..ms / 20 {
            self.wait(20);
            self.send(socket, 8000, tracks, 20);
        }
    }

    pub fn report(&mut self, stream: Stream, report: &Report) {
        self.step(|session, now| session.report(stream, report, now));
    }

    /// The recogniser heard this, in the link's milliseconds.
    pub fn hears(&mut self, stream: Stream, track: Track, text: &str, settled: bool, span: (u64, u64)) {
        let (start, end) = (Duration::from_millis(span.0), Duration::from_millis(span.1));
        let text = text.to_owned();
        self.report(stream, &Report::Heard(Heard { track, text, settled, endpoint: settled, start, end }));
    }

    /// All that a stream was given, on one of its channels.
    pub fn audio(&self, stream: Stream, channel: usize) -> Vec<i16> {
        let step = if stream == Stream::Joined { 2 } else { 1 };
        let given = self.wants.iter().filter_map(|(_, want)| match want {
            Want::Audio { stream: to, samples } if *to == stream => Some(samples),
            _ => None,
        });
        given.flat_map(|samples| samples.iter().skip(channel).step_by(step).copied()).collect()
    }

    /// The same without silence.
    pub fn loud(&self, stream: Stream, channel: usize) -> Vec<i16> {
        self.audio(stream, channel).into_iter().filter(|sample| *sample != 0).collect()
    }

    /// How long a stream's audio is, in milliseconds of 8 kHz.
    pub fn length(&self, stream: Stream) -> u64 {
        self.audio(stream, 0).len() as u64 / 8
    }

    pub fn told(&self) -> impl Iterator<Item = &Input> {
        self.wants
            .iter()
            .filter_map(|(_, want)| if let Want::Tell(input) = want { Some(input) } else { None })
    }

    pub fn gaps(&self) -> Vec<Gap> {
        self.told().filter_map(|input| if let Input::Gap(gap) = input { Some(*gap) } else { None }).collect()
    }

    pub fn lines(&self) -> Vec<&Spoken> {
        self.told()
            .filter_map(|input| if let Input::Spoken(line) = input { Some(line) } else { None })
            .collect()
    }

    /// How often this was wanted.
    pub fn count(&self, wanted: &Want) -> usize {
        self.wants.iter().filter(|(_, want)| want == wanted).count()
    }
}

/// Whether two times are as near as jitter lets them be.
pub fn near_ms(a: u64, b: u64, slack: u64) -> bool {
    a.abs_diff(b) <= slack
}
