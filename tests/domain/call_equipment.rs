//! Which equipment a call speaks of: filter, prefix, what stays unsaid (R7, R20, DECISIONS 6, 7, 11).
use super::fixture::*;
use aura::call::Output;
use aura::channel::Channel;
use aura::transcript::Speaker;
use serde_json::json;

const ALARM: &str = "me marca error H08 desde hoy";

#[test]
fn r7_the_filter_is_the_union_of_what_is_on_file_and_what_is_named() {
    let mut line = Line::retell();
    line.on_file(&["CP501"]);
    let outputs = line.patient("el M50 de mi marido marca H08");
    assert_eq!(sources(&outputs).unwrap(), [CP501, M50], "a CRM that disagrees hides nothing");
    assert_eq!(queried(&line.find([]))["knowledgeSources"], json!([CP501, M50]));
    let filter = search(&outputs).unwrap().filter.clone().unwrap();
    assert_eq!(filter.prefixes, ["cap/", "tubos/"]);
}

#[test]
fn r7_what_is_on_file_filters_all_call_long() {
    let mut line = Line::retell();
    line.on_file(&["CP501"]);
    for _ in 0..15 {
        line.wait(60_000);
        let outputs = line.patient("el aparato hace un ruido feo");
        assert_eq!(sources(&outputs).unwrap(), [CP501]);
    }
}

#[test]
fn r7_a_named_model_is_sticky_in_a_bot_for_ten_turns() {
    let mut line = Line::retell();
    line.patient("tengo un M50 que anda raro");
    for turn in 2..=10 {
        assert_eq!(sources(&line.patient("el aparato hace un ruido feo")).unwrap(), [M50], "turn {turn}");
    }
    line.patient("el aparato hace un ruido feo");
    assert_eq!(sources(&line.patient("el aparato hace un ruido feo")), None);
}

#[test]
fn d7_naming_it_again_starts_the_count_anew() {
    let mut line = Line::retell();
    line.patient("tengo un M50 que anda raro");
    for _ in 0..6 {
        line.patient("el aparato hace un ruido feo");
    }
    line.patient("el M50 sigue con el ruido feo");
    for _ in 0..8 {
        assert_eq!(sources(&line.patient("el aparato hace un ruido feo")).unwrap(), [M50]);
    }
}

#[test]
fn d7_a_named_model_expires_by_minutes_and_each_channel_has_its_own() {
    for (channel, minutes) in [(Channel::Retell, 5), (Channel::ElevenLabs, 5), (Channel::WhatsApp, 15)] {
        let mut line = Line::on(channel);
        line.patient("tengo un M50 que anda raro");
        line.wait(minutes * 60_000 - 1);
        assert_eq!(sources(&line.patient("el aparato hace un ruido feo")).unwrap(), [M50], "{channel}");
        line.wait(2);
        assert_eq!(sources(&line.patient("el aparato hace un ruido feo")), None, "{channel}");
    }
}

#[test]
fn d7_turns_and_minutes_are_settings_that_act_at_once() {
    let rows =
        [("equipment.stickyTurns", "global", json!(2)), ("equipment.stickyMinutes", "retell", json!(1))];
    let mut line = Line::with(Channel::Retell, settings(&rows));
    line.patient("tengo un M50 que anda raro");
    assert!(sources(&line.patient("el aparato hace un ruido feo")).is_some());
    assert!(sources(&line.patient("el aparato hace un ruido feo")).is_none());
    line.patient("el M50 sigue con el ruido feo");
    line.wait(61_000);
    assert!(sources(&line.patient("el aparato hace un ruido feo")).is_none());
}

#[test]
fn d7_a_nudge_is_no_turn_of_the_patient() {
    let mut line = Line::retell();
    line.patient("tengo un M50 que anda raro");
    for _ in 0..12 {
        line.remind();
    }
    assert_eq!(sources(&line.patient("el aparato hace un ruido feo")).unwrap(), [M50]);
}

