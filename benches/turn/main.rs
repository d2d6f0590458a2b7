//! What the domain costs in one turn, without IO: `cargo bench --bench turn`.
// Benchmarks read files, which the domain may not, and a fault there ends them.
#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/domain/fixture.rs"]
mod fixture;

mod call;
mod prompt;
mod reading;
mod safety;
mod sentences;

use std::path::Path;

fn main() {
    divan::main();
}

/// What a model says, one word at a time: forty deltas, four sentences.
const ANSWER: &str = "Entiendo, ese aviso señala una falla. Apague el equipo, espere un momento y \
    enciéndalo una sola vez. Si el código vuelve, pase al oxígeno de respaldo y pida service. Quédese en \
    línea, por favor, y cuénteme qué muestra la pantalla.";

fn deltas() -> Vec<String> {
    let deltas: Vec<String> = ANSWER.split_inclusive(' ').map(str::to_owned).collect();
    assert_eq!(deltas.len(), 40);
    deltas
}

/// A file of the repository.
fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
