//! When the copilot stays silent, and the three short turns on which it doesn't (E8).
use super::fixture::said;
use aura::red_flag::RedFlag;
use aura::suggestion::*;
use aura::transcript::{Speaker, Turn};

/// A talk (`O`: the operator, `P`: the patient) whose last line is the patient's turn.
fn talk(lines: &[(char, &str)]) -> Vec<Turn> {
    let who = |who: char| if who == 'O' { Speaker::Agent } else { Speaker::Patient };
    lines.iter().map(|(speaker, text)| said(who(*speaker), text)).collect()
}

const CLAIMED: Situation<'static> = Situation {
    lines: &[],
    unanswered: 1,
    claimed: true,
    mode: Mode::Push,
    requested: false,
    min_words: 4,
    own: Standing::Nothing,
    answers_ask: false,
};

fn on(lines: &[(char, &str)], situation: Situation<'_>) -> Decision {
    let lines = talk(lines);
    let lines: Vec<&Turn> = lines.iter().collect();
    decide(&Situation { lines: &lines, ..situation })
}

#[test]
fn e8_a_call_that_nobody_has_claimed_is_always_silent() {
    let unclaimed = Situation { claimed: false, own: Standing::Open(Wanted::Document), ..CLAIMED };
    for text in ["no me anda el equipo desde ayer", "30123456", "sí"] {
        for requested in [false, true] {
            let lines = [('O', "¿Me dice su documento?"), ('P', text)];
            let decision = on(&lines, Situation { requested, ..unclaimed });
            assert_eq!(decision, Decision::Silent(Reason::Unclaimed), "{text}");
        }
    }
}

#[test]
fn s1_danger_comes_before_all_claimed_or_not() {
    for claimed in [false, true] {
        for mode in [Mode::Push, Mode::Quiet, Mode::OnDemand] {
            let decision = on(&[('P', "no puedo respirar")], Situation { claimed, mode, ..CLAIMED });
            assert_eq!(decision, Decision::Alert(RedFlag::Breathing));
        }
    }
}

#[test]
fn e8_a_short_turn_is_silent_and_four_words_are_not() {
    assert_eq!(on(&[('P', "sí, claro")], CLAIMED), Decision::Silent(Reason::ShortTurn));
    assert_eq!(on(&[('P', "hola buenas tardes")], CLAIMED), Decision::Silent(Reason::ShortTurn));
    assert_eq!(on(&[('P', "hola no me anda")], CLAIMED), Decision::Suggest(Cause::Turn));
    let wider = Situation { min_words: 6, ..CLAIMED };
    assert_eq!(on(&[('P', "hola no me anda")], wider), Decision::Silent(Reason::ShortTurn));
    assert_eq!(on(&[('P', "")], CLAIMED), Decision::Silent(Reason::NothingSaid));
}

#[test]
fn e8_the_first_exception_is_digits() {
    for text in ["30.123.456", "treinta millones", "H08", "cuatro cinco", "ocho", "el 7F-5"] {
        assert_eq!(on(&[('P', text)], CLAIMED), Decision::Suggest(Cause::Digits), "{text}");
    }
    for text in ["un momento", "los dos juntos", "una sola", "bueno"] {
        assert_eq!(on(&[('P', text)], CLAIMED), Decision::Silent(Reason::ShortTurn), "{text}");
    }
}

#[test]
fn e8_the_second_exception_is_an_answer_to_what_the_operator_asked() {
    for asked in [
        "¿Qué marca es?",
        "me dice la marca",
        "dígame qué le muestra la pantalla",
        "necesito que me diga la marca por favor",
        "cuál es el modelo",
    ] {
        let decision = on(&[('O', asked), ('P', "una Yuwell")], CLAIMED);
        assert_eq!(decision, Decision::Suggest(Cause::AnswersOperator), "{asked}");
    }
    let split = [('O', "¿Qué marca es?"), ('O', "Está en una etiqueta"), ('P', "una Yuwell")];
    assert_eq!(on(&split, CLAIMED), Decision::Suggest(Cause::AnswersOperator));
    let passed = [('O', "¿Qué marca es?"), ('P', "no sé"), ('O', "Bueno, no importa"), ('P', "ajá")];
    assert_eq!(on(&passed, CLAIMED), Decision::Silent(Reason::ShortTurn), "it was asked before that");
    for told in ["Ya lo anoto", "Que tenga muy buen día", "Puede apagarlo", "Como le decía, ya queda"] {
        let decision = on(&[('O', told), ('P', "muy bien")], CLAIMED);
        assert_eq!(decision, Decision::Silent(Reason::ShortTurn), "{told}");
    }
}

