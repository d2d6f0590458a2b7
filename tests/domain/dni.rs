//! Documents in one utterance and over several lines (R9, R10, E13).

use super::dni_cases::{cases, fits, show, strings, turn};
use aura::dni::{Action, Dictation, Extraction, extract};
use aura::ids::{BadDni, Dni};
use aura::mask::mask_lines;
use aura::transcript::Speaker;
use serde_json::{Value, json};

fn check(cases: &[Value], text: &str, dni: &str) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let said = case[text].as_str().expect("text");
            let found = extract(said);
            let fits = fits(&found, &case[dni], &case["action"], &case["candidates"]);
            (!fits).then(|| format!("{} {said:?}: {}", case["id"], show(&found)))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn r9_e13_every_case_of_the_public_set_is_read_as_it_says() {
    let cases = cases(include_str!("../data/dni_spoken.json"), "entries");
    assert!(cases.len() >= 59, "{}", cases.len());
    check(&cases, "spoken", "expected");
}

#[test]
fn r9_e13_further_ways_to_say_a_document_and_what_is_none() {
    let cases = cases(include_str!("../data/dni_more.json"), "cases");
    assert!(cases.len() >= 160, "{}", cases.len());
    check(&cases, "text", "dni");
}

#[test]
fn r9_e13_a_second_set_written_after_the_rules() {
    let cases = cases(include_str!("../data/dni_second.json"), "cases");
    assert!(cases.len() >= 70, "{}", cases.len());
    check(&cases, "text", "dni");
}

#[test]
fn r9_a_document_in_a_sentence_in_capitals_or_with_noise_around_it_is_the_same() {
    for case in cases(include_str!("../data/dni_spoken.json"), "entries") {
        let (said, wanted) = (case["spoken"].as_str().expect("spoken"), case["expected"].as_str());
        if case["action"] != "usar" {
            continue;
        }
        for text in [
            format!("hola, mi documento es {said}, y el equipo no anda"),
            format!("Buenas tardes. El DNI de mi mamá es {said}. El M50 marca H08."),
            said.to_uppercase(),
            format!("eh, {said}"),
        ] {
            let found = extract(&text);
            assert_eq!(found.to_use().map(Dni::digits).as_deref(), wanted, "{text:?}: {}", show(&found));
        }
    }
}

