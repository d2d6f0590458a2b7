//! Red flags (S1, DECISIONS 16): before gate, lock, switch and model; told once, answered whenever asked.
use super::fixture::*;
use aura::call::{Closing, Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::ids::TurnId;
use aura::phrases::{BLOCK_EMERGENCY, EMERGENCY_BREATHING, EMERGENCY_FIRE, EMERGENCY_OTHER, Phrase};
use aura::red_flag::RedFlag;
use aura::settings::Snapshot;
use aura::transcript::Speaker;
use serde_json::{Value, json};
use std::sync::Arc;

const QUESTION: &str = "mi M50 marca error H08 desde hoy";
const BREATHING: &str = "no puedo respirar";
const FIRE: &str = "hay fuego";
const CHEST: &str = "me duele mucho el pecho";

fn text(phrase: Phrase, number: &str) -> String {
    phrase.es.replace("{numero}", number)
}

/// Neither search nor model, and the fixed text.
fn alarmed(outputs: &[Output], phrase: Phrase) {
    let work = |o: &&Output| matches!(o, Output::Retrieve { .. } | Output::Generate { .. });
    assert_eq!(outputs.iter().find(work), None, "nothing is searched or asked");
    let said: Vec<&str> = spoken(outputs).into_iter().map(|(_, said)| said).collect();
    assert_eq!(said, [text(phrase, "911")], "{outputs:#?}");
    assert_eq!(queried(outputs)["reason"], "red_flag");
    assert_eq!(closed(outputs).len(), 1);
}

fn cards(outputs: &[Output]) -> Vec<(usize, RedFlag)> {
    let cards = news(outputs).into_iter().filter_map(|news| match news {
        News::RedFlag { index, flag, .. } => Some((*index, *flag)),
        _ => None,
    });
    cards.collect()
}

fn mode(channel: Channel, mode: &str) -> Arc<Snapshot> {
    settings(&[(channel.profile().mode.name, "global", json!(mode))])
}

#[test]
fn s1_the_first_words_of_a_call_may_be_the_gravest() {
    for channel in Channel::ALL {
        for (said, phrase) in
            [(FIRE, EMERGENCY_FIRE), (BREATHING, EMERGENCY_BREATHING), (CHEST, EMERGENCY_OTHER)]
        {
            alarmed(&Line::on(channel).patient(said), phrase);
        }
    }
}

#[test]
fn s1_no_switch_keeps_it_back() {
    for channel in Channel::ALL {
        for off in ["hold", "off"] {
            let mut line = Line::with(channel, mode(channel, off));
            alarmed(&line.patient(FIRE), EMERGENCY_FIRE);
        }
    }
    let fixed = settings(&[("rag.fixedContext", "global", json!("un texto"))]);
    alarmed(&Line::with(Channel::Retell, fixed).patient(BREATHING), EMERGENCY_BREATHING);
}

#[test]
fn s1_it_comes_before_the_lock() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.answer("Apague el equipo.");
    alarmed(&line.patient(BREATHING), EMERGENCY_BREATHING);
    line.agent(EMERGENCY_BREATHING.es);
    let outputs = line.patient("ya llamé, ¿y el código ese?");
    assert_eq!(queried(&outputs)["reason"], "locked", "the lock is as it was");
}

#[test]
fn s1_it_interrupts_a_search_and_an_answer() {
    for searching in [true, false] {
        let mut line = Line::retell();
        line.patient(QUESTION);
        if !searching {
            line.find([h08(0.75)]);
            line.delta("Apague el equi");
        }
        let old = line.turn();
        let outputs = line.patient(FIRE);
        assert_eq!(events(&outputs, Kind::TurnAborted).len(), 1);
        alarmed(&outputs, EMERGENCY_FIRE);
        assert_eq!(line.step(Input::Delta { turn: old, text: "po. Listo. ".to_owned() }), []);
    }
}

#[test]
fn s1_the_alert_card_is_shown_as_soon_as_it_is_heard_on_every_channel() {
    for channel in Channel::ALL {
        let mut line = Line::with(channel, mode(channel, "off"));
        line.agent("Hola, habla Aura.");
        line.turns.push(said(Speaker::Patient, BREATHING));
        let heard = Input::Heard(line.turns.clone());
        let outputs = line.step(heard.clone());
        assert_eq!(cards(&outputs), [(1, RedFlag::Breathing)], "{channel}");
        assert!(news(&outputs).iter().any(
            |news| matches!(news, News::RedFlag { text: told, .. } if *told == text(EMERGENCY_BREATHING, "911"))
        ));
        assert_eq!(events(&outputs, Kind::RedFlag), [&json!({ "flag": "breathing", "line": 1 })]);
        assert_eq!(line.step(heard), [], "the same transcript again is no news");
        let outputs = line.ask();
        assert_eq!(cards(&outputs), [], "{channel}: it was shown");
        alarmed(&outputs, EMERGENCY_BREATHING);
    }
}

