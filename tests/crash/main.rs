//! The real program under load, killed at random moments and started again: what it had accepted is there, once.
//! `AURA_CRASHES` says how often it is killed, `AURA_SEED` repeats a run's moments.
// Tests read the environment and wait; a fault there is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod audit;
mod callers;
#[path = "../support/database.rs"]
#[allow(dead_code)]
mod database;
mod endings;
#[path = "../support/folder.rs"]
#[allow(dead_code)]
mod folder;
#[path = "../cli/home.rs"]
#[allow(dead_code)]
mod home;
mod kills;
mod patients;
#[path = "../http/people.rs"]
#[allow(dead_code)]
mod people;
#[path = "../http/plain.rs"]
#[allow(dead_code)]
mod plain;
mod posters;
mod process;
#[path = "../support/service.rs"]
#[allow(dead_code)]
mod service;
#[path = "../support/signature.rs"]
mod signature;

use std::path::{Path, PathBuf};

/// A path of the repository.
pub fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
