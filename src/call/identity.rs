//! Who is calling: the document, the question about its equipment, and how both reach the desk (R7, R9–R15).
//!
//! What the patients' system answers goes into the filter and nowhere else (R20); devices never come here (R13).
use super::{Call, Output};
use crate::dni::Extraction;
use crate::equipment::Model;
use crate::event::{Kind, News};
use crate::identity::{Change, Held, Identity, Source};
use crate::ids::Dni;
use crate::patient::{Context, Found, Outage, Progress};
use crate::transcript::{Speaker, Turn};
use serde_json::json;
use std::collections::BTreeSet;

/// A call's caller.
#[derive(Debug)]
pub(super) struct Caller {
    identity: Identity,
    /// Lines that were read for a document.
    read: usize,
    /// The patient's last one.
    last: Option<usize>,
    /// Whether the number should be asked for again (DECISIONS 22).
    again: bool,
    /// Counts the questions to the patients' system.
    ask: u32,
    progress: Progress,
    outage: Option<Outage>,
    source: Option<&'static str>,
    cached: bool,
}

impl Caller {
    /// Somebody of whom nothing is known yet, or who is known again after a restart.
    pub(super) fn new(by: Option<Source>, held: Option<Held>, ask: u32, read: usize) -> Self {
        Self {
            identity: Identity::resume(by.unwrap_or(Source::Dictated), held),
            read,
            last: None,
            again: false,
            ask,
            progress: Progress::Waiting,
            outage: None,
            source: None,
            cached: false,
        }
    }

    /// The document that the call goes by.
    pub(super) fn held(&self) -> Option<&Held> {
        self.identity.held()
    }

    /// Whether the number should be asked for again.
    pub(super) fn asks_again(&self) -> bool {
        self.again
    }

    /// How many questions there were.
    pub(super) fn asks(&self) -> u32 {
        self.ask
    }

    /// Lines that were read.
    pub(super) fn lines(&self) -> usize {
        self.read
    }
}

impl Call {
    /// The document that the call goes by, where it came from and how far it has come.
    pub fn identity(&self) -> Option<&Held> {
        self.caller.held()
    }

    /// Reads the lines that are new for a document. Lines of the peer's transcript may still grow, but a chat's
    /// and a recogniser's final ones don't.
    pub(super) fn read_documents(&mut self) {
        if self.spec.profile.documents.is_none() {
            return;
        }
        for index in self.caller.read..self.transcript.len() {
            let Some(line) = self.transcript.get(index).cloned() else { return };
            self.read_document(index, &line);
        }
    }

    /// Reads one final line.
    pub(super) fn read_document(&mut self, index: usize, line: &Turn) {
        self.caller.read = self.caller.read.max(index + 1);
        if self.spec.profile.documents.is_none() {
            return;
        }
        if line.speaker == Speaker::Patient {
            self.caller.last = Some(index);
            if self.spec.second_reader && crate::dni::may_hold(&line.text) {
                self.outbox.push_back(Output::ReadAgain { line: index, text: line.text.clone() });
            }
        }
        self.identify(|identity| identity.heard(line));
    }

    /// Patient and operator were the other way round: what was said is read again, by who said it.
    pub(super) fn read_documents_again(&mut self) {
        let Some(by) = self.spec.profile.documents else { return };
        if self.identity().is_some_and(|held| held.source() != Source::Dictated) {
            return;
        }
        let lines: Vec<Turn> = self.in_order().into_iter().map(|(_, line)| line.clone()).collect();
        self.identify(|identity| {
            let before = identity.held().copied();
            *identity = Identity::new(by);
            lines.iter().for_each(|line| drop(identity.heard(line)));
            match identity.held() {
                held if held == before.as_ref() => None,
                Some(_) => Some(Change::Corrected),
                None => Some(Change::Denied),
            }
        });
    }

    /// The operator enters a document: it wins and stays (R9). The same one again asks again.
    pub(super) fn typed(&mut self, dni: Dni) {
        let same = self.document() == Some(dni);
        self.identify(|identity| Some(identity.typed(dni)));
        if same {
            self.look_up();
        }
    }

    /// Only for the document that the operator saw: another may have taken its place since.
    pub(super) fn vouched(&mut self, dni: Dni) {
        if self.document() == Some(dni) {
            self.identify(Identity::confirm);
        }
    }

    pub(super) fn dialled(&mut self, keys: &str) {
        self.identify(|identity| identity.keypad(keys));
    }

