//! Each sentence of E8 and of E9 in a call: what is said, what is searched and spent, what the desk and the event
//! log are told, on a clock that the test holds.
use super::copilot_tape::{TROUBLE, Tape, cards};
use super::fixture::*;
use aura::event::{Kind, News};
use aura::generation::FailureKind;
use aura::suggestion::Mode;
use serde_json::json;

const NOTHING: &str = "Lo ayudo. ¿Me dice su número de documento?";

#[test]
fn e8_silent_on_a_call_that_nobody_has_claimed_always() {
    let mut tape = Tape::unclaimed();
    tape.operator("¿Me dice su documento?").after(900).patient("treinta ciento veinte cero once").after(1000);
    tape.patient(TROUBLE).after(1000).patient("sí").after(1000).wants_one().mode(Mode::Quiet);
    assert_eq!((tape.spent, tape.searched), (0, 0));
    assert!(tape.events(Kind::KnowledgeQueried).is_empty(), "nothing was looked up");
    assert_eq!(tape.cards(), [] as [serde_json::Value; 0]);
    insta::assert_snapshot!("e8_unclaimed", tape.text);
}

#[test]
fn e8_silent_on_a_short_turn() {
    let mut tape = Tape::claimed();
    tape.operator("Ya lo anoto").after(300).patient("sí, claro").after(1000).patient("ajá").after(1000);
    assert_eq!((tape.spent, tape.searched), (0, 0));
    insta::assert_snapshot!("e8_short_turn", tape.text);
}

#[test]
fn e8_speaks_on_digits_and_the_gate_of_the_retrieval_is_unchanged() {
    let mut tape = Tape::claimed();
    tape.patient("30.123.456").suggests("Gracias, lo repito para confirmar.");
    assert_eq!((tape.spent, tape.searched), (1, 0), "spent, not searched");
    insta::assert_snapshot!("e8_digits", tape.text);
}

#[test]
fn e8_speaks_on_a_short_answer_to_the_operator() {
    let mut tape = Tape::claimed();
    tape.operator("¿Me dice la marca?").after(700).patient("una Yuwell").suggests("Perfecto. ¿Y el modelo?");
    assert_eq!((tape.spent, tape.searched), (1, 0));
    insta::assert_snapshot!("e8_answers_operator", tape.text);
}

#[test]
fn e8_speaks_while_its_own_request_is_unanswered_and_is_silent_once_it_has_appeared() {
    let mut tape = Tape::claimed();
    tape.patient("hola, no me anda el aparato").after(400).found(0.2).writes(NOTHING).finishes();
    tape.after(800).operator("Ya lo vemos").after(900).patient("ay, espere").after(400);
    assert_eq!((tape.spent, tape.searched), (2, 1), "the short turn isn't searched");
    tape.writes("Tómese su tiempo. ¿Tiene a mano el documento?").finishes();
    tape.after(900).patient("es el 30.123.456").after(400);
    assert_eq!(tape.spent, 3, "figures are a data turn of their own: {}", tape.text);
    tape.writes("Gracias, ya lo anoto.").finishes();
    tape.after(900).operator("Bien").after(300).patient("bueno, listo").after(1000);
    assert_eq!(tape.spent, 3, "nothing is spent");
    assert_eq!(tape.events(Kind::SuggestionWithheld), [&json!({ "reason": "answered" })]);
    insta::assert_snapshot!("e8_own_request", tape.text);
}

#[test]
fn e8_an_answer_to_which_equipment_is_searched_however_short() {
    let mut tape = Tape::claimed();
    tape.patient("me marca error H08 desde hoy").after(400).found(0.8);
    tape.writes("¿Qué equipo tiene?").finishes();
    let outputs = tape.after(900).say(aura::ears::Track::Inbound, "un EverFlo", true);
    assert_eq!(cards(&outputs)[0]["reason"], "answered", "the question goes");
    let before = tape.line.log.len();
    tape.after(400);
    let outputs = &tape.line.log[before..];
    assert!(
        search(outputs).unwrap().text.contains("EverFlo") && search(outputs).unwrap().text.contains("H08")
    );
    tape.found(0.8).writes("Ya lo reviso con usted.").finishes();
    assert_eq!(tape.cards().last().unwrap()["cause"], "answers_ask");
}

#[test]
fn e9_debounced_under_a_fork_of_partials() {
    let mut tape = Tape::claimed();
    tape.begins("mi M50").after(300).begins("mi M50 marca").after(300).begins("mi M50 marca error H08");
    tape.after(300).patient(TROUBLE).after(300).begins("y hace").after(700).patient("y hace un ruido raro");
    tape.after(399);
    assert_eq!((tape.spent, tape.searched), (0, 0));
    tape.after(1);
    assert_eq!(tape.searched, 1, "once for all that was said");
    insta::assert_snapshot!("e9_debounced", tape.text);
}

#[test]
fn e9_a_patient_who_never_pauses_is_answered_all_the_same() {
    let mut tape = Tape::claimed();
    let mut said = String::from("mi M50");
    for _ in 0..40 {
        said.push_str(" y además");
        tape.begins(&said).after(250);
    }
    assert_eq!(tape.searched, 1, "once, in the middle of it");
}

