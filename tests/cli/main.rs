//! The command line as a person meets it: the real program, the real model and the manuals of the repository.
// Tests start programs and write files; a fault there is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod ask;
mod audit;
mod batch;
mod calibrate;
mod doctor;
mod extract;
mod filter;
mod home;
mod ingest;
mod kills;
mod patients;
mod public_set;
mod reembed;
mod refusals;
mod settings;
mod user;

#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports)]
mod support;

/// A file of the repository.
fn repository(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
