//! Asterisk's two ways to send a call's audio: a websocket of its own kind, and a plain TCP stream.
pub mod audiosocket;
pub mod websocket;
