//! What the desk's tests share: news by hand, a desk without sockets that serves as the actor does, clients that read
//! what they are sent frame by frame, and what stands of a call told the slow way.
use aura::channel::Channel;
use aura::desk::{Board, Feeds, Frame, Full, Outbox};
use aura::desk::{CallView, Mirror};
use aura::ears::Track;
use aura::event::{DeskEvent, News};
use aura::ids::{AgentId, CallId, TurnId};
use aura::protocol::desk::{Cursor, Event, Happening, Message, VERSION, Welcome, read_message};
use aura::suggestion::{Change, Face, Label, Mode, SuggestionId};
use aura::transcript::{Place, Speaker};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// When all these tests begin, in milliseconds since 1970.
pub const NOON: u64 = 1_700_000_000_000;

/// Repeatable chance.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n as u64) as usize
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

pub fn call(name: &str) -> CallId {
    CallId::parse(name).unwrap()
}

/// A line of a forked call's patient.
pub fn heard(index: usize, text: &str, partial: bool) -> News {
    let place = Place { track: Track::Inbound, at_ms: index as u64 * 1_000, partial };
    News::Heard { index, speaker: Speaker::Patient, text: text.to_owned(), place: Some(place) }
}

/// A card of a turn.
pub fn card(call: &CallId, turn: u32, text: &str, done: bool) -> News {
    News::Suggestion(Change::Shown(Box::new(Face {
        suggestion_id: SuggestionId::of(call, TurnId(turn)),
        turn: TurnId(turn),
        created_at: NOON + u64::from(turn),
        text: text.to_owned(),
        done,
        confidence: 0.9,
        rag_hit: true,
        rag_score: Some(0.71),
        source: Some("concentradores electricos/m50_sysmedm50.md".to_owned()),
        section: None,
        identity: Label::Unknown,
        cause: "turn",
        quote: "me marca error H08".to_owned(),
    })))
}

pub fn claimed(by: Option<&str>) -> News {
    News::Claimed { by: by.map(|name| AgentId(name.to_owned())), mode: Mode::Push }
}

/// A forked call's, as the desk is told it.
pub fn fork(call: &CallId, news: News) -> DeskEvent {
    DeskEvent { call: call.clone(), source: Channel::AudioFork, news }
}

/// The event of a frame.
pub fn event(frame: &Frame) -> Event {
    match read_message(&frame.text).unwrap() {
        Message::Event(event) => event,
        other => panic!("{other:?}"),
    }
}

/// What stands of all that was told of a call: the newest of each key, since the id was last used for a new call.
pub fn standing(told: &[Event]) -> Vec<Event> {
    let (mut over, mut from) = (false, 0);
    for (at, event) in told.iter().enumerate() {
        match event.happening {
            Happening::Closed => over = true,
            Happening::Opened { .. } if over => (over, from) = (false, at),
            _ => {}
        }
    }
    let mut later = HashSet::new();
    let newest = told[from..].iter().rev().filter(|event| match event.happening.key() {
        Some(key) => later.insert(key),
        None => true,
    });
    let mut stand: Vec<Event> = newest.cloned().collect();
    stand.reverse();
    stand
}

/// The server's half, as `actors/desk` has it.
pub struct Desk {
    pub feeds: Feeds,
    pub board: Board,
    pub now: u64,
    /// Everything that was told in this life of the server.
    pub told: BTreeMap<CallId, Vec<Event>>,
    pub clients: Vec<Client>,
}

impl Desk {
    pub fn new(clients: usize) -> Self {
        let clients = (0..clients).map(|_| Client::default()).collect();
        Self { feeds: Feeds::new(NOON), board: Board::default(), now: NOON, told: BTreeMap::new(), clients }
    }

    /// The calls tell of themselves; the others are told of by the desk.
    pub fn news(&mut self, event: &DeskEvent) {
        self.board.told(event, self.now);
        if self.board.row(&event.call).is_some() {
            self.happened(&event.call, Happening::of(&event.news, event.source));
        }
    }

    pub fn happened(&mut self, call: &CallId, happening: Happening) {
        let frame = self.feeds.tell(call, happening, self.now).unwrap();
        self.told.entry(call.clone()).or_default().push(event(&frame));
        for client in self.clients.iter_mut().filter(|client| client.watches.contains(call)) {
            client.event(&frame);
        }
    }

    /// What stands of a call, told the slow way.
    pub fn standing(&self, call: &CallId) -> Vec<Event> {
        standing(self.told.get(call).map(Vec::as_slice).unwrap_or_default())
    }

    /// Every so often: rows, alerts, and whoever is behind is let go of. Gives back whose sockets were closed.
    pub fn beat(&mut self, patience: u64) -> Vec<usize> {
        self.board.tick(patience, self.now);
        let changes = self.board.changes(self.now);
        for call in &changes.gone {
            self.feeds.forget(call);
            self.told.remove(call);
            self.clients.iter_mut().for_each(|client| _ = client.watches.remove(call));
        }
        if !(changes.rows.is_empty() && changes.gone.is_empty()) {
            let rows = Message::Rows { rows: changes.rows, gone: changes.gone };
            self.clients.iter_mut().filter(|client| client.on).for_each(|client| client.tell(&rows));
        }
        let behind = |client: &Client| client.on && (client.full || client.outbox.is_behind(self.now));
        let behind: Vec<usize> = (0..self.clients.len()).filter(|at| behind(&self.clients[*at])).collect();
        behind.iter().for_each(|at| self.clients[*at].cut_off());
        behind
    }

