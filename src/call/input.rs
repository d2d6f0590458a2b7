//! Everything that can happen to a call.
use crate::capture::Field;
use crate::dni::Extraction;
use crate::ears::{Gap, Spoken, Track};
use crate::generation::{Failure, Usage};
use crate::ids::{AgentId, Dni, ReplyId, TurnId};
use crate::patient;
use crate::retrieval::Found;
use crate::script::Step;
use crate::settings::Snapshot;
use crate::suggestion::Mode;
use crate::transcript::Turn;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One thing that happens. Answers carry the turn they were asked for: an old one changes nothing (I3).
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The peer is there, for the first time or again.
    PeerConnected,
    /// The peer's socket is gone: it may come back under the same call id.
    PeerLost {
        /// Whether it was closed with goodbye, so that a redial is unlikely.
        clean: bool,
    },
    /// The call is over, by the peer's own word.
    HungUp,
    /// What the peer knows of the caller; late, or never.
    Details {
        /// Named values, as they go into the prompt.
        variables: BTreeMap<String, String>,
        /// The caller's telephone: for a call back and nothing else (R9).
        phone: Option<String>,
    },
    /// The operator typed the patient's document: it wins and stays (R9). The same one again asks the
    /// patients' system again.
    Typed(Dni),
    /// The operator vouches for this document. Where the call goes by another one by now it changes nothing.
    Vouched(Dni),
    /// What was dialled on the telephone's keys (R10).
    Keypad(String),
    /// A model's reading of a line of the patient's (DECISIONS 22).
    SecondOpinion {
        /// Of which line.
        line: usize,
        /// What it found.
        reading: Extraction,
    },
    /// The patients' system answered, or couldn't. The equipment goes into the filter and nowhere else (R20).
    LookedUp {
        /// For which question.
        ask: u32,
        /// Of which document.
        dni: Dni,
        /// What it answered.
        found: patient::Found,
        /// The adapter's name (R14).
        source: &'static str,
    },
    /// Settings changed; they act from the next turn (DECISIONS 13).
    Settings(Arc<Snapshot>),
    /// The whole transcript as it stands; supersedes nothing.
    Heard(Vec<Turn>),
    /// A line of a forked call, as far as it is recognised.
    Spoken(Spoken),
    /// Which track of a forked call is the patient's: told by the switch, or put right by the operator.
    Patient(Track),
    /// The extension at which the call's operator sits, as the switch tells.
    Extension(String),
    /// A stretch of a forked call that nobody heard.
    Gap(Gap),
    /// The call is on hold, or no longer.
    Hold(bool),
    /// Both channels of the fork are the same.
    OneVoice,
    /// The peer wants an answer.
    Asked {
        /// The peer's number for it.
        reply: ReplyId,
        /// The whole transcript, where the peer sent it along.
        turns: Option<Vec<Turn>>,
        /// Whether it is only a nudge because the patient is silent.
        reminder: bool,
    },
    /// The stores answered, or couldn't.
    Retrieved {
        /// For which turn.
        turn: TurnId,
        /// What they hold.
        found: Result<Found, Failure>,
    },
    /// More of an answer.
    Delta {
        /// Of which turn.
        turn: TurnId,
        /// The text.
        text: String,
    },
    /// An answer is whole.
    Finished {
        /// Of which turn.
        turn: TurnId,
        /// What it cost.
        usage: Usage,
    },
    /// An answer failed.
    Failed {
        /// Of which turn.
        turn: TurnId,
        /// Why.
        failure: Failure,
    },
    /// An operator claims the call. Whoever has it keeps it: the answer says who that is.
    Claimed(AgentId),
    /// A supervisor takes the call over, whoever has it.
    TakenOver(AgentId),
    /// An operator lets the call go; only whoever has it can.
    Released(AgentId),
    /// How the operator who has the call wants suggestions. A claim begins with [`Mode::Push`].
    Mode(Mode),
    /// The operator wants a suggestion now.
    Suggest,
    /// The operator puts the script's open step right (E15).
    Step(Step),
    /// The operator enters a datum: it wins and stays (E13). One that is refused changes nothing.
    Captured {
        /// Which.
        field: Field,
        /// What it is.
        value: String,
    },
    /// The operator vouches for a datum.
    CapturedVouched(Field),
    /// The operator searches the manuals by hand.
    Search {
        /// For what.
        text: String,
    },
    /// The stores answered a search by hand, or couldn't.
    Searched {
        /// Which search.
        search: u32,
        /// What they hold.
        found: Result<Found, Failure>,
    },
    /// The call broke too often to be trusted again: it takes leave under this number.
    Broken {
        /// The newest answer that the peer asked for.
        reply: Option<ReplyId>,
    },
    /// Time passed: a deadline may be due.
    Tick,
}
