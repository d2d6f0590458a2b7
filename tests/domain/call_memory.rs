//! A call that is rebuilt after a crash: what it remembers, what it says only once, what may be asked again.
use super::fixture::*;
use super::restart::{reread, strings};
use aura::call::{Call, Input, LINGER, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::ids::TurnId;
use aura::mask::contains_long_number;
use aura::phrases::{BLOCK_EMERGENCY, HOLDING_BOT, HOLDING_BOT_AGAIN};
use aura::prompt::Prompt;
use aura::transcript::Speaker;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";
const NONE: [&Value; 0] = [];

/// Connected, greeted, with one answer behind it.
fn answered(channel: Channel) -> Line {
    let mut line = Line::on(channel);
    line.step(Input::PeerConnected);
    line.details(&[("nombre", "Elsa"), ("dni", "30.123.456")]);
    line.agent("Hola, habla Aura.");
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    line
}

fn of(line: &Line, kind: Kind) -> Vec<&Value> {
    events(&line.log, kind)
}

#[test]
fn fault_10_no_second_greeting_and_no_second_beginning() {
    let mut line = answered(Channel::Retell);
    let outputs = line.crash_and_redial(3_000);
    assert_eq!(spoken(&outputs), []);
    assert_eq!(events(&outputs, Kind::CallRebuilt), [&json!({ "turn": 1 })]);
    assert_eq!(events(&outputs, Kind::TurnAborted), NONE, "nothing ran");
    assert_eq!(of(&line, Kind::CallStarted).len(), 1);
    assert_eq!(line.log.iter().filter(|o| **o == Output::Tell(News::Opened)).count(), 1);
    // A greeting that waited for the name wasn't said.
    let waits = settings(&[("retell.greeting", "global", json!("Hola {nombre}, habla Aura."))]);
    let mut line = Line::with(Channel::Retell, waits);
    assert_eq!(spoken(&line.step(Input::PeerConnected)), []);
    line.crash_and_redial(500);
    assert_eq!(spoken(&line.ring()), [(0, "Hola, habla Aura.")]);
}

#[test]
fn s4_what_is_written_down_is_masked_and_reads_back_the_same() {
    let mut line = answered(Channel::Retell);
    line.patient("soy 30.123.456, me marca E43 en el 7F-5, y ahora qué");
    line.find([near(row(YUWELL, "E43", "Presión alta."), 0.8)]);
    line.delta("Su documento es 30.123.456. Vea. ");
    let memory = reread(&line.call.memory(line.now));
    let written = serde_json::to_value(&memory).unwrap();
    for text in strings(&written, &["phone"]) {
        assert!(!contains_long_number(&text), "{text}");
    }
}

#[test]
fn r7_the_equipment_keeps_its_age_across_a_restart() {
    // Nine turns without naming it, or five minutes: whichever comes first, restarts or none.
    for (ms, known) in [(60_000, true), (299_000, true), (300_001, false)] {
        let mut line = answered(Channel::ElevenLabs);
        line.crash_and_redial(ms);
        let outputs = line.patient("¿ahora qué hago con el equipo?");
        assert_eq!(search(&outputs).unwrap().filter.is_some(), known, "{ms} ms");
    }
    let mut line = answered(Channel::ElevenLabs);
    for turn in 2..=11 {
        line.crash_and_redial(1_000);
        let outputs = line.patient("¿ahora qué hago con el equipo?");
        assert_eq!(search(&outputs).unwrap().filter.is_some(), turn <= 10, "turn {turn}");
        line.find([]);
        line.answer("Lo escucho.");
    }
}

#[test]
fn r23_the_lock_and_the_pending_question_are_as_they_were() {
    let mut line = answered(Channel::Retell);
    line.crash_and_redial(2_000);
    let outputs = line.patient("¿y ahora qué tengo que hacer?");
    assert_eq!(queried(&outputs)["reason"], "locked");
    assert!(last_message(&outputs).contains("Apague el equipo"));
    let mut line = Line::on(Channel::ElevenLabs);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.answer("¿Qué equipo tiene?");
    line.crash_and_redial(2_000);
    let outputs = line.patient("el M50");
    assert!(search(&outputs).is_some_and(|search| search.text.contains("H08")), "{outputs:?}");
}

#[test]
fn r20_what_the_patient_has_on_file_still_filters() {
    let mut line = Line::retell();
    line.on_file(&["M50"]);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    line.crash_and_redial(2_000);
    let outputs = line.patient("¿y ahora qué tengo que hacer?");
    assert_eq!(queried(&outputs)["reason"], "locked", "the equipment set is the same");
}

#[test]
fn e5_the_system_message_is_the_same_to_the_byte() {
    let mut line = answered(Channel::Retell);
    let before = line.patient("¿y ahora qué tengo que hacer?");
    line.answer("Espere.");
    line.crash_and_redial(2_000);
    line.details(&[("nombre", "Otra"), ("barrio", "Morón")]);
    let after = line.patient("¿y después qué tengo que hacer?");
    assert_eq!(request(&before).messages[0], request(&after).messages[0]);
    assert!(request(&after).messages[0].content.contains("DNI ···456"));
}

#[test]
fn d13_the_call_keeps_its_prompt_version() {
    let mut line = answered(Channel::Retell);
    let memory = line.call.memory(line.now);
    let (key, version) = memory.prompt.clone();
    assert_eq!((key.as_str(), version.as_str()), ("agent_identity", "1.0.0"));
    line.spec.prompt = Arc::new(Prompt { key, version, body: BASE.to_owned() });
    line.crash_and_redial(2_000);
    let outputs = line.patient("¿y ahora qué tengo que hacer?");
    assert_eq!(request(&outputs).cache_key, "agent_identity@1.0.0");
}

#[test]
fn i11_a_turn_that_was_cut_is_aborted_once_and_may_be_asked_again_under_its_number() {
    for phase in 0..3 {
        let mut line = answered(Channel::ElevenLabs);
        line.patient("¿y ahora qué tengo que hacer?");
        if phase > 0 {
            line.find([]);
        }
        if phase > 1 {
            line.delta("Lo escucho. Es");
        }
        let outputs = line.crash_and_redial(2_000);
        assert_eq!(events(&outputs, Kind::TurnAborted).len(), 1, "{outputs:#?}");
        assert!(news(&outputs).contains(&&News::Aborted { turn: TurnId(2) }));
        line.reply -= 1;
        let again = line.ask();
        assert!(search(&again).is_some(), "{again:#?}");
        line.find([]);
        assert_eq!(closed(&line.answer("Lo escucho.")), [(2, false)]);
        line.reply -= 1;
        assert_eq!(line.ask(), [], "that one is finished");
        assert_eq!(of(&line, Kind::TurnAborted).len(), 1);
        assert_eq!(of(&line, Kind::SuggestionGenerated).len(), 0, "elevenlabs has no gateway yet");
    }
}

#[test]
fn i11_one_that_was_finished_may_not_be_asked_again() {
    let mut line = answered(Channel::Retell);
    line.crash_and_redial(2_000);
    line.reply -= 1;
    assert_eq!(line.ask(), []);
    let late = "Tarde. ".to_owned();
    assert_eq!(line.step(Input::Delta { turn: TurnId(1), text: late }), []);
}

/// It ended when the line broke; the crash that came later ends nothing.
#[test]
fn i11_a_turn_that_ended_with_its_line_is_not_aborted_twice() {
    let mut line = answered(Channel::Retell);
    line.patient("¿y ahora qué tengo que hacer?");
    line.step(Input::PeerLost { clean: false });
    line.crash_and_redial(2_000);
    assert_eq!(of(&line, Kind::TurnAborted).len(), 1);
}

#[test]
fn s3_the_call_back_is_not_asked_for_twice() {
    for whole in [true, false] {
        let mut line = Line::retell();
        line.patient("me hace un ruido muy raro");
        line.find([]);
        assert_eq!(spoken(&line.delta("Ponga el flujo en 9 litros por minuto. Y")), [(1, HOLDING_BOT.es)]);
        if whole {
            line.finish();
        }
        line.agent(HOLDING_BOT.es);
        line.crash_and_redial(2_000);
        line.patient("¿y cuándo me llaman ustedes?");
        line.find([]);
        let outputs = line.answer("Suba a 7 litros por minuto.");
        assert_eq!(spoken(&outputs), [(2, HOLDING_BOT_AGAIN.es)], "whole: {whole}");
        assert_eq!(of(&line, Kind::CallbackRequested).len(), 1, "whole: {whole}");
    }
}

#[test]
fn s1_an_alert_is_shown_once_and_the_emergency_goes_on() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, "soy 30.123.456 y no puedo respirar"));
    line.step(Input::PeerConnected);
    line.step(Input::Heard(line.turns.clone()));
    line.crash_and_redial(2_000);
    line.ask();
    line.crash_and_redial(2_000);
    line.turns[0].text.push_str(", apúrese");
    line.step(Input::Heard(line.turns.clone()));
    assert_eq!(of(&line, Kind::RedFlag).len(), 1);
    line.agent("Esto es una emergencia.");
    // The line has changed since it was answered: once more is better than not at all.
    assert!(spoken(&line.patient("sí, dale"))[0].1.contains("911"));
    let outputs = line.patient("bueno, ahí vienen");
    assert!(last_message(&outputs).contains(BLOCK_EMERGENCY.es));
}

