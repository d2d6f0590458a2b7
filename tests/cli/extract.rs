//! `aura extract`: spoken document numbers from the command line, one and many, without a database.
use crate::home::{Home, Said};
use crate::repository;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SAID: &str =
    "mi documento es veintitrés millones cuatrocientos cincuenta y seis mil setecientos ochenta y nueve";

fn lines(said: Said) -> Vec<Value> {
    said.good().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn e13_all_spoken_documents_of_the_corpus_are_read_as_it_says() {
    let file = repository("tests/data/dni_spoken.json");
    let corpus: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let wanted = corpus["entries"].as_array().expect("entries");
    let home = Home::new("extract");
    let said = lines(home.run(&["extract", "--batch", file.to_str().unwrap()]));
    assert_eq!(said.len(), wanted.len(), "one line an entry, in order");
    let mut actions = BTreeMap::new();
    for (said, wanted) in said.iter().zip(wanted) {
        assert_eq!(said["id"], wanted["id"]);
        // The corpus names actions in Spanish.
        let action = match wanted["action"].as_str().expect("an action") {
            "usar" => "use",
            "pedir_repeticion" => "ask_again",
            "ignorar" => "ignore",
            other => panic!("{other} is no action"),
        };
        assert_eq!((&said["dni"], &said["action"]), (&wanted["expected"], &json!(action)), "{wanted}");
        if !wanted["candidates"].is_null() {
            assert_eq!(said["candidates"], wanted["candidates"], "{wanted}");
        }
        *actions.entry(said["action"].to_string()).or_insert(0) += 1;
    }
    assert_eq!(actions.len(), 3, "each action occurs: {actions:?}");
    assert!(!home.path().join("db").exists(), "no database was made for it");
}

#[test]
fn one_text_is_shown_to_people_and_to_machines() {
    let home = Home::new("extractone");
    let shown = home.run(&["extract", SAID]).good();
    assert!(shown.contains("23456789") && shown.contains("use (take it, and read it back)"), "{shown}");
    let said = home.run(&["extract", SAID, "--json"]).json();
    assert_eq!(said, json!({"dni": "23456789", "action": "use", "candidates": []}));
    let said = home.run(&["extract", "no anda el equipo", "--json"]).json();
    assert_eq!(said, json!({"dni": null, "action": "ignore", "candidates": []}));
    home.run(&["extract"]).refused(&["--batch"]);
}

#[test]
fn a_batch_is_lines_a_list_or_an_object_with_a_list() {
    let home = Home::new("extractbatch");
    let one = json!({"id": 7, "text": SAID, "other": true});
    let two = json!({"text": "hola"});
    let expected = [
        json!({"id": 7, "dni": "23456789", "action": "use", "candidates": []}),
        json!({"dni": null, "action": "ignore", "candidates": []}),
    ];
    for (name, text) in [
        ("lines.jsonl", format!("\u{feff}{one}\n\n{two}\n")),
        ("list.json", json!([one, two]).to_string()),
        ("object.json", json!({"_schema": {"a": "b"}, "entries": [one, two]}).to_string()),
    ] {
        let file = home.write(name, text);
        assert_eq!(lines(home.run(&["extract", "--batch", &file])), expected, "{name}");
    }
    let single = home.write("single.jsonl", one.to_string());
    assert_eq!(lines(home.run(&["extract", "--batch", &single])), expected[..1]);
}

#[test]
fn what_can_not_be_read_is_named_without_quoting_it() {
    let home = Home::new("extractbad");
    let good = r#"{"id": 1, "text": "hola"}"#;
    for (n, (text, part)) in [
        (format!("{good}\n{{\"id\": 2, \"texto\": \"23456789\"}}\n"), "line 2"),
        (format!("{good}\n23456789 y más\n"), "line 2"),
        (json!([{"text": "hola"}, {"text": 23456789}]).to_string(), "entry 2"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = home.write(&format!("bad{n}.jsonl"), text);
        let said = home.run(&["extract", "--batch", &file]);
        assert_eq!(said.out, "", "nothing is read of a file that can't be");
        let error = said.refused(&[part, "'text'"]);
        assert!(!error.contains("23456789"), "{error}");
    }
    home.run(&["extract", "--batch", "no/hay.jsonl"]).refused(&["no/hay.jsonl"]);
}
