//! A forked call's lines in the call: partials and finals, places, alerts, swaps, masks, journal, grace.
use super::fixture::*;
use super::restart::reread;
use aura::call::{Call, Input, Output, trace};
use aura::channel::Channel;
use aura::ears::{Gap, Lack, Spoken, Track};
use aura::event::{Kind, News};
use aura::mask::contains_long_number;
use aura::phrases::EMERGENCY_BREATHING;
use aura::red_flag::RedFlag;
use aura::transcript::{Place, Speaker, Turn};
use serde_json::{Value, json};
use std::time::Duration;

const IN: Track = Track::Inbound;
const OUT: Track = Track::Outbound;

fn forked() -> Line {
    let mut line = Line::on(Channel::AudioFork);
    line.step(Input::PeerConnected);
    line.step(Input::Patient(IN));
    line
}

fn words(track: Track, utterance: u32, text: &str, done: bool, at_ms: u64) -> Input {
    Input::Spoken(Spoken { track, utterance, text: text.to_owned(), done, at_ms })
}

/// (index, speaker, text, partial, at) of each line that the desk was told.
fn heard(outputs: &[Output]) -> Vec<(usize, Speaker, String, bool, u64)> {
    let told = news(outputs).into_iter().filter_map(|news| match news {
        News::Heard { index, speaker, text, place: Some(place) } => {
            Some((*index, *speaker, text.clone(), place.partial, place.at_ms))
        }
        _ => None,
    });
    told.collect()
}

/// What the journal's lines of these outputs say was heard.
fn journaled(outputs: &[Output]) -> Vec<Value> {
    let lines = outputs.iter().filter_map(trace::output);
    lines.filter(|line| line.what == trace::HEARD).map(|line| line.detail).collect()
}

/// The transcript as the journal gives it back: what was never final is unknown.
fn recalled(outputs: &[Output]) -> Vec<Turn> {
    let unknown = Turn { speaker: Speaker::Agent, text: String::new(), unclear: true, place: None };
    let mut turns: Vec<Turn> = Vec::new();
    for detail in journaled(outputs) {
        let index = detail["index"].as_u64().unwrap() as usize;
        let text = detail["text"].as_str().unwrap().to_owned();
        let speaker = serde_json::from_value(detail["speaker"].clone()).unwrap();
        let place: Option<Place> = serde_json::from_value(detail["place"].clone()).unwrap();
        turns.resize(turns.len().max(index + 1), unknown.clone());
        turns[index] = Turn { speaker, unclear: text.is_empty(), text, place };
    }
    turns
}

/// Killed and rebuilt from its journal.
fn rebuild(line: &mut Line) -> Vec<Output> {
    let (memory, at) = line.kept.clone().expect("something was remembered");
    line.wait(2000);
    let (transcript, age) = (recalled(&line.log), line.now - at);
    line.call = Call::restore(line.spec.clone(), reread(&memory), transcript, age, line.now);
    let mut outputs = line.drain();
    outputs.extend(line.step(Input::PeerConnected));
    outputs
}

/// The texts that a model is asked with, joined.
fn asked(line: &mut Line) -> String {
    line.reply += 1;
    let reply = aura::ids::ReplyId(line.reply);
    let mut outputs = line.step(Input::Asked { reply, turns: None, reminder: false });
    if search(&outputs).is_some() {
        outputs = line.find([]);
    }
    let texts: Vec<&str> = request(&outputs).messages[1..].iter().map(|m| m.content.as_str()).collect();
    texts.join(" | ")
}

#[test]
fn partials_replace_each_other_and_the_final_stays() {
    let mut line = forked();
    let told = [
        line.step(words(IN, 0, "mi", false, 1000)),
        line.step(words(IN, 0, "mi equipo", false, 1000)),
        line.step(words(OUT, 0, "ajá", true, 1500)),
        line.step(words(IN, 0, "mi equipo pita", true, 1000)),
        line.step(words(IN, 1, "y vibra", false, 4000)),
    ];
    let told: Vec<_> = told.iter().flat_map(|outputs| heard(outputs)).collect();
    let patient = |index, text: &str, partial, at| (index, Speaker::Patient, text.to_owned(), partial, at);
    let expected = [
        patient(0, "mi", true, 1000),
        patient(0, "mi equipo", true, 1000),
        (1, Speaker::Agent, "ajá".to_owned(), false, 1500),
        patient(0, "mi equipo pita", false, 1000),
        patient(2, "y vibra", true, 4000),
    ];
    assert_eq!(told, expected);
    assert_eq!(line.step(words(IN, 1, "y vibra", false, 4000)), [], "the same again is nothing new");
}

