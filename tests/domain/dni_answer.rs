//! A model's answer, however it is wrapped, and how it joins what is known (E13, DECISIONS 22).

use super::dni_cases::show;
use aura::dni::{Action, Extraction, Merged, extract, merge, parse_extraction};
use aura::identity::{Held, Source, State};
use aura::ids::Dni;

fn dni(digits: &str) -> Dni {
    Dni::parse(digits).expect("a document")
}

fn held(source: Source, digits: &str, state: State) -> Held {
    Held::new(source, dni(digits), state)
}

#[test]
fn e13_an_answer_is_read_however_it_is_wrapped() {
    for answer in [
        r#"{"dni":"23456789"}"#,
        r#"{"dni":23456789}"#,
        r#"{"dni":23456789.0,"action":"usar","candidates":[]}"#,
        r#"{"DNI": "23.456.789", "Action": "use"}"#,
        r#"{"dni":"DNI 23 456 789","action":"USAR"}"#,
        "```json\n{\"dni\": \"23456789\", \"action\": \"usar\"}\n```",
        "Claro, aquí está:\n\n{\"dni\": \"23456789\"}\n\n¿Algo más?",
        r#"{"data":{"documento":"23456789"}}"#,
        r#"{"result":[{"dni":null_},{"dni":"23456789"}]} {"dni":"23456789"}"#,
        r#"El {paciente} dijo {"dni":"23456789"}"#,
        r#"{"dni":"23456789","action":"us"#,
        r#"{'dni': '23456789', 'action': 'usar'}"#,
        r#"{"nombre":"Elsa","dni":"023456789"}"#,
        "23456789",
        "`23.456.789`.",
    ] {
        let found = parse_extraction(answer).unwrap_or_else(|| panic!("nothing read in {answer}"));
        assert_eq!(found.to_use(), Some(dni("23456789")), "{answer}: {}", show(&found));
    }
}

#[test]
fn e13_a_number_with_an_impossible_count_of_digits_is_refused() {
    for answer in [
        r#"{"dni":"123456"}"#,
        r#"{"dni":123456789}"#,
        r#"{"dni":"234567890","action":"usar"}"#,
        r#"{"dni":"veintitrés millones","action":"usar"}"#,
        r#"{"dni":-23456789,"action":"usar"}"#,
        r#"{"dni":23456789.5}"#,
        r#"{"dni":{"value":"23456789"},"action":"use"}"#,
    ] {
        let found = parse_extraction(answer).unwrap_or_else(|| panic!("nothing read in {answer}"));
        assert_eq!((found.dni, found.action), (None, Action::AskAgain), "{answer}");
    }
}

#[test]
fn e13_absence_is_no_number_and_nonsense_no_answer() {
    for answer in [
        r#"{"dni":null}"#,
        r#"{"dni":""}"#,
        r#"{"dni":null,"action":"ignorar","candidates":[]}"#,
        r#"{"dni":"23456789","action":"ignore"}"#,
        r#"{"dni":"no lo dijo"}"#,
    ] {
        assert_eq!(parse_extraction(answer), Some(Extraction::default()), "{answer}");
    }
    for answer in [
        "",
        "No encontré ningún documento.",
        "{",
        "[]",
        "{}",
        "null",
        r#"{"dni":"2345678"#,
        r#"{"dni":2345678"#,
    ] {
        assert_eq!(parse_extraction(answer), None, "{answer}");
    }
}

#[test]
fn e13_candidates_are_read_and_the_impossible_ones_dropped() {
    let found = parse_extraction(
        r#"{"dni":null,"action":"pedir_repeticion","candidates":["1730042",17300042,"17",null]}"#,
    )
    .expect("an answer");
    assert_eq!(found.action, Action::AskAgain);
    assert_eq!(found.candidates, [dni("1730042"), dni("17300042")]);
}

