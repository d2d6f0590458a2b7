//! Each sentence of E8 and of E9 as a sequence of what happens and what the copilot does, on a paused clock.
use super::suggestion_rig::Copilot;
use aura::generation::FailureKind;
use aura::suggestion::{Mode, Standing};

const TROUBLE: &str = "me marca error H08 el concentrador";

#[test]
fn e8_silent_on_a_call_that_nobody_has_claimed() {
    let mut call = Copilot::new();
    call.claimed = false;
    call.operator("¿Me dice su documento?").after(900).patient("treinta ciento veinte cero once").after(1000);
    call.patient(TROUBLE).after(1000).patient("sí").after(1000);
    assert_eq!(call.spent, 0);
    insta::assert_snapshot!("e8_unclaimed", call.text);
}

#[test]
fn e8_silent_on_a_short_turn() {
    let mut call = Copilot::new();
    call.operator("Ya lo anoto").after(300).patient("sí, claro").after(1000).patient("ajá").after(1000);
    assert_eq!(call.spent, 0);
    insta::assert_snapshot!("e8_short_turn", call.text);
}

#[test]
fn e8_speaks_on_digits() {
    let mut call = Copilot::new();
    call.patient("30.123.456").after(1000).writes("Gracias, lo repito para confirmar.").finishes();
    insta::assert_snapshot!("e8_digits", call.text);
}

#[test]
fn e8_speaks_on_a_short_answer_to_the_operator() {
    let mut call = Copilot::new();
    call.operator("¿Me dice la marca?").after(700).patient("una Yuwell").after(1000);
    call.writes("Perfecto. ¿Y el modelo?").finishes();
    insta::assert_snapshot!("e8_answers_operator", call.text);
}

#[test]
fn e8_speaks_while_its_own_request_is_unanswered_and_is_silent_once_it_has_appeared() {
    let mut call = Copilot::new();
    call.patient("hola, no me anda el aparato").after(400);
    call.writes("Lo ayudo. ¿Me dice su número de documento?").finishes();
    call.after(800).operator("Ya lo vemos").after(900).patient("ay, espere").after(400);
    assert_eq!(call.spent, 2);
    call.writes("Tómese su tiempo. ¿Tiene a mano el documento?").finishes();
    call.after(900).patient("es el 30.123.456").after(400);
    assert_eq!(call.spent, 3, "figures are a data turn of their own");
    call.writes("Gracias, ya lo anoto.").finishes();
    assert!(matches!(call.deck.own_request(), Standing::Answered(_)));
    call.after(900).operator("Bien").after(300).patient("bueno, listo").after(1000);
    assert_eq!(call.spent, 3, "nothing is spent");
    insta::assert_snapshot!("e8_own_request", call.text);
}

#[test]
fn e8_the_gate_of_the_retrieval_is_unchanged() {
    let mut call = Copilot::new();
    call.patient("H08").after(400).writes("¿Qué equipo tiene?").finishes();
    call.after(500).patient(TROUBLE).after(400).writes("Lo vemos juntos.").finishes();
    let gates: Vec<&str> = call.text.lines().filter(|line| line.contains("suggest ")).collect();
    assert!(
        gates[0].ends_with("retrieval short_turn") && gates[1].ends_with("retrieval search"),
        "{gates:?}"
    );
    insta::assert_snapshot!("e8_gate", call.text);
}

#[test]
fn issue6_modes() {
    let mut call = Copilot::new();
    call.mode = Mode::OnDemand;
    call.patient(TROUBLE).after(1000);
    assert_eq!(call.spent, 0);
    call.asks_for_one().after(50).writes("¿Qué modelo es?").finishes();
    call.mode = Mode::Quiet;
    call.after(500)
        .patient("es el de siempre, el grande")
        .after(400)
        .writes("Fíjese en la etiqueta.")
        .finishes();
    insta::assert_snapshot!("issue6_modes", call.text);
}

#[test]
fn e9_debounced() {
    let mut call = Copilot::new();
    call.begins("me marca").after(300).begins("me marca error H08").after(300).patient(TROUBLE);
    call.after(300).patient("desde anoche").after(399);
    assert_eq!(call.spent, 0);
    call.after(1);
    assert_eq!(call.spent, 1);
    insta::assert_snapshot!("e9_debounced", call.text);
}

#[test]
fn e9_one_id_and_time_a_partial_every_four_chunks_and_two_confidences() {
    let mut call = Copilot::new();
    call.patient(TROUBLE).after(400).grounded(0.71).after(90);
    call.writes("Quédese tranquilo, lo vemos. Ya lo reviso con usted.").after(200).finishes();
    call.after(2000).patient("y además no sé qué hacer").after(400).grounded(0.41).after(90);
    call.writes("Lo acompaño en todo momento.").after(200).finishes();
    insta::assert_snapshot!("e9_card", call.text);
}

#[test]
fn e9_a_partial_ends_before_a_technical_value() {
    let mut call = Copilot::new();
    call.patient(TROUBLE).after(400).grounded(0.71);
    call.writes("Quédese tranquilo, el código H08 indica una falla. Apague el equipo.").finishes();
    insta::assert_snapshot!("e9_technical", call.text);
}

#[test]
fn e9_a_new_utterance_aborts() {
    let mut call = Copilot::new();
    call.patient(TROUBLE).after(400).grounded(0.71).writes("Quédese tranquilo, lo vemos jun");
    call.after(100).begins("no").after(200).patient("no, perdón, H02").after(400);
    call.writes("No hay problema, lo vemos.").finishes();
    assert_eq!(call.spent, 2);
    insta::assert_snapshot!("e9_aborted", call.text);
}

#[test]
fn e9_an_llm_error_is_shown() {
    let mut call = Copilot::new();
    call.patient(TROUBLE).after(400).fails(FailureKind::Unavailable);
    call.after(900)
        .patient("hola, ¿sigue ahí conmigo?")
        .after(400)
        .writes("Lo escucho, disculpe. Est")
        .fails(FailureKind::Timeout);
    insta::assert_snapshot!("e9_failed", call.text);
}

#[test]
fn issue6_no_repeat_of_what_was_just_suggested() {
    let mut call = Copilot::new();
    call.patient("no sé cuál es el aparato").after(400).writes("¿Me dice la marca y el modelo?").finishes();
    call.after(900)
        .patient("es que no veo bien")
        .after(400)
        .writes("¿Me dice, por favor, la marca y el modelo?")
        .finishes();
    insta::assert_snapshot!("issue6_no_repeat", call.text);
}

#[test]
fn s1_danger_takes_the_cards_away() {
    let mut call = Copilot::new();
    call.patient(TROUBLE).after(400).writes("Quédese tranquilo, lo vemos jun");
    call.after(50).patient("no puedo respirar").after(400);
    assert_eq!(call.spent, 1);
    insta::assert_snapshot!("s1_danger", call.text);
}
