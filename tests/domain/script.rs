//! The steps of a call's script, recognised from the talk and put right by hand (E15).
use super::fixture::said;
use aura::equipment::Catalogue;
use aura::script::{Progress, Script, Step};
use aura::transcript::{Speaker, Turn};
use serde_json::json;

/// A talk in which `O` is the operator's and `P` the patient's; which step is open after each line.
fn walk(script: &mut Script, talk: &[(char, &str)]) -> Vec<Step> {
    let lines = talk.iter().map(|(who, text)| line(*who, text));
    lines
        .map(|line| {
            script.heard(&line, Catalogue::builtin());
            script.open()
        })
        .collect()
}

fn line(who: char, text: &str) -> Turn {
    said(if who == 'O' { Speaker::Agent } else { Speaker::Patient }, text)
}

fn opened(talk: &[(char, &str)]) -> Vec<Step> {
    walk(&mut Script::default(), talk)
}

use Step::*;

#[test]
fn e15_the_story_of_the_scripted_call_goes_through_its_steps() {
    let talk = [
        ('O', "Soporte de oxígeno, buenas tardes, habla Laura. ¿En qué la puedo ayudar?"),
        (
            'P',
            "Hola, buenas tardes. Mire, el concentrador de mi mamá empezó a pitar y en la pantalla me aparece H08",
        ),
        ('O', "Quédese tranquila, lo vemos juntas. ¿Me dice qué modelo es? Está en una etiqueta, atrás"),
        ('P', "Acá dice M50, SysMed M50"),
        ('O', "Perfecto, el M50"),
        ('P', "Sí, y sigue pitando"),
        ('O', "¿Me pasa el DNI de la paciente, por favor?"),
        ('P', "Sí, es el catorce millones"),
        ('P', "doscientos treinta y uno"),
        ('P', "seiscientos ocho"),
        ('O', "Gracias. Aguárdeme un momento en línea que lo consulto"),
        ('O', "Gracias por esperar. Apague el equipo, espere un momento y enciéndalo una sola vez"),
        ('P', "Ya está, ahí arrancó y no pita más"),
        ('O', "Bárbaro. Si el código vuelve, páselo al oxígeno de respaldo y nos llama"),
        ('P', "Muchas gracias, hasta luego"),
    ];
    let expected = [
        Greeting,
        Reason,
        Equipment,
        Equipment,
        Equipment,
        Equipment,
        Identification,
        Identification,
        Identification,
        Identification,
        Identification,
        Resolution,
        Resolution,
        Resolution,
        Closing,
    ];
    assert_eq!(opened(&talk), expected);
}

#[test]
fn e15_a_call_by_the_book() {
    let talk = [
        ('O', "Buen día, mesa de ayuda, habla Nora."),
        ('O', "¿Me dice su nombre y el número de documento?"),
        ('P', "Sí, me llamo Elsa Ruiz"),
        ('O', "Cuénteme, ¿qué le pasa?"),
        ('P', "Se me apagó el aparato a la madrugada"),
        ('O', "¿Qué equipo tiene?"),
        ('P', "Un Yuwell 7F-5"),
        ('O', "Revise que el enchufe esté firme y préndalo"),
        ('P', "Ahora sí, anda"),
        ('O', "Bárbaro. ¿La puedo ayudar en algo más?"),
        ('P', "No, nada más"),
        ('O', "Que tenga muy buen día"),
    ];
    let expected = [
        Greeting,
        Identification,
        Identification,
        Reason,
        Reason,
        Equipment,
        Equipment,
        Resolution,
        Resolution,
        Closing,
        Closing,
        Closing,
    ];
    assert_eq!(opened(&talk), expected);
}

#[test]
fn e15_noise_never_takes_the_talk_back() {
    let mut script = Script::default();
    walk(&mut script, &[('P', "No anda el equipo"), ('O', "Apague el equipo y enciéndalo")]);
    for noise in [
        ('P', "sí, igual sigue con el mismo problema"),
        ('P', "me dice error de nuevo"),
        ('P', "el documento de mi mamá lo tengo acá"),
        ('P', "ajá"),
        ('O', "bien"),
        ('O', "con su documento ya quedó cargado"),
        ('O', "hola, ¿me escucha?"),
        ('P', "es el M50"),
    ] {
        script.heard(&line(noise.0, noise.1), Catalogue::builtin());
        assert_eq!(script.open(), Resolution, "{noise:?}");
    }
    let unclear = Turn { text: String::new(), unclear: true, ..line('O', "x") };
    assert_eq!(script.heard(&unclear, Catalogue::builtin()), None);
}