#[test]
fn e13_our_own_line_is_read_back_as_it_was() {
    for text in [
        "mi dni es 23.456.789",
        "diecisiete, trescientos, cuarenta y dos",
        "sesenta millones mil uno",
        "hola",
    ] {
        let found = extract(text);
        assert_eq!(parse_extraction(&found.json_line(Some("x"))), Some(found), "{text}");
    }
}

#[test]
fn e13_any_text_is_borne_as_an_answer() {
    for text in super::noise::texts(2_000) {
        for answer in [
            text.clone(),
            format!("{{\"dni\":{text}}}"),
            format!("{{\"dni\":\"{text}\",\"action\":\"usar\"}}"),
        ] {
            if let Some(found) = parse_extraction(&answer) {
                assert_eq!(found.to_use().is_some(), found.action == Action::Use, "{answer}");
            }
        }
    }
}

#[test]
fn decisions_22_absent_or_invalid_never_erases() {
    let nothing = Extraction::default();
    let invalid = parse_extraction(r#"{"dni":"12345"}"#).expect("an answer");
    for state in [State::Given, State::ReadBack, State::Confirmed] {
        let known = held(Source::Dictated, "23456789", state);
        for rules in
            [&nothing, &extract("hola"), &extract("mi teléfono es 4567-8901"), &extract("mi dni es 12345")]
        {
            for model in [None, Some(&nothing), Some(&invalid)] {
                assert_eq!(merge(Some(&known), rules, model), Merged::Keep, "{} {model:?}", show(rules));
            }
        }
    }
}

#[test]
fn decisions_22_the_first_number_is_captured_and_a_correction_replaces() {
    let said = extract("mi dni es 23456789");
    let known = held(Source::Dictated, "23456789", State::Confirmed);
    assert_eq!(merge(None, &said, None), Merged::Capture(dni("23456789")));
    assert_eq!(merge(None, &said, Some(&said)), Merged::Capture(dni("23456789")));
    assert_eq!(merge(Some(&known), &said, None), Merged::Keep);
    let corrected = extract("no, perdón, es 24456789");
    assert_eq!(merge(Some(&known), &corrected, None), Merged::Replace(dni("24456789")));
    let other = extract("mi dni es 24456789");
    let both = vec![dni("23456789"), dni("24456789")];
    assert_eq!(merge(Some(&known), &other, None), Merged::AskAgain(both), "no correction was said");
}

#[test]
fn decisions_22_extractors_that_disagree_have_it_asked_again() {
    let (one, other) = (extract("mi dni es 23456789"), extract("mi dni es 24456789"));
    let both = vec![dni("23456789"), dni("24456789")];
    assert_eq!(merge(None, &one, Some(&other)), Merged::AskAgain(both.clone()));
    let corrected = extract("no, es 24456789");
    let known = held(Source::Dictated, "9876543", State::Given);
    let asked = merge(Some(&known), &one, Some(&corrected));
    assert_eq!(asked, Merged::AskAgain(both), "a correction that only one heard so");
    let doubtful = extract("diecisiete, trescientos, cuarenta y dos");
    let sure = extract("17300042");
    assert!(matches!(merge(None, &doubtful, Some(&sure)), Merged::AskAgain(_)), "the rules' doubt stands");
    let only_the_model = merge(None, &extract("hola"), Some(&sure));
    assert_eq!(only_the_model, Merged::AskAgain(vec![dni("17300042")]), "nobody said that number");
    let model_asks = parse_extraction(r#"{"dni":null,"action":"ask_again"}"#).expect("an answer");
    assert!(matches!(merge(None, &sure, Some(&model_asks)), Merged::AskAgain(_)));
}

#[test]
fn decisions_22_r9_the_typed_one_is_pinned() {
    let typed = held(Source::Typed, "9876543", State::Given);
    for text in ["mi dni es 23456789", "no, perdón, es 23456789", "diecisiete, trescientos, cuarenta y dos"]
    {
        let found = extract(text);
        assert_eq!(merge(Some(&typed), &found, Some(&found)), Merged::Keep, "{text}");
        assert_eq!(merge(Some(&typed), &found, None), Merged::Keep, "{text}");
    }
}
