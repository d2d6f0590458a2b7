//! Actors on a paused clock, their neighbours played by the test: what takes seconds in life takes none here.
// A fault in a test is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod book;
mod breaker;
mod call_actor;
mod capture;
mod doctor;
#[path = "../support/folder.rs"]
#[allow(dead_code)]
mod folder;
mod journal;
mod llm;
mod lookup;
mod neighbours;
mod never_mute;
mod oxitesa;
mod patients;
mod rag;
mod retention;
mod stage;
mod summary;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports)]
mod support;
mod vault;
