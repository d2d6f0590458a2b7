//! The stand-ins themselves: what proves the ears must itself be proved.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]
mod deepgram;
mod pbx;
#[path = "../support/telephony.rs"]
#[allow(dead_code, unused_imports)]
mod telephony;
mod tones;
mod vosk;
