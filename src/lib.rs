//! What a conversation is: plain values and functions, no clock, no socket, no SQL.

pub mod equipment;
pub mod mask;
pub mod words;

mod numerals;
mod tokens;
