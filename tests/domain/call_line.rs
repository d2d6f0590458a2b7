//! The greeting, and a line that breaks, comes back or ends (fault 9, fault 10).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use serde_json::json;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";
const WITH_NAME: &str = "Hola {nombre}, habla Aura.";

fn named_greeting() -> Line {
    Line::with(Channel::Retell, settings(&[("retell.greeting", "global", json!(WITH_NAME))]))
}

#[test]
fn fault_9_the_greeting_waits_a_little_for_the_name_and_goes_without_it() {
    let mut in_time = named_greeting();
    assert_eq!(spoken(&in_time.step(Input::PeerConnected)), []);
    in_time.wait(300);
    assert_eq!(spoken(&in_time.details(&[("name", "Elsa")])), [(0, "Hola Elsa, habla Aura.")]);
    assert_eq!(in_time.call.deadline(), None);
    let mut never = named_greeting();
    never.step(Input::PeerConnected);
    never.wait(1_499);
    assert_eq!(never.step(Input::Tick), [], "not yet");
    let outputs = never.ring();
    assert_eq!(spoken(&outputs), [(0, "Hola, habla Aura.")]);
    assert_eq!(closed(&outputs), [(0, false)]);
    assert_eq!(spoken(&never.details(&[("name", "Elsa")])), [], "late is late");
    let mut early = named_greeting();
    early.details(&[("name", "Elsa")]);
    assert_eq!(spoken(&early.step(Input::PeerConnected)), [(0, "Hola Elsa, habla Aura.")]);
}

#[test]
fn fault_9_a_greeting_without_a_name_waits_for_nobody() {
    let mut line = Line::retell();
    let outputs = line.step(Input::PeerConnected);
    assert_eq!(spoken(&outputs).len(), 1);
    assert_eq!(closed(&outputs), [(0, false)]);
    assert_eq!(line.details(&[("name", "Elsa")]), []);
}

#[test]
fn fault_10_a_redial_is_not_greeted_again_and_the_talk_goes_on() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    let old = line.turn();
    let lost = line.step(Input::PeerLost { clean: false });
    assert_eq!(news(&lost), [&News::Aborted { turn: old }, &News::Lost]);
    line.wait(30_000);
    assert_eq!(line.step(Input::PeerConnected), []);
    assert_eq!(line.call.deadline(), None);
    let outputs = line.patient("se cortó, me decía qué hago");
    assert_eq!(queried(&outputs)["reason"], "locked", "what was known is known: {outputs:?}");
    assert_eq!(events(&line.log, Kind::CallStarted).len(), 1);
}

#[test]
fn fault_10_a_greeting_that_falls_due_while_the_line_is_down_waits_for_the_redial() {
    let mut line = named_greeting();
    line.step(Input::PeerConnected);
    line.wait(500);
    line.step(Input::PeerLost { clean: false });
    line.wait(2_000);
    assert_eq!(spoken(&line.step(Input::Tick)), [], "nobody would hear it");
    line.wait(1_000);
    let mut greeted = line.step(Input::PeerConnected);
    if spoken(&greeted).is_empty() {
        greeted = line.ring();
    }
    assert_eq!(spoken(&greeted), [(0, "Hola, habla Aura.")]);
}

#[test]
fn a_line_that_stays_dead_ends_the_call_once() {
    for (clean, seconds) in [(true, 15), (false, 120)] {
        let mut line = Line::retell();
        line.step(Input::PeerConnected);
        line.step(Input::PeerLost { clean });
        line.wait(seconds * 1_000 - 1);
        assert_eq!(line.step(Input::Tick), []);
        let outputs = line.ring();
        assert_eq!(outputs.last(), Some(&Output::End));
        assert_eq!(events(&outputs, Kind::CallEnded), [&json!({ "reason": "not_redialled" })]);
        assert_eq!(line.step(Input::PeerConnected), []);
        assert_eq!(line.patient(QUESTION), []);
        assert_eq!(line.call.deadline(), None);
    }
}

#[test]
fn hanging_up_aborts_the_turn_and_ends_the_call() {
    let mut line = named_greeting();
    line.step(Input::PeerConnected);
    let outputs = line.step(Input::HungUp);
    assert_eq!(outputs.last(), Some(&Output::End));
    assert_eq!(line.call.deadline(), None, "an ended call wants nothing more, its greeting neither");
    let mut line = Line::retell();
    line.patient(QUESTION);
    let outputs = line.step(Input::HungUp);
    assert_eq!(events(&outputs, Kind::TurnAborted).len(), 1);
    assert_eq!(events(&outputs, Kind::SuggestionGenerated), [] as [&serde_json::Value; 0]);
    assert_eq!(events(&outputs, Kind::CallEnded), [&json!({ "reason": "hung_up" })]);
}
