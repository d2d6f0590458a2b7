//! How turns begin, overlap and end, and what their messages are (I3, I4, I11, E4, E5, E7).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::event::{Kind, News};
use aura::generation::{Grounding, Role, Usage};
use aura::ids::{ReplyId, TurnId};
use aura::phrases::{FAREWELL, FILLER, HOLDING_BOT, PATIENT_HEADER};
use aura::transcript::Speaker;
use serde_json::json;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";

/// An input of a turn that is over, in each of its kinds.
fn stale(turn: TurnId) -> [Input; 5] {
    [
        Input::Retrieved { turn, found: Ok(found([h08(0.9)])) },
        Input::Retrieved { turn, found: Err(failure("late")) },
        Input::Delta { turn, text: "Tarde. ".to_owned() },
        Input::Finished { turn, usage: Usage::default() },
        Input::Failed { turn, failure: failure("late") },
    ]
}

#[test]
fn i3_answers_of_an_old_turn_change_nothing() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    let old = line.turn();
    line.patient("y además pierde agua el vaso");
    let due = line.call.deadline();
    for input in stale(old).into_iter().chain(stale(TurnId(99))) {
        assert_eq!(line.step(input), []);
    }
    assert_eq!(line.call.deadline(), due);
    line.find([h08(0.75)]);
    for input in stale(old) {
        assert_eq!(line.step(input), []);
    }
    assert_eq!(spoken(&line.answer("Apague el equipo.")), [(2, "Apague el equipo.")]);
}

#[test]
fn i3_an_answer_out_of_its_phase_changes_nothing() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    let turn = line.turn();
    let [_, _, delta, finished, failed] = stale(turn);
    for early in [delta, finished, failed] {
        assert_eq!(line.step(early), [], "nothing was generated yet");
    }
    line.find([h08(0.75)]);
    let [again, error, ..] = stale(turn);
    for late in [again, error] {
        assert_eq!(line.step(late), [], "the search was answered already");
    }
    line.answer("Apague el equipo.");
    for after in stale(turn) {
        assert_eq!(line.step(after), []);
    }
}

#[test]
fn e4_a_new_turn_interrupts_a_search_at_once() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    let old = line.turn();
    let outputs = line.patient("no, perdón, me marca Low O2");
    assert_eq!(outputs.first(), Some(&Output::Cancel { turn: old }));
    assert!(news(&outputs).contains(&&News::Aborted { turn: old }));
    assert_eq!(events(&outputs, Kind::TurnAborted), [&json!({ "said": "" })]);
    assert!(search(&outputs).is_some_and(|search| search.text.contains("Low O2")), "{outputs:?}");
    assert_ne!(line.turn(), old);
}

#[test]
fn i4_an_answer_that_runs_is_cancelled_before_the_next_is_asked_for() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    let old = line.turn();
    line.delta("Apague el equipo. Espe");
    let outputs = line.patient("sí, dale");
    let cancel = outputs.iter().position(|output| *output == Output::Cancel { turn: old });
    let generate = outputs.iter().position(|output| matches!(output, Output::Generate { .. }));
    assert!(cancel.is_some() && cancel < generate, "{outputs:?}");
    assert_eq!(events(&outputs, Kind::TurnAborted), [&json!({ "said": "Apague el equipo." })]);
    assert_eq!(closed(&outputs), [], "a superseded number gets no frame more");
}

#[test]
fn i3_the_same_question_again_or_an_older_one_is_not_a_turn() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.patient("y además pierde agua el vaso");
    for reply in [0, 1, 2] {
        let turns = Some(line.turns.clone());
        assert_eq!(line.step(Input::Asked { reply: ReplyId(reply), turns, reminder: false }), []);
    }
}

#[test]
fn i11_a_turn_is_complete_or_aborted_or_failed() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    let complete = line.answer("Apague el equipo.");
    assert_eq!(closed(&complete), [(1, false)]);
    assert_eq!(events(&complete, Kind::SuggestionGenerated).len(), 1);
    line.patient("¿y después qué hago con el equipo?");
    let turn = line.turn();
    let failed = line.step(Input::Failed { turn, failure: failure("503") });
    assert_eq!(spoken(&failed), [(2, HOLDING_BOT.es)]);
    assert_eq!(closed(&failed), [(2, false)]);
    assert!(news(&failed).contains(&&News::Failed { turn, detail: "El modelo falló." }), "never silent (E9)");
    assert_eq!(events(&failed, Kind::TurnFailed).len(), 1);
    assert_eq!(events(&failed, Kind::SuggestionGenerated), [] as [&serde_json::Value; 0]);
    assert!(!line.call.is_busy());
    assert_eq!(line.call.deadline(), None);
}

#[test]
fn i11_a_model_that_stalls_is_cancelled_and_the_turn_closed() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    let turn = line.turn();
    line.delta("Apague el equipo. Es");
    let outputs = line.ring();
    assert_eq!(outputs.first(), Some(&Output::Cancel { turn }));
    assert_eq!(spoken(&outputs), [], "half a sentence isn't said, nor a second answer");
    assert_eq!(closed(&outputs), [(1, false)]);
    assert_eq!(events(&outputs, Kind::TurnFailed)[0]["kind"], "timeout");
}

#[test]
fn i11_the_model_has_time_of_its_own_after_a_slow_search() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.wait(1_900);
    line.find([h08(0.75)]);
    line.wait(2_000);
    assert_eq!(spoken(&line.step(Input::Tick)), [(1, FILLER.es)], "and yet the caller isn't left in silence");
    assert_eq!(closed(&line.answer("Apague el equipo.")), [(1, false)]);
}

