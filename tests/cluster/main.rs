//! The embedded Postgres, with the real binaries: starts, stops, kills, and who may share it.
#![allow(clippy::disallowed_methods, reason = "tests read files, variables and clocks as they need")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod kills;
mod life;
mod refusals;
mod sharing;
mod support;
