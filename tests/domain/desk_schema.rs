//! The JSON Schema that is made of the desk's types: what is published is what the types say, and real frames hold to
//! it (issue 6).
use super::copilot_tape::{TROUBLE, Tape, elsa};
use super::desk_protocol::{asks, messages};
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::desk::Feeds;
use aura::ids::CallId;
use aura::protocol::desk::{Happening, VERSION, schema};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn published() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("deploy/desk.schema.json")
}

fn written() -> String {
    format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap())
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

/// Why a frame of this side isn't one by the schema.
fn faults(validator: &Validator, side: &str, frame: &Value) -> Vec<String> {
    let framed = json!({ side: frame });
    validator.iter_errors(&framed).map(|fault| fault.to_string()).collect()
}

/// Not a test: writes the file anew after the types have changed.
#[test]
#[ignore = "writes deploy/desk.schema.json"]
fn the_schema_is_written() {
    std::fs::write(published(), written()).unwrap();
}

#[test]
fn issue6_the_published_schema_is_what_the_types_say() {
    let how = "cargo test -p aura --test domain -- --ignored the_schema_is_written";
    let file = std::fs::read_to_string(published()).unwrap_or_default();
    assert!(file == written(), "{} isn't what the types say; {how}", published().display());
    assert_eq!(schema()["version"], VERSION);
}

fn references<'a>(value: &'a Value, to: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| match value {
            Value::String(place) if key == "$ref" => _ = to.insert(place),
            _ => references(value, to),
        }),
        Value::Array(items) => items.iter().for_each(|item| references(item, to)),
        _ => {}
    }
}

#[test]
fn issue6_the_schema_says_all_and_points_nowhere_else() {
    let schema = schema();
    let mut places = BTreeSet::new();
    references(&schema, &mut places);
    for place in &places {
        let pointer = place.strip_prefix('#').unwrap_or_else(|| panic!("{place} is elsewhere"));
        assert!(schema.pointer(pointer).is_some(), "{place}");
    }
    let used: BTreeSet<&str> = places.iter().filter_map(|place| place.strip_prefix("#/$defs/")).collect();
    let all: BTreeSet<&str> = schema["$defs"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(used, all);
    let text = schema.to_string();
    for (_, ask) in asks() {
        assert!(text.contains(&format!("\"const\":{}", ask["ask"])), "{ask}");
    }
}

#[test]
fn issue6_every_frame_holds_to_the_schema() {
    let validator = validator();
    for (_, mut ask) in asks() {
        ask["id"] = json!(5);
        assert_eq!(faults(&validator, "client", &ask), [] as [&str; 0], "{ask}");
        ask["mood"] = json!("good");
        assert_eq!(faults(&validator, "client", &ask), [] as [&str; 0], "{ask}");
    }
    for message in messages() {
        let frame = json!(message);
        assert_eq!(faults(&validator, "server", &frame), [] as [&str; 0], "{frame}");
    }
}

#[test]
fn issue6_what_is_no_frame_does_not_hold_to_the_schema() {
    let validator = validator();
    let bad = [
        json!({ "ask": "ping" }),
        json!({ "id": -1, "ask": "ping" }),
        json!({ "id": 1, "ask": "dance" }),
        json!({ "id": 1, "ask": "watch" }),
        json!({ "id": 1, "ask": "watch", "call": "one", "after": { "seq": 3 } }),
        json!({ "id": 1, "ask": "mode", "call": "one", "mode": "loud" }),
        json!({ "id": 1, "ask": "type_dni", "call": "one", "dni": 23_456_789 }),
        json!({ "id": 1, "ask": "mark", "call": "one", "suggestion_id": "one/1", "verdict": "used" }),
    ];
    for frame in bad {
        assert_ne!(faults(&validator, "client", &frame), [] as [&str; 0], "{frame}");
    }
    let bad = [
        json!({ "type": "dance" }),
        json!({ "type": "done" }),
        json!({ "type": "event", "call": "one", "seq": 1, "at": 2, "event": "line", "index": 0 }),
        json!({ "type": "event", "call": "one", "at": 2, "event": "lost" }),
        json!({ "type": "bye", "why": "tired", "text": "" }),
    ];
    for frame in bad {
        assert_ne!(faults(&validator, "server", &frame), [] as [&str; 0], "{frame}");
    }
}

#[test]
fn issue6_a_real_calls_events_hold_to_the_schema() {
    let mut tape = Tape::claimed();
    tape.step(Input::Typed(super::fixture::dni("30123456")));
    tape.after(500).patient(TROUBLE).after(400).found(0.71);
    tape.writes("Quédese tranquilo, ya lo vemos.").finishes();
    tape.after(900).begins("no puedo").after(300).patient("no puedo respirar").after(1_000);
    tape.step(Input::Released(elsa()));
    tape.step(Input::HungUp);
    let (validator, call) = (validator(), CallId::parse("call_1").unwrap());
    let (mut feeds, mut names) = (Feeds::new(7), BTreeSet::new());
    for output in &tape.line.log {
        let Output::Tell(news) = output else { continue };
        let frame = feeds.tell(&call, Happening::of(news, Channel::AudioFork), 9).unwrap();
        let frame: Value = serde_json::from_str(&frame.text).unwrap();
        assert_eq!(faults(&validator, "server", &frame), [] as [&str; 0], "{frame}");
        names.insert(frame["event"].to_string());
    }
    assert!(names.len() >= 8, "{names:?}");
}
