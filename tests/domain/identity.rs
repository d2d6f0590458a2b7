//! From a number that was given to one that is confirmed (R9, R10, S5).

use super::dni_cases::{cases, turn};
use aura::dni::extract;
use aura::identity::{Change, Held, Identity, Source, State};
use aura::ids::Dni;
use serde_json::Value;

fn dni(digits: &str) -> Dni {
    Dni::parse(digits).expect("a document")
}

fn name(change: Option<&Change>) -> &'static str {
    match change {
        None => "none",
        Some(Change::Captured) => "captured",
        Some(Change::Corrected) => "corrected",
        Some(Change::ReadBack) => "read_back",
        Some(Change::Confirmed) => "confirmed",
        Some(Change::Denied) => "denied",
        Some(Change::AskAgain(_)) => "ask_again",
        Some(Change::Unfinished) => "unfinished",
    }
}

fn step(identity: &mut Identity, act: &str) -> Option<Change> {
    match act.split_once(' ').unwrap_or((act, "")) {
        ("confirm", _) => identity.confirm(),
        ("typed", digits) => Some(identity.typed(dni(digits))),
        ("keypad", keys) => identity.keypad(keys),
        _ => identity.heard(&turn(act)),
    }
}

fn play(case: &Value) -> Vec<String> {
    let mut identity = Identity::new(Source::Dictated);
    let mut wrong = Vec::new();
    for pair in case["steps"].as_array().expect("steps") {
        let act = pair[0].as_str().expect("an act");
        let change = step(&mut identity, act);
        let (got, wanted) = (name(change.as_ref()), pair[1].as_str().unwrap_or("none"));
        if got != wanted {
            wrong.push(format!("{}: {act:?} was {got}, not {wanted}", case["name"]));
        }
    }
    let held = identity.held();
    let end =
        (held.map(|h| h.source().as_str()), held.map(|h| h.state().as_str()), held.map(|h| h.dni().digits()));
    let (source, state) = (case["source"].as_str(), case["state"].as_str());
    if (end.0, end.1, end.2.as_deref()) != (source, state, case["dni"].as_str()) {
        wrong.push(format!("{}: ended as {end:?}", case["name"]));
    }
    wrong
}

