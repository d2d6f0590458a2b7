//! What each line and each sentence costs before anything else happens: red flags (S1) and the gate (S2).
use crate::fixture::h08;
use aura::equipment::Catalogue;
use aura::red_flag::{ready, red_flag};
use aura::support::Support;
use divan::{Bencher, black_box};
use std::collections::BTreeSet;

const HEARD: [&str; 4] = [
    "hola, tengo un concentrador m50 y me marca error h08 desde hoy a la mañana",
    "sí, lo apagué y lo prendí",
    "la luz roja quedó prendida",
    "y después qué hago con el equipo",
];

/// One line of a patient.
#[divan::bench(args = HEARD)]
fn danger(bencher: Bencher<'_, '_>, line: &str) {
    ready();
    bencher.bench(|| red_flag(black_box(line)));
}

fn support() -> Support {
    let row = h08(0.8).chunk;
    Support::new(&[row], &[], &HEARD, HEARD[3], &BTreeSet::new(), Catalogue::builtin())
}

/// A turn's evidence, its row known already.
#[divan::bench]
fn evidence() -> Support {
    support()
}

/// One sentence: supported, plain, unsupported.
#[divan::bench(args = [
    "Apague el equipo, espere un momento y enciéndalo una sola vez.",
    "Quédese tranquila, lo vamos a resolver.",
    "El filtro se lava cada siete días con agua y jabón neutro.",
])]
fn sentence(bencher: Bencher<'_, '_>, sentence: &str) {
    let support = support();
    bencher.bench(|| support.check(black_box(sentence)));
}
