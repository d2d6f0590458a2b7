//! Three hundred forked calls in which anything happens in any order: what must hold all the same.
use super::ears_rig::*;
use aura::ears::session::{Session, Stream, Streams, Want};
use aura::ears::{Door, Layout, Leg, Line, Piece, Track};
use aura::stt::Report;
use std::collections::BTreeMap;
use std::time::Duration;

const DOORS: [Door; 4] = [Door::AudioFork, Door::Twilio, Door::Asterisk, Door::AudioSocket];
const LAYOUTS: [Layout; 4] =
    [Layout::Stereo, Layout::Mono(Track::Inbound), Layout::Mono(Track::Outbound), Layout::Mixed];

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Which tracks a layout carries.
fn tracks(layout: Layout) -> &'static [Track] {
    match layout {
        Layout::Stereo => &Track::ALL,
        Layout::Mono(Track::Outbound) => &[Track::Outbound],
        Layout::Mono(Track::Inbound) | Layout::Mixed => &[Track::Inbound],
    }
}

struct World {
    rig: Rig,
    dice: Dice,
    streams: Streams,
    /// Sockets that are there, as the switch sees them, and what each carries.
    carried: BTreeMap<Track, u64>,
    sockets: Vec<u64>,
    next: u64,
    ending: bool,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let streams = dice.one(&[Streams::Joined, Streams::Joined, Streams::Apart, Streams::None]);
        let (carried, sockets) = (BTreeMap::new(), Vec::new());
        Self { rig: Rig::new(streams), dice, streams, carried, sockets, next: 1, ending: false }
    }

    fn stream(&mut self) -> Stream {
        self.dice.one(&[Stream::Joined, Stream::Of(IN), Stream::Of(OUT)])
    }

    /// `socket` carries `layout` from now on; whoever is superseded carries nothing at all.
    fn carry(&mut self, socket: u64, layout: Layout) {
        for track in Track::ALL {
            let before = self.carried.get(&track).copied();
            if tracks(layout).contains(&track) {
                if let Some(before) = before.filter(|before| *before != socket) {
                    self.carried.retain(|_, of| *of != before);
                }
                self.carried.insert(track, socket);
            } else if before == Some(socket) {
                self.carried.remove(&track);
            }
        }
    }

    fn anything(&mut self) {
        let socket = if self.sockets.is_empty() { 99 } else { self.dice.one(&self.sockets.clone()) };
        match self.dice.below(40) {
            0 | 1 => {
                let (door, layout, patient) =
                    (self.dice.one(&DOORS), self.dice.one(&LAYOUTS), self.dice.one(&Track::ALL));
                let new = self.next;
                self.next += 1;
                self.sockets.push(new);
                self.rig.plug_for(new, door, layout, patient);
                if !self.ending {
                    self.carry(new, layout);
                }
            }
            2 => {
                self.sockets.retain(|known| *known != socket);
                self.carried.retain(|_, of| *of != socket);
                self.rig.unplug(socket);
            }
            3 => {
                let (layout, patient) = (self.dice.one(&LAYOUTS), self.dice.one(&Track::ALL));
                self.rig.piece(socket, Piece::Changed { layout, patient });
                if !self.ending && self.carried.values().any(|of| *of == socket) {
                    self.carry(socket, layout);
                }
            }
            4 => {
                let leg = self.dice.one(&[Leg::Patient, Leg::Operator]);
                let done = self.dice.below(2) == 0;
                let text = self.dice.one(&["", "hola", "no puedo respirar"]).to_owned();
                self.rig.line(socket, Line { leg, text, done });
            }
            5 => self.report(),
            6 => {
                let (stream, from) = (self.stream(), self.dice.below(5000));
                let to = from + 1 + self.dice.below(5000);
                let ms = Duration::from_millis;
                self.rig.step(|session, _| session.lost(stream, ms(from), ms(to)));
            }
            7 => self.rig.step(|session, _| session.swap()),
            8 => {
                let piece = self.dice.one(&[0, 1, 2, 3]);
                let piece = match piece {
                    0 => Piece::Finished,
                    1 => Piece::Duplicated,
                    2 => Piece::Dtmf('5'),
                    _ => Piece::Bridged,
                };
                self.rig.piece(socket, piece);
            }
            9 if self.dice.below(12) == 0 => {
                self.ending = true;
                self.rig.step(Session::end);
            }
            10..=14 => {
                let ms = self.dice.one(&[0, 3, 90, 250, 1000, 4000]);
                self.rig.wait(ms);
            }
            _ => self.audio(socket),
        }
    }

    fn report(&mut self) {
        let (stream, track) = (self.stream(), self.dice.one(&Track::ALL));
        let start = self.dice.below(20_000);
        let end = start + self.dice.below(3000);
        match self.dice.below(8) {
            0 => self.rig.report(stream, &Report::Finished),
            1 => self.rig.report(stream, &Report::Trouble("quota".to_owned())),
            2 => {
                let last_word_end = Duration::from_millis(end);
                self.rig.report(stream, &Report::UtteranceEnd { track, last_word_end });
            }
            _ => {
                let text = self.dice.one(&["", "hola", "mi documento es treinta"]);
                let settled = self.dice.below(2) == 0;
                self.rig.hears(stream, track, text, settled, (start, end));
            }
        }
    }

    /// Mostly what the socket carries; what it doesn't carry is nobody's.
    fn audio(&mut self, socket: u64) {
        let ms = self.dice.one(&[20, 20, 20, 20, 200, 3]);
        self.rig.wait(if self.dice.below(4) == 0 { 0 } else { ms });
        let own: Vec<Track> = Track::ALL
            .into_iter()
            .filter(|track| !self.ending && self.carried.get(track) == Some(&socket))
            .collect();
        if self.dice.below(9) == 0 {
            let (before, stranger) = (self.rig.sent.clone(), Track::ALL);
            let foreign: Vec<Track> = stranger.into_iter().filter(|track| !own.contains(track)).collect();
            self.rig.send(socket, 8000, &foreign, ms);
            self.rig.sent = before;
        }
        self.rig.send(socket, 8000, &own, ms);
        if self.streams == Streams::None || self.dice.below(20) > 0 {
            return;
        }
        let waits: usize = Track::ALL
            .into_iter()
            .map(|track| self.rig.sent[track.channel()].len() - self.given(track).len())
            .sum();
        assert!(waits <= 8 * 300, "{waits} samples wait");
    }

    /// What was given to the recogniser of a track.
    fn given(&self, track: Track) -> Vec<i16> {
        match self.streams {
            Streams::Joined => self.rig.loud(Stream::Joined, track.channel()),
            _ => self.rig.loud(Stream::Of(track), 0),
        }
    }
}

