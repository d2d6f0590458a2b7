//! Embedding answers: both encodings, and what must not be believed.
use aura::protocol::embeddings::{AnswerError, Body, parse};
use aura::protocol::provider_error::ProviderError;
use serde_json::json;

/// Little-endian f32 of 1, −0.5 and 0.25.
const VECTOR: &str = "AACAPwAAAL8AAIA+";

fn answer(items: serde_json::Value) -> Vec<u8> {
    json!({"object": "list", "data": items, "model": "m", "usage": {"prompt_tokens": 1}}).to_string().into()
}

fn length(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn base64_and_floats_give_the_same_unit_vector() {
    let packed = parse(&answer(json!([{"index": 0, "embedding": VECTOR}])), 1, 3).unwrap();
    let plain = parse(&answer(json!([{"index": 0, "embedding": [1.0, -0.5, 0.25]}])), 1, 3).unwrap();
    assert_eq!(packed, plain);
    assert!((length(&packed[0]) - 1.0).abs() < 1e-6);
    assert!((packed[0][0] / packed[0][1] + 2.0).abs() < 1e-6, "the direction is kept");
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    let items = json!([{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]);
    assert_eq!(parse(&answer(items), 2, 2).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    let unnumbered = json!([{"embedding": [0, 2]}, {"embedding": [3, 0]}]);
    assert_eq!(parse(&answer(unnumbered), 2, 2).unwrap(), [[0.0, 1.0], [1.0, 0.0]]);
}

#[test]
fn a_wrong_count_index_or_length_is_refused() {
    let one = json!([{"index": 0, "embedding": [1, 0]}]);
    assert_eq!(parse(&answer(one.clone()), 2, 2), Err(AnswerError::Count { expected: 2, got: 1 }));
    assert_eq!(parse(&answer(one), 1, 3), Err(AnswerError::Dims { index: 0, expected: 3, got: 2 }));
    let twice = json!([{"index": 0, "embedding": [1, 0]}, {"index": 0, "embedding": [1, 0]}]);
    assert_eq!(parse(&answer(twice), 2, 2), Err(AnswerError::Index(0)));
    let beyond = json!([{"index": 9, "embedding": [1, 0]}]);
    assert_eq!(parse(&answer(beyond), 1, 2), Err(AnswerError::Index(9)));
}

#[test]
fn vectors_without_a_direction_are_refused() {
    let of = |embedding| parse(&answer(json!([{"index": 0, "embedding": embedding}])), 1, 2);
    assert_eq!(of(json!([0.0, 0.0])), Err(AnswerError::NoDirection(0)));
    assert_eq!(of(json!([1e300, 0.0])), Err(AnswerError::NoDirection(0)), "infinite as f32");
    assert_eq!(of(json!("AADAfwAAgD8=")), Err(AnswerError::NoDirection(0)), "NaN, 1");
    assert_eq!(of(json!([null, 1.0])), Err(AnswerError::Malformed));
    assert!(of(json!([1e30, 1e30])).is_ok(), "squares that overflow f32 are no reason");
    let nan = br#"{"data":[{"index":0,"embedding":[NaN,1.0]}]}"#;
    assert_eq!(parse(nan, 1, 2), Err(AnswerError::Malformed));
}

#[test]
fn nonsense_is_named_and_never_panics() {
    for body in ["", "<html>", "[]", "{}", r#"{"data":null}"#, r#"{"data":[{"embedding":"%%%"}]}"#] {
        assert_eq!(parse(body.as_bytes(), 1, 2), Err(AnswerError::Malformed), "{body}");
    }
    assert_eq!(parse(&answer(json!([{"embedding": "AACA"}])), 1, 1), Err(AnswerError::Malformed));
    let error = json!({"error": {"message": "el paciente dijo", "code": "overloaded"}}).to_string();
    let Err(AnswerError::Provider(provider)) = parse(error.as_bytes(), 1, 2) else { panic!("not the error") };
    assert_eq!(provider, ProviderError { code: Some("overloaded".into()), kind: None });
}

#[test]
fn the_body_carries_only_what_is_asked_for() {
    let input = ["uno".to_owned(), "dos".to_owned()];
    let plain = Body { model: "m", input: &input, encoding_format: None, dimensions: None };
    assert_eq!(serde_json::to_string(&plain).unwrap(), r#"{"model":"m","input":["uno","dos"]}"#);
    let full = Body { encoding_format: Some("base64"), dimensions: Some(512), ..plain };
    assert_eq!(
        serde_json::to_string(&full).unwrap(),
        r#"{"model":"m","input":["uno","dos"],"encoding_format":"base64","dimensions":512}"#
    );
}
