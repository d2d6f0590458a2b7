//! Masking, normalising, and finding models and codes in what patients say (R17, R22, S4).
use crate::file;
use aura::equipment::Catalogue;
use aura::retrieval::reading;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::Value;

/// All labelled queries: the public ones and those that the scale was fitted on.
fn queries() -> Vec<String> {
    let files = ["tests/data/queries_public.json", "tests/data/queries_fit.json"];
    let read = |path| serde_json::from_str::<Value>(&file(path)).expect("JSON");
    let texts =
        files.into_iter().map(read).flat_map(|set| set["queries"].as_array().expect("queries").clone());
    texts.map(|query| query["text"].as_str().expect("a text").to_owned()).collect()
}

/// All of them; a query's share is in the items a second.
#[divan::bench]
fn normalise_and_detect(bencher: Bencher) {
    let (queries, catalogue) = (queries(), Catalogue::builtin());
    reading::read(&queries[0], catalogue); // a process compiles its patterns once
    bencher.counter(ItemsCount::new(queries.len())).bench(|| {
        for query in &queries {
            black_box(reading::read(black_box(query), catalogue));
        }
    });
}