#[test]
fn whatever_happens_each_sample_is_heard_once_and_in_order() {
    for seed in 0..300 {
        let mut world = World::new(seed);
        for _ in 0..250 {
            world.anything();
        }
        if !world.ending {
            world.rig.step(Session::end);
        }
        if world.streams != Streams::None {
            for track in Track::ALL {
                assert!(world.given(track) == world.rig.sent[track.channel()], "seed {seed}: {track:?}");
            }
        }
        world.rig.wait(8000);
        assert!(world.rig.session.is_over());
        assert_eq!(world.rig.count(&Want::Over), 1);
        let lines = world.rig.lines();
        let done: Vec<_> =
            lines.iter().filter(|line| line.done).map(|line| (line.track, line.utterance)).collect();
        for (at, key) in done.iter().enumerate() {
            assert!(!done[..at].contains(key), "seed {seed}: {key:?} was final twice");
        }
        for _ in 0..20 {
            world.ending = true;
            world.anything();
        }
    }
}

/// The same calls twice tell the same.
#[test]
fn a_session_depends_on_nothing_but_what_it_is_told() {
    for seed in 1000..1020 {
        let run = || {
            let mut world = World::new(seed);
            (0..200).for_each(|_| world.anything());
            world.rig.wants
        };
        assert!(run() == run(), "seed {seed}");
    }
}
