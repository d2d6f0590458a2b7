//! What a rebuilt call must know: kept as it changes, restored after a crash or a panic.
//!
//! The transcript isn't part of it: its lines are kept one by one as they change (DECISIONS 24). Texts are
//! masked (S4). Times are kept as ages, since no clock survives a crash.
use super::greeting::Greeting;
use super::identity::Caller;
use super::lock::Held as Locked;
use super::output::Output;
use super::record::Notes;
use super::release::Evidence;
use super::sticky::Sticky;
use super::{Call, Spec};
use crate::capture::Captured;
use crate::ears::Track;
use crate::equipment::Model;
use crate::event::Kind;
use crate::identity::{self, Held, Source, State};
use crate::ids::{AgentId, Dni, ReplyId, TurnId};
use crate::mask::mask;
use crate::red_flag::RedFlag;
use crate::retrieval::report::Rag;
use crate::retrieval::{Chunk, LessonCandidate};
use crate::script::Script;
use crate::suggestion::{self, Change, Mode};
use crate::transcript::Turn;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A call's state between two turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The prompt's key and version, which the call keeps (DECISIONS 13).
    pub prompt: (String, String),
    turn: TurnId,
    reply: Option<ReplyId>,
    read: usize,
    details: Option<BTreeMap<String, String>>,
    phone: Option<String>,
    extras: Option<Vec<String>>,
    greeted: bool,
    /// For the filter and nothing else (R20).
    on_file: BTreeSet<Model>,
    opened: bool,
    /// Each model that was named, the patient's turn it was in, and how many milliseconds ago.
    named: Vec<(Model, usize, u64)>,
    patient_turns: usize,
    held: Option<Lock>,
    pending: Option<(String, usize)>,
    agent: Option<AgentId>,
    rows: Vec<Chunk>,
    lessons: Vec<String>,
    #[serde(default)]
    older: Vec<Chunk>,
    alerted: BTreeSet<(usize, RedFlag)>,
    #[serde(default)]
    unanswered: BTreeSet<usize>,
    emergency: Option<RedFlag>,
    callback: bool,
    #[serde(default)]
    notes: Notes,
    /// Which track is the patient's, in a forked call.
    #[serde(default)]
    patient: Option<Track>,
    /// How the document came and how far it has come; the number itself is kept apart, sealed (DECISIONS 24).
    #[serde(default)]
    identity: Option<(Source, State)>,
    #[serde(skip)]
    dni: Option<Dni>,
    /// Questions to the patients' system.
    #[serde(default)]
    asks: u32,
    /// Lines that were read for a document.
    #[serde(default)]
    documents: usize,
    #[serde(default)]
    pieces: BTreeSet<usize>,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    script: Script,
    /// All but the telephone, which isn't written down (S4).
    #[serde(default)]
    captured: Captured,
    #[serde(default)]
    cards: Vec<suggestion::Kept>,
    /// The patient's lines without a decision.
    #[serde(default)]
    owed: usize,
    /// Whether the turn that ran was a card's.
    #[serde(default)]
    cut_card: bool,
    /// The turn that ran and what was said of it: it ended with the process.
    cut: Option<(TurnId, String)>,
}

/// The context lock, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Lock {
    rows: Vec<Chunk>,
    lessons: Vec<LessonCandidate>,
    rag: Rag,
    equipment: BTreeSet<Model>,
}

impl Memory {
    /// Which track was the patient's, in a forked call.
    pub fn patient(&self) -> Option<Track> {
        self.patient
    }

    /// The document that the call went by: whoever writes a memory down seals it, and keeps it beside.
    pub fn dni(&self) -> Option<Dni> {
        self.dni
    }

    /// The memory as it was before it was written down.
    #[must_use]
    pub fn with_dni(self, dni: Option<Dni>) -> Self {
        Self { dni, ..self }
    }

    fn caller(&self, by: Option<Source>) -> Caller {
        let held = self.identity.zip(self.dni).map(|((source, state), dni)| Held::new(source, dni, state));
        Caller::new(by, held, self.asks, self.documents)
    }
}

