//! Forked calls over real sockets: PBXs by the book, recognisers that listen, the real service between.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod absent;
mod asterisk;
mod call;
mod danger;
#[path = "../support/database.rs"]
#[allow(dead_code)]
mod database;
mod doors;
#[path = "../support/folder.rs"]
#[allow(dead_code)]
mod folder;
mod frames;
mod freeswitch;
mod legs;
mod links;
mod loss;
mod pauses;
mod pbx;
mod recognisers;
mod restart;
#[path = "../support/service.rs"]
#[allow(dead_code)]
mod service;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports)]
mod support;
#[path = "../support/telephony.rs"]
#[allow(dead_code, unused_imports)]
mod telephony;
mod transcripts;
mod twilio;