    pub fn connect(&mut self, client: usize) {
        let welcome = Message::Welcome(Box::new(Welcome {
            id: 1,
            version: VERSION,
            epoch: self.feeds.epoch(),
            now: self.now,
            operator: "elsa".to_owned(),
            may: Vec::new(),
            rows: self.board.rows(),
            down: Vec::new(),
        }));
        let client = &mut self.clients[client];
        client.cut_off();
        client.on = true;
        client.tell(&welcome);
    }

    /// The client watches a call from where it is; whether there is one.
    pub fn watch(&mut self, client: usize, call: &CallId) -> bool {
        let client = &mut self.clients[client];
        let after = client.mirror.watched.get(call).and_then(|view| view.cursor);
        client.watch(&self.feeds, call, after)
    }

    /// The process is killed and starts again: it knows nothing, and nobody is connected.
    pub fn restart(&mut self) {
        let clients = std::mem::take(&mut self.clients);
        let now = self.now + 1_000;
        *self = Self { feeds: Feeds::new(now), now, clients, ..Self::new(0) };
        self.clients.iter_mut().for_each(Client::cut_off);
    }
}

/// One client: its connection as the server has it, and what it makes of what it reads.
#[derive(Default)]
pub struct Client {
    pub mirror: Mirror,
    pub on: bool,
    /// Its socket takes nothing at all.
    pub frozen: bool,
    pub outbox: Outbox,
    pub watches: BTreeSet<CallId>,
    pub full: bool,
    /// Frames that its socket holds.
    flight: Vec<Arc<str>>,
    /// The last number that was read of each call since it was last watched.
    read: HashMap<CallId, u64>,
    /// Frames that can't be spared, and what else may wait, since nothing waited.
    offered: (usize, HashSet<(CallId, aura::protocol::desk::Key)>),
    /// How often it was told to begin anew.
    pub anew: usize,
}

impl Client {
    fn kept(&mut self, kept: Result<(), Full>) {
        self.full |= kept.is_err();
        let (frames, bytes) = self.outbox.waiting();
        assert!(frames <= self.offered.0 + self.offered.1.len(), "{frames} frames wait");
        assert!(frames <= 16_384 && bytes <= 8 * 1024 * 1024, "{frames} frames, {bytes} bytes");
    }

    pub fn event(&mut self, frame: &Frame) {
        match (&frame.key, frame.partial) {
            (Some(key), true) => _ = self.offered.1.insert((frame.call.clone(), key.clone())),
            _ => self.offered.0 += 1,
        }
        let kept = self.outbox.event(frame);
        self.kept(kept);
    }

    pub fn tell(&mut self, message: &Message) {
        self.offered.0 += 1;
        let kept = self.outbox.message(serde_json::to_string(message).unwrap().into());
        self.kept(kept);
    }

    fn about(&mut self, call: &CallId, message: &Message) {
        self.offered.0 += 1;
        let kept = self.outbox.about(call, serde_json::to_string(message).unwrap().into());
        self.kept(kept);
    }

    pub fn watch(&mut self, feeds: &Feeds, call: &CallId, after: Option<Cursor>) -> bool {
        let Some(since) = feeds.since(call, after) else { return false };
        self.outbox.forget(call);
        self.watches.insert(call.clone());
        let (epoch, anew, cut) = (feeds.epoch(), since.anew, since.cut);
        self.about(call, &Message::Watching { id: 2, call: call.clone(), epoch, anew, cut });
        since.frames.iter().for_each(|frame| self.event(frame));
        self.about(call, &Message::CaughtUp { call: call.clone(), seq: since.seq });
        true
    }

    pub fn unwatch(&mut self, call: &CallId) {
        self.watches.remove(call);
        self.outbox.forget(call);
        self.tell(&Message::Done { id: 3 });
    }

    /// The connection is gone, with all that was on its way.
    pub fn cut_off(&mut self) {
        (self.on, self.full, self.outbox, self.offered) =
            (false, false, Outbox::default(), Default::default());
        self.watches.clear();
        self.flight.clear();
        self.read.clear();
    }

    /// The socket takes the next batch, if it has nothing to write.
    pub fn hand_over(&mut self, now: u64) {
        if self.on && self.flight.is_empty() {
            self.flight = self.outbox.batch(now);
        }
    }

    /// The client reads so many frames of what its socket holds.
    pub fn read(&mut self, frames: usize) {
        let frames: Vec<Arc<str>> = self.flight.drain(..frames.min(self.flight.len())).collect();
        frames.iter().for_each(|text| self.take(text));
        if self.flight.is_empty() {
            self.outbox.delivered();
        }
        if self.flight.is_empty() && self.outbox.waiting().0 == 0 {
            self.offered = Default::default();
        }
    }

    /// Everything that waits is read.
    pub fn drain(&mut self, now: u64) {
        self.read(usize::MAX);
        loop {
            self.hand_over(now);
            if self.flight.is_empty() {
                break;
            }
            self.read(usize::MAX);
        }
        assert_eq!(self.outbox.waiting(), (0, 0));
    }

    fn take(&mut self, text: &str) {
        let message = read_message(text).unwrap();
        match &message {
            Message::Watching { call, anew, .. } => {
                self.read.remove(call);
                self.anew += usize::from(*anew);
            }
            Message::Event(Event { call, seq, .. }) => {
                let before = self.read.insert(call.clone(), *seq);
                assert!(before.is_none_or(|before| before < *seq), "{call}: {before:?} then {seq}");
            }
            _ => {}
        }
        self.mirror.take(message);
    }

    pub fn view(&self, call: &CallId) -> &CallView {
        &self.mirror.watched[call]
    }

    /// The events that stand in its view of a call.
    pub fn sees(&self, call: &CallId) -> Vec<Event> {
        self.view(call).events().cloned().collect()
    }
}
