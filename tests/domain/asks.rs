//! `aura ask` decides and lays out as a call would, and says so in JSON (E1, R24).
use super::fixture::*;
use aura::ask::{Answer, Asked, Engine};
use aura::call::Input;
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::prompt::Prompt;
use aura::retrieval::score::Scale;
use aura::retrieval::{Candidate, Found, LessonCandidate, LessonKind};
use serde_json::{Value, json};
use std::sync::Arc;

fn engine() -> Engine {
    let prompt = |key: &str| {
        let prompt = Prompt { key: key.to_owned(), version: "1.0.0".to_owned(), body: BASE.to_owned() };
        (key.to_owned(), Arc::new(prompt))
    };
    let prompts = Channel::ALL.map(|channel| prompt(channel.profile().prompt_key)).into_iter().collect();
    Engine { catalogue: Catalogue::builtin(), settings: settings(&[]), scale: Scale::Identity, prompts }
}

/// What the engine says to a question, where the stores hold this.
fn ask(text: &str, channel: Channel, on_file: &[&str], sticky: &[&str], stores: Found) -> Answer {
    let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let (on_file, sticky) = (owned(on_file), owned(sticky));
    let engine = engine();
    let planned = engine.plan(&Asked { text, channel, on_file: &on_file, sticky: &sticky });
    let searched = planned.plan.step != aura::retrieval::plan::Step::ShortTurn;
    engine.answer(planned, searched.then_some(stores), true)
}

fn lesson() -> LessonCandidate {
    let text = |text: &str| text.to_owned();
    LessonCandidate {
        id: text("ab"),
        kind: LessonKind::Correction,
        complaint: text("Se tapa."),
        answer: text("Límpielo."),
        cosine: 0.9,
    }
}

fn assert_as_in_a_call(text: &str, channel: Channel, on_file: &[&str], stores: Found) {
    let answer = ask(text, channel, on_file, &[], stores.clone());
    let mut line = Line::on(channel);
    line.on_file(on_file);
    let mut outputs = line.patient(text);
    if let Some(search) = search(&outputs) {
        assert_eq!(answer.planned.plan.search, *search, "{channel}: {text}");
        let turn = line.turn();
        outputs = line.step(Input::Retrieved { turn, found: Ok(stores) });
    } else {
        assert_eq!(answer.outcome(), "gate", "{channel}: {text}");
    }
    assert_eq!(json!(answer.reason()), queried(&outputs)["reason"], "{channel}: {text}");
    assert_eq!(
        answer.to_json(None, true)["messages"],
        json!(request(&outputs).messages),
        "{channel}: {text}"
    );
}

#[test]
fn e1_a_hit_a_miss_and_a_short_turn_are_a_calls() {
    for channel in Channel::ALL {
        for on_file in [&[][..], &["M50"], &["7F-5", "M50"], &["CPAP"]] {
            for text in [
                "mi M50 marca error H 8",
                "sí, dale",
                "tengo una duda, DNI 30.123.456",
                "H08",
                "el CPAP marca H08",
            ] {
                let general = near(row(CAP, "Pedido", "Llame."), 0.7);
                assert_as_in_a_call(text, channel, on_file, found([general.clone()]));
                if text.contains("M50") || (on_file.contains(&"M50") && !text.contains("CPAP")) {
                    assert_as_in_a_call(text, channel, on_file, found([h08(0.9), general]));
                }
                assert_as_in_a_call(text, channel, on_file, found([h08(0.2)]));
            }
        }
    }
}

#[test]
fn e1_a_question_for_the_equipment_is_a_calls() {
    for channel in Channel::ALL {
        assert_as_in_a_call("me marca error H08 desde hoy", channel, &[], found([h08(0.9)]));
    }
}

#[test]
fn e1_lessons_are_laid_out_as_in_a_call() {
    let stores = Found { lessons: vec![lesson()], ..found([h08(0.9)]) };
    assert_as_in_a_call("mi M50 marca error H08 desde hoy", Channel::Retell, &[], stores);
}

fn object(answer: &Answer) -> Value {
    answer.to_json(Some(&json!("P01")), true)
}

#[test]
fn r28_the_json_has_every_field_that_is_promised() {
    let answer = ask("El M50 me marca error H ocho", Channel::AudioFork, &["7F-5"], &[], found([h08(0.75)]));
    let object = object(&answer);
    assert_eq!(object["id"], "P01");
    assert_eq!(object["outcome"], "hit");
    assert_eq!(object["normalized"], "El M50 me marca error H08");
    assert_eq!((&object["models"], &object["codes"]), (&json!(["M50"]), &json!(["H08"])));
    assert_eq!(object["sources"], json!([M50, YUWELL]));
    assert_eq!((&object["threshold"], &object["scope"]), (&json!(0.6), &json!("audio_fork")));
    let place = json!({ "source": M50, "section": "Alarmas", "row": "Código H08 / H01", "cosine": 0.75, "score": 0.75 });
    assert_eq!((&object["candidates"], &object["injected"]), (&json!([place]), &json!([place])));
    assert!(object["block"].as_str().unwrap().starts_with("[INFORMACIÓN TÉCNICA DEL MANUAL]"));
    assert!(answer.to_json(None, false).get("id").is_none());
}

#[test]
fn r31_the_four_outcomes_are_told_apart() {
    let outcome = |text: &str, on_file: &[&str], rows: Vec<Candidate>| {
        let answer = ask(text, Channel::Retell, on_file, &[], found(rows));
        let object = object(&answer);
        assert_eq!(object["injected"] == json!([]), object["outcome"] != "hit");
        object["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome("me marca error H08 ahora", &["M50"], vec![h08(0.9)]), "hit");
    assert_eq!(outcome("me marca error H08 ahora", &[], vec![h08(0.9)]), "ask");
    assert_eq!(outcome("me marca error H08 ahora", &["M50"], vec![h08(0.2)]), "miss");
    assert_eq!(outcome("sí, dale", &["M50"], vec![h08(0.9)]), "gate");
}

#[test]
fn r7_equipment_named_earlier_filters_in_bots_and_is_known_to_the_copilot() {
    let bot = ask("¿y cómo lo limpio bien?", Channel::Retell, &[], &["M50"], found([]));
    assert_eq!(object(&bot)["sources"], json!([M50]));
    assert_eq!(object(&bot)["query"], "M50 ¿y cómo lo limpio bien?");
    let copilot = ask("¿y cómo lo limpio bien?", Channel::AudioFork, &[], &["M50"], found([h08(0.9)]));
    assert_eq!(object(&copilot)["sources"], Value::Null);
    assert_eq!(copilot.outcome(), "hit");
}

#[test]
fn r8_a_name_that_no_catalogue_knows_opens_the_search_and_a_crms_spelling_does_not() {
    let sources = |on_file: &[&str]| {
        object(&ask("¿y cómo lo limpio bien?", Channel::AudioFork, on_file, &[], found([])))["sources"]
            .clone()
    };
    assert_eq!(sources(&["Yuwell 7F5"]), json!([YUWELL]));
    assert_eq!(sources(&["Concentrador M50", "concentrador misterioso"]), Value::Null);
    assert_eq!(sources(&[" ", ""]), Value::Null);
}
