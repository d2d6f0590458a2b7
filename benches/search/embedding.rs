//! One query through the local embedder (R1).
use aura_actors::embed::e5::{E5, Text};
use divan::Bencher;
use std::path::{Path, PathBuf};

/// Where set-up puts the weights.
fn weights() -> PathBuf {
    let home = std::env::var_os("AURA_HOME")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".aura"), PathBuf::from);
    std::env::var_os("AURA_E5_WEIGHTS").map_or_else(|| home.join("e5/e5-small-q4.bin"), PathBuf::from)
}

const LONG: &str = "Hola, buenas tardes, mire, llamaba porque el concentrador de mi mamá hace un ruido raro desde esta \
    mañana y no sé qué hacer";

/// A question of so many words, on one thread.
#[divan::bench(args = [8, 23])]
fn embed_a_query(bencher: Bencher, words: usize) {
    let path = weights();
    if !path.is_file() {
        eprintln!("embed_a_query is skipped: {} isn't there; deploy/setup fetches it", path.display());
        return;
    }
    let model = E5::open(&path).expect("whole weights");
    let query = LONG.split(' ').take(words).collect::<Vec<_>>().join(" ");
    bencher.bench(|| model.embed(Text::Query, &query).expect("a vector"));
}
