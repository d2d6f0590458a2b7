//! What a conversation is: plain values and functions, no clock, no socket, no SQL.
//!
//! A [`call::Call`] changes only inside [`call::Call::handle`]. What it wants from the world waits in
//! [`call::Call::poll`]; when it next wants to be woken is [`call::Call::deadline`]. What a turn may be
//! answered with is decided in [`retrieval`]: [`retrieval::plan`] before the search,
//! [`retrieval::decide`] after it. How channels differ is the table in [`channel`].
pub mod account;
pub mod ask;
pub mod audio;
pub mod audit;
pub mod calibrate;
pub mod call;
pub mod capture;
pub mod channel;
pub mod desk;
pub mod dni;
pub mod ears;
pub mod equipment;
pub mod event;
pub mod generation;
pub mod identity;
pub mod ids;
pub mod leak;
pub mod manual;
pub mod mask;
pub mod patient;
pub mod phrases;
pub mod prompt;
pub mod protocol;
pub mod quote;
pub mod red_flag;
pub mod retrieval;
pub mod script;
pub mod sentence;
pub mod settings;
pub mod simulation;
pub mod speech;
pub mod stt;
pub mod suggestion;
pub mod summary;
pub mod support;
pub mod transcript;
pub mod words;

mod numerals;
mod tokens;
mod wording;
