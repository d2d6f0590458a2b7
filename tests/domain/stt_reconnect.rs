//! A link whose network fails: replay, words told once, loss, back-off, sockets that are dead and don't say so.
use super::stt_stage::{MONO, RATE, Stage, heard, ms, result, samples};
use aura::ears::{Layout, Track};
use aura::stt::{Dialect, Limits, LinkOut, Refusal, Report};
use std::time::Duration;

fn dial_again(stage: &mut Stage) {
    let before = stage.connection;
    stage.wait(ms(1001));
    assert_eq!(stage.connection, before + 1, "the first wait is a second at the most");
    stage.take();
    stage.opened();
}

#[test]
fn what_isnt_settled_is_heard_again_with_a_little_overlap() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(4000));
    stage.message(&result(0, "hola qué tal", 0.0, 2.0, true, true));
    stage.closed(1011);
    dial_again(&mut stage);
    let replayed = samples(&stage.take());
    let from = RATE as usize * 13 / 10;
    assert_eq!(replayed[0], (from + 1) as i16, "0.7 s before what is settled");
    assert_eq!(replayed.len(), RATE as usize * 4 - from, "all at once");
}

#[test]
fn words_heard_twice_are_told_once_and_times_are_the_calls() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(4000));
    stage.message(&result(0, "uno dos", 0.0, 2.0, true, false));
    stage.message(&result(0, "tres", 2.0, 3.0, false, false));
    stage.closed(1006);
    dial_again(&mut stage);
    stage.take();
    // The new connection's time begins at 1.3 s of the call.
    stage.message(&result(0, "dos", 0.0, 0.7, false, false));
    stage.message(&result(0, "dos tres", 0.0, 1.4, false, false));
    stage.message(&result(0, "dos tres cuatro", 0.0, 2.1, true, true));
    let told = heard(&stage.take());
    let texts: Vec<&str> = told.iter().map(|heard| heard.text.as_str()).collect();
    assert_eq!(texts, ["tres", "tres cuatro"]);
    assert_eq!((told[1].start, told[1].end), (ms(2000), ms(3400)));
}

#[test]
fn an_end_that_was_lost_with_the_connection_still_ends_the_utterance() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(4000));
    stage.message(&result(0, "uno dos", 0.0, 2.0, true, false));
    stage.closed(1006);
    dial_again(&mut stage);
    stage.take();
    stage.message(&result(0, "dos", 0.0, 0.7, true, true));
    let told = heard(&stage.take());
    assert_eq!((told.len(), told[0].text.as_str(), told[0].endpoint), (1, "", true));
}

#[test]
fn each_track_has_its_own_settled_past() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.speak(ms(3000));
    stage.message(&result(0, "paciente", 0.0, 2.5, true, true));
    stage.message(&result(1, "operador", 0.0, 1.0, true, true));
    stage.closed(1006);
    dial_again(&mut stage);
    stage.take();
    // Replayed from 0.3 s on: both channels.
    stage.message(&result(0, "paciente", 0.0, 2.2, true, true));
    stage.message(&result(1, "operador sigue", 0.0, 1.6, true, true));
    let told: Vec<(Track, String)> =
        heard(&stage.take()).into_iter().map(|heard| (heard.track, heard.text)).collect();
    assert_eq!(told, [(Track::Inbound, String::new()), (Track::Outbound, "sigue".to_owned())]);
}

#[test]
fn the_same_final_twice_counts_once() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(3000));
    let twice = result(0, "uno dos", 0.0, 2.0, true, false);
    stage.message(&twice);
    stage.message(&twice);
    // Out of order: an interim result of what is settled.
    stage.message(&result(0, "uno", 0.0, 1.0, false, false));
    let told: Vec<String> = heard(&stage.take()).into_iter().map(|heard| heard.text).collect();
    assert_eq!(told, ["uno dos", ""]);
}

#[test]
fn what_an_earlier_connection_still_does_changes_nothing() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(2000));
    let old = stage.connection;
    stage.closed(1006);
    dial_again(&mut stage);
    stage.take();
    stage.link.message(old, &result(0, "viejo", 0.0, 1.0, true, true), stage.now);
    stage.link.closed(old, Some(1008), "", stage.now);
    stage.link.opened(old, stage.now);
    stage.link.refused(old, &Refusal { status: Some(401), ..Refusal::default() }, stage.now);
    stage.drain();
    assert!(stage.take().is_empty() && stage.link.is_open());
}

