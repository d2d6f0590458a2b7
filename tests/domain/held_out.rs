//! Emergencies of further corpora (S1), written without sight of the rule and learnt from since.

use aura::red_flag::red_flag;
use serde_json::Value;

/// 0 missed, each of its own kind; at most `most` look-alikes raised.
fn judged(text: &str, size: usize, most: usize) {
    let file: Value = serde_json::from_str(text).expect("a corpus");
    let (mut wrong, mut raised, mut emergencies, mut calm) = (vec![], vec![], 0, 0);
    for case in file["cases"].as_array().expect("cases") {
        let text = case["text"].as_str().expect("a text");
        let found = red_flag(text).map(|flag| flag.as_str());
        let told = format!("{} {found:?}: {text}", case["id"]);
        match case["kind"].as_str() {
            Some(kind) => {
                emergencies += 1;
                wrong.extend((found != Some(kind)).then_some(told));
            }
            None => {
                calm += 1;
                raised.extend(found.map(|_| told));
            }
        }
    }
    assert_eq!((emergencies, calm), (size, size));
    assert!(wrong.is_empty(), "missed or of another kind: {wrong:#?}");
    assert!(raised.len() <= most, "{raised:#?}");
}

#[test]
fn s1_emergencies_in_others_words_are_recognised_too() {
    judged(include_str!("../data/red_flags_second.json"), 120, 2);
}

#[test]
fn s1_emergencies_in_a_third_set_of_words_are_recognised_too() {
    judged(include_str!("../data/red_flags_third.json"), 90, 2);
}
