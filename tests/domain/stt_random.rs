//! By seeded chance: whatever the network does, what is assembled is what was spoken, each word once.
use super::stt_recogniser::{Connection, SAMPLE, Script};
use aura::ears::{Layout, Track};
use aura::stt::{
    Assembled, Assembler, Dialect, Frame, Limits, Link, LinkOut, Patience, Refusal, Report, Spec,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const RATE: u32 = 1000 / SAMPLE as u32;
/// Milliseconds at once.
const STEP: u64 = 40;

/// Calls of each recogniser; `AURA_SEEDS` asks for more.
fn seeds() -> u64 {
    std::env::var("AURA_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(400)
}

pub struct Dice(u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }

    pub fn in_hundred(&mut self, times: u64) -> bool {
        self.below(100) < times
    }
}

/// What is on its way to the link.
enum Event {
    Opened,
    Refused,
    Message(String),
    Closed(u16),
}

struct World {
    dice: Dice,
    dialect: Dialect,
    link: Link,
    assemblers: [Assembler; 2],
    begin: Instant,
    now: u64,
    server: Option<Connection>,
    connection: u32,
    /// When the newest connection dies.
    dies: u64,
    events: VecDeque<(u64, u32, Event)>,
    said: [Vec<String>; 2],
    unconfirmed: Vec<String>,
    lost: Vec<(u64, u64)>,
    finished: bool,
    calm: bool,
    connections: u32,
}

impl World {
    fn new(seed: u64, dialect: Dialect, layout: Layout) -> Self {
        let begin = Instant::now();
        let limits = Limits { backoff_cap: Duration::from_secs(4), ..Limits::default() };
        let assembler = |track| Assembler::new(track, Patience::default());
        Self {
            dice: Dice(seed),
            dialect,
            link: Link::new(Spec { dialect, rate: RATE, layout, seed, limits }, begin),
            assemblers: Track::ALL.map(assembler),
            begin,
            now: 0,
            server: None,
            connection: 0,
            dies: 0,
            events: VecDeque::new(),
            said: [Vec::new(), Vec::new()],
            unconfirmed: Vec::new(),
            lost: Vec::new(),
            finished: false,
            calm: false,
            connections: 0,
        }
    }

    fn instant(&self) -> Instant {
        self.begin + Duration::from_millis(self.now)
    }

    fn perform(&mut self) {
        while let Some(out) = self.link.poll() {
            match out {
                LinkOut::Connect { connection } => self.dialled(connection),
                LinkOut::Disconnect => self.server = None,
                LinkOut::Send(frame) => self.sent(frame),
                LinkOut::Report(report) => self.report(&report),
                LinkOut::Lost { from, to } => {
                    self.lost.push((from.as_millis() as u64, to.as_millis() as u64));
                }
                LinkOut::GaveUp { .. } | LinkOut::Recovered => {}
            }
        }
        self.assembled();
    }

    fn dialled(&mut self, connection: u32) {
        (self.connection, self.server) = (connection, None);
        self.connections += 1;
        let delay = 30 + self.dice.below(700);
        let event = match self.dice.below(100) {
            _ if self.calm => Event::Opened,
            0..20 => Event::Refused,
            // A handshake that is never answered.
            20..22 => return,
            _ => Event::Opened,
        };
        self.events.push_back((self.now + delay, connection, event));
    }

    fn sent(&mut self, frame: Frame) {
        let (now, delay) = (self.now, 5 + self.dice.below(250));
        let Some(server) = &mut self.server else { return };
        let replies = match frame {
            Frame::Binary(bytes) => server.audio(&bytes, &mut self.dice),
            Frame::Text(text) => server.text(&text, &mut self.dice),
        };
        // In order, as a socket delivers.
        let earliest = self.events.iter().filter(|e| e.1 == self.connection).map(|e| e.0).max().unwrap_or(0);
        let at = (now + delay).max(earliest);
        let over = server.is_over();
        self.events.extend(replies.into_iter().map(|reply| (at, self.connection, Event::Message(reply))));
        if over {
            self.events.push_back((at, self.connection, Event::Closed(1000)));
        }
    }

    fn report(&mut self, report: &Report) {
        self.finished |= *report == Report::Finished;
        for assembler in &mut self.assemblers {
            assembler.hear(report, self.begin + Duration::from_millis(self.now));
        }
    }

    fn assembled(&mut self) {
        for (track, assembler) in self.assemblers.iter_mut().enumerate() {
            while let Some(out) = assembler.poll() {
                match out {
                    Assembled::Utterance(said) if said.done => {
                        self.unconfirmed.extend(said.unconfirmed.then(|| said.text.clone()));
                        self.said[track].push(said.text);
                    }
                    Assembled::Utterance(_) => {}
                    Assembled::Finalize => {
                        self.link.finalize(self.begin + Duration::from_millis(self.now));
                    }
                }
            }
        }
    }

    fn step(&mut self) {
        self.now += STEP;
        let now = self.instant();
        if self.server.is_some() && self.now >= self.dies && !self.calm {
            // What is on its way may be lost with it.
            self.server = None;
            let keep = self.dice.below(3) as usize;
            let connection = self.connection;
            let mut kept = 0;
            self.events.retain(|(_, of, _)| {
                kept += usize::from(*of == connection);
                *of != connection || kept <= keep
            });
            let code = [1006, 1011, 1012][self.dice.below(3) as usize];
            self.events.push_back((self.now + self.dice.below(1500), connection, Event::Closed(code)));
        }
        while let Some(at) = self.events.iter().position(|(due, _, _)| *due <= self.now) {
            let (_, connection, event) = self.events.remove(at).unwrap();
            self.happens(connection, event, now);
            self.perform();
        }
        if self.dice.below(150) == 0 {
            self.link.writable(false, now);
        } else if self.dice.below(15) == 0 {
            self.link.writable(true, now);
        }
        if self.link.deadline().is_some_and(|at| at <= now) {
            self.link.tick(now);
        }
        for assembler in &mut self.assemblers {
            if assembler.deadline().is_some_and(|at| at <= now) {
                assembler.tick(now);
            }
        }
        self.perform();
    }

    fn happens(&mut self, connection: u32, event: Event, now: Instant) {
        match event {
            Event::Opened if connection == self.connection => {
                let mute = !self.calm && self.dice.in_hundred(4);
                self.server = Some(Connection::new(self.dialect, self.link_channels(), mute));
                self.dies = self.now + 200 + self.dice.below(8000);
                self.link.opened(connection, now);
            }
            Event::Opened => self.link.opened(connection, now),
            Event::Refused => {
                let refusal = Refusal { status: Some(503), ..Refusal::default() };
                self.link.refused(connection, &refusal, now);
            }
            Event::Message(text) => self.link.message(connection, &text, now),
            Event::Closed(code) => self.link.closed(connection, Some(code), "", now),
        }
    }

    fn link_channels(&self) -> usize {
        if self.dialect == Dialect::Deepgram { 2 } else { 1 }
    }

    fn run(&mut self, script: &Script, channels: usize) {
        let samples = script.samples(channels);
        for piece in samples.chunks((STEP / SAMPLE) as usize * channels) {
            self.link.audio(piece, self.instant());
            self.perform();
            self.step();
        }
        self.calm = true;
        self.link.writable(true, self.instant());
        self.link.finish(self.instant());
        let begin = self.now;
        while !self.link.is_over() && self.now < begin + 60_000 {
            self.step();
        }
        assert!(self.link.is_over(), "it never ends");
        self.assemblers.iter_mut().for_each(Assembler::closed);
        self.assembled();
    }

    /// Each word once and in order, but for those that a gap took: these once at the most.
    fn check(&self, seed: u64, script: &Script, channels: usize) {
        for track in 0..channels {
            let heard: Vec<&str> = self.said[track].iter().flat_map(|text| text.split(' ')).collect();
            let mut rest = heard.as_slice();
            for word in script.words(track) {
                let gap = self.lost.iter().any(|(from, to)| word.start < *to + 100 && word.end + 100 > *from);
                match rest.split_first() {
                    Some((first, after)) if *first == word.text => rest = after,
                    // Half a word beside a gap may be heard as another.
                    Some((first, after)) if gap && first.starts_with('?') => rest = after,
                    _ if gap => {}
                    _ => panic!(
                        "seed {seed}, track {track}: {} missing or twice in {heard:?}; lost {:?}",
                        word.text, self.lost
                    ),
                }
            }
            assert!(
                rest.iter().all(|word| word.starts_with('?')),
                "seed {seed}: told twice: {rest:?} of {heard:?}"
            );
        }
        assert!(self.finished || !self.lost.is_empty(), "seed {seed}: no goodbye");
        let (said, lost) = (&self.said, &self.lost);
        let unsure = self.finished && !self.unconfirmed.is_empty();
        assert!(!unsure, "seed {seed}: {:?} in {said:?}, lost {lost:?}", self.unconfirmed);
    }
}

/// How many runs, connections and runs with gaps.
fn all(dialect: Dialect, layout: Layout, channels: usize, seeds: u64) -> (u32, usize) {
    let (mut connections, mut gaps) = (0, 0);
    for seed in 0..seeds {
        let mut world = World::new(seed, dialect, layout);
        let script = Script::new(&mut world.dice, channels);
        world.run(&script, channels);
        world.check(seed, &script, channels);
        connections += world.connections;
        gaps += usize::from(!world.lost.is_empty());
    }
    (connections, gaps)
}

#[test]
fn deepgram_over_any_network_tells_each_word_once() {
    let seeds = seeds();
    let (connections, gaps) = all(Dialect::Deepgram, Layout::Stereo, 2, seeds);
    assert!(
        connections > 3 * seeds as u32 && gaps < seeds as usize / 5,
        "{connections} connections, {gaps} runs with gaps"
    );
}

#[test]
fn vosk_over_any_network_tells_each_word_once() {
    let seeds = seeds();
    let (connections, gaps) = all(Dialect::Vosk, Layout::Mono(Track::Inbound), 1, seeds);
    assert!(
        connections > 3 * seeds as u32 && gaps < seeds as usize / 5,
        "{connections} connections, {gaps} runs with gaps"
    );
}
