//! One socket's intake: from what a PBX tells, in whatever order, to a fork and its pieces.
//!
//! It works like a call: [`Intake::handle`] lets one thing happen, [`Intake::poll`] hands out what came of
//! it until `None`, [`Intake::deadline`] says when it wants an [`Intake::tick`].
mod plan;
mod reader;
mod twins;

use super::{Door, Fork, Leg, Metadata, Piece, Told, Track, call_id, is_nil};
use crate::audio::{BadRate, check_rate};
use crate::ids::CallId;
use plan::{Plan, forked};
use reader::Reader;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long a call's id is waited for, from the first thing that was told; also the audio that is kept
/// meanwhile.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// How long a socket may say nothing at all.
const SILENCE: Duration = Duration::from_secs(30);
/// Messages that are kept while the call's id is waited for.
const MOST_WAITING: usize = 1024;

/// One socket, from its first message to its last.
#[derive(Debug)]
pub struct Intake {
    door: Door,
    /// The call's id as the URL says it: it holds whatever else is told.
    named: Option<String>,
    /// The id of a call that nobody names.
    spare: CallId,
    default_patient: Track,
    facts: Metadata,
    state: State,
    outbox: VecDeque<IntakeOut>,
}

#[derive(Debug)]
enum State {
    /// Nothing was told yet.
    Silent { until: Instant },
    /// The call has no id yet; what was told waits.
    Waiting { until: Instant, told: Vec<Told>, bytes: usize },
    /// It has.
    Open(Box<Reader>),
    /// Nothing more is listened to.
    Over,
}

/// What comes of a socket.
#[derive(Clone, Debug, PartialEq)]
pub enum IntakeOut {
    /// It is known which call it is: comes once, before all pieces.
    Open(Fork),
    /// Something of the call.
    Piece(Piece),
    /// The socket is to be closed; nothing more comes.
    Refuse {
        /// Why, for the log and the close frame.
        reason: Refusal,
    },
    /// The PBX only tried the connection: no call, nothing more comes. The socket is answered normally.
    Probe,
}

/// Why a socket isn't listened to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Its rate can't be used.
    #[error("{0}")]
    Rate(#[from] BadRate),
    /// Its samples are written in a way that isn't read.
    #[error(
        "audio form {name:?} refused: expected 16-bit linear, µ-law or A-law; choose one of them where the PBX starts the fork"
    )]
    Unreadable {
        /// The PBX's name of it.
        name: String,
    },
    /// It said nothing.
    #[error(
        "nothing came in 30 s: expected metadata or audio; check that the PBX starts the fork once the call is answered"
    )]
    Silent,
}

impl Intake {
    /// The intake of a socket that was just accepted. `default_patient`: the track that is the patient's
    /// where nothing tells whose leg is forked (the door's setting). `spare`: the id of the call, should
    /// nobody name it.
    pub fn new(door: Door, from_url: Metadata, default_patient: Track, spare: CallId, now: Instant) -> Self {
        Self {
            door,
            named: from_url.call.clone(),
            spare,
            default_patient,
            facts: from_url.bounded(),
            state: State::Silent { until: now + SILENCE },
            outbox: VecDeque::new(),
        }
    }

    /// Takes in one message. The first metadata that come open the call, if its id is known from them or
    /// from the URL; so does anything else once the URL says the call, and `rate` or `ch`; and so does more
    /// than 2 s of audio.
    pub fn handle(&mut self, told: Told, now: Instant) {
        if let State::Silent { .. } = self.state {
            self.state = State::Waiting { until: now + PATIENCE, told: Vec::new(), bytes: 0 };
        }
        match told {
            _ if matches!(self.state, State::Over) => {}
            Told::Metadata(metadata) => self.informed(*metadata),
            Told::Unreadable(name) => self.refuse(Refusal::Unreadable { name }),
            told => self.hear(told),
        }
    }

    /// Lets time pass: a call that nobody named in time is opened under the spare id.
    pub fn tick(&mut self, now: Instant) {
        match self.state {
            State::Silent { until } if until <= now => self.refuse(Refusal::Silent),
            State::Waiting { until, .. } if until <= now => self.open(),
            _ => {}
        }
    }

