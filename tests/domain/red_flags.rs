//! Emergencies and what only sounds like one (S1), over a corpus written before the rule by somebody else.

use aura::red_flag::{RedFlag, ready, red_flag};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    text: String,
    label: Label,
    kind: Option<RedFlag>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Label {
    Emergency,
    LookAlike,
}

fn corpus(label: &Label) -> Vec<Case> {
    let corpus: Corpus =
        serde_json::from_str(include_str!("../data/red_flags.json")).expect("red_flags.json");
    corpus.cases.into_iter().filter(|case| case.label == *label).collect()
}

fn check(cases: &[(&str, Option<RedFlag>)]) {
    for (text, expected) in cases {
        assert_eq!(red_flag(text), *expected, "{text}");
    }
}

const FIRE: Option<RedFlag> = Some(RedFlag::Fire);
const BREATHING: Option<RedFlag> = Some(RedFlag::Breathing);
const OTHER: Option<RedFlag> = Some(RedFlag::Other);

/// 0 missed, and each of its own kind.
#[test]
fn s1_no_emergency_is_missed() {
    let cases = corpus(&Label::Emergency);
    assert!(cases.len() >= 80, "only {} emergencies in the corpus", cases.len());
    let wrong = cases.iter().filter(|case| red_flag(&case.text) != case.kind);
    let wrong: Vec<_> = wrong.map(|case| (&case.id, &case.text, red_flag(&case.text))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// At most 2 in 100 raised.
#[test]
fn s1_look_alikes() {
    let cases = corpus(&Label::LookAlike);
    assert!(cases.len() >= 80, "only {} look-alikes in the corpus", cases.len());
    let raised = cases.iter().filter_map(|case| Some((&case.id, &case.text, red_flag(&case.text)?)));
    let raised: Vec<_> = raised.collect();
    assert!(raised.len() * 100 <= cases.len() * 2, "{raised:#?}");
}

/// Every class in other people's words, and what only sounds like it.
#[test]
fn s1_phrasings() {
    let (mut expected, mut judged) = (None, 0);
    for line in include_str!("../data/red_flags_phrasings.txt").lines() {
        match line {
            "[breathing]" => expected = BREATHING,
            "[fire]" => expected = FIRE,
            "[other]" => expected = OTHER,
            "[none]" => expected = None,
            _ if line.is_empty() || line.starts_with('#') => {}
            _ => {
                assert_eq!(red_flag(line), expected, "{line}");
                judged += 1;
            }
        }
    }
    assert!(judged > 1_000, "only {judged} phrasings");
}

/// A saturation is a percentage, whatever is said behind it; what happens in a minute is none.
#[test]
fn s1_saturations() {
    check(&[
        ("satura 60 por favor", BREATHING),
        ("la saturación es de setenta y cinco por ciento", BREATHING),
        ("spo2 78", BREATHING),
        ("satura bien, tiene ochenta por minuto de pulso", None),
        ("saturación noventa y cinco por ciento", None),
    ]);
}

/// Compiling ahead of the first call changes nothing that is heard.
#[test]
fn s1_the_list_compiles_at_start() {
    ready();
    ready();
    check(&[("no respira", BREATHING), ("no, respira bien", None)]);
}

/// Capitals, missing accents and a missing full stop change nothing.
#[test]
fn s1_however_it_is_written() {
    for case in corpus(&Label::Emergency) {
        let bare: String = case.text.chars().map(without_accent).collect();
        for text in [bare.to_uppercase(), format!("{bare}."), format!("  {}\n", bare.to_lowercase())] {
            assert_eq!(red_flag(&text), case.kind, "{} {text}", case.id);
        }
    }
}

/// What else is said in the same breath, before or after, hides none of them.
#[test]
fn s1_talk_around_it_hides_nothing() {
    let before = [
        "hola si mire",
        "el equipo no anda",
        "se cortó la luz",
        "vino el técnico ayer y",
        "hace dos años que usa oxígeno",
        "no sé qué hacer",
        "tengo miedo",
        "a ver si me pueden ayudar",
        "llamo por el certificado y",
    ];
    let after =
        ["qué hago", "no me atiende nadie", "el médico no contesta", "por favor", "y no tengo más tubos"];
    for case in corpus(&Label::Emergency) {
        let told = case.text.trim_end_matches(['.', '?', '!']);
        let texts = before.iter().map(|talk| format!("{talk} {told}"));
        for text in texts.chain(after.iter().map(|talk| format!("{told} {talk}"))) {
            assert_eq!(red_flag(&text), case.kind, "{} {text}", case.id);
        }
    }
}

fn without_accent(c: char) -> char {
    match c {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' => 'u',
        other => other,
    }
}

#[test]
fn s1_fire_comes_first_then_breathing() {
    check(&[
        ("me duele el pecho, no puedo respirar y hay humo", FIRE),
        ("hay humo, no puedo respirar y me duele el pecho", FIRE),
        ("me duele el pecho y no puedo respirar", BREATHING),
        ("no puedo respirar, me duele el pecho", BREATHING),
        ("le duele el pecho y sangra mucho", OTHER),
    ]);
    assert!(RedFlag::Fire < RedFlag::Breathing && RedFlag::Breathing < RedFlag::Other);
    let names = [RedFlag::Fire, RedFlag::Breathing, RedFlag::Other].map(RedFlag::as_str);
    assert_eq!(names, ["fire", "breathing", "other"]);
    for flag in [RedFlag::Fire, RedFlag::Breathing, RedFlag::Other] {
        assert_eq!(serde_json::to_value(flag).expect("a name"), flag.as_str());
    }
}

/// What excuses one clause says nothing about the next.
#[test]
fn s1_each_clause_is_judged() {
    check(&[
        ("No hay humo. No huele a nada. Pero mi mamá no respira.", BREATHING),
        ("ayer se me pasó el ahogo pero ahora me duele el pecho", OTHER),
        ("el equipo no larga aire. ¿Qué hago si un día me falta el aire?", None),
        ("el equipo no larga aire y mi papá está violeta", BREATHING),
        ("me muero de calor, quería pedir un tubo", None),
        ("me muero de calor y encima sale humo del enchufe", FIRE),
        ("si se corta la luz qué hago. Ay, se desmayó mi mamá", BREATHING),
        ("no le falta el aire, le duele el pecho", OTHER),
        ("no tiene fiebre ni dolor de pecho ni falta de aire", None),
    ]);
}

/// The customer's own examples, and what goes on or is only believed.
#[test]
fn s1_now_or_not() {
    check(&[
        ("no puedo respirar bien con esta cánula nueva", BREATHING),
        ("me quedé sin aire de la risa", None),
        ("me falta el aire", BREATHING),
        ("creo que le falta el aire", BREATHING),
        ("ayer me faltó el aire pero ya estoy bien", None),
        ("desde ayer me falta el aire", BREATHING),
        ("la semana pasada se desmayó", None),
        ("se desmayó recién", BREATHING),
        ("hoy a la mañana se desmayó y todavía no reacciona", BREATHING),
        ("sí, me falta el aire", BREATHING),
        ("no sé si respira", BREATHING),
        ("y si le falta el aire qué hago", None),
        ("huele a quemado y sale humo", FIRE),
        ("se quedó sin aire el compresor", None),
        ("satura noventa y tres", None),
        ("satura setenta y tres", BREATHING),
        ("tiene 73 años y satura 93", None),
    ]);
}

/// Nonsense, other scripts, one endless word, an hour's talk: an answer, never a panic.
#[test]
fn s1_any_text_is_welcome() {
    let emergencies = corpus(&Label::Emergency);
    let words: Vec<&str> = emergencies.iter().flat_map(|case| case.text.split_whitespace()).collect();
    for (seed, noise) in super::noise::texts(2_000).into_iter().enumerate() {
        let from = seed * 7 % words.len();
        let torn: String = words.iter().cycle().skip(from).step_by(1 + seed % 5).take(9).copied().collect();
        red_flag(&noise);
        red_flag(&format!("{noise}{torn} {noise}"));
    }
    for text in ["", " ", "?", "no", "si", "se", "…", "\u{301}", "85", "no no no no", "ni"] {
        assert_eq!(red_flag(text), None, "{text:?}");
    }
    assert_eq!(red_flag(&"á".repeat(1 << 20)), None);
    let talk = "hoy el equipo anda bien y no hay humo ".repeat(20_000);
    assert_eq!(red_flag(&talk), None);
    assert_eq!(red_flag(&format!("{talk} se me desmayó mi mamá")), BREATHING);
}
