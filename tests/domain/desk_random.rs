//! Several calls and several clients by seed: clients that watch and don't, freeze, break off, come back with what they
//! know, also to a server that was killed meanwhile. What each sees in the end is what stands (issue 6).
use super::desk_kit::*;
use aura::channel::Channel;
use aura::desk::{CLOSED_MS, CallView, DEADLINE_MS};
use aura::ears::{Gap, Lack};
use aura::event::{DeskEvent, News};
use aura::ids::{CallId, TurnId};
use aura::patient::Progress;
use aura::protocol::desk::{Happening, Verdict};
use aura::red_flag::RedFlag;
use aura::script::{Step, View};
use aura::suggestion::{Change, Gone, SuggestionId};

const WORDS: [&str; 8] = [
    "hola",
    "me marca",
    "error H08",
    "el concentrador",
    "desde ayer",
    "y además",
    "hace ruido",
    "¿me escucha?",
];

/// How a call stands.
#[derive(Clone, Copy, PartialEq)]
enum Peer {
    Never,
    There,
    Lost,
    Over,
}

/// A call that talks: what it told last of all that may change.
struct Talk {
    call: CallId,
    channel: Channel,
    peer: Peer,
    /// Text, and whether it may still grow.
    lines: Vec<(String, bool)>,
    /// Text, and whether it is whole; gone ones are none.
    cards: Vec<Option<(String, bool)>>,
    by: Option<&'static str>,
    searches: u32,
}

enum Said {
    News(News),
    Note(Happening),
}

impl Talk {
    fn new(name: &str, channel: Channel) -> Self {
        let (lines, cards) = (Vec::new(), Vec::new());
        Self { call: call(name), channel, peer: Peer::Never, lines, cards, by: None, searches: 0 }
    }

    fn line(&self, index: usize) -> News {
        heard(index, &self.lines[index].0, self.lines[index].1)
    }

    fn answer(&self, at: usize) -> Option<News> {
        let (text, done) = self.cards[at].clone()?;
        let turn = u32::try_from(at).unwrap() + 1;
        Some(if self.channel == Channel::AudioFork {
            card(&self.call, turn, &text, done)
        } else {
            let (turn, rag_score) = (TurnId(turn), Some(0.7));
            News::Answer { turn, text, done, rag_hit: true, rag_score, unconfirmed: false }
        })
    }

    /// What the next thing is that happens; none where nothing can.
    fn next(&mut self, dice: &mut Dice) -> Option<Said> {
        match self.peer {
            Peer::Never | Peer::Over => {
                let name = self.call.to_string();
                *self = Self { peer: Peer::There, ..Self::new(&name, self.channel) };
                return Some(Said::News(News::Opened));
            }
            Peer::Lost if dice.below(3) == 0 => {
                self.peer = Peer::There;
                return Some(Said::News(News::Opened));
            }
            _ => {}
        }
        Some(match dice.below(40) {
            0..=13 => Said::News(self.speaks(dice)),
            14..=23 => Said::News(self.answers(dice)?),
            24..=26 => {
                self.by = dice.one(&[None, Some("elsa"), Some("raul")]);
                Said::News(claimed(self.by))
            }
            27 => Said::Note(Happening::Equipment { detail: dice.below(2) == 0 }),
            28 | 29 => {
                let id = SuggestionId::of(&self.call, TurnId(dice.below(3) as u32 + 1));
                let (suggestion_id, by) = (id.to_string(), dice.one(&["elsa", "raul"]).to_owned());
                Said::Note(Happening::Marked {
                    suggestion_id,
                    by,
                    verdict: dice.one(&[Verdict::Used, Verdict::Wrong]),
                })
            }
            30 => {
                self.peer = Peer::Lost;
                Said::News(News::Lost)
            }
            31 if dice.below(4) == 0 => {
                self.peer = Peer::Over;
                Said::News(News::Closed)
            }
            _ => Said::News(self.other(dice)),
        })
    }