#[test]
fn late_finals_stand_where_they_were_spoken() {
    let mut line = forked();
    line.step(words(IN, 0, "el concentrador hace un ruido muy raro", true, 1000));
    line.step(words(OUT, 0, "¿desde cuándo?", true, 9000));
    line.step(words(IN, 1, "y se calienta mucho", true, 6000));
    line.step(words(IN, 2, "desde ayer a la noche", true, 11_000));
    let prompt = asked(&mut line);
    let at = |text: &str| prompt.find(text).unwrap_or_else(|| panic!("{text} isn't in {prompt}"));
    assert!(at("ruido") < at("calienta") && at("calienta") < at("desde cuándo"), "{prompt}");
    assert!(at("desde cuándo") < at("desde ayer"), "{prompt}");
}

#[test]
fn a_final_without_words_takes_back_what_its_partials_seemed_to_say() {
    let mut line = forked();
    line.step(words(IN, 0, "no anda el concentrador de mi casa", true, 500));
    line.step(words(OUT, 0, "espere", false, 1000));
    let outputs = line.step(words(OUT, 0, "", true, 1000));
    assert_eq!(heard(&outputs), [(1, Speaker::Agent, String::new(), false, 1000)]);
    assert_eq!(line.step(words(OUT, 0, "", true, 1000)), [], "once");
    assert_eq!(line.step(words(OUT, 1, "", true, 1500)), [], "of nothing nothing is left");
    line.step(words(IN, 1, "¿qué hago con el ruido?", true, 2000));
    let prompt = asked(&mut line);
    assert!(!prompt.contains("no se entendió"), "nothing was said there: {prompt}");
}

#[test]
fn s1_a_danger_in_a_partial_is_shown_at_once_and_once() {
    let mut line = forked();
    let mut log = line.step(words(IN, 0, "no puedo", false, 1000));
    assert_eq!(events(&log, Kind::RedFlag).len(), 0);
    log = line.step(words(IN, 0, "no puedo respirar", false, 1000));
    let text = EMERGENCY_BREATHING.es.replace("{numero}", "911");
    let card = News::RedFlag { index: 0, flag: RedFlag::Breathing, text };
    assert!(news(&log).contains(&&card), "{log:#?}");
    for (text, done) in
        [("no puedo respirar bien", false), ("no puedo", false), ("no puedo respirar, apúrese", true)]
    {
        log = line.step(words(IN, 0, text, done, 1000));
        assert!(!news(&log).iter().any(|news| matches!(news, News::RedFlag { .. })), "{text}");
    }
    assert_eq!(events(&line.log, Kind::RedFlag), [&json!({ "flag": "breathing", "line": 0 })]);
    let operator = line.step(words(OUT, 0, "¿no puede respirar? no puedo respirar", true, 3000));
    assert_eq!(events(&operator, Kind::RedFlag).len(), 0, "what the operator repeats is no cry for help");
}

#[test]
fn s1_a_swap_changes_all_speakers_and_raises_the_alerts_that_were_missed() {
    let mut line = forked();
    line.step(words(IN, 0, "buenas, soporte", true, 500));
    line.step(words(OUT, 0, "no puedo respirar", true, 2000));
    line.step(words(OUT, 1, "me ah", false, 4000));
    let outputs = line.step(Input::Patient(OUT));
    let speakers: Vec<_> = heard(&outputs).into_iter().map(|(index, who, ..)| (index, who)).collect();
    assert_eq!(speakers, [(0, Speaker::Agent), (1, Speaker::Patient), (2, Speaker::Patient)]);
    assert_eq!(events(&outputs, Kind::RedFlag).len(), 1);
    assert_eq!(journaled(&outputs).len(), 2, "what was final is final again, with its speaker");
    assert_eq!(heard(&line.step(words(OUT, 1, "me ahogo", false, 4000)))[0].1, Speaker::Patient);
    assert_eq!(line.step(Input::Patient(OUT)), [], "told again it changes nothing");
    line.step(Input::Patient(IN));
    let again = line.step(Input::Patient(OUT));
    assert_eq!(events(&again, Kind::RedFlag).len(), 0, "it was shown");
}

#[test]
fn s4_documents_are_masked_for_the_desk_and_the_journal() {
    let mut line = forked();
    let texts = ["mi documento es 30", "mi documento es 30.123", "mi documento es 30.123.456", "30 12 34 56"];
    for (at, text) in texts.iter().enumerate() {
        line.step(words(IN, at as u32, text, false, 1000 * at as u64));
        line.step(words(IN, at as u32, &format!("{text}, anote"), true, 1000 * at as u64));
        line.step(words(OUT, at as u32, &format!("repito: {text}"), true, 1000 * at as u64 + 500));
    }
    line.step(Input::Patient(OUT));
    for (_, _, text, ..) in heard(&line.log) {
        assert!(!contains_long_number(&text), "{text}");
    }
    let kept: String =
        line.log.iter().filter_map(trace::output).map(|line| line.detail.to_string()).collect();
    assert!(!kept.contains("30.123.456") && !kept.contains("30 12 34 56"), "{kept}");
    assert!(line.call.transcript().iter().any(|turn| turn.text.contains("30.123.456")));
}

