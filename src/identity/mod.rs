//! Whose call it is: a document, where it came from, and whether it was read back and agreed to (R9, R10, S5).

mod reply;

use crate::dni::{Dictation, Extraction, Merged, extract, merge, splice};
use crate::ids::Dni;
use crate::transcript::{Speaker, Turn};
use reply::{Reply, is_aside, reply};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};

/// Where a document number came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Said in the call.
    Dictated,
    /// Entered by the operator: it wins and stays (R9).
    Typed,
    /// Dialled on the telephone's keys (R10).
    Keypad,
    /// Written in a chat message (R10).
    Chat,
}

impl Source {
    /// The name in events and on the desk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dictated => "dictated",
            Self::Typed => "typed",
            Self::Keypad => "keypad",
            Self::Chat => "chat",
        }
    }
}

/// How far a number has come. Until it is confirmed it filters, and is labelled (S5).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nobody has read it back.
    Given,
    /// It was read back in full; the patient hasn't agreed yet.
    ReadBack,
    /// The patient agreed, or the operator vouches for it.
    Confirmed,
}

impl State {
    /// The name in events and on the desk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::ReadBack => "read_back",
            Self::Confirmed => "confirmed",
        }
    }
}

/// The number that a call goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    source: Source,
    dni: Dni,
    state: State,
}

impl Held {
    /// A number as it was kept; for a call that is rebuilt.
    pub const fn new(source: Source, dni: Dni, state: State) -> Self {
        Self { source, dni, state }
    }

    /// Where it came from.
    pub const fn source(&self) -> Source {
        self.source
    }

    /// The number.
    pub const fn dni(&self) -> Dni {
        self.dni
    }

    /// How far it has come.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether what is shown or suggested with it needs no label (S5).
    pub fn is_confirmed(&self) -> bool {
        self.state == State::Confirmed
    }
}

/// As the desk and events are shown it: the document is masked (S4).
impl Serialize for Held {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut shown = to.serialize_struct("Held", 3)?;
        shown.serialize_field("dni", &self.dni.to_string())?;
        shown.serialize_field("source", &self.source)?;
        shown.serialize_field("state", &self.state)?;
        shown.end()
    }
}

/// What changed in who the caller is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// There is a number now: look it up.
    Captured,
    /// Another number has taken its place, unconfirmed: look it up.
    Corrected,
    /// It was read back in full.
    ReadBack,
    /// It is confirmed.
    Confirmed,
    /// The patient said that it is wrong. A dictated one is gone, a typed one stays, unconfirmed.
    Denied,
    /// It should be asked for again; what it may be, where that is known.
    AskAgain(Vec<Dni>),
    /// Digits that are no document yet: the rest may follow. Ask only if it doesn't.
    Unfinished,
}

impl Change {
    /// The name in events and on the desk.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Corrected => "corrected",
            Self::ReadBack => "read_back",
            Self::Confirmed => "confirmed",
            Self::Denied => "denied",
            Self::AskAgain(_) => "ask_again",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Who the caller is, line by line. There is no other identifier than the document (R9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// How the patient's own lines arrive.
    by: Source,
    held: Option<Held>,
    patient: Dictation,
    agent: Dictation,
    /// What the agent has read back and the patient hasn't answered.
    read: Option<Dni>,
    /// What the rules made of the patient's last line.
    last: Extraction,
}

impl Identity {
    /// A caller of whom nothing is known; `by`: [`Source::Dictated`] in a call, [`Source::Chat`] in a chat.
    pub fn new(by: Source) -> Self {
        Self::resume(by, None)
    }

    /// The caller again, after the call was rebuilt.
    pub fn resume(by: Source, held: Option<Held>) -> Self {
        Self {
            by,
            held,
            patient: Dictation::of(Speaker::Patient),
            agent: Dictation::of(Speaker::Agent),
            read: None,
            last: Extraction::default(),
        }
    }

    /// The number that the call goes by, if there is one.
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Takes in a final line of either side.
    pub fn heard(&mut self, line: &Turn) -> Option<Change> {
        let read = self.agent.hear(line);
        let said = self.patient.hear(line);
        match line.speaker {
            Speaker::Agent => self.read_back(line, &read),
            Speaker::Patient => self.answered(line, said),
        }
    }

    /// A model's reading of the patient's last line, when it arrives (DECISIONS 22).
    pub fn second_opinion(&mut self, model: &Extraction) -> Option<Change> {
        let rules = self.last.clone();
        if let (Some(rules), Some(model)) = (rules.to_use(), model.to_use())
            && rules != model
            && self.held.is_some_and(|held| held.source != Source::Typed)
        {
            return Some(Change::AskAgain(vec![rules, model]));
        }
        self.take(merge(self.held.as_ref(), &rules, Some(model)))
    }