    fn speaks(&mut self, dice: &mut Dice) -> News {
        let word = dice.one(&WORDS);
        let open: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].1).collect();
        let index = match dice.below(10) {
            0 if !self.lines.is_empty() => {
                // A final line is read again: masked, swapped, or taken back.
                let index = dice.below(self.lines.len());
                self.lines[index] = (dice.one(&["DNI ···456", "", "hola"]).to_owned(), false);
                index
            }
            1..=6 if !open.is_empty() => {
                let index = dice.one(&open);
                let (text, partial) = &mut self.lines[index];
                text.push_str(&format!(" {word}"));
                *partial = dice.below(3) != 0;
                index
            }
            _ => {
                self.lines.push((word.to_owned(), dice.below(3) != 0));
                self.lines.len() - 1
            }
        };
        self.line(index)
    }

    fn answers(&mut self, dice: &mut Dice) -> Option<News> {
        let writing = self.cards.iter().rposition(|card| card.as_ref().is_some_and(|(_, done)| !done));
        let at = match writing {
            Some(at) if dice.below(6) == 0 => return Some(self.gone(at, dice)),
            Some(at) => at,
            None => {
                self.cards.push(Some((String::new(), false)));
                self.cards.len() - 1
            }
        };
        let (text, done) = self.cards[at].as_mut()?;
        text.push_str(dice.one(&["Quédese tranquila. ", "Apague el equipo. ", "¿Me dice su documento? "]));
        *done = dice.below(4) == 0;
        self.answer(at)
    }

    fn gone(&mut self, at: usize, dice: &mut Dice) -> News {
        let turn = TurnId(u32::try_from(at).unwrap() + 1);
        let text = self.cards[at].take().map(|(text, _)| text).unwrap_or_default();
        let (suggestion_id, cause) = (SuggestionId::of(&self.call, turn), "porque sí");
        match (self.channel, dice.below(3)) {
            (Channel::AudioFork, 0) => {
                News::Suggestion(Change::Failed { suggestion_id, created_at: NOON, text, cause })
            }
            (Channel::AudioFork, 1) => {
                let of = SuggestionId::of(&self.call, TurnId(1));
                News::Suggestion(Change::Repeated { suggestion_id, of })
            }
            (Channel::AudioFork, _) => {
                News::Suggestion(Change::Withdrawn { suggestion_id, reason: Gone::Overtaken, cause })
            }
            (_, 0) => News::Failed { turn, detail: "El modelo no respondió." },
            _ => News::Aborted { turn },
        }
    }

    fn other(&mut self, dice: &mut Dice) -> News {
        match dice.below(8) {
            0 => {
                let from_ms = dice.below(90_000) as u64;
                News::Gap(Gap { track: None, from_ms, to_ms: from_ms + 500, why: Lack::Paused })
            }
            1 => News::Hold { on: dice.below(2) == 0 },
            2 => News::RedFlag {
                index: dice.below(2),
                flag: dice.one(&[RedFlag::Fire, RedFlag::Other]),
                text: "Salga de la casa.".to_owned(),
            },
            3 => News::Identity { change: dice.one(&["denied", "ask_again", "unfinished"]), held: None },
            4 => {
                let progress = dice.one(&[Progress::Pending, Progress::Dni, Progress::NotFound]);
                News::LookUp {
                    progress,
                    outage: None,
                    source: Some("mock"),
                    models: [].into(),
                    cached: false,
                }
            }
            5 => {
                let open = dice.one(&Step::ALL);
                News::Script(View { open, corrected: dice.below(2) == 0, steps: Vec::new() })
            }
            6 => News::Extension { extension: dice.one(&["204", "205"]).to_owned() },
            _ => {
                self.searches += u32::from(self.searches == 0 || dice.below(2) == 0);
                let (search, query) = (self.searches, dice.one(&WORDS).to_owned());
                News::Searched { search, query, rows: Vec::new(), failed: None }
            }
        }
    }

    /// After a restart of the server a live call tells again what it knows.
    fn again(&mut self) -> Vec<News> {
        if matches!(self.peer, Peer::Never | Peer::Over) {
            self.peer = Peer::Never;
            return Vec::new();
        }
        self.peer = Peer::There;
        let lines = (0..self.lines.len()).map(|index| self.line(index));
        let cards = (0..self.cards.len()).filter_map(|at| self.answer(at));
        std::iter::once(News::Opened).chain(lines).chain(cards).chain([claimed(self.by)]).collect()
    }
}

