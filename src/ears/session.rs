//! One forked call's sockets, joined: samples to the recogniser, lines and gaps to the call.
//!
//! It works like a call: inputs change it, [`Session::poll`] hands out what it wants until `None`,
//! [`Session::deadline`] says when it wants a [`Session::tick`].
mod hearing;
mod mixing;

use super::lane::Lane;
use super::timeline::Timeline;
use super::{Door, Fork, Layout, Leg, Line, Piece, Spoken, Track};
use crate::call::Input;
use crate::stt::{Assembler, Patience};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How the recogniser wants a call's audio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Both tracks interleaved, on one link.
    Joined,
    /// A link for each track.
    Apart,
    /// There is none: the switch recognises, or nobody does.
    None,
}

/// One stream to a recogniser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// Both tracks, interleaved.
    Joined,
    /// One track.
    Of(Track),
}

impl Stream {
    /// What its channels are.
    pub const fn layout(self) -> Layout {
        match self {
            Self::Joined => Layout::Stereo,
            Self::Of(track) => Layout::Mono(track),
        }
    }
}

/// What a session wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// Begin a link; its first audio follows.
    Open {
        /// Which.
        stream: Stream,
        /// Samples a second: 8,000 or 16,000.
        rate: u32,
    },
    /// Audio for a link, interleaved.
    Audio {
        /// Which.
        stream: Stream,
        /// The samples.
        samples: Vec<i16>,
    },
    /// A link shall ask for what the recogniser holds back.
    Finalize(Stream),
    /// A link shall get the rest, and end.
    Finish(Stream),
    /// The call is to know this.
    Tell(Input),
    /// A line for switches that asked for the transcript; not masked yet.
    Transcription(Line),
    /// Another socket carries this one's tracks: it is to be closed.
    Supersede {
        /// Which.
        socket: u64,
    },
    /// A socket carries the call, for the first time or again.
    Carried,
    /// None does any more.
    Deserted {
        /// Whether the last one said goodbye.
        clean: bool,
    },
    /// All was heard and told: the call is over.
    Over,
}

/// How long recognisers may take for the last words of a call.
const LAST_WORDS: Duration = Duration::from_secs(8);
/// How often a peer that sends nothing is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How long ears wait for a socket at most, whatever the call says: it ends long before.
const DESERTED: Duration = Duration::from_secs(900);

/// What is remembered of ears whose process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Former {
    /// Since the call's first audio.
    pub age: Duration,
    /// Which track was the patient's in the end: the switch's word or the operator's.
    pub patient: Track,
}

/// One call's ears.
#[derive(Debug)]
pub struct Session {
    streams: Streams,
    began: Instant,
    rate: Option<u32>,
    /// Whether audio goes into each link, and where it belongs in the call's time.
    open: BTreeMap<Stream, Timeline>,
    lanes: [Lane; 2],
    assemblers: [Assembler; 2],
    sockets: BTreeMap<u64, Door>,
    /// Sockets whose first audio is older than its arrival, and by how much still.
    waited: BTreeMap<u64, Duration>,
    /// Which track is the patient's, as the switch says, and as it is: the operator knows better.
    announced: Track,
    patient: Track,
    swapped: bool,
    /// Since when no socket carries the call.
    deserted: Option<Instant>,
    on_hold: bool,
    /// By when links must have answered, once the call is over, and those that haven't.
    ending: Option<(Instant, BTreeSet<Stream>)>,
    over: bool,
    outbox: VecDeque<Want>,
}

