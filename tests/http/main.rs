//! The real service over real sockets: its own Postgres, the real embedding model, Retell's frames.
// Tests read the environment and wait; a fault there is a failed test.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod accounts;
mod adapters;
mod breaker;
mod callers;
mod canary;
#[path = "../support/console.rs"]
#[allow(dead_code)]
mod console;
#[path = "../support/database.rs"]
#[allow(dead_code)]
mod database;
mod desk;
mod desk_faults;
mod door;
mod drain;
mod events;
mod faults;
#[path = "../support/folder.rs"]
#[allow(dead_code)]
mod folder;
mod forked;
mod frames;
mod health;
mod injections;
mod live;
mod obeying;
mod outages;
mod panel;
mod people;
mod permissions;
mod plain;
mod privacy;
mod rebuild;
mod retell;
mod scripts;
#[path = "../support/service.rs"]
mod service;
mod setup;
mod sign_in;
#[path = "../support/signature.rs"]
mod signature;
mod spanish;
mod stop;
#[path = "../support/mod.rs"]
#[allow(dead_code)]
mod support;
mod sweep;
mod swept;
mod switches;
#[path = "../support/telephony.rs"]
#[allow(dead_code, unused_imports)]
mod telephony;
mod tickets;
mod watch;
mod webhook;
#[path = "../support/words.rs"]
#[allow(dead_code)]
mod words;