/// What happened how often, over all seeds.
#[derive(Debug, Default)]
struct Times {
    restarts: usize,
    behind: usize,
    cut_off: usize,
    back: usize,
    dialled_again: usize,
    spared: usize,
}

struct World {
    dice: Dice,
    desk: Desk,
    talks: Vec<Talk>,
    /// A client that reads everything at once and is never away: one for each life of the server.
    witness: Client,
    /// The call of which something was told last.
    told: Option<CallId>,
    times: Times,
    seed: u64,
}

/// Reads everything at once, is connected and watches every call.
const PROMPT: usize = 0;
const CLIENTS: usize = 5;
const PATIENCE: u64 = 30_000;

impl World {
    fn new(seed: u64) -> Self {
        let talks = [("one", Channel::AudioFork), ("two", Channel::AudioFork), ("three", Channel::Retell)];
        let talks = talks.map(|(name, channel)| Talk::new(name, channel)).into();
        let (dice, desk, witness) = (Dice::new(seed), Desk::new(CLIENTS), Client::default());
        let mut world = Self { dice, desk, talks, witness, told: None, times: Times::default(), seed };
        world.desk.connect(PROMPT);
        world
    }

    fn step(&mut self) {
        self.desk.now += self.dice.below(400) as u64;
        match self.dice.below(100) {
            0..=64 => self.talk(),
            65..=94 => self.client(),
            95..=97 => self.passes(),
            _ if self.dice.below(5) == 0 => self.restart(),
            _ => {}
        }
        self.beat();
        self.prompt();
    }

    fn beat(&mut self) {
        for client in self.desk.beat(PATIENCE) {
            assert_ne!(client, PROMPT, "seed {}: others pay for a slow one", self.seed);
            self.times.behind += 1;
        }
    }

    fn talk(&mut self) {
        let at = self.dice.below(self.talks.len());
        let talk = &mut self.talks[at];
        let over = talk.peer == Peer::Over;
        let Some(said) = talk.next(&mut self.dice) else { return };
        self.times.dialled_again += usize::from(over && self.desk.feeds.holds(&talk.call));
        let (call, source) = (talk.call.clone(), talk.channel);
        match said {
            Said::News(news) => self.desk.news(&DeskEvent { call: call.clone(), source, news }),
            Said::Note(happening) => self.desk.happened(&call, happening),
        }
        self.testify(&call);
    }

    /// The witness watches each call from its first event on, and drains.
    fn testify(&mut self, call: &CallId) {
        self.told = Some(call.clone());
        if self.witness.watches.insert(call.clone()) {
            self.witness.mirror.watched.remove(call);
            self.witness.watch(&self.desk.feeds, call, None);
        } else if let Some(last) = self.desk.told[call].last() {
            let after = aura::protocol::desk::Cursor { epoch: self.desk.feeds.epoch(), seq: last.seq - 1 };
            let since = self.desk.feeds.since(call, Some(after)).unwrap();
            self.witness.event(since.frames.last().unwrap());
        }
        self.witness.on = true;
        self.witness.drain(self.desk.now);
    }