#[test]
fn s1_one_card_per_line_and_kind() {
    let mut line = Line::retell();
    let mut shown = Vec::new();
    for text in [CHEST, "me duele mucho el pecho y", "me duele mucho el pecho y no puedo respirar"] {
        line.turns = vec![said(Speaker::Patient, text)];
        shown.extend(cards(&line.step(Input::Heard(line.turns.clone()))));
    }
    assert_eq!(shown, [(0, RedFlag::Other), (0, RedFlag::Breathing)]);
    line.turns.push(said(Speaker::Patient, BREATHING));
    assert_eq!(cards(&line.step(Input::Heard(line.turns.clone()))), [(1, RedFlag::Breathing)]);
}

#[test]
fn s1_what_the_agent_says_is_no_alarm() {
    let mut line = Line::retell();
    line.agent("Si no puede respirar o hay fuego, llame al 911.");
    line.agent(BREATHING);
    assert_eq!(cards(&line.step(Input::Heard(line.turns.clone()))), []);
    assert_eq!(queried(&line.patient("sí, dale"))["reason"], "short_turn");
}

#[test]
fn s1_the_text_names_the_configured_number() {
    let numbers = settings(&[
        ("emergency.number", "global", json!("107")),
        ("emergency.number", "retell", json!("112")),
    ]);
    for (channel, number) in
        [(Channel::Retell, "112"), (Channel::WhatsApp, "107"), (Channel::AudioFork, "107")]
    {
        let outputs = Line::with(channel, Arc::clone(&numbers)).patient(BREATHING);
        assert_eq!(spoken(&outputs), [(1, text(EMERGENCY_BREATHING, number).as_str())]);
        let card = text(EMERGENCY_BREATHING, number);
        let told = |news: &&News| matches!(news, News::RedFlag { text, .. } if *text == card);
        assert!(news(&outputs).iter().any(told), "{channel}");
        assert!(!text(EMERGENCY_FIRE, number).contains("respaldo"));
    }
}

#[test]
fn s1_the_gravest_of_all_that_was_not_answered_yet() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, FIRE));
    line.step(Input::Heard(line.turns.clone()));
    line.turns.push(said(Speaker::Patient, BREATHING));
    line.step(Input::Heard(line.turns.clone()));
    alarmed(&line.patient("¿me escucha?"), EMERGENCY_FIRE);
    line.agent(&text(EMERGENCY_FIRE, "911"));
    alarmed(&line.patient("y me duele mucho el pecho"), EMERGENCY_OTHER);
}

/// Aura's greeting may come after the patient's first words.
#[test]
fn s1_words_of_an_agent_after_it_do_not_hide_it() {
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        line.turns.push(said(Speaker::Patient, BREATHING));
        line.agent("Hola, habla Aura, de la mesa de ayuda de oxígeno.");
        alarmed(&line.ask(), EMERGENCY_BREATHING);
        line.agent(&text(EMERGENCY_BREATHING, "911"));
        let outputs = line.ask();
        assert_eq!(spoken(&outputs), [], "{channel}: it was answered, and nothing was said since");
    }
}

/// A peer that only asks for a nudge doesn't know what it heard.
#[test]
fn s1_a_reminder_answers_what_nobody_answered_and_repeats_nothing() {
    let mut line = Line::retell();
    line.turns.push(said(Speaker::Patient, FIRE));
    alarmed(&line.remind(), EMERGENCY_FIRE);
    line.agent(&text(EMERGENCY_FIRE, "911"));
    let outputs = line.remind();
    assert_eq!(spoken(&outputs), []);
    assert_eq!(queried(&outputs)["reason"], "reminder");
    assert!(last_message(&outputs).contains(BLOCK_EMERGENCY.es));
}

#[test]
fn s1_it_is_said_again_when_the_same_line_is_asked_for_again() {
    let mut line = Line::retell();
    alarmed(&line.patient(BREATHING), EMERGENCY_BREATHING);
    let outputs = line.ask();
    alarmed(&outputs, EMERGENCY_BREATHING);
    assert_eq!(cards(&outputs), []);
    line.turns[0].text.push_str(", apúrese");
    let outputs = line.ask();
    alarmed(&outputs, EMERGENCY_BREATHING);
    assert_eq!(cards(&outputs), [], "the line grew, the danger is the same");
}

fn closing(outputs: &[Output]) -> &Closing {
    let closing =
        outputs.iter().find_map(|o| if let Output::Close { then, .. } = o { Some(then) } else { None });
    closing.expect("a closing")
}

