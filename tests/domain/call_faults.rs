//! Faults that the simulation found in a call, each as the shortest story that shows it.
use super::fixture::*;
use super::restart::reread;
use aura::call::{Input, Output, trace};
use aura::channel::Channel;
use aura::event::Kind;
use aura::mask::contains_long_number;
use aura::phrases::{EMERGENCY_FIRE, HOLDING_BOT, HOLDING_BOT_AGAIN};
use aura::retrieval::{LessonCandidate, LessonKind};
use aura::transcript::Speaker;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";
const UNSUPPORTED: &str = "Suba el flujo a 9 litros por minuto. ";

fn fire() -> String {
    EMERGENCY_FIRE.es.replace("{numero}", "911")
}

#[test]
fn s1_a_line_behind_the_last_one_that_becomes_dangerous_is_answered() {
    let mut line = Line::retell();
    line.patient("el concentrador hace algo muy raro desde ayer");
    line.turns[0].text.push_str(" y sale humo del enchufe");
    let outputs = line.patient("mmm, no sé");
    assert_eq!(spoken(&outputs), [(2, fire().as_str())]);
    // Once it was answered it isn't new any more.
    line.agent(&fire());
    let outputs = line.patient("ya estamos todos afuera, gracias");
    assert_eq!(spoken(&outputs), []);
}

#[test]
fn s1_a_danger_that_auras_own_words_stand_behind_is_answered() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, "sale humo del concentrador"));
    line.agent("Un momento,");
    let outputs = line.ask();
    assert_eq!(spoken(&outputs), [(1, fire().as_str())]);
}

#[test]
fn s1_a_danger_that_no_question_followed_is_answered_by_the_nudge() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, "sale humo del concentrador"));
    let outputs = line.remind();
    assert_eq!(spoken(&outputs), [(1, fire().as_str())]);
    assert_eq!(spoken(&line.remind()), [], "the next nudge is a nudge");
}

#[test]
fn s1_a_danger_is_kept_until_it_is_answered() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    line.patient("el concentrador hace algo muy raro desde ayer");
    line.turns[0].text.push_str(" y sale humo del enchufe");
    let turns = line.turns.clone();
    line.step(Input::Heard(turns));
    let outputs = line.crash_and_redial(3_000);
    assert_eq!(events(&outputs, Kind::RedFlag).len(), 0, "it is shown already");
    let outputs = line.patient("mmm, no sé");
    assert_eq!(spoken(&outputs), [(2, fire().as_str())]);
}

#[test]
fn i11_a_turn_that_a_broken_line_ended_isnt_ended_again_by_a_crash() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    line.patient(QUESTION);
    let outputs = line.step(Input::PeerLost { clean: false });
    assert_eq!(events(&outputs, Kind::TurnAborted).len(), 1);
    let outputs = line.crash_and_redial(3_000);
    assert_eq!(events(&outputs, Kind::TurnAborted).len(), 0);
}

#[test]
fn s3_a_call_back_that_is_on_the_desk_isnt_asked_for_again_after_a_crash() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    line.patient(QUESTION);
    line.find([h08(0.8)]);
    let outputs = line.delta(UNSUPPORTED);
    assert_eq!(spoken(&outputs), [(1, HOLDING_BOT.es)]);
    assert_eq!(events(&outputs, Kind::CallbackRequested).len(), 1);
    line.crash_and_redial(3_000);
    line.ask();
    line.find([h08(0.8)]);
    let outputs = line.delta(UNSUPPORTED);
    assert_eq!(spoken(&outputs), [(2, HOLDING_BOT_AGAIN.es)]);
    assert_eq!(events(&outputs, Kind::CallbackRequested).len(), 0);
}

#[test]
fn s4_a_document_that_names_a_detail_is_masked_where_it_is_kept() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    let variables = [("30123456".to_owned(), "documento".to_owned())].into();
    let told = Input::Details { variables, phone: None };
    let kept = trace::input(&told).unwrap();
    assert!(!contains_long_number(&kept.detail.to_string()), "{kept:?}");
    line.step(told);
    let memory = serde_json::to_string(&reread(&line.call.memory(line.now))).unwrap();
    assert!(!contains_long_number(&memory), "{memory}");
}

#[test]
fn s4_a_telephone_in_a_lesson_is_masked_where_the_lock_is_kept() {
    let mut line = Line::on(Channel::Retell);
    line.patient(QUESTION);
    let mut found = found([h08(0.8)]);
    let text = |text: &str| text.to_owned();
    let (complaint, answer) = (text("soy 30.123.456"), text("Que llame al 11 5555 0100."));
    let kind = LessonKind::Correction;
    found.lessons.push(LessonCandidate { id: text("ab"), kind, complaint, answer, cosine: 0.95 });
    let turn = line.turn();
    line.step(Input::Retrieved { turn, found: Ok(found) });
    line.answer("Apague el equipo.");
    let memory = serde_json::to_string(&line.call.memory(line.now)).unwrap();
    assert!(memory.contains("Que llame al") && !contains_long_number(&memory), "{memory}");
}

/// Whether a rebuilt call is asked to be kept whenever something was done that must not be done twice.
#[test]
fn i11_what_is_done_once_is_remembered_in_the_same_step() {
    let mut line = Line::retell();
    line.step(Input::PeerConnected);
    line.patient(QUESTION);
    line.find([h08(0.8)]);
    for outputs in [line.delta(UNSUPPORTED), line.step(Input::PeerLost { clean: true })] {
        assert!(outputs.contains(&Output::Remember), "{outputs:?}");
    }
}