    /// A model's reading counts only while nothing was said after the line that it read.
    pub(super) fn second_opinion(&mut self, line: usize, reading: &Extraction) {
        if self.caller.last == Some(line) {
            self.identify(|identity| identity.second_opinion(reading));
        }
    }

    fn document(&self) -> Option<Dni> {
        self.identity().map(Held::dni)
    }

    fn identify(&mut self, change: impl FnOnce(&mut Identity) -> Option<Change>) {
        let before = self.document();
        let Some(change) = change(&mut self.caller.identity) else { return };
        let (held, change_name) = (self.identity().copied(), change.as_str());
        self.tell(News::Identity { change: change_name, held });
        if change != Change::Unfinished {
            let (source, state) = (held.map(|held| held.source()), held.map(|held| held.state()));
            let payload = json!({ "change": change_name, "source": source, "state": state });
            self.record(Kind::IdentityChanged, payload);
        }
        self.caller.again = matches!(change, Change::AskAgain(_));
        if self.document() != before {
            self.notes.looked_up(None);
            self.withdraw_of_another(before.is_some());
            self.equip(BTreeSet::new()); // somebody else's
            self.look_up();
        }
        self.identified();
        self.outbox.push_back(Output::Remember);
    }

    /// After a restart the desk knows nobody, and has no detail any more. A call of nobody is told of, too: it is
    /// live, and an operator may name its caller.
    pub(super) fn known_again(&mut self) {
        match self.identity().copied() {
            Some(held) => {
                self.tell(News::Identity { change: "known_again", held: Some(held) });
                self.look_up();
            }
            None => self.tell_look_up(),
        }
    }

    /// Asks whose equipment it is; answers to earlier questions count no more.
    pub(super) fn look_up(&mut self) {
        let caller = &mut self.caller;
        caller.ask += 1;
        (caller.outage, caller.cached) = (None, false);
        let document = caller.identity.held().map(Held::dni);
        caller.progress = if document.is_some() { Progress::Pending } else { Progress::Waiting };
        let ask = caller.ask;
        self.tell_look_up(); // before it is asked: the answer must not be told first
        self.outbox.extend(document.map(|dni| Output::LookUp { ask, dni }));
        self.outbox.push_back(Output::Remember);
    }

    /// The patients' system answered, or couldn't.
    pub(super) fn looked_up(&mut self, (ask, dni): (u32, Dni), found: Found, source: &'static str) {
        if ask != self.caller.ask || self.document() != Some(dni) {
            return; // of a document that isn't the caller's any more
        }
        let (progress, outage, context) = match found {
            Found::Found(context) => (Progress::Dni, None, Some(context)),
            Found::NotFound => (Progress::NotFound, None, None),
            Found::Unavailable { outage, cached } => (Progress::Pending, Some(outage), cached),
        };
        let cached = outage.is_some() && context.is_some();
        self.equip(context.map(|Context { models }| models).unwrap_or_default());
        let caller = &mut self.caller;
        (caller.progress, caller.outage, caller.cached) = (progress, outage, cached);
        self.notes.looked_up(outage);
        caller.source = Some(source);
        self.tell_look_up();
        let payload = json!({
            "progress": progress, "outage": outage, "cached": cached, "source": source,
            "models": self.on_file.len(), "identity": self.identity().map(Held::state),
        });
        self.record(Kind::PatientLookedUp, payload);
        self.outbox.push_back(Output::Remember);
    }

    /// What is on file has changed: an answer under way rests no more on what isn't the caller's.
    fn equip(&mut self, models: BTreeSet<Model>) {
        let before = std::mem::replace(&mut self.on_file, models);
        if !before.is_subset(&self.on_file) {
            self.ground_again();
        }
    }

    fn tell_look_up(&mut self) {
        let Caller { progress, outage, source, cached, .. } = self.caller;
        let models = self.on_file.clone();
        self.tell(News::LookUp { progress, outage, source, models, cached });
    }

    /// Whether anything may rest on what somebody has on file.
    pub(super) fn has_equipment(&self) -> bool {
        !self.on_file.is_empty()
    }

    /// Whether what is found rests on the equipment of somebody whose identity isn't confirmed (S5).
    pub(super) fn is_unconfirmed(&self) -> bool {
        !self.on_file.is_empty() && !self.identity().is_some_and(Held::is_confirmed)
    }
}
