//! A device's row while the device is unknown: Aura asks, and the answer is searched (S6, DECISIONS 4).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::generation::Grounding;
use serde_json::json;

const ALARM: &str = "me marca error H08 desde hoy";

/// A call that has just asked which equipment it is.
fn asking(channel: Channel) -> Line {
    let mut line = Line::on(channel);
    line.patient("hola, me marca error H 8 desde hoy");
    let outputs = line.find([h08(0.8), near(row(CP501, "E4", "Otra cosa."), 0.7)]);
    assert_eq!(queried(&outputs)["reason"], "ask", "{channel}");
    assert_eq!(queried(&outputs)["hit"], false);
    assert_eq!(request(&outputs).grounding, Grounding::AskEquipment);
    assert!(last_message(&outputs).starts_with("[EQUIPO SIN IDENTIFICAR]"));
    assert!(!last_message(&outputs).contains("Apague"), "nothing technical (S6)");
    line.answer("¿Qué equipo tiene?");
    line
}

fn assert_answered(line: &mut Line, outputs: &[Output]) {
    let search = search(outputs).expect("a search");
    assert_eq!(search.text, "M50 hola, me marca error H08 desde hoy");
    assert_eq!(sources(outputs).unwrap(), [M50]);
    let second = near(row(M50, "Código H02", "Despeje."), 0.9);
    let outputs = line.find([second, h08(0.8)]);
    let event = queried(&outputs);
    assert_eq!((&event["reason"], &event["hit"]), (&json!("answered_ask"), &json!(true)));
    let Grounding::Rows(rows) = &request(&outputs).grounding else { panic!("rows expected: {outputs:?}") };
    assert!(rows[0].row.contains("H08"), "the code of the question that waited counts: {rows:?}");
}

#[test]
fn d4_the_answer_to_which_equipment_searches_the_question_that_waited() {
    for channel in Channel::ALL {
        let mut line = asking(channel);
        let outputs = line.patient("el M50");
        assert_answered(&mut line, &outputs);
    }
}

#[test]
fn d4_a_turn_between_does_not_lose_the_question() {
    let mut line = asking(Channel::Retell);
    line.patient("a ver, deje que me fijo");
    line.find([]);
    line.answer("Lo espero.");
    let outputs = line.patient("el M50");
    assert_answered(&mut line, &outputs);
}

#[test]
fn d4_an_answer_that_is_interrupted_is_not_lost() {
    let mut line = asking(Channel::Retell);
    line.patient("el M50");
    // The peer asks again, as the patient hadn't finished: the same line has grown.
    line.turns.last_mut().unwrap().text = "el M50, creo".to_owned();
    let outputs = line.ask();
    assert_answered(&mut line, &outputs);
}

#[test]
fn d4_an_answer_that_is_asked_for_again_after_a_redial_is_not_lost() {
    let mut line = asking(Channel::Retell);
    line.patient("el M50");
    line.step(Input::PeerLost { clean: false });
    line.step(Input::PeerConnected);
    let outputs = line.ask();
    assert_answered(&mut line, &outputs);
}

#[test]
fn d4_the_question_is_answered_once() {
    let mut line = asking(Channel::Retell);
    line.patient("el M50");
    line.find([h08(0.8)]);
    line.answer("Apague el equipo.");
    let outputs = line.patient("¿y en el CP501 cómo es eso?");
    assert_eq!(search(&outputs).unwrap().text, "¿y en el CP501 cómo es eso?");
}

#[test]
fn d4_where_it_is_switched_off_an_unknown_device_is_a_miss() {
    let off = settings(&[("rag.askWhenEquipmentUnknown", "retell", json!(false))]);
    let mut line = Line::with(Channel::Retell, off);
    line.patient(ALARM);
    let outputs = line.find([h08(0.8)]);
    assert_eq!(queried(&outputs)["reason"], "other_equipment");
    assert_eq!(request(&outputs).grounding, Grounding::Nothing);
    line.answer("Un momento.");
    assert!(search(&line.patient("el M50")).is_none(), "nothing waits");
}

#[test]
fn d4_a_patient_with_a_cpap_gets_no_other_devices_row() {
    for text in ["el CPAP me marca error H08", "el BiPAP me marca error H08"] {
        let mut line = Line::retell();
        line.on_file(&["M50"]);
        let outputs = line.patient(text);
        assert_eq!(sources(&outputs), None, "fail open (R8)");
        let outputs = line.find([h08(0.9)]);
        assert_eq!(queried(&outputs)["reason"], "other_equipment");
        assert!(!last_message(&outputs).contains("Apague"));
    }
}

#[test]
fn d4_a_turn_that_is_asked_for_again_still_names_what_it_names() {
    let mut line = Line::retell();
    line.on_file(&["M50"]);
    line.patient("el CPAP me marca error H08");
    line.ask();
    let outputs = line.find([h08(0.9)]);
    assert!(!last_message(&outputs).contains("Apague"), "a CPAP's patient is given the M50's row");
    let mut line = Line::on(Channel::AudioFork);
    line.patient("el M50 de mi marido marca H08");
    assert_eq!(sources(&line.ask()).unwrap(), [M50]);
}

#[test]
fn d4_general_material_is_answered_whatever_the_equipment() {
    let mut line = Line::retell();
    line.patient("necesito pedir una recarga de oxígeno");
    assert_eq!(queried(&line.find([near(row(CAP, "Pedido", "Llame."), 0.8)]))["hit"], true);
}

#[test]
fn a_goodbye_is_never_turned_into_a_question_about_the_equipment() {
    let mut line = Line::retell();
    line.patient("bueno, lo apago y listo, gracias, chau");
    let outputs = if search(&line.log).is_some() { line.find([h08(0.9)]) } else { line.log.clone() };
    assert_eq!(request(&outputs).grounding, Grounding::Farewell);
    assert!(!last_message(&outputs).contains("[EQUIPO SIN IDENTIFICAR]"), "{}", last_message(&outputs));
}
