//! What a conversation is: plain values and functions, no clock, no socket, no SQL.
pub mod generation;
pub mod ids;
pub mod protocol;
pub mod retrieval;
pub mod speech;
pub mod transcript;