#[test]
fn r7_in_the_copilot_a_named_model_filters_its_own_turn_alone() {
    let mut line = Line::on(Channel::AudioFork);
    let outputs = line.patient("el M50 de mi marido marca H08");
    assert_eq!(sources(&outputs).unwrap(), [M50]);
    assert_eq!(search(&outputs).unwrap().text, "el M50 de mi marido marca H08");
    let outputs = line.patient("y además pierde agua el vaso");
    assert_eq!(sources(&outputs), None);
    assert_eq!(search(&outputs).unwrap().text, "y además pierde agua el vaso", "no prefix, ever (D6)");
    let outputs = line.find([near(row(M50, "Vaso", "Enrosque la tapa."), 0.8)]);
    assert_eq!(queried(&outputs)["hit"], true, "named earlier counts as known (D4)");
}

#[test]
fn d6_the_prefix_is_the_named_model_where_the_turn_lacks_it() {
    for channel in [Channel::Retell, Channel::ElevenLabs, Channel::WhatsApp] {
        let mut line = Line::on(channel);
        line.on_file(&["CP501"]);
        let outputs = line.patient("tengo un M50 que anda raro");
        assert_eq!(search(&outputs).unwrap().text, "tengo un M50 que anda raro");
        let outputs = line.patient("el aparato hace un ruido feo");
        assert_eq!(search(&outputs).unwrap().text, "M50 el aparato hace un ruido feo", "{channel}");
        let outputs = line.patient("¿y el siete efe cinco hace ruido?");
        assert_eq!(search(&outputs).unwrap().text, "¿y el 7F-5 hace ruido?", "the turn's own model alone");
    }
}

#[test]
fn d6_the_copilot_has_no_prefix_although_the_model_was_named_a_line_before() {
    let asked = |channel| {
        let mut line = Line::on(channel);
        line.turns.push(said(Speaker::Patient, "tengo un M50"));
        let outputs = line.patient("hace un ruido muy raro");
        assert_eq!(sources(&outputs).unwrap(), [M50], "what was said since the last question counts");
        search(&outputs).unwrap().text.clone()
    };
    assert_eq!(asked(Channel::AudioFork), "hace un ruido muy raro");
    assert_eq!(asked(Channel::Retell), "M50 hace un ruido muy raro");
}

#[test]
fn r20_equipment_on_file_is_in_no_message_and_no_query() {
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        line.on_file(&["Inogen One"]);
        line.details(&[
            ("equipo", "Inogen One"),
            ("nota", "usa un Inogen One"),
            ("device_model", "x"),
            ("nombre", "Elsa"),
        ]);
        let asked = line.patient("me marca una alarma y no sé qué hacer");
        assert_eq!(sources(&asked).unwrap(), [INOGEN]);
        let answered = line.find([near(row(INOGEN, "Alarma", "Cambie la batería."), 0.9)]);
        assert!(last_message(&answered).contains("Cambie la batería."));
        for output in asked.iter().chain(&answered) {
            let text = match output {
                Output::Retrieve { search, .. } => search.text.clone(),
                Output::Generate { request, .. } => json!(request.messages).to_string(),
                _ => continue,
            };
            assert!(!text.contains("Inogen") && !text.contains("device_model"), "{channel}: {text}");
        }
    }
}

#[test]
fn d11_no_variable_that_speaks_of_equipment_reaches_the_system_message() {
    let mut line = Line::retell();
    line.details(&[
        ("nombre", "Elsa"),
        ("marca", "Yuwell"),
        ("serie", "7F5-00231"),
        ("concentrador", "sí"),
        ("observaciones", "tiene un siete efe cinco en comodato"),
        ("localidad", "Morón"),
    ]);
    let outputs = line.patient("sí, dale");
    let system = &request(&outputs).messages[0].content;
    assert_eq!(*system, format!("{BASE}\n\n[DATOS DEL PACIENTE]\nlocalidad: Morón\nnombre: Elsa"));
}

#[test]
fn r20_a_manual_is_named_only_where_the_patient_named_its_model() {
    let title = "Concentrador SysMed M50 — ";
    let mut line = Line::retell();
    line.on_file(&["M50"]);
    line.patient(ALARM);
    assert!(!last_message(&line.find([h08(0.8)])).contains(title));
    let mut line = Line::retell();
    line.patient("mi M50 marca error H08 desde hoy");
    assert!(last_message(&line.find([h08(0.8)])).contains(title));
    let mut line = Line::retell();
    line.patient("necesito pedir una recarga de oxígeno");
    assert!(
        last_message(&line.find([near(row(CAP, "Pedido", "Llame."), 0.8)])).contains("Atención general — ")
    );
}