#[test]
fn e8_the_third_exception_is_a_request_of_its_own_and_it_ends_when_the_answer_appears() {
    let open = Situation { own: Standing::Open(Wanted::Document), ..CLAIMED };
    let evasion = [('O', "Ya lo vemos"), ('P', "ay, espere")];
    assert_eq!(on(&evasion, open), Decision::Suggest(Cause::OwnRequest(Wanted::Document)));
    let answered = Situation { own: Standing::Answered(Wanted::Document), ..CLAIMED };
    assert_eq!(on(&evasion, answered), Decision::Silent(Reason::Answered));
}

#[test]
fn e8_what_a_short_word_interrupted_is_answered_with_it() {
    let lines = [('P', "me marca error el equipo nuevo"), ('P', "eh")];
    assert_eq!(on(&lines, CLAIMED), Decision::Silent(Reason::ShortTurn), "it was answered");
    assert_eq!(on(&lines, Situation { unanswered: 2, ..CLAIMED }), Decision::Suggest(Cause::Turn));
}

#[test]
fn issue6_modes_push_and_quiet_make_one_and_on_demand_waits_to_be_asked() {
    let lines = [('P', "no me anda el equipo")];
    for (mode, requested, decision) in [
        (Mode::Push, false, Decision::Suggest(Cause::Turn)),
        (Mode::Quiet, false, Decision::Suggest(Cause::Turn)),
        (Mode::OnDemand, false, Decision::Silent(Reason::OnDemand)),
        (Mode::OnDemand, true, Decision::Suggest(Cause::Requested)),
        (Mode::Push, true, Decision::Suggest(Cause::Requested)),
    ] {
        assert_eq!(on(&lines, Situation { mode, requested, ..CLAIMED }), decision, "{mode:?} {requested}");
    }
    let nobody = Situation { requested: true, ..CLAIMED };
    assert_eq!(
        on(&[], nobody),
        Decision::Suggest(Cause::Requested),
        "an operator may ask before anybody spoke"
    );
}

fn standing(suggestion: &str, lines: &[(char, &str)]) -> Standing {
    let Some(mut request) = Request::of(suggestion) else { return Standing::Nothing };
    for line in talk(lines) {
        request.heard(&line, aura::equipment::Catalogue::builtin());
    }
    request.standing()
}

#[test]
fn e8_what_the_copilot_asked_for_is_read_from_its_own_words() {
    for (suggestion, wanted) in [
        ("Con gusto lo ayudo. ¿Me dice su número de documento?", Some(Wanted::Document)),
        ("Para ubicarlo, ¿me pasa el DNI, por favor?", Some(Wanted::Document)),
        ("¿Me dice la marca y el modelo?", Some(Wanted::Model)),
        ("¿Qué equipo tiene?", Some(Wanted::Model)),
        ("¿Qué código le muestra la pantalla?", Some(Wanted::Code)),
        ("¿A qué teléfono lo podemos llamar?", Some(Wanted::Telephone)),
        ("¿Con quién hablo?", Some(Wanted::Name)),
        ("Cuénteme qué le pasa con el equipo.", Some(Wanted::Reason)),
        ("Su documento termina en 789, ¿es correcto?", Some(Wanted::Confirmation)),
        ("Su documento ya está cargado. Quédese tranquila.", None),
        ("Déjeme confirmar ese dato con el manual del equipo y le contesto en un momento.", None),
        ("¿Cambió algo?", None),
    ] {
        assert_eq!(Request::of(suggestion).map(|request| request.wanted()), wanted, "{suggestion}");
    }
}

#[test]
fn e8_what_was_asked_for_appears_in_the_patients_words_only() {
    let document = "¿Me dice su documento?";
    let model = "¿Me dice la marca y el modelo?";
    let code = "¿Qué código le muestra?";
    for (suggestion, lines, open) in [
        (document, vec![('P', "ay, espere")], true),
        (document, vec![('O', "30123456")], true),
        (document, vec![('P', "treinta ciento veintitrés cuatrocientos cincuenta y seis")], false),
        (document, vec![('P', "es el catorce millones"), ('P', "doscientos treinta y uno")], true),
        (
            document,
            vec![
                ('P', "es el catorce millones"),
                ('P', "doscientos treinta y uno"),
                ('P', "seiscientos ocho"),
            ],
            false,
        ),
        (model, vec![('P', "no veo nada")], true),
        (model, vec![('P', "dice M50")], false),
        (code, vec![('P', "no sé")], true),
        (code, vec![('P', "H08")], false),
        (code, vec![('P', "una luz roja")], false),
        (code, vec![('P', "ninguno")], false),
        ("¿A qué teléfono lo llamamos?", vec![('P', "a este mismo")], false),
        ("Termina en 789, ¿es correcto?", vec![('P', "espere")], true),
        ("Termina en 789, ¿es correcto?", vec![('P', "sí, ese")], false),
    ] {
        let stands = standing(suggestion, &lines);
        assert_eq!(matches!(stands, Standing::Open(_)), open, "{suggestion} {lines:?} {stands:?}");
    }
}
