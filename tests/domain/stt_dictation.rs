//! A document number dictated with pauses is one utterance; nothing else is held back.
use aura::ears::Track;
use aura::mask::contains_long_number;
use aura::stt::{Assembled, Assembler, Heard, Patience, Report, Utterance};
use std::time::{Duration, Instant};

/// What comes of pieces that each end with an endpoint, `pause` after one another, as (after, utterance).
fn dictate(pieces: &[&str], pause: Duration) -> Vec<(Duration, Utterance)> {
    let mut assembler = Assembler::new(Track::Inbound, Patience::default());
    let begin = Instant::now();
    let (mut now, mut told, mut at) = (begin, Vec::new(), Duration::ZERO);
    for piece in pieces {
        let (start, end) = (at, at + Duration::from_millis(800));
        let text = (*piece).to_owned();
        let heard = Heard { track: Track::Inbound, text, settled: true, endpoint: true, start, end };
        assembler.hear(&Report::Heard(heard), now);
        run(&mut assembler, begin, &mut now, pause, &mut told);
        at = end + pause;
    }
    run(&mut assembler, begin, &mut now, Duration::from_secs(10), &mut told);
    told
}

fn run(
    assembler: &mut Assembler,
    begin: Instant,
    now: &mut Instant,
    time: Duration,
    told: &mut Vec<(Duration, Utterance)>,
) {
    let until = *now + time;
    loop {
        while let Some(out) = assembler.poll() {
            if let Assembled::Utterance(utterance) = out {
                told.push((*now - begin, utterance));
            }
        }
        let Some(at) = assembler.deadline().filter(|at| *at <= until) else { break };
        *now = at;
        assembler.tick(at);
    }
    *now = until;
}

fn done(told: &[(Duration, Utterance)]) -> Vec<&str> {
    told.iter().filter(|(_, said)| said.done).map(|(_, said)| said.text.as_str()).collect()
}

const PAUSE: Duration = Duration::from_millis(1500);

#[test]
fn a_document_with_pauses_is_one_utterance() {
    let ways: [&[&str]; 7] = [
        &["Mi DNI es treinta y dos", "cuatrocientos cincuenta y seis", "setecientos ochenta y nueve"],
        &["32", "456", "789"],
        &["32.", "456.", "789."],
        &["tres dos", "cuatro cinco", "seis siete", "ocho nueve"],
        &["treinta y dos millones", "cuatrocientos cincuenta y seis mil", "setecientos ochenta y nueve"],
        &["el documento es el 32", "eh", "456", "789"],
        &["veintiocho", "doble cinco", "uno tres", "dos cuatro"],
    ];
    for pieces in ways {
        let told = dictate(pieces, PAUSE);
        let whole = done(&told);
        assert_eq!(whole, [pieces.join(" ")], "{told:?}");
        assert!(contains_long_number(whole[0]), "and it is masked as one: {}", whole[0]);
        // It shows while it is being said.
        assert_eq!(told[0].1.text, pieces[0]);
        assert!(!told[0].1.done);
        assert!(told.iter().all(|(_, said)| said.id == 0));
    }
}

#[test]
fn a_whole_document_isnt_held() {
    for whole in [
        "32456789",
        "mi dni es 32.456.789",
        "4.567.890",
        "cuatro millones quinientos sesenta y siete mil ochocientos noventa",
        "tres dos cuatro cinco seis siete ocho nueve",
        "1145678901",
    ] {
        let told = dictate(&[whole], Duration::ZERO);
        let (at, said) = told.last().unwrap();
        assert_eq!((said.done, *at), (true, Duration::ZERO), "{whole}");
    }
}

#[test]
fn what_doesnt_end_in_digits_is_never_held() {
    let turns = [
        "mi dni es",
        "hola",
        "tengo dos concentradores",
        "cinco litros por minuto",
        "uso dos litros",
        "a las tres y media",
        "una cita",
        "son las dos",
        "a las 8",
        "el 23 de mayo",
        "no sé",
        "treinta y dos años",
        "",
    ];
    for turn in turns {
        let told = dictate(&[turn], Duration::ZERO);
        assert!(told.iter().all(|(at, _)| at.is_zero()), "{turn}");
        assert_eq!(done(&told).len(), usize::from(!turn.is_empty()), "{turn}");
    }
}

#[test]
fn codes_and_models_are_never_held() {
    let turns = [
        "me marca error H08",
        "me marca hache cero ocho",
        "sale E3",
        "el error e cuatro",
        "tengo un M50",
        "es un eme cincuenta",
        "un siete efe cinco",
        "7F-5",
        "es el CP501",
        "el LoveGo LG103",
        "dice low o2",
        "Yuwell 8F-5.",
        "el modelo X20",
    ];
    for turn in turns {
        let told = dictate(&[turn], Duration::ZERO);
        let (at, said) = told.last().unwrap();
        assert_eq!((said.done, *at), (true, Duration::ZERO), "{turn}");
    }
}

#[test]
fn the_hold_ends_by_itself() {
    let told = dictate(&["son dos"], Duration::ZERO);
    let (at, said) = told.last().unwrap();
    assert_eq!((said.done, *at), (true, Duration::from_millis(2500)));
}

#[test]
fn other_words_after_the_pause_go_on_with_the_utterance() {
    let told = dictate(&["mi documento es treinta y dos", "perdón, lo tengo acá"], PAUSE);
    assert_eq!(done(&told), ["mi documento es treinta y dos perdón, lo tengo acá"]);
    let later = dictate(&["mi documento es treinta y dos", "perdón, lo tengo acá"], Duration::from_secs(3));
    assert_eq!(done(&later).len(), 2, "after a longer pause they are their own");
}