#[test]
fn i11_a_search_that_stalls_or_fails_lets_the_turn_go_on_without_it() {
    for ring in [true, false] {
        let mut line = Line::retell();
        line.patient(QUESTION);
        let turn = line.turn();
        let outputs = if ring {
            line.ring()
        } else {
            line.step(Input::Retrieved { turn, found: Err(failure("no permit was free")) })
        };
        assert_eq!(queried(&outputs)["reason"], "search_failed");
        assert_eq!(request(&outputs).grounding, Grounding::Nothing);
        assert_eq!(closed(&line.answer("Un momento.")), [(1, false)]);
    }
}

#[test]
fn i11_a_model_that_says_nothing_has_failed() {
    let mut line = Line::retell();
    line.patient("sí, dale");
    line.delta(" \n ");
    let outputs = line.finish();
    assert_eq!(spoken(&outputs), [(1, HOLDING_BOT.es)]);
    assert_eq!(events(&outputs, Kind::TurnFailed).len(), 1);
    line.patient("gracias, chau");
    let turn = line.turn();
    let outputs = line.step(Input::Failed { turn, failure: failure("503") });
    assert_eq!(spoken(&outputs), [(2, FAREWELL.es)]);
    assert_eq!(closed(&outputs), [(2, true)], "a goodbye ends the call even where the model failed");
}

#[test]
fn e5_r21_the_system_message_never_changes_and_the_turn_is_last() {
    let mut line = Line::retell();
    line.details(&[("nombre", "Elsa"), ("localidad", "Morón")]);
    line.patient(QUESTION);
    let first = line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    line.details(&[("nombre", "Otra"), ("obra_social", "PAMI")]);
    line.on_file(&["7F-5"]);
    line.patient("¿y ahora qué tengo que hacer?");
    let second = line.find([near(row(YUWELL, "E4", "Otra cosa."), 0.8)]);
    let system = &request(&first).messages[0];
    assert_eq!(system.role, Role::System);
    assert_eq!(system.content, format!("{BASE}\n\n{PATIENT_HEADER}\nlocalidad: Morón\nnombre: Elsa"));
    assert_eq!(system, &request(&second).messages[0]);
    let history: Vec<&str> = request(&second).messages[1..].iter().map(|m| m.content.as_str()).collect();
    assert_eq!(history[..2], [QUESTION, "Apague el equipo."], "earlier contexts aren't repeated");
    for (outputs, turn) in [(&first, QUESTION), (&second, "¿y ahora qué tengo que hacer?")] {
        let last = last_message(outputs);
        assert!(last.starts_with("[INFORMACIÓN TÉCNICA DEL MANUAL]"), "{last}");
        assert!(last.ends_with(&format!("\n\n{turn}")), "{last}");
    }
}

#[test]
fn e7_the_last_turn_is_answered_as_user_whoever_spoke_it_but_the_patient_is_searched() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, QUESTION));
    line.agent("Enseguida lo ayudo.");
    let outputs = line.ask();
    assert!(search(&outputs).is_some_and(|search| search.text.contains("H08")), "{outputs:?}");
    let outputs = line.find([]);
    let last = request(&outputs).messages.last().unwrap();
    assert_eq!((last.role, last.content.as_str()), (Role::User, "Enseguida lo ayudo."));
}

#[test]
fn e7_a_turn_without_words_is_answered_too() {
    let mut line = Line::retell();
    line.turns.push(aura::transcript::Turn::heard(Speaker::Patient, "(unintelligible audio)").unwrap());
    let outputs = line.ask();
    assert_eq!(queried(&outputs)["reason"], "short_turn");
    assert!(!last_message(&outputs).contains("unintelligible"));
}

#[test]
fn e5_an_empty_transcript_still_gives_a_user_message() {
    for reminder in [true, false] {
        let mut line = Line::retell();
        let outputs = if reminder { line.remind() } else { line.ask() };
        assert_eq!(request(&outputs).messages.last().unwrap().role, Role::User, "reminder: {reminder}");
    }
}

#[test]
fn a_reminder_nudges_without_a_search() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    let outputs = line.remind();
    assert_eq!(queried(&outputs)["reason"], "reminder");
    assert_eq!(request(&outputs).grounding, Grounding::Reminder);
    assert!(last_message(&outputs).starts_with("[PACIENTE EN SILENCIO]"));
    assert_eq!(closed(&line.answer("¿Sigue ahí?")), [(2, false)]);
}

#[test]
fn an_update_supersedes_nothing_and_the_desk_is_told_what_is_new() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.delta("Apague el equipo. Es");
    line.agent("Apague el");
    line.turns.push(said(Speaker::Patient, "ajá"));
    let outputs = line.step(Input::Heard(line.turns.clone()));
    let heard =
        |index, speaker, text: &str| News::Heard { index, speaker, text: text.to_owned(), place: None };
    let expected = [heard(1, Speaker::Agent, "Apague el"), heard(2, Speaker::Patient, "ajá")];
    assert_eq!(outputs, expected.clone().map(Output::Tell));
    line.turns[1].text = "Apague el equipo.".to_owned();
    let outputs = line.step(Input::Heard(line.turns.clone()));
    assert_eq!(outputs, [Output::Tell(heard(1, Speaker::Agent, "Apague el equipo."))]);
    assert_eq!(closed(&line.finish()), [(1, false)]);
}