impl Call {
    /// What to keep of the call as it stands.
    pub fn memory(&self, now: Instant) -> Memory {
        let masked = |text: &String| mask(text).into_owned();
        Memory {
            prompt: (self.spec.prompt.key.clone(), self.spec.prompt.version.clone()),
            turn: self.turn,
            reply: self.reply,
            read: self.read,
            details: self
                .details
                .as_ref()
                .map(|details| details.iter().map(|(key, value)| (key.clone(), masked(value))).collect()),
            phone: self.phone.clone(),
            extras: self.extras.clone(),
            greeted: self.greeting == Greeting::Told,
            on_file: self.on_file.clone(),
            opened: self.opened,
            named: self.sticky.ages(now),
            patient_turns: self.sticky.turns(),
            held: self.held.as_ref().map(Lock::of),
            pending: self.pending.clone(),
            agent: self.agent.clone(),
            rows: self.evidence.rows.clone(),
            lessons: self.evidence.lessons.iter().map(masked).collect(),
            older: self.evidence.older.clone(),
            alerted: self.alerted.clone(),
            unanswered: self.unanswered.clone(),
            emergency: self.emergency,
            callback: self.callback,
            notes: self.noted(),
            patient: Some(self.tracks.patient),
            identity: self.identity().map(|held| (held.source(), held.state())),
            dni: self.identity().map(identity::Held::dni),
            asks: self.caller.asks(),
            documents: self.caller.lines(),
            pieces: self.pieces.clone(),
            mode: self.copilot.mode,
            script: self.copilot.script.clone(),
            captured: self.copilot.captured.kept(),
            cards: self.copilot.deck.kept(),
            owed: self.copilot.owed,
            cut_card: self.running.as_ref().is_some_and(|turn| turn.reply.is_none()),
            cut: self.running.as_ref().map(|turn| (turn.id, turn.said.clone())),
        }
    }

    /// The call again, `age` after [`Call::memory`] was taken, with the transcript's lines as they were
    /// kept. A turn that ran is recorded as aborted (I11); the peer is expected to redial.
    pub fn restore(spec: Spec, memory: Memory, transcript: Vec<Turn>, age: Duration, now: Instant) -> Self {
        let mut call = Self::new(spec);
        call.caller = memory.caller(call.spec.profile.documents);
        call.turn = memory.turn;
        // A question that was cut short may be asked again under its number.
        let cut = memory.cut.is_some() && !memory.cut_card;
        call.reply =
            memory.reply.and_then(|ReplyId(n)| if cut { n.checked_sub(1) } else { Some(n) }).map(ReplyId);
        call.read = memory.read;
        call.details = memory.details;
        call.phone = memory.phone;
        call.extras = memory.extras;
        call.greeting = if memory.greeted { Greeting::Told } else { Greeting::Untold };
        // Whose it was can't be told any more where the document couldn't be unsealed.
        call.on_file = if memory.dni.is_some() { memory.on_file } else { BTreeSet::new() };
        call.pieces = memory.pieces;
        call.opened = memory.opened;
        call.sticky = Sticky::restore(memory.named, memory.patient_turns, age, now);
        call.held = memory.held.map(Lock::held);
        call.pending = memory.pending;
        call.agent = memory.agent;
        call.evidence = Evidence { rows: memory.rows, lessons: memory.lessons, older: memory.older };
        call.alerted = memory.alerted;
        call.unanswered = memory.unanswered;
        call.emergency = memory.emergency;
        call.callback = memory.callback;
        call.notes = memory.notes;
        call.tracks.patient = memory.patient.unwrap_or(Track::Inbound);
        call.copilot.mode = memory.mode;
        call.copilot.script = memory.script;
        call.copilot.captured = memory.captured;
        call.copilot.deck = suggestion::Deck::resume(memory.cards);
        call.copilot.owed = memory.owed;
        call.transcript = transcript;
        call.lost_until = Some(now + super::LINGER);
        call.rebuilt(memory.cut, memory.cut_card);
        call
    }

    fn rebuilt(&mut self, cut: Option<(TurnId, String)>, card: bool) {
        self.record(Kind::CallRebuilt, json!({ "turn": self.turn }));
        let mut withdrawn = None;
        if let Some((turn, said)) = cut {
            self.record_in(turn, Kind::TurnAborted, json!({ "said": said, "reason": "rebuilt" }));
            if card {
                withdrawn = Some(Change::restarted(&self.spec.id, turn));
            } else {
                self.tell(crate::event::News::Aborted { turn });
            }
        }
        self.known_again();
        self.copilot_again(withdrawn);
        self.outbox.push_back(Output::Remember);
    }
}

impl Lock {
    fn of(held: &Locked) -> Self {
        let Locked { rows, mut lessons, rag, equipment } = held.clone();
        for lesson in &mut lessons {
            lesson.complaint = mask(&lesson.complaint).into_owned();
            lesson.answer = mask(&lesson.answer).into_owned();
        }
        Self { rows, lessons, rag, equipment }
    }

    fn held(self) -> Locked {
        let Self { rows, lessons, rag, equipment } = self;
        Locked { rows, lessons, rag, equipment }
    }
}
