//! What the operators' desk keeps, without IO: what happened in each call ([`Feeds`]), the list of calls ([`Board`]),
//! what each client still has to be sent ([`Outbox`]), and what a client makes of it ([`Mirror`]).
//!
//! Times are milliseconds since 1970, passed in (I1).
mod board;
mod feed;
mod mirror;
mod outbox;

pub use board::{Board, CLOSED_MS, Watch};
pub use feed::{Feed, Feeds, Frame, Since};
pub use mirror::{CallView, Mirror};
pub use outbox::{DEADLINE_MS, Full, Outbox};
