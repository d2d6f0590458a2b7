//! Everything a call can ask for.
use crate::event::{Event, News};
use crate::generation::Request;
use crate::ids::{ReplyId, TurnId};
use crate::retrieval::Search;

/// One thing the call wants done. Work carries its turn; the answer brings it back.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Search both stores.
    Retrieve {
        /// For which turn.
        turn: TurnId,
        /// What.
        search: Search,
    },
    /// Ask the language model.
    Generate {
        /// For which turn.
        turn: TurnId,
        /// What.
        request: Box<Request>,
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
        /// Whether the call is to be ended once it was spoken.
        end_call: bool,
    },
    /// Show the desk.
    Tell(News),
    /// Keep a fact.
    Record(Event),
    /// The call is over; nothing follows.
    End,
}
