//! Writes a call's story down as it happens: its inputs, what it did, what it must remember.
use crate::journal::{CallLine, Entry, Fact, Identified, Record};
use crate::vault::Vault;
use actix::prelude::*;
use aura::call::trace::{self, Line, MEMORY, SEALED};
use aura::call::{Input, Memory, Output};
use aura::channel::Channel;
use aura::event::{Event, News};
use aura::identity::Held;
use aura::ids::{CallId, Dni, TurnId};
use tracing::error;

/// Gathers the entries of one step; they leave together, in order.
pub struct Keeper {
    call: CallId,
    source: Channel,
    seq: u64,
    vault: Vault,
    /// The patient's hash that the call was last known to be of.
    patient: Option<String>,
    entries: Vec<Entry>,
}

impl Keeper {
    /// A keeper whose lines are numbered from `seq` + 1.
    pub fn new(call: CallId, source: Channel, seq: u64, vault: Vault) -> Self {
        Self { call, source, seq, vault, patient: None, entries: Vec::new() }
    }

    /// Goes on for a call that went by this document.
    pub fn of(&mut self, dni: Option<Dni>) {
        self.patient = dni.map(|dni| self.vault.patient(dni));
    }

    /// Something happened.
    pub fn input(&mut self, input: &Input) {
        self.line(trace::input(input));
    }

    /// Something is done.
    pub fn output(&mut self, output: &Output) {
        self.line(trace::output(output));
        if let Output::Tell(News::Identity { held, .. }) = output {
            self.identified(held.as_ref());
        }
    }

    /// By whose document the call goes now, for whoever asks what is kept of a patient.
    fn identified(&mut self, held: Option<&Held>) {
        let patient = held.map(|held| self.vault.patient(held.dni()));
        let former = std::mem::replace(&mut self.patient, patient.clone());
        if let Some(former) = former.filter(|former| patient.as_ref() != Some(former)) {
            let (source, state) = (String::new(), "denied".to_owned());
            self.keep_identity(Identified {
                call: self.call.clone(),
                patient: former,
                source,
                state,
                sealed: None,
            });
        }
        if let (Some(patient), Some(held)) = (patient, held) {
            let (source, state) = (held.source().as_str().to_owned(), held.state().as_str().to_owned());
            let sealed = self.vault.seal(held.dni(), self.call.as_str());
            self.keep_identity(Identified { call: self.call.clone(), patient, source, state, sealed });
        }
    }

    fn keep_identity(&mut self, identified: Identified) {
        self.entries.push(Entry::now(Fact::Identified(identified)));
    }

    /// A fact of its own.
    pub fn event(&mut self, event: Event) {
        self.entries.push(Entry::now(Fact::Event(event)));
    }

    /// What a rebuild needs.
    pub fn memory(&mut self, memory: &Memory) {
        match serde_json::to_value(memory) {
            Ok(mut detail) => {
                if let Some(sealed) = memory.dni().and_then(|dni| self.vault.seal(dni, self.call.as_str())) {
                    detail[SEALED] = sealed.into();
                }
                self.line(Some(Line { what: MEMORY.to_owned(), turn: TurnId(0), detail }));
            }
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
