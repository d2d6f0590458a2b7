//! Names and codes as they are heard (R17, R22), the catalogue that knows them (R5, R6, R8), and what
//! ordinary speech must never become.

use aura::equipment::{Catalogue, Code, ManualOf, Model, Normalised, codes_in, mentions_alarm};
use serde_json::Value;
use std::collections::BTreeSet;

fn normalise(text: &str) -> Normalised {
    Catalogue::builtin().normalise(text)
}

fn model(name: &str) -> Model {
    Model::new(name)
}

fn strings<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn entries(data: &str) -> Vec<Value> {
    let data: Value = serde_json::from_str(data).expect("test data");
    data["entries"].as_array().expect("entries").clone()
}

fn named(found: &Normalised) -> Vec<String> {
    [strings(&found.models), strings(&found.codes), found.text_codes.clone()].concat()
}

#[test]
fn r22_every_variant_of_the_public_set_is_what_it_should_be() {
    let mut wrong = Vec::new();
    for entry in entries(include_str!("../data/stt_variants.json")) {
        let said = entry["variant"].as_str().expect("variant");
        let found = normalise(said);
        if entry["must_map"] == true {
            let canonical = entry["canonical"].as_str().expect("canonical");
            if !found.text.contains(canonical) || named(&found) != [canonical] {
                wrong.push(format!("{said:?}: wanted {canonical}, {found:?}"));
            }
        } else if found.text != said || !named(&found).is_empty() {
            wrong.push(format!("{said:?} must stay: {found:?}"));
        }
        if entry["kind"] == "ambiguo" && found.ambiguous.len() != 1 {
            wrong.push(format!("{said:?} is ambiguous: {found:?}"));
        }
        if entry["kind"] == "negativo" && !found.ambiguous.is_empty() {
            wrong.push(format!("{said:?} isn't ambiguous: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn r22_variants_hold_within_a_sentence_too() {
    let mut wrong = Vec::new();
    for entry in entries(include_str!("../data/stt_variants.json")) {
        if entry["must_map"] != true {
            continue;
        }
        let (said, canonical) =
            (entry["variant"].as_str().expect("variant"), entry["canonical"].as_str().expect("c"));
        for text in [
            format!("hola, me marca {said}, ¿qué hago?"),
            format!("Buen día. {} y no sé qué es", said.to_uppercase()),
            format!("ahí en el display dice {said}"),
        ] {
            let found = normalise(&text);
            if !found.text.contains(canonical) || named(&found) != [canonical] {
                wrong.push(format!("{text:?}: wanted {canonical}, {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn r22_adversarial_speech_names_what_it_names_and_no_more() {
    let (mut wrong, mut negatives, mut all) = (Vec::new(), 0, 0);
    for entry in entries(include_str!("../data/stt_adversarial.json")) {
        let text = entry["text"].as_str().expect("text");
        let list = |key: &str| -> Vec<String> {
            let items = entry.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            items.iter().map(|item| item.as_str().expect("string").to_owned()).collect()
        };
        let found = normalise(text);
        let wanted = [list("models"), list("codes"), list("text_codes")];
        if [strings(&found.models), strings(&found.codes), found.text_codes.clone()] != wanted
            || found.ambiguous != list("ambiguous")
            || found.others != list("others")
        {
            wrong.push(format!("{text:?}: {found:?}"));
        }
        let negative = wanted.iter().all(Vec::is_empty);
        if negative && found.text != text {
            wrong.push(format!("{text:?} was rewritten: {:?}", found.text));
        }
        (negatives, all) = (negatives + usize::from(negative), all + 1);
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all >= 120 && negatives * 2 >= all, "{negatives} negatives of {all}");
}

#[test]
fn r22_the_rest_of_the_text_stays_as_it_was() {
    for (said, text) in [
        ("¡Hola! El eme cincuenta marca hache cero ocho, ¿qué hago?", "¡Hola! El M50 marca H08, ¿qué hago?"),
        ("TENGO EL SIETE EFE CINCO Y TIRA E TRES", "TENGO EL 7F-5 Y TIRA E3"),
        ("el yuwell siete efe guión cinco, E-3… ÑANDÚ", "el 7F-5, E3… ÑANDÚ"),
        ("dice lou o dos; mañana llamo", "dice Low O2; mañana llamo"),
        ("H 08/h1", "H08/H01"),
        ("el Lovego LG 103 nuevo", "el LoveGo LG103 nuevo"),
    ] {
        assert_eq!(normalise(said).text, text);
    }
}

#[test]
fn r22_normalising_twice_is_normalising_once_whatever_the_text() {
    for text in super::noise::texts(4_000) {
        let once = normalise(&text);
        let twice = normalise(&once.text);
        assert_eq!(once, twice, "{text:?}");
    }
}

#[test]
fn r22_queries_of_the_public_set_name_what_their_labels_say() {
    let data: Value = serde_json::from_str(include_str!("../data/queries_public.json")).expect("queries");
    for query in data["queries"].as_array().expect("queries") {
        let found = normalise(query["text"].as_str().expect("text"));
        for (key, names) in [
            ("named_models", strings(&found.models)),
            ("codes_named", strings(&found.codes)),
            ("text_codes", found.text_codes.clone()),
        ] {
            assert_eq!(serde_json::json!(names), query[key], "{}: {key}", query["id"]);
        }
    }
}

#[test]
fn r17_codes_are_equal_however_they_are_written() {
    for same in ["H8", "H08", "h-08", "h 8", "H008"] {
        assert_eq!(Code::parse(same).map(|code| code.to_string()), Ok("H08".to_owned()), "{same}");
    }
    assert_ne!(Code::parse("E4"), Code::parse("E43"));
    for bad in ["", "E", "M50", "E1234", "E4b", "é4", "H-", "08"] {
        let error = Code::parse(bad).expect_err(bad).to_string();
        assert!(error.contains("H08"), "{error}");
    }
    let code: Code = serde_json::from_str("\"h8\"").expect("a code");
    assert_eq!(serde_json::to_string(&code).expect("json"), "\"H08\"");
}

#[test]
fn r17_codes_are_found_in_rows_and_questions_as_whole_words() {
    for (text, codes) in [
        ("Código en Pantalla: H08 / H01", vec!["H08", "H01"]),
        ("Código en Pantalla: Low O2 / H02", vec!["H02"]),
        ("| E43 | apagar y encender |", vec!["E43"]),
        ("m50 error h8, después h-08 y E99", vec!["H08", "E99"]),
        ("(E4)", vec!["E4"]),
        ("H2O, CO2, HE4, E4b, E3100, E2.5, 7F-5, e 4", vec![]),
        ("E1–E7", vec!["E1", "E7"]),
        ("", vec![]),
    ] {
        assert_eq!(strings(&codes_in(text)), codes, "{text:?}");
    }
}

#[test]
fn r5_r8_each_model_has_its_manual_or_says_that_it_has_none() {
    let catalogue = Catalogue::builtin();
    for (name, source) in [
        ("M50", "concentradores electricos/m50_sysmedm50.md"),
        ("7F-5", "concentradores electricos/yuwell_7f5.md"),
        ("CP501", "concentradores electricos/cp501.md"),
        ("EverFlo", "concentradores electricos/everflo.md"),
        ("Nuvo Lite", "concentradores electricos/nuvo_lite.md"),
        ("Zen-O Lite", "concentradores portatiles/zen_o_lite.md"),
        ("LoveGo LG103", "concentradores portatiles/lovego_lg103.md"),
        ("Inogen One", "concentradores portatiles/inogen_one.md"),
    ] {
        assert_eq!(catalogue.manual_of(&model(name)), ManualOf::Manual(source));
    }
    assert_eq!(catalogue.manual_of(&model("CPAP")), ManualOf::NoManual);
    assert_eq!(catalogue.manual_of(&model("BiPAP")), ManualOf::NoManual);
    assert_eq!(catalogue.manual_of(&model("8F-5")), ManualOf::Unknown);
    assert_eq!(catalogue.models().count(), 10);
    assert_eq!(catalogue.always_allowed(), ["cap/", "tubos/"]);
}

#[test]
fn r6_each_missing_manual_is_named() {
    let catalogue = Catalogue::builtin();
    let mut present: BTreeSet<String> = ["concentradores electricos/cp501.md".to_owned()].into();
    let missing = catalogue.missing_sources(&present);
    assert_eq!(missing.len(), 7);
    assert!(missing.iter().all(|(missing, _)| *missing != model("CP501") && *missing != model("CPAP")));
    present.extend(missing.into_iter().map(|(_, source)| source));
    assert_eq!(catalogue.missing_sources(&present), []);
}

#[test]
fn names_of_a_customer_system_are_matched_without_guessing() {
    for (name, wanted) in [
        ("m50", Some("M50")),
        ("SYSMED M-50", Some("M50")),
        ("yuwell 7f5", Some("7F-5")),
        ("zen o lite", Some("Zen-O Lite")),
        ("LG 103", Some("LoveGo LG103")),
        ("cpap", Some("CPAP")),
        ("Inogen One G5", Some("Inogen One")),
        ("Zen-O", None),
        ("Yuwell 8F-5", None),
        ("Yuwell", None),
        ("7F-3", None),
        ("Inogen Rove 6", None),
        ("Nuvo 8", None),
        ("", None),
    ] {
        assert_eq!(Catalogue::builtin().canonical(name), wanted.map(Model::new), "{name}");
    }
}

#[test]
fn r30_a_model_a_code_or_an_alarm_lets_a_short_turn_through() {
    for text in [
        "error H08",
        "h o ocho",
        "el eme cincuenta",
        "suena",
        "hay una alarma",
        "luz roja",
        "luz de color amarilla",
        "lou o dos",
        "un 8F-5",
        "está pitando",
        "titila",
    ] {
        assert!(normalise(text).names_equipment_or_code(), "{text}");
    }
    for text in [
        "sí",
        "dale, gracias",
        "me suena raro",
        "suena el teléfono",
        "pan pita",
        "la luz de la cocina",
        "o dos",
        "se cortó la luz",
    ] {
        assert!(!normalise(text).names_equipment_or_code(), "{text}");
        assert!(!mentions_alarm(text), "{text}");
    }
}