    fn client(&mut self) {
        let at = 1 + self.dice.below(CLIENTS - 1);
        let call = self.talks[self.dice.below(self.talks.len())].call.clone();
        let (frozen, on, now) = (self.desk.clients[at].frozen, self.desk.clients[at].on, self.desk.now);
        match self.dice.below(14) {
            0 if on => {
                self.times.cut_off += 1;
                let frames = self.dice.below(5);
                self.desk.clients[at].read(frames); // some of what was under way arrived
                self.desk.clients[at].cut_off();
            }
            1 | 2 if !on => self.come_back(at),
            3 | 4 if on => drop(self.desk.watch(at, &call)),
            5 if on && self.desk.clients[at].watches.contains(&call) => {
                self.desk.clients[at].unwatch(&call);
                if self.dice.below(2) == 0 {
                    self.desk.clients[at].mirror.watched.remove(&call);
                }
            }
            6 => self.desk.clients[at].frozen = self.dice.below(3) == 0,
            7..=9 if on && !frozen => self.desk.clients[at].drain(now),
            10.. if on => {
                self.desk.clients[at].hand_over(now);
                if !frozen {
                    let frames = self.dice.below(4);
                    self.desk.clients[at].read(frames);
                }
            }
            _ => {}
        }
    }

    /// Connects again and watches what it watched, from where it is.
    fn come_back(&mut self, at: usize) {
        self.desk.connect(at);
        let watched: Vec<CallId> = self.desk.clients[at].mirror.watched.keys().cloned().collect();
        for call in watched {
            let before = self.desk.clients[at].outbox.waiting().0;
            if self.desk.watch(at, &call) {
                self.times.back += 1;
                let told = self.desk.told[&call].len();
                self.times.spared += told.saturating_sub(self.desk.clients[at].outbox.waiting().0 - before);
            }
        }
    }

    /// Some seconds, or more than a closed call is shown for.
    fn passes(&mut self) {
        let ms = [1_000, DEADLINE_MS - 1, DEADLINE_MS, 60_000, CLOSED_MS][self.dice.below(5)];
        self.desk.now += ms;
        let calls: Vec<CallId> = self.witness.watches.iter().cloned().collect();
        self.beat();
        for call in calls.iter().filter(|call| !self.desk.feeds.holds(call)) {
            self.witness.watches.remove(call);
        }
    }

    fn restart(&mut self) {
        self.times.restarts += 1;
        self.desk.restart();
        self.witness = Client::default();
        for at in 0..self.talks.len() {
            let (call, source) = (self.talks[at].call.clone(), self.talks[at].channel);
            for news in self.talks[at].again() {
                self.desk.news(&DeskEvent { call: call.clone(), source, news });
                self.testify(&call);
            }
        }
    }

    /// The prompt client is on, watches every call that there is and has read all: at each moment it sees what stands.
    fn prompt(&mut self) {
        if !self.desk.clients[PROMPT].on {
            self.come_back(PROMPT);
        }
        for at in 0..self.talks.len() {
            let call = self.talks[at].call.clone();
            if self.desk.feeds.holds(&call) && !self.desk.clients[PROMPT].watches.contains(&call) {
                self.desk.watch(PROMPT, &call);
            }
        }
        self.desk.clients[PROMPT].drain(self.desk.now);
        let told = self.told.take();
        self.sees(PROMPT, |call| told.as_ref() == Some(call));
    }

    /// What a client that has read all sees of these calls, and of the list.
    fn sees(&self, at: usize, which: impl Fn(&CallId) -> bool) {
        let client = &self.desk.clients[at];
        for call in client.watches.iter().filter(|call| which(call)) {
            let place = format!("seed {}, client {at}, {call}", self.seed);
            let stands = self.desk.standing(call);
            assert_eq!(client.sees(call), stands, "{place}");
            let (view, witness): (&CallView, &CallView) = (client.view(call), self.witness.view(call));
            assert_eq!((&view.cursor, view.caught_up), (&witness.cursor, true), "{place}");
            assert_eq!(view, witness, "{place}");
        }
        let rows: Vec<_> = client.mirror.rows.values().cloned().collect();
        assert_eq!(rows, self.desk.board.rows(), "seed {}, client {at}", self.seed);
    }