impl Session {
    /// A call that no socket carries yet. `known`: what a call that was rebuilt knows of its former ears.
    pub fn new(streams: Streams, patience: Patience, known: Option<Former>, now: Instant) -> Self {
        let age = known.map_or(Duration::ZERO, |former| former.age);
        let patient = known.map_or(Track::Inbound, |former| former.patient);
        Self {
            streams,
            began: now.checked_sub(age).unwrap_or(now),
            rate: None,
            open: BTreeMap::new(),
            lanes: [Lane::default(), Lane::default()],
            assemblers: Track::ALL.map(|track| Assembler::new(track, patience)),
            sockets: BTreeMap::new(),
            waited: BTreeMap::new(),
            announced: patient,
            patient,
            swapped: known.is_some(),
            deserted: None,
            on_hold: false,
            ending: None,
            over: false,
            outbox: VecDeque::new(),
        }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Want> {
        self.outbox.pop_front()
    }

    /// A socket carries tracks from now on; whoever carried them before is let go (FAULT 50).
    pub fn plug(&mut self, socket: u64, fork: &Fork, now: Instant) {
        if self.ending.is_some() {
            return;
        }
        let deserted = self.sockets.is_empty();
        self.sockets.insert(socket, fork.door);
        if !fork.waited.is_zero() {
            self.waited.insert(socket, fork.waited);
            if self.open.is_empty() {
                self.began = self.began.min(now.checked_sub(fork.waited).unwrap_or(now));
            }
        }
        self.carry(socket, fork.door, fork.layout, now);
        self.deserted = None;
        if deserted {
            self.outbox.push_back(Want::Carried);
        }
        self.announced(fork.patient);
    }

    /// A socket tells something; one that was let go tells nothing.
    pub fn piece(&mut self, socket: u64, piece: Piece, now: Instant) {
        let Some(door) = self.sockets.get(&socket).copied().filter(|_| self.ending.is_none()) else { return };
        match piece {
            Piece::Samples { rate, inbound, outbound } => {
                self.samples(socket, rate, [inbound, outbound], now);
            }
            Piece::Changed { layout, patient } => {
                self.carry(socket, door, layout, now);
                self.announced(patient);
            }
            Piece::Line(line) => self.line(line, now),
            Piece::Hold(on) => {
                self.on_hold = on;
                self.tell(Input::Hold(on));
            }
            Piece::Duplicated => self.tell(Input::OneVoice),
            Piece::HungUp => self.end(now),
            Piece::Finished => {
                self.mix(now, true);
                self.finalize();
            }
            Piece::Metadata(metadata) => {
                if let Some(extension) = metadata.extension {
                    self.tell(Input::Extension(extension));
                }
                let variables = metadata.variables.clone();
                self.tell(Input::Details { variables, phone: metadata.phone });
            }
            Piece::Dtmf(_) | Piece::Bridged => {}
        }
    }

    /// A socket is gone; `clean` if it said goodbye.
    pub fn unplug(&mut self, socket: u64, clean: bool, now: Instant) {
        if self.sockets.remove(&socket).is_none() {
            return;
        }
        self.waited.remove(&socket);
        let now_ms = self.millis(now);
        for lane in &mut self.lanes {
            if lane.carried.as_ref().is_some_and(|carried| carried.socket == socket) {
                lane.let_go(now_ms);
            }
        }
        self.mix(now, false);
        if self.sockets.is_empty() && self.ending.is_none() {
            self.finalize();
            self.deserted = Some(now);
            self.outbox.push_back(Want::Deserted { clean });
        }
    }

    /// The call is over: the last words are waited for, then it is told so.
    pub fn end(&mut self, now: Instant) {
        if self.ending.is_some() {
            return;
        }
        for lane in &mut self.lanes {
            lane.flush();
        }
        self.mix(now, true);
        let links: BTreeSet<Stream> = self.open.keys().copied().collect();
        self.outbox.extend(links.iter().map(|stream| Want::Finish(*stream)));
        self.ending = Some((now + LAST_WORDS, links));
        self.settle(now);
    }

    /// The operator says that patient and operator are the other way round.
    pub fn swap(&mut self) {
        if self.over {
            return;
        }
        self.swapped = true;
        self.patient_on(self.patient.other());
    }

    /// Time passed.
    pub fn tick(&mut self, now: Instant) {
        if self.over {
            return;
        }
        self.stand_in(now);
        for assembler in &mut self.assemblers {
            assembler.tick(now);
        }
        self.assembled(now);
        if self.deserted.is_some_and(|since| since + DESERTED <= now) {
            self.end(now);
        }
        self.settle(now);
    }

    /// When it wants a [`Session::tick`].
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        if self.over {
            return None;
        }
        let watching = self.ending.is_none() && self.lanes.iter().any(|lane| lane.watches_until().is_some());
        let words = self.assemblers.iter().filter_map(Assembler::deadline).min();
        let ending = self.ending.as_ref().map(|(by, _)| *by);
        let deserted = self.deserted.filter(|_| ending.is_none()).map(|since| since + DESERTED);
        let look = (watching || self.uneven()).then_some(now + LOOK);
        [look, words, ending, deserted].into_iter().flatten().min()
    }

