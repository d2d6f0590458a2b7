//! Who is calling, in a call: the document, its look-up, and what both do to the search (R7, R9–R15, S4, S5).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::dni::extract;
use aura::ears::{Spoken, Track};
use aura::event::{Kind, News};
use aura::identity::{Source, State};
use aura::ids::Dni;
use aura::patient::{Cause, Context, Found, Outage, Progress};
use serde_json::json;

const PATIENT: Track = Track::Inbound;
const OPERATOR: Track = Track::Outbound;

/// A forked call and its next utterance's number.
struct Fork {
    line: Line,
    utterance: u32,
}

impl Fork {
    fn new() -> Self {
        let mut line = Line::on(Channel::AudioFork);
        line.step(Input::PeerConnected);
        Self { line, utterance: 0 }
    }

    fn says(&mut self, track: Track, text: &str) -> Vec<Output> {
        self.utterance += 1;
        let (utterance, at_ms) = (self.utterance, u64::from(self.utterance) * 1000);
        let spoken = Spoken { track, utterance, at_ms, text: text.to_owned(), done: true };
        self.line.step(Input::Spoken(spoken))
    }

    fn patient(&mut self, text: &str) -> Vec<Output> {
        self.says(PATIENT, text)
    }

    fn operator(&mut self, text: &str) -> Vec<Output> {
        self.says(OPERATOR, text)
    }

    fn held(&self) -> Option<(Source, State, String)> {
        let held = self.line.call.identity()?;
        Some((held.source(), held.state(), held.dni().digits()))
    }
}

fn progress(outputs: &[Output]) -> Option<(Progress, Option<Outage>, usize, bool)> {
    news(outputs).into_iter().rev().find_map(|news| match news {
        News::LookUp { progress, outage, models, cached, .. } => {
            Some((*progress, *outage, models.len(), *cached))
        }
        _ => None,
    })
}

fn change(outputs: &[Output]) -> Option<&'static str> {
    news(outputs).into_iter().find_map(|news| match news {
        News::Identity { change, .. } => Some(*change),
        _ => None,
    })
}

fn unavailable(asked: (u32, Dni), retrying: bool, cached: Option<&[&str]>) -> Input {
    let outage = Outage { cause: Cause::Timeout, retrying };
    let cached = cached.map(|names| Context { models: models(names) });
    let found = Found::Unavailable { outage, cached };
    Input::LookedUp { ask: asked.0, dni: asked.1, found, source: "oxitesa" }
}

#[test]
fn r9_r15_a_dictated_document_is_looked_up_read_back_and_confirmed() {
    let mut fork = Fork::new();
    fork.operator("¿Me dice su documento, por favor?");
    let outputs =
        fork.patient("veintitrés millones cuatrocientos cincuenta y seis mil setecientos ochenta y nueve");
    assert_eq!(change(&outputs), Some("captured"));
    assert_eq!(progress(&outputs), Some((Progress::Pending, None, 0, false)));
    let asked = asked_for(&outputs).expect("a look-up at once");
    assert_eq!(asked, (1, dni("23456789")));
    let outputs = fork.line.step(looked_up(asked, &["7F-5"]));
    assert_eq!(progress(&outputs), Some((Progress::Dni, None, 1, false)));
    assert_eq!(
        change(&fork.operator("¿Veintitrés, cuatrocientos cincuenta y seis, setecientos ochenta y nueve?")),
        Some("read_back")
    );
    assert_eq!(change(&fork.patient("sí, correcto")), Some("confirmed"));
    assert_eq!(fork.held(), Some((Source::Dictated, State::Confirmed, "23456789".to_owned())));
    let told = events(&fork.line.log, Kind::IdentityChanged);
    assert_eq!(told[0], &json!({ "change": "captured", "source": "dictated", "state": "given" }));
    assert_eq!(
        told.last(),
        Some(&&json!({ "change": "confirmed", "source": "dictated", "state": "confirmed" }))
    );
}

