//! The switch of a channel (hold, off) and the fixed context of load tests: what still happens, what doesn't.
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::phrases::{EMERGENCY_FIRE, FAREWELL, HOLDING_BOT_AGAIN, REMINDER};
use aura::settings::Snapshot;
use serde_json::{Value, json};
use std::sync::Arc;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";

fn switched(channel: Channel, mode: &str) -> Arc<Snapshot> {
    settings(&[(channel.profile().mode.name, "global", json!(mode))])
}

fn works(outputs: &[Output]) -> bool {
    outputs.iter().any(|o| matches!(o, Output::Retrieve { .. } | Output::Generate { .. }))
}

#[test]
fn s3_on_hold_the_channels_sentence_and_no_work_at_all() {
    for channel in Channel::ALL {
        for mode in ["hold", "off"] {
            let mut line = Line::with(channel, switched(channel, mode));
            let outputs = line.patient(QUESTION);
            assert!(!works(&outputs), "{channel}");
            assert_eq!(spoken(&outputs), [(1, channel.profile().holding)]);
            assert_eq!(closed(&outputs), [(1, false)]);
            assert_eq!(
                (&queried(&outputs)["reason"], &queried(&outputs)["hit"]),
                (&json!("on_hold"), &json!(false))
            );
            let bot = usize::from(channel != Channel::AudioFork);
            assert_eq!(events(&outputs, Kind::CallbackRequested).len(), bot, "{channel}");
            let turn = aura::ids::TurnId(1);
            assert!(
                news(&outputs)
                    .iter()
                    .any(|n| matches!(n, News::Answer { turn: t, done: true, .. } if *t == turn))
            );
            assert!(!line.call.is_busy() && line.call.deadline().is_none());
            let again = line.patient("¿y entonces qué hago con el equipo?");
            assert!(!works(&again));
            assert_eq!(spoken(&again), [(2, channel.profile().holding_again)]);
            assert_eq!(events(&again, Kind::CallbackRequested), [] as [&Value; 0]);
        }
    }
}

#[test]
fn s3_on_hold_a_goodbye_is_a_goodbye_and_a_nudge_a_nudge() {
    let mut line = Line::with(Channel::Retell, switched(Channel::Retell, "hold"));
    line.agent("Hola, habla Aura.");
    let outputs = line.remind();
    assert!(!works(&outputs));
    assert_eq!((spoken(&outputs), closed(&outputs)), (vec![(1, REMINDER.es)], vec![(1, false)]));
    assert_eq!(spoken(&line.patient("hay fuego"))[0].1, EMERGENCY_FIRE.es.replace("{numero}", "911"));
    line.agent(EMERGENCY_FIRE.es);
    let outputs = line.patient("gracias, chau");
    assert!(!works(&outputs));
    assert_eq!((spoken(&outputs), closed(&outputs)), (vec![(3, FAREWELL.es)], vec![(3, true)]));
}

#[test]
fn d13_the_switch_acts_on_its_channel_in_the_next_turn() {
    let mut line = Line::retell();
    line.step(Input::Settings(switched(Channel::WhatsApp, "off")));
    assert!(works(&line.patient(QUESTION)), "another channel's");
    assert_eq!(line.step(Input::Settings(switched(Channel::Retell, "hold"))), []);
    assert!(works(&line.find([h08(0.75)])), "a running turn goes on");
    assert_eq!(spoken(&line.answer("Apague el equipo.")), [(1, "Apague el equipo.")]);
    assert!(!works(&line.patient("¿y ahora qué tengo que hacer?")));
    line.step(Input::Settings(switched(Channel::Retell, "answer")));
    let outputs = line.patient("¿hola, y ahora qué hago?");
    assert_eq!(queried(&outputs)["reason"], "locked", "nothing was forgotten");
    assert_eq!(spoken(&line.answer("Apague el equipo.")), [(3, "Apague el equipo.")]);
}

#[test]
fn r7_what_is_named_on_hold_is_known_afterwards() {
    let mut line = Line::with(Channel::Retell, switched(Channel::Retell, "hold"));
    line.patient("tengo un M50 que no anda bien");
    line.step(Input::Settings(settings(&[])));
    assert_eq!(sources(&line.patient("¿y entonces qué hago con el equipo?")), Some(vec![M50.to_owned()]));
}

/// It was told on hold which equipment it is, and the question still has no answer.
#[test]
fn d4_a_question_that_waits_outlives_the_hold() {
    let mut line = Line::on(Channel::ElevenLabs);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.answer("¿Qué equipo tiene?");
    line.step(Input::Settings(switched(Channel::ElevenLabs, "hold")));
    line.patient("el M50");
    line.step(Input::Settings(settings(&[])));
    let outputs = line.patient("el M50, le dije");
    assert!(search(&outputs).is_some_and(|search| search.text.contains("H08")), "{outputs:?}");
}

#[test]
fn s3_a_hold_interrupts_nothing_twice() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.step(Input::Settings(switched(Channel::Retell, "off")));
    let outputs = line.patient("¿hola?");
    assert_eq!(events(&outputs, Kind::TurnAborted).len(), 1);
    assert_eq!(closed(&outputs), [(2, false)]);
    assert_eq!(line.step(Input::Tick), []);
    assert_eq!(spoken(&line.patient("¿hola, hola?")), [(3, HOLDING_BOT_AGAIN.es)]);
}

#[test]
fn a_fixed_context_rides_on_every_turn_and_supports_nothing() {
    let text = "Espere 10 minutos y apague el equipo.";
    let rows = settings(&[("rag.fixedContext", "global", json!(text))]);
    for channel in Channel::ALL {
        let mut line = Line::with(channel, Arc::clone(&rows));
        for question in [QUESTION, "sí, dale"] {
            let outputs = line.patient(question);
            assert_eq!(search(&outputs), None, "{channel}");
            assert_eq!(queried(&outputs)["reason"], "fixed_context");
            assert_eq!(last_message(&outputs), format!("{text}\n\n{question}"));
            assert!(!request(&outputs).messages[0].content.contains(text), "E5");
            line.answer("Lo escucho.");
        }
        line.patient("¿cuánto tengo que esperar?");
        let outputs = line.answer("Espere 10 minutos.");
        assert_eq!(spoken(&outputs), [(3, channel.profile().holding)], "{channel}");
    }
    let off = [("rag.fixedContext", "global", json!(text)), ("retell.mode", "global", json!("hold"))];
    let outputs = Line::with(Channel::Retell, settings(&off)).patient(QUESTION);
    assert_eq!(queried(&outputs)["reason"], "on_hold", "the switch comes first");
}
