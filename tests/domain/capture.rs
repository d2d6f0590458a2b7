//! What is taken down in a call, and what may change it (E13, DECISIONS 22).
use aura::capture::{BadDatum, BadTelephone, Captured, Datum, Field, Pass, Source, Telephone, parse, read};
use aura::equipment::Catalogue;
use aura::script::Step;
use serde_json::json;

fn hear(captured: &mut Captured, text: &str) -> Vec<Field> {
    captured.take(&read(text, false, Step::Reason, Catalogue::builtin()))
}

fn values(captured: &Captured, field: Field) -> Vec<&str> {
    captured.values(field).map(Datum::value).collect()
}

#[test]
fn e13_what_the_patient_says_is_taken_down() {
    let mut captured = Captured::default();
    assert_eq!(hear(&mut captured, "hola"), []);
    let changed = hear(&mut captured, "Buenas, me llamo Elsa Ruiz, llamo porque el M50 me marca H 8");
    assert_eq!(changed, [Field::Name, Field::Reason, Field::Equipment, Field::Code]);
    assert_eq!(values(&captured, Field::Name), ["Elsa Ruiz"]);
    assert_eq!(values(&captured, Field::Equipment), ["M50"]);
    assert_eq!(values(&captured, Field::Code), ["H08"]);
    assert!(values(&captured, Field::Reason)[0].contains("me marca"));
    assert_eq!(hear(&mut captured, "sí, el M50"), [], "once is enough");
}

#[test]
fn e13_names_end_where_the_clause_does() {
    for (text, name) in [
        ("me llamo Juan", Some("Juan")),
        ("Mi nombre es María de los Ángeles", Some("María")),
        ("me llamo Juan Pérez y tengo un problema", Some("Juan Pérez")),
        ("mi nombre es Rosa, vivo en Morón", Some("Rosa")),
        ("se llama Elsa mi mamá", Some("Elsa")),
        ("yo llamo por el equipo", None),
        ("me llamo 30123456", None),
    ] {
        let pass = read(text, false, Step::Resolution, Catalogue::builtin());
        let found = pass.found.get(&Field::Name).map(|names| names[0].as_str());
        assert_eq!(found, name, "{text}");
    }
}

#[test]
fn e13_absent_and_invalid_never_erase() {
    let mut captured = Captured::default();
    hear(&mut captured, "me llamo Elsa Ruiz y el M50 me marca H08");
    let before = captured.clone();
    for text in ["no sé", "", "mm", "ajá, sí", "no es nada grave", "llameme al doce"] {
        hear(&mut captured, text);
        assert_eq!(captured, before, "{text}");
    }
    for answer in [
        "{}",
        r#"{"nombre": null, "equipo": "", "codigo": "ninguno", "telefono": "123"}"#,
        "no encontré nada",
        r#"{"telefono": "1234567890123456"}"#,
    ] {
        if let Some(pass) = parse(answer) {
            assert_eq!(captured.second_opinion(&pass), [], "{answer}");
        }
        assert_eq!(captured, before, "{answer}");
    }
}