#[test]
fn s2_later_turns_rest_on_what_was_told_before() {
    let mut line = Line::on(Channel::ElevenLabs);
    line.patient(QUESTION);
    let steps = "Apague el equipo, espere 10 minutos y enciéndalo una sola vez.";
    line.find([near(row(M50, "Código H08 / H01", steps), 0.75)]);
    line.answer(steps);
    line.crash_and_redial(2_000);
    line.patient("¿y después cuánto tengo que esperar?");
    line.find([]);
    assert_eq!(spoken(&line.answer(steps)), [(2, steps)]);
}

#[test]
fn a_call_that_nobody_redials_ends() {
    let mut line = answered(Channel::Retell);
    line.crash(2_000);
    assert_eq!(line.call.deadline(), Some(line.now + LINGER));
    let outputs = line.ring();
    assert_eq!(outputs.last(), Some(&Output::End));
    assert_eq!(events(&outputs, Kind::CallEnded), [&json!({ "reason": "not_redialled" })]);
    assert_eq!(line.call.deadline(), None);
}

/// The clock of a machine that has just begun doesn't reach back as far as the call does.
#[test]
fn a_restart_after_a_reboot_does_not_panic() {
    let line = answered(Channel::Retell);
    let memory = line.call.memory(line.now);
    let year = Duration::from_secs(365 * 24 * 3_600);
    let mut call = Call::restore(line.spec.clone(), memory, Vec::new(), 100 * year, line.now);
    while call.poll().is_some() {}
    assert_eq!(call.deadline(), Some(line.now + LINGER));
}
