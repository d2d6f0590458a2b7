//! How a simulated call begins: its channel, its settings, its people, and what will happen whatever they do.
use super::dice::Dice;
use super::fork::Fork;
use super::mail::{Letter, Mail, Sender};
use super::model;
use super::on_call::Table;
use super::peer::Peer;
use super::tally::Tally;
use super::trace::Trace;
use super::watch::Watch;
use super::world::World;
use crate::call::{Call, Input, Output, Spec};
use crate::channel::Channel;
use crate::equipment::Catalogue;
use crate::ids::{CallId, Dni};
use crate::prompt::Prompt;
use crate::retrieval::score::Scale;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The clock that a call sees has been running for so long.
const BEFORE: Duration = Duration::from_secs(24 * 60 * 60);
/// When every call begins, in milliseconds since 1970.
const BEGAN: u64 = 1_700_000_000_000;
/// Documents of patients.
pub(super) const DOCUMENTS: [&str; 2] = ["23456789", "5612340"];
/// Of a hundred calls of a channel that suggests, those whose lines are heard; the others are asked.
const FORKED: u64 = 60;
/// Of a hundred calls.
const CHANNELS: [(u64, Channel); 4] =
    [(6, Channel::WhatsApp), (6, Channel::ElevenLabs), (8, Channel::AudioFork), (80, Channel::Retell)];

fn spec(seed: u64, channel: Channel, table: &Table, start: Instant) -> Spec {
    let profile = channel.profile();
    let (key, version) = (profile.prompt_key.to_owned(), "1.0.0".to_owned());
    Spec {
        id: CallId::simulated(seed),
        profile,
        catalogue: Catalogue::builtin(),
        settings: table.snapshot(),
        prompt: Arc::new(Prompt { key, version, body: model::PROMPT.to_owned() }),
        scale: Scale::Identity,
        responder: "simulated/any".to_owned(),
        second_reader: false,
        began: (start, BEGAN),
    }
}

impl<F: FnMut(&Input, &mut Vec<Output>)> World<F> {
    pub(super) fn new(seed: u64, start: Instant, tamper: F) -> Self {
        let mut dice = Dice::new(seed);
        let channel = dice.weighted(&CHANNELS, Channel::Retell);
        let table = Table::new(&mut dice, channel);
        let start = start + BEFORE; // equipment may have been named long before a crash
        let spec = spec(seed, channel, &table, start);
        let mut mail = Mail::default();
        let peer = Peer::new(&mut dice, &mut mail);
        let forked = spec.profile.suggests && dice.in_hundred(FORKED);
        let fork = forked.then(|| Fork::new(&mut dice, &mut mail));
        let mut world = Self {
            watch: Watch::new(&spec),
            call: Some(Call::new(spec.clone())),
            dice,
            start,
            now: 0,
            mail,
            peer,
            fork,
            table,
            spec,
            kept: None,
            journal: Vec::new(),
            asked: None,
            attached: 0,
            timer: None,
            trace: Trace::default(),
            tally: Tally::default(),
            steps: 0,
            seed,
            violation: None,
            tamper,
        };
        world.plan();
        world
    }

    /// What will happen whatever the peer does.
    fn plan(&mut self) {
        let mut world = |dice: &mut Dice, most: u64, letter: Letter| {
            let delay = dice.between(100, most);
            self.mail.post(Sender::World, 0, delay, letter);
        };
        for _ in 0..self.dice.between(0, 3) {
            world(&mut self.dice, 60_000, Letter::SettingsChange);
        }
        if self.dice.in_hundred(25) {
            world(&mut self.dice, 50_000, Letter::Crash);
        }
        if self.dice.in_hundred(10) {
            world(&mut self.dice, 50_000, Letter::Panic);
        }
        self.identify();
    }

    /// Somebody types the patient's document, now and then a wrong one first.
    pub(super) fn identify(&mut self) {
        for _ in 0..2 {
            let dni = self.dice.pick(&DOCUMENTS).and_then(|number| Dni::parse(number).ok());
            if let Some(dni) = dni.filter(|_| self.dice.in_hundred(35)) {
                let delay = self.dice.between(20, 6_000);
                self.mail.post(Sender::World, self.now, delay, Letter::For(Input::Typed(dni)));
            }
        }
    }
}