#[test]
fn e13_a_models_answer_is_read_tolerantly() {
    let bare = Pass {
        found: [(Field::Name, vec!["Elsa".to_owned()]), (Field::Equipment, vec!["M50".to_owned()])].into(),
        telephone: Telephone::parse("1145678900").ok(),
        corrects: false,
    };
    for answer in [
        r#"{"nombre":"Elsa","equipo":"M50","telefono":"11 4567-8900"}"#,
        "Claro:\n```json\n{\"Nombre\": \" Elsa \", \"equipo\": [\"M50\"], \"telefono\": 1145678900, \"otra\": 3}\n```",
        r#"{"datos": {"name": "Elsa", "modelo": "M50", "celular": "(11) 4567 8900", "motivo": "no informado"}}"#,
    ] {
        assert_eq!(parse(answer).as_ref(), Some(&bare), "{answer}");
    }
    assert_eq!(parse("nada"), None);
    assert_eq!(parse(r#"{"x": 1}"#), None);
}

#[test]
fn d22_a_correction_replaces_and_unconfirms() {
    let mut captured = Captured::default();
    hear(&mut captured, "me marca H08");
    assert!(captured.confirm(Field::Code));
    assert!(captured.values(Field::Code).all(Datum::is_confirmed));
    assert_eq!(hear(&mut captured, "perdón, es H02"), [Field::Code]);
    assert_eq!(values(&captured, Field::Code), ["H02"]);
    assert!(!captured.values(Field::Code).any(Datum::is_confirmed));
    assert_eq!(hear(&mut captured, "y también H05"), [Field::Code], "another one is no correction");
    assert_eq!(values(&captured, Field::Code), ["H02", "H05"]);
}

#[test]
fn d22_the_typed_one_is_pinned() {
    let mut captured = Captured::default();
    hear(&mut captured, "tengo un M50");
    captured.typed(Field::Equipment, " Yuwell  7F-5 ").unwrap();
    captured.typed(Field::Telephone, "11 4567-8900").unwrap();
    hear(&mut captured, "perdón, es el M50");
    captured.take(&read("llameme al 341 555 1234", false, Step::Reason, Catalogue::builtin()));
    captured.second_opinion(&parse(r#"{"equipo":"CP501","telefono":"3415551234"}"#).unwrap());
    assert_eq!(values(&captured, Field::Equipment), ["Yuwell 7F-5"]);
    assert_eq!(captured.values(Field::Equipment).next().unwrap().source(), Source::Typed);
    assert_eq!(captured.telephone().unwrap().digits(), "1145678900");
    assert!(!captured.in_doubt(Field::Equipment) && !captured.in_doubt(Field::Telephone));
    assert_eq!(captured.typed(Field::Name, " "), Err(BadDatum::Empty));
    assert_eq!(captured.typed(Field::Telephone, "123"), Err(BadDatum::Telephone(BadTelephone::Digits(3))));
    captured.typed(Field::Equipment, "CP501").unwrap();
    assert_eq!(values(&captured, Field::Equipment), ["CP501"]);
}

#[test]
fn d22_where_the_extractors_disagree_it_is_asked_for_again() {
    let mut captured = Captured::default();
    hear(&mut captured, "me llamo Elsa Ruiz");
    let model = parse(r#"{"nombre":"Elsa Rey"}"#).unwrap();
    assert_eq!(captured.second_opinion(&model), [Field::Name]);
    assert!(captured.in_doubt(Field::Name));
    assert_eq!(values(&captured, Field::Name), ["Elsa Ruiz"], "what is held stays");
    assert_eq!(hear(&mut captured, "me llamo Elsa Rey"), [Field::Name]);
    assert!(!captured.in_doubt(Field::Name));
    assert_eq!(values(&captured, Field::Name), ["Elsa Rey"]);
}

#[test]
fn e13_telephones_as_they_are_said() {
    for (text, digits) in [
        ("llámeme al 11 4567-8900", Some("1145678900")),
        ("mi celular es once cuarenta y cinco sesenta y siete ochenta y nueve cero cero", Some("1145678900")),
        ("el teléfono es cuatro cinco seis siete ocho nueve cero cero", Some("45678900")),
        ("cel tres cuatro uno quinientos cincuenta y cinco doce treinta y cuatro", Some("3415551234")),
        ("mi teléfono es el doscientos treinta", None),
        ("el teléfono no lo tengo", None),
        ("teléfono 12345678901234", None),
    ] {
        let pass = read(text, false, Step::Reason, Catalogue::builtin());
        assert_eq!(pass.telephone.as_ref().map(Telephone::digits), digits, "{text}");
    }
    let asked = read("45678900", true, Step::Reason, Catalogue::builtin());
    assert_eq!(asked.telephone.unwrap().digits(), "45678900");
    assert_eq!(read("45678900", false, Step::Reason, Catalogue::builtin()).telephone, None);
}

#[test]
fn s4_a_telephone_and_a_document_print_masked() {
    let mut captured = Captured::default();
    captured.take(&read("llameme al 11 4567-8900", false, Step::Reason, Catalogue::builtin()));
    hear(&mut captured, "llamo porque no anda, mi DNI es 30.123.456");
    let shown = format!("{captured:?} {} {}", captured.telephone().unwrap(), json!(captured));
    assert!(!aura::mask::contains_long_number(&shown), "{shown}");
    assert!(shown.contains("···8900"), "{shown}");
    assert!(!json!(captured).to_string().contains("8900"), "{shown}");
}

#[test]
fn d22_a_second_telephone_is_in_doubt_until_it_is_said_again() {
    let mut captured = Captured::default();
    for (text, held, doubt) in [
        ("llameme al 45678900", "45678900", false),
        ("o al celular 3415551234", "45678900", true),
        ("al celular 3415551234", "3415551234", false),
        ("perdón, el celular es 3415551235", "3415551235", false),
    ] {
        hear(&mut captured, text);
        assert_eq!(captured.telephone().map(Telephone::digits), Some(held), "{text}");
        assert_eq!(captured.in_doubt(Field::Telephone), doubt, "{text}");
    }
}
