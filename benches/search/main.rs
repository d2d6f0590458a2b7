//! What a search costs: the query's embedding, and Postgres: `cargo bench --bench search`.
//!
//! Needs what the tests need (`deploy/setup`): Postgres below `AURA_HOME`, and the embedder's weights.
// Benchmarks start servers and read files, and a fault there ends them.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::panic)]

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/support/database.rs"]
mod database;

mod embedding;
mod retrieval;

fn main() {
    divan::main();
}
