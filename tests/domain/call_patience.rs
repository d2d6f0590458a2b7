//! Never mute: a filler, then the channel's sentence, by the deadlines that the settings name (S3).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::generation::Usage;
use aura::ids::TurnId;
use aura::phrases::{FAREWELL, FILLER, HOLDING_BOT, REMINDER};
use aura::transcript::Speaker;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const QUESTION: &str = "mi M50 marca error H08 desde hoy";

fn after(start: Instant, ms: u64) -> Option<Instant> {
    Some(start + Duration::from_millis(ms))
}

/// What is said by `ms` after the question, whatever the deadlines in between are; and when it was.
fn said_by(line: &mut Line, start: Instant, ms: u64) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    while let Some(due) = line.call.deadline().filter(|due| *due <= start + Duration::from_millis(ms)) {
        line.now = due;
        let outputs = line.step(Input::Tick);
        assert_ne!(line.call.deadline(), Some(due), "a deadline that was met is no deadline");
        let at = u64::try_from((due - start).as_millis()).unwrap();
        all.extend(spoken(&outputs).into_iter().map(|(_, text)| (at, text.to_owned())));
    }
    all
}

fn failed(line: &Line) -> Vec<&Value> {
    events(&line.log, Kind::TurnFailed)
}

fn cancelled(line: &Line, turn: TurnId) -> bool {
    line.log.contains(&Output::Cancel { turn })
}

#[test]
fn s3_nothing_from_the_stores_a_filler_by_2_s_and_the_sentence_by_4_s() {
    for channel in [Channel::Retell, Channel::ElevenLabs] {
        let mut line = Line::on(channel);
        let start = line.now;
        line.patient(QUESTION);
        let said = said_by(&mut line, start, 60_000);
        let expected = [(2_000, FILLER.es.to_owned()), (4_000, HOLDING_BOT.es.to_owned())];
        assert_eq!(said, expected, "{channel}");
        assert!(cancelled(&line, TurnId(1)));
        assert_eq!(failed(&line).len(), 1);
        assert_eq!(failed(&line)[0]["kind"], "timeout");
        assert_eq!(queried(&line.log)["reason"], "search_failed");
        assert_eq!(closed(&line.log), [(1, false)]);
        assert_eq!(line.call.deadline(), None);
    }
}

#[test]
fn s3_nothing_from_the_model_the_sentence_by_4_s_and_it_is_cancelled() {
    let mut line = Line::retell();
    let start = line.now;
    line.patient(QUESTION);
    line.wait(40);
    line.find([h08(0.75)]);
    line.wait(900);
    line.delta("Apague el"); // no whole sentence: nothing was released
    let said = said_by(&mut line, start, 3_999);
    assert_eq!(said, [(2_000, FILLER.es.to_owned())]);
    assert!(!cancelled(&line, TurnId(1)));
    line.wait(100);
    let outputs = line.ring();
    assert_eq!(line.now, start + Duration::from_millis(4_000));
    assert_eq!(spoken(&outputs), [(1, HOLDING_BOT.es)]);
    assert_eq!(outputs.first(), Some(&Output::Cancel { turn: TurnId(1) }));
    let late = " equipo. ".to_owned();
    assert_eq!(line.step(Input::Delta { turn: TurnId(1), text: late }), [], "it was given up");
    assert_eq!(line.step(Input::Finished { turn: TurnId(1), usage: Usage::default() }), []);
}

#[test]
fn s3_whoever_heard_words_hears_no_filler() {
    let mut line = Line::retell();
    let start = line.now;
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.delta("Apague el equipo. Espe");
    assert_eq!(said_by(&mut line, start, 19_999), []);
    assert_eq!(line.call.deadline(), after(start, 20_000), "the model's own time");
}

#[test]
fn s3_a_sentence_that_was_kept_back_and_replaced_is_words_too() {
    let mut line = Line::retell();
    let start = line.now;
    line.patient("me hace un ruido muy raro");
    line.find([]);
    assert_eq!(spoken(&line.delta("Ponga el flujo en 9 litros por minuto. Y")), [(1, HOLDING_BOT.es)]);
    assert_eq!(said_by(&mut line, start, 19_000), []);
}