#[test]
fn e15_a_partial_line_opens_nothing() {
    let place = aura::transcript::Place { track: aura::ears::Track::Outbound, at_ms: 0, partial: true };
    let mut script = Script::default();
    let partial = Turn { place: Some(place), ..line('O', "¿Me dice su documento?") };
    assert_eq!(script.heard(&partial, Catalogue::builtin()), None);
    let whole = Turn { place: Some(aura::transcript::Place { partial: false, ..place }), ..partial };
    assert_eq!(script.heard(&whole, Catalogue::builtin()), Some(Identification));
}

#[test]
fn e15_the_operator_asks_again_and_the_patient_opens_another_topic() {
    let mut script = Script::default();
    walk(&mut script, &[('P', "No anda el equipo"), ('O', "Revise el filtro"), ('O', "¿Necesita algo más?")]);
    assert_eq!(script.open(), Closing);
    assert_eq!(walk(&mut script, &[('P', "Sí, otra cosa: me quedé sin cánulas")]), [Reason]);
    assert_eq!(walk(&mut script, &[('O', "¿Me repite el documento?")]), [Identification]);
}

#[test]
fn e15_a_correction_holds_until_the_talk_clearly_moves_on() {
    let mut script = Script::default();
    walk(&mut script, &[('P', "No anda el equipo"), ('O', "¿Qué modelo es?")]);
    assert_eq!(script.correct(Identification), Some(Identification));
    assert!(script.view().corrected);
    // What it was taken away from, once more, and what is only mentioned, moves nothing.
    assert_eq!(walk(&mut script, &[('O', "¿Y la marca?"), ('P', "me marca H08")]), [Identification; 2]);
    // Asked again, the talk is there.
    assert_eq!(walk(&mut script, &[('O', "¿Qué modelo es, entonces?")]), [Equipment]);
    assert!(!script.view().corrected);

    script.correct(Equipment);
    assert_eq!(walk(&mut script, &[('O', "Apague el equipo")]), [Resolution], "a later step, clearly");
    script.correct(Reason);
    let twice = [('P', "es un M50"), ('P', "perdón, Yuwell 7F-5")];
    assert_eq!(walk(&mut script, &twice), [Reason, Equipment], "a later step, mentioned twice");
}

#[test]
fn e15_the_panel_sees_names_in_spanish_and_what_was_passed_over() {
    let mut script = Script::default();
    walk(
        &mut script,
        &[('O', "Buenas, habla Laura"), ('P', "Hola, no me anda el M50"), ('O', "Apague el equipo")],
    );
    let states: Vec<_> = script.view().steps.iter().map(|step| (step.label, step.progress)).collect();
    let expected = [
        ("saludo", Progress::Done),
        ("identificación", Progress::Todo),
        ("motivo", Progress::Done),
        ("equipo", Progress::Done),
        ("resolución", Progress::Open),
        ("cierre", Progress::Todo),
    ];
    assert_eq!(states, expected);
    assert_eq!(script.missed().collect::<Vec<_>>(), [Identification]);
    script.settle(Identification);
    assert_eq!(script.missed().count(), 0);
    let view = json!(script.view());
    assert_eq!(view["open"], "resolution");
    assert_eq!(
        view["steps"][1],
        json!({ "step": "identification", "label": "identificación", "progress": "done" })
    );
}

#[test]
fn e15_swapped_legs_are_read_anew_and_a_correction_survives_them() {
    let swapped = [line('O', "me quedé sin oxígeno, ¿qué modelo?"), line('P', "¿Me dice su documento?")];
    let right = [line('P', &swapped[0].text), line('O', &swapped[1].text)];
    let mut script = Script::default();
    for line in &swapped {
        script.heard(line, Catalogue::builtin());
    }
    assert_eq!(script.open(), Equipment);
    assert_eq!(script.reread(&right.iter().collect::<Vec<_>>(), Catalogue::builtin()), Some(Identification));
    script.correct(Closing);
    assert_eq!(script.reread(&swapped.iter().collect::<Vec<_>>(), Catalogue::builtin()), None);
    assert_eq!(script.open(), Closing);
    let kept: Script = serde_json::from_value(json!(script)).unwrap();
    assert_eq!(kept, script, "a rebuilt call goes on with it");
}
