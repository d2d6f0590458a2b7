//! The journal's lines: everything that happens to a call has one, or is told otherwise; no text is unmasked (S4).
use super::fixture::*;
use super::restart::strings;
use super::world::World;
use aura::call::trace::{self, Line as Written};
use aura::call::{Closing, Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::generation::Usage;
use aura::ids::{ReplyId, TurnId};
use aura::mask::contains_long_number;
use aura::transcript::Speaker;
use serde_json::json;

const DOCUMENT: &str = "soy Elsa, DNI 30.123.456";

fn written(line: Option<Written>, what: &str, turn: u32, detail: serde_json::Value) {
    assert_eq!(line, Some(Written { what: what.to_owned(), turn: TurnId(turn), detail }));
}

#[test]
fn d24_what_happens_to_a_call() {
    let turn = TurnId(3);
    written(trace::input(&Input::PeerConnected), "connected", 0, json!(null));
    written(trace::input(&Input::PeerLost { clean: true }), "lost", 0, json!({ "clean": true }));
    written(trace::input(&Input::HungUp), "hung_up", 0, json!(null));
    let variables = [("dni".to_owned(), "30.123.456".to_owned())].into();
    let details = Input::Details { variables, phone: Some("+541155550100".to_owned()) };
    written(trace::input(&details), "details", 0, json!({ "names": ["dni"] }));
    written(trace::input(&Input::Typed(dni("30123456"))), "typed", 0, json!(null));
    let answered = looked_up((2, dni("30123456")), &["M50"]);
    let detail = json!({ "ask": 2, "outcome": "found", "source": "mock" });
    written(trace::input(&answered), "looked_up", 0, detail);
    let rows = settings(&[("retell.mode", "global", json!("hold"))]);
    let rows = trace::input(&Input::Settings(rows));
    written(rows, "settings", 0, json!({ "rows": { "retell.mode@global": "hold" } }));
    let turns = Some(vec![said(Speaker::Patient, DOCUMENT)]);
    let asked = Input::Asked { reply: ReplyId(7), turns, reminder: false };
    written(trace::input(&asked), "asked", 0, json!({ "reply": 7, "reminder": false, "lines": 1 }));
    let found = Input::Retrieved { turn, found: Ok(found([h08(0.7)])) };
    written(trace::input(&found), "retrieved", 3, json!({ "manuals": 1, "lessons": 0 }));
    let failed = json!({ "failure": { "kind": "upstream", "detail": "no connection" } });
    let late = Input::Retrieved { turn, found: Err(failure("no connection")) };
    written(trace::input(&late), "retrieved", 3, failed.clone());
    written(trace::input(&Input::Failed { turn, failure: failure("no connection") }), "failed", 3, failed);
    let finished = trace::input(&Input::Finished { turn, usage: Usage::default() }).unwrap();
    assert_eq!((finished.what.as_str(), finished.turn), ("finished", turn));
    let broken = Input::Broken { reply: Some(ReplyId(7)) };
    written(trace::input(&broken), "broken", 0, json!({ "reply": 7 }));
}

/// Differences of the transcript, sentences that leave and events tell these; time is in every line.
#[test]
fn d24_what_is_told_otherwise() {
    let delta = Input::Delta { turn: TurnId(1), text: "Apague".to_owned() };
    for input in [Input::Heard(vec![said(Speaker::Patient, "hola")]), delta, Input::Tick] {
        assert_eq!(trace::input(&input), None, "{input:?}");
    }
    let mut line = Line::retell();
    let mut outputs = line.step(Input::PeerConnected);
    outputs.extend(line.patient("hay fuego"));
    for output in &outputs {
        let heard = matches!(output, Output::Tell(News::Heard { .. }));
        let told = matches!(output, Output::Tell(_)) && !heard;
        let elsewhere = told || matches!(output, Output::Record(_) | Output::Remember);
        assert_eq!(trace::output(output).is_none(), elsewhere, "{output:?}");
        if let Output::Tell(News::RedFlag { .. }) = output {
            assert_eq!(events(&outputs, Kind::RedFlag).len(), 1, "which its event tells");
        }
    }
}

#[test]
fn d24_what_a_call_does() {
    let mut line = Line::retell();
    let asked = line.patient("mi M50 marca error H08 desde hoy, DNI 30.123.456");
    let lines = |outputs: &[Output]| -> Vec<Written> { outputs.iter().filter_map(trace::output).collect() };
    let names = |outputs: &[Output]| -> Vec<String> { lines(outputs).into_iter().map(|l| l.what).collect() };
    assert_eq!(names(&asked), ["heard", "retrieve"]);
    let heard = &lines(&asked)[0].detail;
    assert_eq!((&heard["index"], &heard["speaker"]), (&json!(0), &json!("patient")));
    let searched = &lines(&asked)[1];
    assert_eq!(searched.turn, TurnId(1));
    assert_eq!(searched.detail["filter"]["sources"], json!([M50]));
    let generated = lines(&line.find([h08(0.75)]));
    assert_eq!(generated[0].what, "generate");
    assert_eq!(generated[0].detail["prompt"], "agent_identity@1.0.0");
    assert_eq!(generated[0].detail["rows"], json!([[M50, "Alarmas", "Código H08 / H01"]]));
    assert_eq!(names(&line.ring()), ["said"], "a filler was spoken too");
    assert_eq!(names(&line.answer("Apague el equipo.")), ["said", "closed"]);
    line.patient("¿y ahora qué tengo que hacer?");
    assert!(names(&line.patient("¿hola?")).contains(&"cancel".to_owned()));
    assert_eq!(names(&line.step(Input::HungUp)).last().map(String::as_str), Some(trace::ENDED));
    for (then, word) in [
        (Closing::Stay, "stay"),
        (Closing::HangUp, "hang_up"),
        (Closing::Transfer("911".to_owned()), "transfer"),
    ] {
        let close = trace::output(&Output::Close { reply: ReplyId(4), then });
        written(close, "closed", 0, json!({ "reply": 4, "then": word }));
    }
}

#[test]
fn s4_no_line_has_a_document_in_it() {
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        line.details(&[("dni", "30.123.456")]);
        line.patient(&format!("{DOCUMENT}, mi M50 marca error H08"));
        line.find([h08(0.75)]);
        line.answer("Su documento es 30.123.456. Gracias.");
        line.patient("hay fuego, anote: tres cero uno dos tres cuatro cinco seis");
        for output in &line.log {
            let Some(written) = trace::output(output) else { continue };
            for text in strings(&written.detail, &[]) {
                assert!(!contains_long_number(&text), "{}: {text}", written.what);
            }
        }
    }
}

/// A transcript is rebuilt from its differences alone.
#[test]
fn d24_the_lines_that_were_heard_are_the_transcript() {
    for seed in 1..=100 {
        let mut world = World::new(seed);
        for _ in 0..60 {
            let input = world.input();
            world.step(input);
        }
        let mut rebuilt: Vec<String> = Vec::new();
        let lines = world.line.log.iter().filter_map(trace::output).filter(|line| line.what == trace::HEARD);
        for line in lines {
            let index = usize::try_from(line.detail["index"].as_u64().unwrap()).unwrap();
            rebuilt.resize(rebuilt.len().max(index + 1), String::new());
            rebuilt[index] = line.detail["text"].as_str().unwrap().to_owned();
        }
        let transcript = world.line.call.transcript().iter();
        let masked: Vec<String> = transcript.map(|turn| aura::mask::mask(&turn.text).into_owned()).collect();
        assert_eq!(rebuilt, masked, "seed {seed}");
    }
}
