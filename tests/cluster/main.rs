//! The embedded Postgres, with the real binaries: starts, stops, kills, and who may share it.
#![allow(clippy::disallowed_methods, reason = "tests read files, variables and clocks as they need")]

mod kills;
mod life;
mod refusals;
mod sharing;
mod support;