#[test]
fn fault_43_a_socket_that_takes_audio_and_says_nothing_is_dropped() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(2000));
    stage.message(&result(0, "hola", 0.0, 2.0, true, true));
    stage.closed(1006);
    dial_again(&mut stage);
    stage.take();
    // The second socket is accepted and stays mute.
    let mute = stage.connection;
    stage.speak(ms(9000));
    assert!(!stage.take().contains(&LinkOut::Disconnect));
    stage.speak(ms(1500));
    assert!(stage.take().contains(&LinkOut::Disconnect), "mute for ten seconds");
    stage.wait(ms(2001));
    assert_eq!(stage.connection, mute + 1);
    stage.take();
    stage.opened();
    assert!(samples(&stage.take()).len() > RATE as usize * 10, "and all of it is heard again");
}

#[test]
fn fault_43_a_server_that_stops_reading_is_noticed() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(1000));
    stage.link.writable(false, stage.now);
    stage.speak(ms(9900));
    assert!(!stage.take().contains(&LinkOut::Disconnect));
    stage.speak(ms(200));
    assert!(stage.take().contains(&LinkOut::Disconnect));
}

#[test]
fn fault_43_a_pause_isnt_taken_for_a_dead_socket() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(3000));
    stage.wait(ms(60_000));
    assert!(!stage.take().contains(&LinkOut::Disconnect), "3 s of audio may go unanswered for ever");
}

#[test]
fn an_outage_longer_than_the_buffer_leaves_a_gap_and_no_more() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(2000));
    stage.message(&result(0, "hola", 0.0, 1.9, true, true));
    stage.take();
    stage.closed(1006);
    stage.wait(ms(1000));
    stage.link.refused(stage.connection, &Refusal { status: Some(401), ..Refusal::default() }, stage.now);
    stage.speak(ms(45_000));
    assert!(stage.link.backlog() <= ms(30_000), "bounded");
    stage.wait(ms(60_000));
    stage.opened();
    let out = stage.take();
    let lost: Vec<(Duration, Duration)> = out
        .iter()
        .filter_map(|out| match out {
            LinkOut::Lost { from, to } => Some((*from, *to)),
            _ => None,
        })
        .collect();
    assert_eq!((lost[0].0, lost[lost.len() - 1].1), (ms(1900), ms(17_000)));
    assert!(lost.windows(2).all(|pair| pair[0].1 == pair[1].0), "one gap, told as it grows");
    assert_eq!(stage.link.lost(), ms(15_100));
    assert_eq!(samples(&out).len(), RATE as usize * 30, "the newest 30 s are heard");
    // Results after the gap lie after it.
    stage.message(&result(0, "acá estoy", 0.0, 1.0, true, true));
    let told = heard(&stage.take());
    assert_eq!((told[0].start, told[0].end), (ms(17_000), ms(18_000)));
}

#[test]
fn audio_dropped_before_a_full_writer_mends_the_times_after_it() {
    let limits = Limits { buffer: ms(2000), ..Limits::default() };
    let mut stage = Stage::with(Dialect::Deepgram, MONO, limits, 1);
    stage.opened();
    stage.speak(ms(960));
    stage.link.writable(false, stage.now);
    stage.speak(ms(5040));
    stage.take();
    stage.link.writable(true, stage.now);
    stage.drain();
    let out = stage.take();
    assert_eq!(out[0], LinkOut::Lost { from: ms(960), to: ms(4000) });
    stage.message(&result(0, "antes", 0.0, 0.96, true, false));
    stage.message(&result(0, "después", 0.96, 1.96, true, true));
    let told = heard(&stage.take());
    assert_eq!((told[0].text.as_str(), told[0].start, told[0].end), ("antes", ms(0), ms(960)));
    assert_eq!((told[1].text.as_str(), told[1].start, told[1].end), ("después", ms(4000), ms(5000)));
}

#[test]
fn the_tail_of_a_call_is_replayed_even_after_the_hang_up() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(2000));
    stage.closed(1006);
    stage.link.finish(stage.now);
    dial_again(&mut stage);
    assert_eq!(samples(&stage.take()).len(), RATE as usize * 2);
    stage.message(&result(0, "chau", 0.0, 2.0, true, true));
    stage.closed(1000);
    assert_eq!(stage.take().last(), Some(&LinkOut::Report(Report::Finished)));
}

#[test]
fn vosk_without_word_times_isnt_told_to_hear_settled_audio_again() {
    let mut stage = Stage::open(Dialect::Vosk, MONO);
    stage.speak(ms(1000));
    for _ in 0..4 {
        stage.message(r#"{"partial":"hola"}"#);
    }
    stage.message(r#"{"text":"hola"}"#);
    stage.closed(1006);
    dial_again(&mut stage);
    let replayed = samples(&stage.take());
    assert_eq!((replayed[0], replayed.len()), (4001, 4000), "from 0.5 s on");
}
