//! What a conversation is: plain values and functions, no clock, no socket, no SQL.
pub mod generation;
pub mod ids;
pub mod manual;
pub mod protocol;
pub mod retrieval;
