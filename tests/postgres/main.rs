//! What only a real Postgres with pgvector can show.
// Tests start servers and write files; a fault there is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

#[path = "../support/database.rs"]
mod database;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports)]
mod support;
#[path = "../support/words.rs"]
mod words;

mod events;
mod ingest;
mod migrations;
mod patients;
mod prompts;
mod reembed;
mod retention;
mod rights;
mod search;
mod settings;
mod tls;
mod trail;