#[test]
fn partials_are_not_journaled_and_finals_are() {
    let mut line = forked();
    let spoken = words(IN, 0, "mi equipo", false, 1234);
    assert_eq!(trace::input(&spoken), None);
    assert_eq!(journaled(&line.step(spoken)), [] as [Value; 0]);
    let kept = journaled(&line.step(words(IN, 0, "mi equipo pita", true, 1234)));
    let place = json!({ "track": "inbound", "atMs": 1234, "partial": false });
    assert_eq!(kept, [json!({ "index": 0, "speaker": "patient", "text": "mi equipo pita", "place": place })]);
    let gap = Gap { track: None, from_ms: 1, to_ms: 5001, why: Lack::Lost };
    assert_eq!(news(&line.step(Input::Gap(gap))), [&News::Gap(gap)]);
    assert_eq!(trace::input(&Input::Gap(gap)).unwrap().what, "gap");
}

#[test]
fn a_rebuilt_call_goes_on_where_it_was() {
    let mut line = forked();
    line.step(Input::Patient(OUT));
    line.step(words(OUT, 0, "el concentrador de mi mamá no anda", true, 1000));
    line.step(words(OUT, 1, "hace un", false, 3000));
    line.step(words(IN, 0, "¿qué modelo es?", true, 4000));
    rebuild(&mut line);
    let turns = line.call.transcript().to_vec();
    assert_eq!(turns.len(), 3);
    assert_eq!(turns[2].place, Some(Place { track: IN, at_ms: 4000, partial: false }));
    // The recogniser counts from 0 again: that is another line.
    let outputs = line.step(words(OUT, 0, "es el M50 y hace un ruido muy raro", true, 9000));
    assert_eq!(heard(&outputs)[0].0, 3);
    assert_eq!(heard(&outputs)[0].1, Speaker::Patient, "who is who is remembered");
    let prompt = asked(&mut line);
    assert!(!prompt.contains("no se entendió"), "what nobody knows isn't told: {prompt}");
    let at = |text: &str| prompt.find(text).unwrap_or_else(|| panic!("{text} isn't in {prompt}"));
    assert!(at("no anda") < at("qué modelo") && at("qué modelo") < at("es el M50"), "{prompt}");
    let outputs = line.step(Input::Patient(IN));
    let indexes: Vec<usize> = heard(&outputs).into_iter().map(|(index, ..)| index).collect();
    assert_eq!(indexes, [0, 2, 3], "lines that were recalled change their speaker too");
}

#[test]
fn s1_a_rebuilt_call_shows_no_card_twice_and_no_card_too_few() {
    let mut line = forked();
    line.step(words(IN, 0, "no puedo respirar", true, 1000));
    line.step(words(OUT, 0, "hay humo en la pieza, sale humo del equipo", true, 2000));
    rebuild(&mut line);
    assert_eq!(events(&line.log, Kind::RedFlag).len(), 1);
    line.step(Input::Patient(OUT));
    line.step(Input::Patient(IN));
    assert_eq!(events(&line.log, Kind::RedFlag).len(), 2, "the smoke, once");
}

#[test]
fn grace_is_a_setting_and_hanging_up_needs_none() {
    let long = settings(&[("audioFork.graceSecs", "global", json!(90))]);
    for (rows, seconds) in [(settings(&[]), 30), (long, 90)] {
        let mut line = Line::with(Channel::AudioFork, rows);
        line.step(Input::PeerConnected);
        line.step(words(OUT, 0, "hola", false, 0));
        line.step(Input::PeerLost { clean: false });
        assert_eq!(line.call.deadline(), Some(line.now + Duration::from_secs(seconds)));
        line.wait(seconds * 1000 - 1);
        assert_eq!(line.step(Input::Tick), []);
        assert_eq!(line.step(Input::PeerConnected), [], "no second beginning");
        assert_eq!(line.call.deadline(), None);
        // Last words may come while nobody is there.
        line.step(Input::PeerLost { clean: false });
        assert_eq!(heard(&line.step(words(OUT, 0, "hola, buenas", true, 0)))[0].0, 0);
        let outputs = line.ring();
        assert_eq!(events(&outputs, Kind::CallEnded), [&json!({ "reason": "not_redialled" })]);
        assert_eq!(line.step(words(IN, 1, "tarde", true, 0)), [], "nothing is told of a call that ended");
        assert_eq!(line.step(Input::Patient(OUT)), []);
    }
    let mut line = forked();
    let outputs = line.step(Input::HungUp);
    assert_eq!(outputs.last(), Some(&Output::End));
    let mut line = forked();
    line.step(Input::PeerLost { clean: true });
    assert!(line.call.deadline().unwrap() <= line.now + Duration::from_secs(15));
}

/// What a switch told before is no copilot's to say: a forked call speaks to nobody.
#[test]
fn a_forked_call_greets_nobody() {
    let mut line = forked();
    line.step(words(IN, 0, "hola", true, 0));
    assert_eq!(spoken(&line.log), []);
    assert_eq!(news(&line.log)[0], &News::Opened);
}