#[test]
fn r7_the_equipment_on_file_narrows_and_what_the_patient_names_joins_it() {
    // The documents' own case: registered with a 7F-5, asks about an M50.
    let mut line = Line::on(Channel::AudioFork);
    line.on_file(&["7F-5"]);
    assert_eq!(sources(&line.patient("¿qué hago con el equipo que no anda?")), Some(vec![YUWELL.to_owned()]));
    line.find([]);
    line.answer("Lo escucho.");
    let both = sources(&line.patient("El M50 me marca error H08")).expect("a filter");
    assert_eq!(both, [M50.to_owned(), YUWELL.to_owned()]);
}

#[test]
fn r9_the_typed_one_wins_and_stays() {
    let mut fork = Fork::new();
    let outputs = fork.line.step(Input::Typed(dni("30111222")));
    let asked = asked_for(&outputs).expect("a look-up");
    fork.line.step(looked_up(asked, &["M50"]));
    let outputs = fork.patient("mi documento es 23.456.789");
    assert_eq!(asked_for(&outputs), None, "extraction never overwrites it");
    assert_eq!(fork.held(), Some((Source::Typed, State::Given, "30111222".to_owned())));
    // Typed over a dictated one.
    let mut fork = Fork::new();
    let first = asked_for(&fork.patient("mi documento es 23.456.789")).expect("a look-up");
    fork.line.step(looked_up(first, &["7F-5"]));
    let outputs = fork.line.step(Input::Typed(dni("30111222")));
    assert_eq!(change(&outputs), Some("corrected"));
    assert_eq!(
        progress(&outputs),
        Some((Progress::Pending, None, 0, false)),
        "somebody else's equipment is gone at once"
    );
    assert_eq!(asked_for(&outputs), Some((2, dni("30111222"))));
    assert_eq!(fork.line.step(looked_up(first, &["7F-5"])), [], "an answer of the other's changes nothing");
}

#[test]
fn r12_d21_an_outage_with_and_without_a_cache_and_never_as_not_found() {
    let mut line = Line::on(Channel::AudioFork);
    let asked = asked_for(&line.step(Input::Typed(dni(DOCUMENT)))).expect("a look-up");
    let outage = |retrying| Some(Outage { cause: Cause::Timeout, retrying });
    let outputs = line.step(unavailable(asked, true, None));
    assert_eq!(progress(&outputs), Some((Progress::Pending, outage(true), 0, false)));
    assert_eq!(
        sources(&line.patient("¿qué hago con el equipo que no anda?")),
        None,
        "open: nothing is known"
    );
    let outputs = line.step(unavailable(asked, false, Some(&["M50"])));
    assert_eq!(progress(&outputs), Some((Progress::Pending, outage(false), 1, true)));
    assert_eq!(
        sources(&line.patient("¿qué hago ahora con el equipo?")),
        Some(vec![M50.to_owned()]),
        "the cache narrows"
    );
    let told = *events(&line.log, Kind::PatientLookedUp).last().expect("a fact");
    let outage = json!({ "cause": "timeout", "retrying": false });
    assert_eq!(told["outage"], outage);
    assert_eq!((&told["cached"], &told["source"]), (&json!(true), &json!("oxitesa")));
}

#[test]
fn r12_after_not_found_nothing_stale_is_left() {
    let mut line = Line::on(Channel::AudioFork);
    line.on_file(&["M50"]);
    // The operator asks again; the system has forgotten the patient.
    let (ask, of) = asked_for(&line.step(Input::Typed(dni(DOCUMENT)))).expect("the same document asks again");
    let outputs = line.step(Input::LookedUp { ask, dni: of, found: Found::NotFound, source: "oxitesa" });
    assert_eq!(progress(&outputs), Some((Progress::NotFound, None, 0, false)));
    assert_eq!(sources(&line.patient("¿qué hago con el equipo que no anda?")), None);
}

#[test]
fn r8_a_model_without_a_manual_or_outside_the_map_opens_the_filter() {
    for name in ["CPAP", "Marte 3000"] {
        let mut line = Line::on(Channel::AudioFork);
        line.on_file(&["M50", name]);
        assert_eq!(sources(&line.patient("¿qué hago con el equipo que no anda?")), None, "{name}");
    }
}