#[test]
fn e9_one_id_and_time_a_partial_every_four_chunks_two_confidences_and_the_true_score() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).after(90);
    tape.writes("Quédese tranquilo, lo vemos. Ya lo reviso con usted.").after(200).finishes();
    tape.after(2000).patient("y además no sé qué hacer").after(400).found(0.41).after(90);
    tape.writes("Lo acompaño en todo momento.").after(200).finishes();
    let shown: Vec<_> = tape.cards().into_iter().filter(|card| card["change"] == "shown").collect();
    assert!(
        shown.iter().all(|card| card["suggestionId"] == "call_1/1" || card["suggestionId"] == "call_1/2")
    );
    assert!(shown.iter().any(|card| card["createdAt"] == json!(BEGAN + 400)));
    insta::assert_snapshot!("e9_card", tape.text);
}

#[test]
fn e9_a_partial_ends_before_a_technical_value_and_only_what_is_held_is_whole() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71);
    tape.writes("Quédese tranquilo, el código H08 indica una falla. Suba el flujo a 9 litros.").finishes();
    let last = tape.cards().pop().unwrap();
    assert!(last["text"].as_str().unwrap().ends_with(aura::phrases::HOLDING_COPILOT.es), "{last}");
    assert_eq!(tape.events(Kind::GroundingBlocked).len(), 1);
    insta::assert_snapshot!("e9_technical", tape.text);
}

#[test]
fn e9_a_new_utterance_aborts_and_withdraws_by_name() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).writes("Quédese tranquilo, lo vemos jun");
    tape.after(100).begins("no").after(200).patient("no, perdón, H02").after(400);
    tape.found(0.71).writes("No hay problema, lo vemos.").finishes();
    assert_eq!(tape.spent, 2);
    let gone = tape.cards().into_iter().find(|card| card["change"] == "withdrawn").unwrap();
    assert_eq!((&gone["suggestionId"], &gone["reason"]), (&json!("call_1/1"), &json!("overtaken")));
    let whole = tape.cards().pop().unwrap();
    assert_eq!(whole["quote"], "mi M50 marca error H08 desde hoy no, perdón, H02", "both are answered");
    insta::assert_snapshot!("e9_aborted", tape.text);
}

#[test]
fn e4_words_while_it_searches_abort_it_at_once() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400);
    assert_eq!((tape.searched, tape.line.call.is_busy()), (1, true));
    tape.begins("y");
    assert!(!tape.line.call.is_busy());
    // There were no words after all: the question is still to be answered.
    tape.patient("").after(1);
    assert_eq!(tape.searched, 2);
}

#[test]
fn e9_an_llm_error_is_shown_with_and_without_text() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).fails(FailureKind::Unavailable);
    tape.after(900).patient("hola, ¿sigue ahí conmigo?").after(400).found(0.2);
    tape.writes("Lo escucho, disculpe. Est").fails(FailureKind::Timeout);
    assert_eq!(tape.events(Kind::TurnFailed).len(), 2);
    insta::assert_snapshot!("e9_failed", tape.text);
}

#[test]
fn e9_a_model_that_never_answers_is_shown_too() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).after(25_000);
    assert_eq!(tape.cards().pop().unwrap()["change"], "failed");
    assert!(!tape.line.call.is_busy());
}

#[test]
fn issue6_modes() {
    let mut tape = Tape::claimed();
    tape.mode(Mode::OnDemand).patient(TROUBLE).after(1000);
    assert_eq!((tape.spent, tape.searched), (0, 0));
    tape.wants_one().after(50).found(0.71).writes("¿Ya lo apagó?").finishes();
    tape.mode(Mode::Quiet).after(500).patient("es el de siempre, el grande").after(400).found(0.2);
    tape.writes("Fíjese en la etiqueta.").finishes();
    insta::assert_snapshot!("issue6_modes", tape.text);
}

#[test]
fn issue6_no_repeat_of_what_was_just_suggested() {
    let mut tape = Tape::claimed();
    tape.patient("no sé cuál es el aparato").after(400).found(0.2);
    tape.writes("¿Me dice la marca y el modelo?").finishes();
    tape.after(900).patient("es que no veo bien").after(400).found(0.2);
    tape.writes("¿Me dice, por favor, la marca y el modelo?").finishes();
    let kept = tape.events(Kind::SuggestionGenerated);
    assert_eq!((&kept[0]["shown"], &kept[1]["shown"]), (&json!(true), &json!(false)));
    insta::assert_snapshot!("issue6_no_repeat", tape.text);
}

#[test]
fn s1_danger_takes_the_cards_away_at_hearing_time() {
    let mut tape = Tape::claimed();
    tape.patient("no sé cuál es el aparato")
        .after(400)
        .found(0.2)
        .writes("¿Qué ve en la etiqueta?")
        .finishes();
    tape.after(500).patient(TROUBLE).after(400).found(0.71).writes("Quédese tranquilo, lo vemos jun");
    tape.after(50).begins("no puedo respirar").after(300).patient("no puedo respirar, ayúdeme").after(400);
    assert_eq!(tape.spent, 2, "no model for an emergency");
    let gone = tape.cards().pop().unwrap();
    assert_eq!(gone["reason"], "danger");
    let alerts =
        |tape: &Tape| news(&tape.line.log).iter().filter(|news| matches!(news, News::RedFlag { .. })).count();
    assert_eq!(alerts(&tape), 1);
    tape.wants_one();
    assert_eq!((alerts(&tape), tape.spent), (2, 2), "who asks is shown the alert once more");
    insta::assert_snapshot!("s1_danger", tape.text);
}

#[test]
fn s1_danger_is_shown_on_an_unclaimed_call_too() {
    let mut tape = Tape::unclaimed();
    tape.patient("no puedo respirar").after(1000);
    assert!(news(&tape.line.log).iter().any(|news| matches!(news, News::RedFlag { .. })));
    assert_eq!(tape.spent, 0);
}
