//! The context lock of Retell: what holds it and each thing that releases it (R23, DECISIONS 8).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::generation::Grounding;

/// A call whose first turn hit the row of H08.
fn held() -> Line {
    held_with(&[])
}

fn held_with(on_file: &[&str]) -> Line {
    let mut line = Line::retell();
    line.on_file(on_file);
    line.patient("mi M50 marca error H08 desde hoy");
    let outputs = line.find([h08(0.75)]);
    assert!(matches!(request(&outputs).grounding, Grounding::Rows(_)));
    line.answer("Apague el equipo.");
    line
}

/// The turn is answered from what is held: nothing embedded, nothing searched, one event.
fn assert_locked(outputs: &[Output]) {
    assert!(search(outputs).is_none(), "locked, yet searched: {outputs:?}");
    let event = queried(outputs);
    assert_eq!((&event["reason"], &event["hit"]), (&"locked".into(), &true.into()));
    assert_eq!(event["bestSource"], M50);
    assert_eq!(event["bestScore"], 0.75);
    assert!(event["embedMs"].is_null() && event["queryMs"].is_null());
    assert!(last_message(outputs).contains("Código H08 / H01"));
    assert!(matches!(&request(outputs).grounding, Grounding::Rows(rows) if rows[0].source == M50));
}

fn assert_released(outputs: &[Output]) {
    assert!(search(outputs).is_some(), "still locked: {outputs:?}");
}

#[test]
fn r23_d8_later_turns_neither_embed_nor_search() {
    let mut line = held();
    assert_locked(&line.patient("¿y cuánto tiempo lo dejo apagado?"));
    line.answer("Un momento.");
    assert_locked(&line.patient("el H8 ese, ¿es grave o no?"));
}

#[test]
fn r23_a_short_turn_gets_the_held_context() {
    assert_locked(&held().patient("sí, dale"));
}

#[test]
fn d8_naming_the_same_model_keeps_it() {
    assert_locked(&held().patient("¿el M50 se apaga de atrás?"));
}

#[test]
fn d8_another_model_releases_it() {
    let mut line = held();
    let outputs = line.patient("¿y en el 7F-5 qué hago con eso?");
    assert_released(&outputs);
    assert!(sources(&outputs).unwrap().contains(&YUWELL.to_owned()));
}

#[test]
fn d8_another_model_releases_it_although_it_was_in_play_already() {
    let mut line = held_with(&["M50", "7F-5"]);
    assert_released(&line.patient("¿y en el 7F-5 qué hago con eso?"));
    let mut line = Line::retell();
    line.patient("tengo un M50 y también un CP501 en casa");
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    assert_released(&line.patient("¿y para el CP501 cómo sería?"));
}

#[test]
fn d8_a_code_that_no_held_row_has_releases_it() {
    assert_released(&held().patient("ahora me marca el código H02"));
    assert_locked(&held().patient("ahora me marca el código H01"));
    assert_released(&held().patient("ahora dice E43 en la pantalla"));
}

#[test]
fn d8_a_message_that_no_held_row_has_releases_it() {
    assert_released(&held().patient("ahora me sale Low O2 en la pantalla"));
}

#[test]
fn d8_a_change_of_the_equipment_on_file_releases_it() {
    let mut line = held();
    line.on_file(&["CP501"]);
    assert_released(&line.patient("¿y cuánto tiempo lo dejo apagado?"));
}

#[test]
fn d8_a_model_that_expires_releases_it() {
    let mut line = held();
    line.wait(6 * 60_000);
    let outputs = line.patient("¿y cuánto tiempo lo dejo apagado?");
    assert_released(&outputs);
    assert_eq!(sources(&outputs), None);
}

#[test]
fn d8_a_held_row_whose_manual_leaves_the_filter_releases_it() {
    let mut line = Line::retell();
    line.on_file(&["M50", "CPAP"]);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    line.on_file(&["7F-5"]);
    let outputs = line.patient("¿y cuánto tiempo lo dejo apagado?");
    assert_released(&outputs);
    assert_eq!(sources(&outputs).unwrap(), [YUWELL]);
}

#[test]
fn d8_a_released_short_turn_has_no_context() {
    let mut line = held();
    line.on_file(&["CP501"]);
    let outputs = line.patient("sí, dale");
    assert_eq!(queried(&outputs)["reason"], "short_turn");
    assert!(!last_message(&outputs).contains("H08"));
    assert_eq!(request(&outputs).grounding, Grounding::Nothing);
}

#[test]
fn d8_a_miss_holds_nothing() {
    let mut line = Line::retell();
    line.patient("mi M50 hace un ruido muy raro");
    assert_eq!(queried(&line.find([h08(0.3)]))["reason"], "below_threshold");
    line.answer("Un momento.");
    assert_released(&line.patient("¿y eso se puede arreglar o no?"));
}

#[test]
fn s6_d8_a_turn_that_asked_which_equipment_holds_nothing() {
    let mut line = Line::retell();
    line.patient("me marca error H08 desde hoy");
    assert_eq!(queried(&line.find([h08(0.75)]))["reason"], "ask");
    line.answer("¿Qué equipo tiene?");
    assert_released(&line.patient("no sé, uno blanco con ruedas"));
}

#[test]
fn d8_a_new_hit_is_held_in_its_place() {
    let mut line = held();
    line.patient("ahora me marca el código H02");
    line.find([near(row(M50, "Código H02", "Despeje las entradas de aire."), 0.8)]);
    line.answer("Despeje las entradas.");
    let outputs = line.patient("¿y cuáles son las entradas esas?");
    assert!(search(&outputs).is_none());
    assert!(last_message(&outputs).contains("Despeje las entradas"));
    assert!(!last_message(&outputs).contains("H08"));
}

#[test]
fn d8_the_held_row_that_has_the_code_comes_first() {
    let mut line = Line::retell();
    line.patient("tengo un M50 que anda con problemas");
    line.find([near(row(M50, "Ruidos", "Mire el filtro."), 0.8), h08(0.7)]);
    line.answer("Mire el filtro.");
    let outputs = line.patient("el H08 ese que le digo, ¿es grave?");
    assert!(search(&outputs).is_none());
    assert!(matches!(&request(&outputs).grounding, Grounding::Rows(rows) if rows[0].row.contains("H08")));
}

#[test]
fn r23_only_retell_locks() {
    for channel in Channel::ALL.into_iter().filter(|channel| *channel != Channel::Retell) {
        let mut line = Line::on(channel);
        line.on_file(&["M50"]);
        line.patient("mi M50 marca error H08 desde hoy");
        line.find([h08(0.75)]);
        line.answer("Apague el equipo.");
        assert_released(&line.patient("¿y cuánto tiempo lo dejo apagado?"));
    }
}

#[test]
fn r23_the_lock_survives_a_redial_and_an_abort() {
    let mut line = held();
    line.step(Input::PeerLost { clean: false });
    line.step(Input::PeerConnected);
    assert_locked(&line.patient("se cortó, ¿qué me decía?"));
    assert_locked(&line.patient("hola, ¿me escucha usted ahora?"));
}