#[test]
fn r9_r10_s5_a_number_is_given_read_back_and_confirmed() {
    let cases = cases(include_str!("../data/identity.json"), "cases");
    assert!(cases.len() >= 30, "{}", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(play).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn s5_only_a_confirmed_number_needs_no_label() {
    for state in [State::Given, State::ReadBack, State::Confirmed] {
        let held = Held::new(Source::Dictated, dni("32567890"), state);
        assert_eq!(held.is_confirmed(), state == State::Confirmed, "{}", state.as_str());
    }
}

#[test]
fn r9_a_typed_number_stays_whatever_is_heard_afterwards() {
    let mut heard: Vec<String> = Vec::new();
    for case in cases(include_str!("../data/dni_spoken.json"), "entries") {
        heard.extend(["P", "A"].map(|who| format!("{who} {}", case["spoken"].as_str().expect("spoken"))));
        heard.extend(["P no, está mal", "P sí", "P no, perdón, cuatro cinco"].map(str::to_owned));
    }
    let mut identity = Identity::new(Source::Dictated);
    identity.typed(dni("9876543"));
    for line in heard {
        identity.heard(&turn(&line));
        identity.second_opinion(&extract("no, perdón, es 32567980"));
        assert_eq!(identity.keypad("32567890"), None);
        let held = identity.held().expect("the typed one");
        assert_eq!((held.source(), held.dni()), (Source::Typed, dni("9876543")), "{line}");
    }
}

#[test]
fn r10_what_is_written_in_a_chat_is_of_the_chat() {
    let mut chat = Identity::new(Source::Chat);
    assert_eq!(chat.heard(&turn("P hola, mi dni es 32.567.890")), Some(Change::Captured));
    assert_eq!(chat.held().map(Held::source), Some(Source::Chat));
    let mut nothing = Identity::new(Source::Chat);
    assert_eq!(nothing.heard(&turn("P no sé mi documento")), None);
    assert_eq!(nothing.held(), None);
}

#[test]
fn decisions_22_two_extractors_that_disagree_have_it_asked_again() {
    let model = |digits: &str| extract(digits);
    let mut identity = Identity::new(Source::Dictated);
    assert_eq!(identity.heard(&turn("P mi documento es 32567890")), Some(Change::Captured));
    assert_eq!(identity.second_opinion(&model("32567890")), None);
    assert_eq!(
        identity.second_opinion(&model("32567980")),
        Some(Change::AskAgain(vec![dni("32567890"), dni("32567980")]))
    );
    assert_eq!(identity.held().map(Held::dni), Some(dni("32567890")));
    assert_eq!(identity.second_opinion(&model("nada")), None, "an absent one erases nothing");
}

#[test]
fn r9_a_rebuilt_call_goes_on_with_what_it_held() {
    let held = Held::new(Source::Dictated, dni("32567890"), State::ReadBack);
    let mut identity = Identity::resume(Source::Dictated, Some(held));
    assert_eq!(identity.heard(&turn("A 32.567.890, ¿correcto?")), None);
    assert_eq!(identity.heard(&turn("P sí")), Some(Change::Confirmed));
}

#[test]
fn s4_an_identity_never_prints_its_digits() {
    let mut identity = Identity::new(Source::Dictated);
    let change = identity.heard(&turn("P mi documento es 32567890"));
    identity.heard(&turn("A 32567890, ¿correcto?"));
    let printed = format!("{identity:?} {change:?} {:?}", identity.heard(&turn("P no, termina en 980")));
    assert!(!aura::mask::contains_long_number(&printed), "{printed}");
}

/// What may be said next; the numbers are two documents that differ in two digits.
const SAID: [&str; 24] = [
    "P mi documento es 32567890",
    "P no, es 32567980",
    "P treinta y dos quinientos sesenta y siete",
    "P ochocientos noventa",
    "P sí",
    "P sí, correcto",
    "P no",
    "P no, termina en 980",
    "P perdón, me equivoqué",
    "P no anda el equipo",
    "P uso cinco litros",
    "P si lo apago deja de sonar",
    "A ¿Me dice su documento?",
    "A ¿32567890, correcto?",
    "A tres dos cinco seis siete nueve ocho cero, ¿sí?",
    "A treinta y dos",
    "A quinientos sesenta y siete",
    "A ochocientos noventa",
    "A ajá",
    "A ¿Qué muestra la pantalla?",
    "A ¿me lo repite?",
    "A ¿está bien?",
    "keypad 32567890",
    "keypad 12",
];

#[test]
fn s5_nothing_is_confirmed_that_was_not_read_out_whole_and_agreed_to() {
    let mut seed = 11_u64;
    let mut confirmed = 0;
    for round in 0..4_000 {
        let mut identity = Identity::new(Source::Dictated);
        let mut story: Vec<&str> = Vec::new();
        for _ in 0..14 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let act = SAID[usize::try_from(seed >> 33).expect("small") % SAID.len()];
            story.push(act);
            let before = identity.held().copied();
            let change = step(&mut identity, act);
            let after = identity.held().copied();
            let digits = after.map(|held| held.dni().digits());
            let known = digits.as_deref().is_none_or(|digits| ["32567890", "32567980"].contains(&digits));
            assert!(known, "{round}: nobody said {digits:?}: {story:#?}");
            match change {
                Some(Change::Confirmed) => {
                    confirmed += 1;
                    let held = after.expect("a number");
                    assert!(was_read_out(&story, &held.dni().digits()), "{round}: {story:#?}");
                    assert!(act.starts_with("P "), "{round}: {story:#?}");
                }
                Some(Change::Captured | Change::Corrected) => {
                    assert_eq!(after.map(|held| held.state()), Some(State::Given), "{round}: {story:#?}");
                }
                Some(Change::Denied | Change::AskAgain(_) | Change::Unfinished | Change::ReadBack) => {
                    assert!(after.is_none_or(|held| !held.is_confirmed() || before == after), "{story:#?}");
                }
                None => assert_eq!(before, after, "{round}: nothing was told: {story:#?}"),
            }
        }
    }
    assert!(confirmed > 500, "{confirmed}");
}

/// Whether the agent said all of `digits`, at once or in pieces.
fn was_read_out(story: &[&str], digits: &str) -> bool {
    let said = |line: &str| story.contains(&line);
    match digits {
        "32567890" => {
            said("A ¿32567890, correcto?")
                || ["A treinta y dos", "A quinientos sesenta y siete", "A ochocientos noventa"]
                    .iter()
                    .all(|part| said(part))
        }
        _ => said("A tres dos cinco seis siete nueve ocho cero, ¿sí?"),
    }
}