#[test]
fn r9_a_correction_starts_over() {
    let mut fork = Fork::new();
    let first = asked_for(&fork.patient("mi documento es 23.456.789")).expect("a look-up");
    fork.line.step(looked_up(first, &["7F-5"]));
    fork.operator("¿23.456.789?");
    let outputs = fork.patient("no, perdón, es 23.456.798");
    assert_eq!(change(&outputs), Some("corrected"));
    assert_eq!(asked_for(&outputs), Some((2, dni("23456798"))));
    assert_eq!(fork.held(), Some((Source::Dictated, State::Given, "23456798".to_owned())));
    // Denied, with nothing in its place: nobody's equipment narrows any more.
    fork.line.step(looked_up((2, dni("23456798")), &["M50"]));
    fork.operator("¿23.456.798?");
    let outputs = fork.patient("no, no es ese");
    assert_eq!((change(&outputs), fork.held()), (Some("denied"), None));
    assert_eq!(progress(&outputs), Some((Progress::Waiting, None, 0, false)));
    assert_eq!(fork.line.step(looked_up((2, dni("23456798")), &["M50"])), []);
}

#[test]
fn s5_what_rests_on_an_unconfirmed_identity_is_labelled_so() {
    let mut line = Line::on(Channel::AudioFork);
    let labelled = |outputs: &[Output]| {
        let mut answers = news(outputs).into_iter().rev().filter_map(|news| match news {
            News::Answer { unconfirmed, .. } => Some(*unconfirmed),
            _ => None,
        });
        answers.next().expect("an answer")
    };
    let answered = |line: &mut Line| {
        line.patient("¿qué hago con el equipo que no anda?");
        line.find([]);
        line.answer("Lo escucho.")
    };
    assert!(!labelled(&answered(&mut line)), "nothing narrows");
    line.on_file(&["M50"]);
    assert!(labelled(&answered(&mut line)));
    assert_eq!(change(&line.step(Input::Vouched(dni(DOCUMENT)))), Some("confirmed"));
    assert!(!labelled(&answered(&mut line)));
    assert_eq!(line.step(Input::Vouched(dni(DOCUMENT))), [], "once");
}

#[test]
fn r10_the_keypad_gives_it_on_every_channel_and_nonsense_changes_nothing() {
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        for keys in ["", "*#", "12", "999999999999", "quiero"] {
            assert_eq!(line.step(Input::Keypad(keys.to_owned())), [], "{keys}");
        }
        let outputs = line.step(Input::Keypad("23456789#".to_owned()));
        assert_eq!(asked_for(&outputs), Some((1, dni("23456789"))), "{channel}");
    }
}

#[test]
fn r9_a_voice_bot_takes_no_dictated_document_and_a_chat_does() {
    for (channel, takes) in [
        (Channel::Retell, false),
        (Channel::ElevenLabs, false),
        (Channel::WhatsApp, true),
        (Channel::AudioFork, true),
    ] {
        let mut line = Line::on(channel);
        let outputs = line.patient("mi documento es 23.456.789");
        assert_eq!(asked_for(&outputs).is_some(), takes, "{channel}");
        if takes {
            let source = if channel == Channel::WhatsApp { Source::Chat } else { Source::Dictated };
            assert_eq!(line.call.identity().map(|held| held.source()), Some(source));
        }
    }
}

#[test]
fn d22_two_extractors_that_disagree_have_it_asked_again() {
    let mut fork = Fork::new();
    fork.patient("mi documento es 23.456.789");
    let outputs = fork.line.step(Input::SecondOpinion { line: 0, reading: extract("dni 23.456.798") });
    assert_eq!(change(&outputs), Some("ask_again"));
    // One that comes late is of a line that isn't the last any more.
    fork.patient("bueno, ¿y qué hago?");
    assert_eq!(fork.line.step(Input::SecondOpinion { line: 0, reading: extract("dni 23.456.798") }), []);
}

