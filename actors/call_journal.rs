//! Writes a call's story down as it happens: its inputs, what it did, what it must remember.
use crate::journal::{CallLine, Entry, Fact, Record};
use actix::prelude::*;
use aura::call::trace::{self, Line, MEMORY};
use aura::call::{Input, Memory, Output};
use aura::channel::Channel;
use aura::event::Event;
use aura::ids::{CallId, TurnId};
use tracing::error;

/// Gathers the entries of one step; they leave together, in order.
pub struct Keeper {
    call: CallId,
    source: Channel,
    seq: u64,
    entries: Vec<Entry>,
}

impl Keeper {
    /// A keeper whose lines are numbered from `seq` + 1.
    pub fn new(call: CallId, source: Channel, seq: u64) -> Self {
        Self { call, source, seq, entries: Vec::new() }
    }

    /// Something happened.
    pub fn input(&mut self, input: &Input) {
        self.line(trace::input(input));
    }

    /// Something is done.
    pub fn output(&mut self, output: &Output) {
        self.line(trace::output(output));
    }

    /// A fact of its own.
    pub fn event(&mut self, event: Event) {
        self.entries.push(Entry::now(Fact::Event(event)));
    }

    /// What a rebuild needs.
    pub fn memory(&mut self, memory: &Memory) {
        match serde_json::to_value(memory) {
            Ok(detail) => self.line(Some(Line { what: MEMORY.to_owned(), turn: TurnId(0), detail })),
            Err(error) => error!(%error, "a call's memory has no written form"),
        }
    }

    /// Sends what was gathered.
    pub fn send(&mut self, journal: &Recipient<Record>) {
        if !self.entries.is_empty() {
            journal.do_send(Record(std::mem::take(&mut self.entries)));
        }
    }

    fn line(&mut self, line: Option<Line>) {
        let Some(line) = line else { return };
        self.seq += 1;
        let (call, source, seq) = (self.call.clone(), self.source, self.seq);
        self.entries.push(Entry::now(Fact::Line(CallLine { call, source, seq, line })));
    }
}