#[test]
fn s1_a_bot_transfers_where_it_can_and_else_notes_a_call_back() {
    let desk = || settings(&[("transfer.number", "global", json!("+541155550100"))]);
    for channel in [Channel::Retell, Channel::ElevenLabs] {
        let outputs = Line::with(channel, desk()).patient(FIRE);
        assert_eq!(closing(&outputs), &Closing::Transfer("+541155550100".to_owned()), "{channel}");
        assert_eq!(events(&outputs, Kind::CallbackRequested), [] as [&Value; 0]);
    }
    let outputs = Line::with(Channel::WhatsApp, desk()).patient(FIRE);
    assert_eq!(closing(&outputs), &Closing::Stay, "a chat can't be transferred to a telephone");
    assert_eq!(events(&outputs, Kind::CallbackRequested).len(), 1);
    let outputs = Line::with(Channel::AudioFork, desk()).patient(FIRE);
    assert_eq!(closing(&outputs), &Closing::Stay, "the copilot's call is an operator's");
    assert_eq!(events(&outputs, Kind::CallbackRequested), [] as [&Value; 0]);
    let mut line = Line::retell();
    let phone = Some("+541155550199".to_owned());
    line.step(Input::Details { variables: [].into(), phone });
    let outputs = line.patient("soy 30.123.456 y no puedo respirar");
    let asked = events(&outputs, Kind::CallbackRequested);
    assert_eq!(asked.len(), 1);
    assert_eq!((&asked[0]["reason"], &asked[0]["phone"]), (&json!("breathing"), &json!("+541155550199")));
    assert!(asked[0]["question"].as_str().is_some_and(|q| q.contains("DNI ···456")), "{asked:?}");
}

#[test]
fn s1_later_turns_know_of_it_and_a_goodbye_in_it_hangs_nothing_up() {
    let mut line = Line::on(Channel::ElevenLabs);
    let outputs = line.patient("hay humo, gracias, chau");
    alarmed(&outputs, EMERGENCY_FIRE);
    assert_eq!(closed(&outputs), [(1, false)]);
    line.agent(&text(EMERGENCY_FIRE, "911"));
    let short = line.patient("sí, dale");
    assert!(last_message(&short).contains(BLOCK_EMERGENCY.es));
    line.answer("¿Ya llamaron?");
    line.patient("me marca error H08 desde hoy");
    let ask = line.find([h08(0.75)]);
    assert_eq!(last_message(&ask).matches("[EMERGENCIA EN CURSO]").count(), 1);
    assert!(!request(&ask).messages[0].content.contains("[EMERGENCIA EN CURSO]"), "E5");
}

#[test]
fn s1_the_equipment_of_a_dangerous_line_is_learnt_all_the_same() {
    let mut line = Line::retell();
    alarmed(&line.patient("mi M50 larga humo y hay fuego"), EMERGENCY_FIRE);
    line.agent(&text(EMERGENCY_FIRE, "911"));
    assert_eq!(sources(&line.patient("¿ahora qué hago con el equipo?")), Some(vec![M50.to_owned()]));
}

/// 'Which equipment?' was answered together with a cry for help: the question still waits for its answer.
#[test]
fn s1_a_question_that_waited_is_not_lost() {
    let mut line = Line::on(Channel::ElevenLabs);
    line.patient("me marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.answer("¿Qué equipo tiene?");
    alarmed(&line.patient("el M50, no puedo respirar"), EMERGENCY_BREATHING);
    line.agent(&text(EMERGENCY_BREATHING, "911"));
    let outputs = line.patient("ya llamé, es el M50");
    assert!(search(&outputs).is_some_and(|search| search.text.contains("H08")), "{outputs:#?}");
}

#[test]
fn s1_i11_the_turn_ends_once_with_its_events() {
    let mut line = Line::retell();
    let outputs = line.patient(BREATHING);
    assert!(!line.call.is_busy());
    assert_eq!(line.call.deadline(), None);
    assert_eq!(closed(&outputs), [(1, false)]);
    let answered = events(&outputs, Kind::SuggestionGenerated);
    assert_eq!(answered.len(), 1);
    assert!(events(&outputs, Kind::TurnFailed).is_empty() && events(&outputs, Kind::TurnAborted).is_empty());
    let done = |news: &&&News| matches!(news, News::Answer { done: true, .. });
    assert_eq!(news(&outputs).iter().filter(done).count(), 1);
    for late in [
        Input::Retrieved { turn: TurnId(1), found: Ok(found([h08(0.9)])) },
        Input::Delta { turn: TurnId(1), text: "Tarde. ".to_owned() },
        Input::Tick,
    ] {
        assert_eq!(line.step(late), []);
    }
}