#[test]
fn a_swap_of_the_legs_has_the_lines_read_again() {
    let mut fork = Fork::new();
    // The switch had them the other way round: what was the operator's is the patient's.
    fork.operator("mi documento es 23.456.789");
    assert_eq!(fork.held(), None);
    let outputs = fork.line.step(Input::Patient(OPERATOR));
    assert_eq!(asked_for(&outputs), Some((1, dni("23456789"))));
}

#[test]
fn s4_a_document_in_pieces_is_in_no_prompt_query_event_or_line() {
    let mut fork = Fork::new();
    fork.operator("Dígame su documento.");
    fork.patient("veintitrés");
    fork.patient("cuatrocientos cincuenta y seis");
    let outputs = fork.patient("setecientos ochenta y nueve");
    assert_eq!(asked_for(&outputs), Some((1, dni("23456789"))));
    let last = |index: usize| {
        let told = news(&fork.line.log).into_iter().rev().find_map(|news| match news {
            News::Heard { index: at, text, .. } if *at == index => Some(text.clone()),
            _ => None,
        });
        told.expect("the line")
    };
    for index in 1..=3 {
        assert!(last(index).contains("DNI ···"), "{}", last(index));
    }
    let outputs = fork.line.ask_as_it_stands();
    for secret in ["veintitrés", "cuatrocientos", "cincuenta", "setecientos", "ochenta"] {
        for output in &outputs {
            assert!(!format!("{output:?}").contains(secret), "{secret} in {output:?}");
        }
    }
}

#[test]
fn s4_words_that_tell_no_digit_stay() {
    let mut line = Line::on(Channel::Retell);
    let text = "decime mi dni pero en palabras, millones miles y todo";
    line.patient(text);
    let told = news(&line.log)
        .into_iter()
        .any(|news| matches!(news, News::Heard { text: told, .. } if told == text));
    assert!(told);
}

#[test]
fn d24_a_rebuilt_call_knows_its_caller_and_asks_again() {
    let mut line = Line::on(Channel::AudioFork);
    line.step(Input::PeerConnected);
    line.on_file(&["M50"]);
    line.step(Input::Vouched(dni(DOCUMENT)));
    let outputs = line.crash(2_000);
    assert_eq!(asked_for(&outputs), Some((2, dni(DOCUMENT))));
    assert_eq!(
        line.call.identity().map(|held| (held.source(), held.state())),
        Some((Source::Typed, State::Confirmed))
    );
    assert_eq!(
        sources(&line.patient("¿qué hago con el equipo que no anda?")),
        Some(vec![M50.to_owned()]),
        "it filters meanwhile"
    );
}

#[test]
fn r15_a_rebuilt_call_of_nobody_is_at_the_desk_all_the_same() {
    let mut line = Line::on(Channel::AudioFork);
    line.step(Input::PeerConnected);
    let outputs = line.crash(2_000);
    assert_eq!(
        progress(&outputs),
        Some((Progress::Waiting, None, 0, false)),
        "an operator may name its caller"
    );
    assert_eq!(asked_for(&outputs), None);
}

#[test]
fn s2_i12_an_answer_rests_no_more_on_equipment_that_turns_out_to_be_somebody_elses() {
    let mut line = Line::on(Channel::AudioFork);
    line.on_file(&["M50"]);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    let said = spoken(&line.delta("Apague el equipo. ")).len();
    assert_eq!(said, 1, "the row holds it");
    line.step(Input::Typed(dni("30111222")));
    line.delta("Encienda el equipo una sola vez. ");
    assert_eq!(events(&line.log, Kind::GroundingBlocked).len(), 1, "nothing holds it any more");
}

#[test]
fn s5_an_operator_vouches_for_the_document_they_saw_and_for_no_other() {
    let mut fork = Fork::new();
    fork.line.step(Input::Typed(dni("30111222")));
    // It was corrected while the operator was reaching for the button.
    fork.line.step(Input::Typed(dni(DOCUMENT)));
    assert_eq!(fork.line.step(Input::Vouched(dni("30111222"))), []);
    assert_eq!(fork.held(), Some((Source::Typed, State::Given, DOCUMENT.to_owned())));
}
