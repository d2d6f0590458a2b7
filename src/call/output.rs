//! Everything a call can ask for.
use crate::event::{Event, News};
use crate::generation::Request;
use crate::ids::{Dni, ReplyId, TurnId};
use crate::retrieval::Search;
use crate::summary::Assignment;
use std::time::Duration;

/// One thing the call wants done. Work carries its turn; the answer brings it back.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Search both stores.
    Retrieve {
        /// For which turn.
        turn: TurnId,
        /// What.
        search: Search,
        /// How long it may take; an answer after that isn't waited for.
        within: Duration,
    },
    /// Search the manuals for an operator; the answer brings the number back.
    Search {
        /// Counts the call's searches by hand.
        search: u32,
        /// What.
        query: Search,
        /// How long it may take; an answer after that isn't waited for.
        within: Duration,
    },
    /// Ask the language model.
    Generate {
        /// For which turn.
        turn: TurnId,
        /// What.
        request: Box<Request>,
    },
    /// Ask the patients' system; an answer to an older question changes nothing.
    LookUp {
        /// Counts the call's questions.
        ask: u32,
        /// Whose equipment.
        dni: Dni,
    },
    /// Have a line of the patient's read for a document a second time, where somebody can (DECISIONS 22).
    ReadAgain {
        /// Which line.
        line: usize,
        /// Its words, in the clear.
        text: String,
    },
    /// Stop whatever runs for this turn. A courtesy: the number decides (I3).
    Cancel {
        /// Which turn.
        turn: TurnId,
    },
    /// Say a sentence to the peer.
    Say {
        /// The peer's number for the answer.
        reply: ReplyId,
        /// The sentence, without trailing space.
        text: String,
    },
    /// The answer is complete; always follows, whatever happened.
    Close {
        /// The peer's number for the answer.
        reply: ReplyId,
        /// What happens once it was spoken.
        then: Closing,
    },
    /// Show the desk.
    Tell(News),
    /// Keep a fact.
    Record(Event),
    /// Have a model word the summary of the call, which is over: nothing waits for it.
    Summarise(Box<Assignment>),
    /// What a rebuilt call must know has changed: keep [`super::Call::memory`].
    Remember,
    /// The call is over; nothing follows.
    End,
}

/// What happens to the line once an answer was spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// The talk goes on.
    #[default]
    Stay,
    /// The call is ended.
    HangUp,
    /// The call is transferred to this telephone, where the channel can.
    Transfer(String),
}