    /// Whether nothing more comes.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// From now on `socket` carries the layout's tracks, and those only.
    fn carry(&mut self, socket: u64, door: Door, layout: Layout, now: Instant) {
        let (now_ms, wanted) = (self.millis(now), tracks(layout));
        let mut superseded = BTreeSet::new();
        for track in Track::ALL {
            let lane = &mut self.lanes[track.channel()];
            let before = lane.carried.as_ref().map(|carried| carried.socket);
            match (before == Some(socket), wanted.contains(&track)) {
                (false, true) => {
                    lane.carry(socket, door);
                    superseded.extend(before);
                }
                (true, false) => lane.let_go(now_ms),
                (true, true) | (false, false) => {}
            }
        }
        for before in superseded {
            self.supersede(before, now_ms);
        }
    }

    /// The newest socket of a track wins; what else the old one carried is nobody's.
    fn supersede(&mut self, socket: u64, now_ms: u64) {
        if self.sockets.remove(&socket).is_none() {
            return;
        }
        for lane in &mut self.lanes {
            if lane.carried.as_ref().is_some_and(|carried| carried.socket == socket) {
                lane.let_go(now_ms);
            }
        }
        self.outbox.push_back(Want::Supersede { socket });
    }

    fn announced(&mut self, track: Track) {
        self.announced = track;
        if !self.swapped {
            self.patient_on(track);
        }
    }

    fn patient_on(&mut self, track: Track) {
        self.patient = track;
        self.tell(Input::Patient(track));
    }

    fn line(&mut self, line: Line, now: Instant) {
        let track = if line.leg == Leg::Patient { self.announced } else { self.announced.other() };
        let now_ms = self.millis(now);
        let lane = &mut self.lanes[track.channel()];
        // Our own recogniser counts from 0: these never meet.
        let utterance = u32::MAX - lane.lines;
        let at_ms = *lane.line_began.get_or_insert(now_ms);
        if line.done {
            lane.line_began = None;
            lane.lines = lane.lines.wrapping_add(1) % (u32::MAX / 2);
        }
        let (text, done) = (line.text, line.done);
        let leg = if track == self.patient { Leg::Patient } else { Leg::Operator };
        self.outbox.push_back(Want::Transcription(Line { leg, text: text.clone(), done }));
        self.tell(Input::Spoken(Spoken { track, utterance, text, done, at_ms }));
    }

    fn finalize(&mut self) {
        self.outbox.extend(self.open.keys().map(|stream| Want::Finalize(*stream)));
    }

    /// Ends what was to end, once all links have answered or time is up.
    fn settle(&mut self, now: Instant) {
        let done = |(by, waiting): &(Instant, BTreeSet<Stream>)| waiting.is_empty() || *by <= now;
        if self.over || !self.ending.as_ref().is_some_and(done) {
            return;
        }
        for assembler in &mut self.assemblers {
            assembler.closed();
        }
        self.assembled(now);
        self.over = true;
        self.tell(Input::HungUp);
        self.outbox.push_back(Want::Over);
    }

    fn tell(&mut self, input: Input) {
        self.outbox.push_back(Want::Tell(input));
    }

    fn millis(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }
}

fn tracks(layout: Layout) -> &'static [Track] {
    match layout {
        Layout::Mono(Track::Outbound) => &Track::ALL[1..],
        Layout::Mono(Track::Inbound) | Layout::Mixed => &Track::ALL[..1],
        Layout::Stereo => &Track::ALL,
    }
}