#[test]
fn s3_who_writes_or_prompts_an_operator_fills_no_pause() {
    let mut chat = Line::on(Channel::WhatsApp);
    let start = chat.now;
    chat.patient(QUESTION);
    assert_eq!(said_by(&mut chat, start, 60_000), [(4_000, HOLDING_BOT.es.to_owned())]);
    let mut copilot = Line::on(Channel::AudioFork);
    let start = copilot.now;
    copilot.patient(QUESTION);
    let holding = Channel::AudioFork.profile().holding.to_owned();
    assert_eq!(said_by(&mut copilot, start, 60_000), [(22_000, holding)], "its operator can speak");
}

#[test]
fn s3_a_filler_is_no_part_of_the_answer_nor_of_the_talk() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    let filler = line.ring();
    assert_eq!(spoken(&filler), [(1, FILLER.es)]);
    assert_eq!(news(&filler), [] as [&News; 0], "the desk shows answers");
    assert_eq!(closed(&filler), []);
    line.agent(FILLER.es);
    let mut outputs = line.delta("Apague el equipo. ");
    outputs.extend(line.finish());
    assert_eq!(spoken(&outputs), [(1, "Apague el equipo.")]);
    assert!(
        news(&outputs)
            .iter()
            .all(|news| matches!(news, News::Answer { text, .. } if text == "Apague el equipo."))
    );
    let answered = events(&outputs, Kind::SuggestionGenerated);
    assert!(answered.len() == 1 && !answered[0].to_string().contains("Un momento"), "{answered:?}");
    line.turns.pop();
    line.agent("Un momento, por favor. Apague el equipo."); // as peers join what was said in a row
    let next = line.patient("listo, ¿y ahora qué hago?");
    let contents: Vec<&str> = request(&next).messages.iter().map(|m| m.content.as_str()).collect();
    assert!(contents.iter().all(|text| !text.contains("Un momento")), "{contents:?}");
    assert!(contents.contains(&"Apague el equipo."), "{contents:?}");
}

/// FAULTS 14: what a barge-in left of a filler is no answer of Aura's either.
#[test]
fn fault_14_half_a_filler_is_no_history() {
    for heard in ["Un momento", "Un momento, por", "Un momento, por favor"] {
        let mut line = Line::retell();
        line.patient(QUESTION);
        line.ring();
        line.agent(heard);
        let outputs = line.patient("sí, dale");
        let messages = &request(&outputs).messages;
        assert!(messages.iter().all(|message| !message.content.starts_with("Un momento")), "{messages:?}");
    }
}

#[test]
fn s3_the_settings_change_the_times_of_their_channel() {
    let rows = settings(&[
        ("answer.fillerAfterMs", "global", json!(700)),
        ("answer.holdAfterMs", "global", json!(900)),
        ("answer.fillerAfterMs", "retell", json!(300)),
    ]);
    for (channel, filler) in [(Channel::Retell, 300), (Channel::ElevenLabs, 700)] {
        let mut line = Line::with(channel, rows.clone());
        let start = line.now;
        line.patient(QUESTION);
        let said = said_by(&mut line, start, 60_000);
        assert_eq!(said, [(filler, FILLER.es.to_owned()), (900, HOLDING_BOT.es.to_owned())]);
        assert_eq!(events(&line.log, Kind::KnowledgeQueried).len(), 1, "R28, though the search was given up");
        line.patient("¿hola, me escucha alguien?");
        line.step(Input::Settings(settings(&[])));
        assert_eq!(line.call.deadline(), after(line.now, filler), "a running turn keeps its times");
    }
    let odd =
        [("answer.fillerAfterMs", "global", json!(9_000)), ("answer.holdAfterMs", "global", json!(500))];
    let mut line = Line::with(Channel::Retell, settings(&odd));
    let start = line.now;
    line.patient(QUESTION);
    assert_eq!(said_by(&mut line, start, 60_000), [(500, HOLDING_BOT.es.to_owned())]);
}