#[test]
fn r9_a_document_dictated_over_several_lines_is_put_together() {
    let cases = cases(include_str!("../data/dni_lines.json"), "cases");
    let mut wrong = Vec::new();
    for case in &cases {
        let mut dictation = Dictation::of(Speaker::Patient);
        let lines = strings(&case["lines"]).expect("lines");
        let found = lines.iter().map(|line| dictation.hear(&turn(line))).last().expect("a line");
        if !fits(&found, &case["dni"], &case["action"], &case["candidates"]) {
            wrong.push(format!("{}: {}", case["name"], show(&found)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn s4_a_document_over_several_lines_is_masked_in_each_and_nothing_else_is() {
    let lines = |texts: &[&str]| texts.iter().map(|line| turn(line)).collect::<Vec<_>>();
    let dictated = lines(&[
        "A ¿Me dice su documento?",
        "P treinta y dos",
        "A treinta y dos",
        "P quinientos sesenta y siete",
        "A quinientos sesenta y siete",
        "P y ochocientos noventa",
        "A ochocientos noventa, ¿sí?",
        "P sí. Uso cinco litros, dos horas.",
    ]);
    assert_eq!(
        mask_lines(&dictated),
        [
            "¿Me dice su documento?",
            "DNI ···",
            "DNI ···",
            "DNI ···",
            "DNI ···",
            "y DNI ···",
            "DNI ···, ¿sí?",
            "sí. Uso cinco litros, dos horas.",
        ]
    );
    let other = lines(&[
        "A ¿Qué muestra la pantalla?",
        "P hache cero ocho",
        "A ¿Cuántos litros usa?",
        "P cinco",
        "A ¿Y cuántas horas?",
        "P dieciséis, a veces dieciocho",
        "P mi dni es 32.567.890",
    ]);
    let masked = mask_lines(&other);
    assert_eq!(masked[..6], other.iter().map(|line| line.text.clone()).collect::<Vec<_>>()[..6]);
    assert_eq!(masked[6], "mi DNI ···890");
}

#[test]
fn e13_a_document_has_seven_or_eight_digits_and_refuses_with_a_reason() {
    for (text, digits) in [
        ("23456789", "23456789"),
        (" 23.456.789 ", "23456789"),
        ("23 456 789", "23456789"),
        ("23-456-789", "23456789"),
        ("05.612.340", "5612340"),
        ("F5.123.456", "5123456"),
        ("m 4123456", "4123456"),
    ] {
        assert_eq!(Dni::parse(text).map(Dni::digits), Ok(digits.to_owned()), "{text}");
    }
    for (text, reason) in [
        ("", BadDni::Empty),
        ("  ", BadDni::Empty),
        ("M", BadDni::Empty),
        ("123456", BadDni::Digits(6)),
        ("0123456", BadDni::Digits(6)),
        ("123456789", BadDni::Digits(9)),
        ("00000000", BadDni::Digits(0)),
        ("-", BadDni::Digits(0)),
        ("23456789a", BadDni::NotDigits),
        ("23/456/789", BadDni::NotDigits),
        ("٢٣٤٥٦٧٨٩", BadDni::NotDigits),
    ] {
        assert_eq!(Dni::parse(text), Err(reason), "{text}");
    }
}

#[test]
fn s4_a_document_never_prints_its_digits() {
    let dni = Dni::parse("23456007").expect("a document");
    let found = extract("mi documento es 23456007 y el de él 9876543");
    let mut dictation = Dictation::of(Speaker::Patient);
    dictation.hear(&turn("P 23456007"));
    assert_eq!(dni.to_string(), "DNI ···007");
    for printed in [format!("{dni:?} {dni}"), format!("{found:?}"), format!("{dictation:?}")] {
        assert!(!printed.contains("23456") && !printed.contains("9876"), "{printed}");
    }
    for bad in ["23456007x", "234560071"] {
        let error = Dni::parse(bad).expect_err("no document");
        assert!(!format!("{error} {error:?}").contains("23456"), "{error}");
    }
}

#[test]
fn r9_what_was_found_is_told_in_one_line_of_json() {
    let line =
        |text: &str, id| -> Value { serde_json::from_str(&extract(text).json_line(id)).expect("JSON") };
    assert_eq!(line("23.456.789", None), json!({"dni": "23456789", "action": "use", "candidates": []}));
    assert_eq!(
        line("diecisiete, trescientos, cuarenta y dos", Some("D72")),
        json!({"id": "D72", "dni": null, "action": "ask_again", "candidates": ["1730042", "17300042"]})
    );
    assert_eq!(
        line("hola", Some("x")),
        json!({"id": "x", "dni": null, "action": "ignore", "candidates": []})
    );
    assert_eq!(extract("hola"), Extraction { action: Action::Ignore, ..Extraction::default() });
    assert!(!extract("diecisiete, trescientos, cuarenta y dos").json_line(None).contains('\n'));
}

#[test]
fn s4_whatever_is_read_as_a_document_is_masked() {
    let public = cases(include_str!("../data/dni_spoken.json"), "entries");
    let more = cases(include_str!("../data/dni_more.json"), "cases");
    let texts = public.iter().map(|case| &case["spoken"]).chain(more.iter().map(|case| &case["text"]));
    let open: Vec<&str> = texts
        .filter_map(Value::as_str)
        .filter(|text| extract(text).dni.is_some() && !aura::mask::contains_long_number(text))
        .collect();
    assert!(open.is_empty(), "{open:#?}");
}

#[test]
fn r9_any_text_is_borne_and_what_is_used_is_always_masked() {
    for text in super::noise::texts(6_000) {
        let found = extract(&text);
        assert_eq!(found.to_use().is_some(), found.action == Action::Use, "{text:?}");
        assert!(found.dni.is_none() || found.candidates.is_empty(), "{text:?}");
        if found.to_use().is_some() {
            assert!(aura::mask::contains_long_number(&text), "S4: {text:?} holds {}", show(&found));
        }
    }
}
