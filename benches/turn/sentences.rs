//! Cutting a streamed answer into sentences (DECISIONS 17).
use crate::deltas;
use aura::sentence::Sentences;
use divan::{Bencher, black_box};

/// Forty deltas, four sentences.
#[divan::bench]
fn cut_an_answer(bencher: Bencher) {
    let deltas = deltas();
    bencher.bench(|| {
        let mut sentences = Sentences::default();
        for delta in &deltas {
            black_box(sentences.push(black_box(delta)));
        }
        sentences.flush()
    });
}