    /// When a [`Intake::tick`] is wanted.
    pub fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Silent { until } | State::Waiting { until, .. } => Some(until),
            State::Open(_) | State::Over => None,
        }
    }

    /// The next thing that came of it.
    pub fn poll(&mut self) -> Option<IntakeOut> {
        self.outbox.pop_front()
    }

    /// Whether nothing more is listened to: the socket may be closed.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// How often bytes of a sample had to wait for the rest of it (fault 51).
    pub fn carried(&self) -> u64 {
        if let State::Open(reader) = &self.state { reader.carried() } else { 0 }
    }

    /// Metadata that comes late changes what it says from here on: a re-INVITE changes the rate (fault 57).
    fn informed(&mut self, metadata: Metadata) {
        let metadata = self.sensible(metadata);
        self.facts.merge(metadata.clone());
        if self.named.is_some() {
            self.facts.call.clone_from(&self.named);
        }
        let named = self.is_named();
        let plan = Plan::new(self.door, &self.facts, self.default_patient);
        match &mut self.state {
            State::Open(reader) => {
                let change = plan.ok().and_then(|plan| reader.change(plan));
                self.piece(Piece::Metadata(Box::new(metadata.bounded())));
                change.into_iter().for_each(|piece| self.piece(piece));
            }
            _ if named || self.facts.probe => self.open(),
            _ => {}
        }
    }

    /// Without what can't be so, given what is known.
    fn sensible(&self, mut metadata: Metadata) -> Metadata {
        if matches!(self.state, State::Open(_)) {
            metadata.rate = metadata.rate.filter(|rate| check_rate(*rate).is_ok());
        }
        let leg = metadata.leg.or(self.facts.leg).unwrap_or(forked(self.default_patient));
        if leg == Leg::Operator && metadata.outbound_call.is_some() {
            // It is an operator's leg that was dialled, and neither end of it is the patient's.
            metadata.outbound_call = None;
            metadata.phone = None;
        }
        metadata
    }

    fn hear(&mut self, told: Told) {
        let over = told == Told::HungUp;
        match &mut self.state {
            State::Open(reader) => {
                let pieces = reader.read(told);
                self.outbox.extend(pieces.into_iter().map(IntakeOut::Piece));
                if over {
                    self.state = State::Over;
                }
            }
            State::Waiting { .. } => self.keep(told),
            State::Silent { .. } | State::Over => {}
        }
    }

    fn keep(&mut self, new: Told) {
        let most =
            Plan::new(self.door, &self.facts, self.default_patient).map_or(0, |plan| plan.bytes(PATIENCE));
        let State::Waiting { told, bytes, .. } = &mut self.state else { return };
        let last = matches!(new, Told::Flush | Told::HungUp);
        let nothing = told.is_empty() && self.facts.call.is_none();
        *bytes += if let Told::Audio { bytes, .. } = &new { bytes.len() } else { 0 };
        told.push(new);
        let full = *bytes >= most || told.len() >= MOST_WAITING;
        if last && nothing {
            // Nothing was heard, and nobody says of which call.
            self.state = State::Over;
        } else if last || full {
            self.open();
        } else if self.is_named() && (self.facts.rate.is_some() || self.facts.layout.is_some()) {
            // The URL says it all. Where it says the call only, metadata may tell how to read the audio.
            self.open();
        }
    }

    fn is_named(&self) -> bool {
        self.facts.call.as_deref().and_then(call_id).is_some()
    }

    fn open(&mut self) {
        if self.facts.probe || self.facts.call.as_deref().is_some_and(is_nil) {
            self.state = State::Over;
            return self.outbox.push_back(IntakeOut::Probe);
        }
        let plan = match Plan::new(self.door, &self.facts, self.default_patient) {
            Ok(plan) => plan,
            Err(reason) => return self.refuse(reason.into()),
        };
        let call = self.facts.call.as_deref().and_then(call_id).unwrap_or_else(|| self.spare.clone());
        self.outbox.push_back(IntakeOut::Open(Fork {
            call,
            door: self.door,
            layout: plan.layout,
            patient: plan.patient,
            metadata: self.facts.clone(),
            waited: self.waiting().map_or(Duration::ZERO, |bytes| plan.time(bytes)),
        }));
        let before = std::mem::replace(&mut self.state, State::Open(Box::new(Reader::new(plan))));
        if let State::Waiting { told, .. } = before {
            told.into_iter().for_each(|told| self.hear(told));
        }
    }

    /// Bytes of audio that were kept so far, if the call isn't open yet.
    fn waiting(&self) -> Option<usize> {
        if let State::Waiting { bytes, .. } = &self.state { Some(*bytes) } else { None }
    }

    fn refuse(&mut self, reason: Refusal) {
        self.state = State::Over;
        self.outbox.push_back(IntakeOut::Refuse { reason });
    }

    fn piece(&mut self, piece: Piece) {
        self.outbox.push_back(IntakeOut::Piece(piece));
    }
}
