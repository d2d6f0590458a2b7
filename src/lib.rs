//! What a conversation is: plain values and functions, no clock, no socket, no SQL.
