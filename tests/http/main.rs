//! The real service over real sockets: its own Postgres, the real embedding model, Retell's frames.
// Tests read the environment and wait; a fault there is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod adapters;
#[path = "../support/database.rs"]
#[allow(dead_code)]
mod database;
mod door;
mod events;
mod faults;
mod frames;
mod health;
mod live;
mod plain;
mod privacy;
mod retell;
mod scripts;
#[path = "../support/service.rs"]
mod service;
mod stop;
#[path = "../support/mod.rs"]
#[allow(dead_code)]
mod support;
mod watch;