    /// Everybody thaws, comes back, watches everything and reads all.
    fn settle(&mut self) {
        self.beat();
        for at in 0..CLIENTS {
            self.desk.clients[at].frozen = false;
            if !self.desk.clients[at].on {
                self.come_back(at);
            }
            for talk in 0..self.talks.len() {
                let call = self.talks[talk].call.clone();
                if !self.desk.clients[at].watches.contains(&call) {
                    self.desk.watch(at, &call);
                }
            }
            self.desk.clients[at].drain(self.desk.now);
            self.sees(at, |_| true);
        }
    }
}

#[test]
fn issue6_whoever_has_read_all_sees_what_stands_whatever_happened_to_the_connection() {
    let mut all = Times::default();
    let mut anew = 0;
    for seed in 0..50 {
        let mut world = World::new(seed);
        for _ in 0..8 {
            (0..60).for_each(|_| world.step());
            world.settle();
        }
        let times = world.times;
        all.restarts += times.restarts;
        all.behind += times.behind;
        all.cut_off += times.cut_off;
        all.back += times.back;
        all.dialled_again += times.dialled_again;
        all.spared += times.spared;
        anew += world.desk.clients.iter().map(|client| client.anew).sum::<usize>();
    }
    println!("{all:?}, {anew} times anew");
    let counts = [all.restarts, all.behind, all.cut_off, all.back, all.dialled_again, anew];
    assert!(counts.iter().all(|times| *times > 50), "{all:?}, {anew} times anew");
    assert!(all.spared > 1_000, "coming back costs what was missed: {all:?}");
}

/// One client takes nothing for as long as the talk lasts: what waits for it stays small, it is let go of at the
/// deadline to the millisecond, the others see every event as it happens, and it misses nothing in the end.
#[test]
fn issue6_a_frozen_client_is_let_go_of_at_its_deadline_and_costs_the_others_nothing() {
    for seed in 0..40 {
        let (mut dice, mut desk) = (Dice::new(seed), Desk::new(2));
        let mut talk = Talk::new("one", Channel::AudioFork);
        let mut tell = |desk: &mut Desk| match talk.next(&mut dice) {
            Some(Said::News(News::Closed)) | None => {}
            Some(Said::News(news)) => desk.news(&fork(&call("one"), news)),
            Some(Said::Note(happening)) => desk.happened(&call("one"), happening),
        };
        tell(&mut desk);
        for client in 0..2 {
            desk.connect(client);
            assert!(desk.watch(client, &call("one")));
        }
        desk.clients[1].hand_over(desk.now);
        let froze = desk.now;
        while desk.now < froze + DEADLINE_MS - 1 {
            desk.now = (desk.now + 20).min(froze + DEADLINE_MS - 1);
            tell(&mut desk);
            assert_eq!(desk.beat(0), [] as [usize; 0], "seed {seed}, after {} ms", desk.now - froze);
            desk.clients[1].hand_over(desk.now);
            desk.clients[0].drain(desk.now);
            assert_eq!(desk.clients[0].sees(&call("one")), desk.standing(&call("one")), "seed {seed}");
        }
        let (frames, bytes) = desk.clients[1].outbox.waiting();
        assert!(
            frames > 20 && frames < 400 && bytes < 100_000,
            "seed {seed}: {frames} frames, {bytes} bytes"
        );
        desk.now += 1;
        assert_eq!(desk.beat(0), [1], "seed {seed}");
        tell(&mut desk);
        desk.connect(1);
        desk.watch(1, &call("one"));
        desk.clients[1].drain(desk.now);
        assert_eq!(desk.clients[1].sees(&call("one")), desk.standing(&call("one")), "seed {seed}");
    }
}