#[test]
fn s3_a_tick_that_comes_late_says_what_is_due_last() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.wait(7_000);
    let outputs = line.step(Input::Tick);
    assert_eq!(spoken(&outputs), [(1, HOLDING_BOT.es)]);
    assert_eq!(closed(&outputs), [(1, false)]);
    assert_eq!(line.step(Input::Tick), []);
}

#[test]
fn e4_a_barge_in_during_the_filler_begins_anew() {
    let mut line = Line::retell();
    line.patient(QUESTION);
    line.find([h08(0.75)]);
    line.ring();
    line.wait(1_000);
    let start = line.now;
    line.agent("Un momento, por");
    let outputs = line.patient("no, perdón, me marca Low O2");
    assert_eq!(events(&outputs, Kind::TurnAborted), [&json!({ "said": "" })]);
    assert_eq!(said_by(&mut line, start, 1_999), [], "the old turn's deadlines are gone");
    let said = said_by(&mut line, start, 60_000);
    assert_eq!(said, [(2_000, FILLER.es.to_owned()), (4_000, HOLDING_BOT.es.to_owned())]);
    assert!(spoken(&line.log).iter().filter(|(_, text)| *text != FILLER.es).all(|(reply, _)| *reply == 2));
}

#[test]
fn s3_the_deadline_is_that_of_what_comes_next() {
    let rows = settings(&[("answer.fillerAfterMs", "global", json!(1_000))]);
    let mut line = Line::with(Channel::Retell, rows);
    let start = line.now;
    assert_eq!(line.call.deadline(), None);
    line.patient(QUESTION);
    assert_eq!(line.call.deadline(), after(start, 1_000), "the filler");
    line.ring();
    assert_eq!(line.call.deadline(), after(start, 2_000), "the search");
    line.wait(500);
    line.find([h08(0.75)]);
    assert_eq!(line.call.deadline(), after(start, 4_000), "the sentence");
    line.wait(500);
    line.delta("Apague el equipo. ");
    assert_eq!(line.call.deadline(), after(start, 21_500), "the model");
    line.finish();
    assert_eq!(line.call.deadline(), None);
}

#[test]
fn s3_a_goodbye_is_filled_too_and_ends_the_call() {
    let mut line = Line::retell();
    let start = line.now;
    line.patient("gracias, chau");
    let said = said_by(&mut line, start, 60_000);
    assert_eq!(said, [(2_000, FILLER.es.to_owned()), (4_000, FAREWELL.es.to_owned())]);
    assert_eq!(closed(&line.log), [(1, true)]);
    assert_eq!(events(&line.log, Kind::CallbackRequested), [] as [&Value; 0]);
}

/// Nobody asked anything: there is nothing to hold back and nobody to call.
#[test]
fn s3_a_nudge_that_fails_is_a_nudge_all_the_same() {
    let mut line = Line::retell();
    line.agent("Hola, habla Aura.");
    let start = line.now;
    line.remind();
    let said = said_by(&mut line, start, 60_000);
    assert_eq!(said.last(), Some(&(4_000, REMINDER.es.to_owned())), "{said:?}");
    assert_eq!(closed(&line.log), [(1, false)]);
    assert_eq!(events(&line.log, Kind::CallbackRequested), [] as [&Value; 0]);
}

/// The peer repeats the filler as the agent's last words; the patient's goodbye came before it.
#[test]
fn s3_a_filler_behind_a_goodbye_takes_nothing_from_it() {
    let mut line = Line::retell();
    line.patient("gracias, chau");
    line.ring();
    line.agent(FILLER.es);
    let outputs = line.ask();
    assert_eq!(queried(&outputs)["reason"], "short_turn");
    assert_eq!(closed(&line.answer("Hasta luego.")), [(2, true)]);
    assert_eq!(line.turns.last().map(|turn| turn.speaker), Some(Speaker::Agent));
}