    /// The operator enters a number: it wins and stays (R9). Its state stays if it is the one that was held.
    pub fn typed(&mut self, dni: Dni) -> Change {
        self.read = None;
        let before = self.held;
        let same = before.filter(|held| held.dni == dni);
        self.held = Some(Held::new(Source::Typed, dni, same.map_or(State::Given, |held| held.state)));
        if before.is_some() { Change::Corrected } else { Change::Captured }
    }

    /// What was dialled before the call (R10): exact digits, `*` and `#` aside. Nothing, or nonsense, changes
    /// nothing.
    pub fn keypad(&mut self, dialled: &str) -> Option<Change> {
        let dni = Dni::parse(dialled.trim_matches(['#', '*', ' '])).ok()?;
        match self.held {
            Some(held) if held.source == Source::Typed || held.dni == dni => None,
            before => {
                self.read = None;
                self.held = Some(Held::new(Source::Keypad, dni, State::Given));
                Some(if before.is_some() { Change::Corrected } else { Change::Captured })
            }
        }
    }

    /// The operator vouches for the number.
    pub fn confirm(&mut self) -> Option<Change> {
        let held = self.held.as_mut().filter(|held| held.state != State::Confirmed)?;
        held.state = State::Confirmed;
        self.read = None;
        Some(Change::Confirmed)
    }

    fn read_back(&mut self, line: &Turn, read: &Extraction) -> Option<Change> {
        let may_be = read.may_be();
        let known = self.held.filter(|held| may_be.contains(&held.dni));
        // One that isn't held counts only if it was read in one breath.
        let number = known.map(|held| held.dni).or_else(|| extract(&line.text).to_use());
        if number.is_none() {
            if !is_aside(&line.text) {
                self.read = None;
            }
            return None;
        }
        self.read = number;
        let held = self.held.as_mut().filter(|held| known.is_some() && held.state == State::Given)?;
        held.state = State::ReadBack;
        Some(Change::ReadBack)
    }

    fn answered(&mut self, line: &Turn, said: Extraction) -> Option<Change> {
        self.last = said.clone();
        let Some(read) = self.read else { return self.take(merge(self.held.as_ref(), &said, None)) };
        let repeated = said.to_use() == Some(read);
        match reply(&line.text) {
            Reply::Denies if !repeated => {
                self.read = None;
                self.denied(line, read, said)
            }
            Reply::Agrees if repeated || said.may_be().is_empty() => self.agreed(read),
            _ if repeated => self.agreed(read),
            // `sí, pero termina en ocho`
            Reply::Unclear if said.may_be().is_empty() && !splice(read, &line.text).is_empty() => {
                self.read = None;
                self.denied(line, read, said)
            }
            _ => self.take(merge(self.held.as_ref(), &said, None)),
        }
    }

    fn agreed(&mut self, read: Dni) -> Option<Change> {
        self.read = None;
        match &mut self.held {
            Some(held) if held.dni == read => self.confirm(),
            Some(held) if held.source == Source::Typed => None,
            // The patient agreed to another number than the one that was understood.
            Some(held) => Some(Change::AskAgain(vec![held.dni, read])),
            None => {
                self.held = Some(Held::new(self.by, read, State::Confirmed));
                Some(Change::Confirmed)
            }
        }
    }

    /// `no`, with the right number or a part of it, or without.
    fn denied(&mut self, line: &Turn, read: Dni, said: Extraction) -> Option<Change> {
        let held = self.held?;
        if held.dni != read {
            return self.take(merge(self.held.as_ref(), &said, None));
        }
        if held.source == Source::Typed {
            self.held = Some(Held { state: State::Given, ..held });
            return Some(Change::Denied);
        }
        self.held = None;
        if let Some(dni) = said.to_use().filter(|dni| *dni != read) {
            self.held = Some(Held::new(self.by, dni, State::Given));
            return Some(Change::Corrected);
        }
        let mut may_be = said.may_be();
        may_be.extend(splice(read, &line.text).into_iter().filter(|dni| *dni != read));
        may_be.dedup();
        Some(if may_be.is_empty() { Change::Denied } else { Change::AskAgain(may_be) })
    }

    fn take(&mut self, merged: Merged) -> Option<Change> {
        let (dni, change) = match merged {
            Merged::Keep => return None,
            Merged::AskAgain(_) if self.patient.is_unfinished() => return Some(Change::Unfinished),
            Merged::AskAgain(may_be) => return Some(Change::AskAgain(may_be)),
            Merged::Capture(dni) => (dni, Change::Captured),
            Merged::Replace(dni) => (dni, Change::Corrected),
        };
        self.held = Some(Held::new(self.by, dni, State::Given));
        self.read = None;
        Some(change)
    }
}
