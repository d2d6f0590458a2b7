//! A link whose network behaves: handshake, audio, keep-alive, requests, back-pressure, the end.
use super::stt_stage::{MONO, RATE, Stage, heard, ms, result, samples, texts};
use aura::ears::{Layout, Track};
use aura::protocol::deepgram::{CLOSE_STREAM, FINALIZE, KEEP_ALIVE};
use aura::protocol::vosk;
use aura::stt::{Dialect, Frame, LinkOut, Report};
use std::time::Duration;

#[test]
fn it_dials_at_once_and_greets() {
    let mut stage = Stage::new(Dialect::Vosk, MONO);
    assert_eq!(stage.take(), [LinkOut::Connect { connection: 1 }]);
    stage.opened();
    assert_eq!(texts(&stage.take()), [vosk::config(RATE)]);
}

#[test]
fn fault_42_an_idle_socket_is_kept_open_from_the_handshake_on() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.wait(ms(15_000));
    let times: Vec<u64> = stage
        .out
        .iter()
        .filter(|(_, out)| *out == LinkOut::Send(Frame::Text(KEEP_ALIVE.to_owned())))
        .map(|(at, _)| at.as_secs())
        .collect();
    assert_eq!(times, [0, 4, 8, 12], "as text, before the first audio");
    // While audio flows nothing else is needed; on hold it begins again.
    stage.take();
    stage.speak(ms(6000));
    assert_eq!(texts(&stage.take()), Vec::<&str>::new());
    stage.wait(ms(15_000));
    assert_eq!(texts(&stage.take()), [KEEP_ALIVE; 3]);
}

#[test]
fn audio_goes_out_in_chunks_that_are_never_empty() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.speak(ms(1000));
    let out = stage.take();
    for sent in &out {
        if let LinkOut::Send(Frame::Binary(bytes)) = sent {
            let length = Duration::from_secs_f64(bytes.len() as f64 / 4.0 / f64::from(RATE));
            assert!((ms(50)..=ms(100)).contains(&length), "{length:?}");
        }
    }
    let sent = samples(&out);
    assert_eq!(sent, (1..=sent.len() as i16).collect::<Vec<_>>(), "each sample once, in order");
    assert!(sent.len() as u32 > RATE * 2 * 9 / 10);
    stage.wait(ms(4000));
    assert_eq!(
        samples(&stage.take()).len() + sent.len(),
        RATE as usize * 2,
        "the rest before the first pause"
    );
}

#[test]
fn results_are_told_by_track_in_the_calls_time() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.speak(ms(3000));
    stage.take();
    stage.message(&result(1, "buen día", 0.5, 1.5, false, false));
    stage.message(&result(0, "hola", 1.0, 2.0, true, true));
    stage.message(r#"{"type":"UtteranceEnd","channel":[0,2],"last_word_end":2.0}"#);
    let out = stage.take();
    let told = heard(&out);
    assert_eq!((told[0].track, told[0].text.as_str(), told[0].settled), (Track::Outbound, "buen día", false));
    assert_eq!((told[1].track, told[1].start, told[1].end), (Track::Inbound, ms(1000), ms(2000)));
    let end = Report::UtteranceEnd { track: Track::Inbound, last_word_end: ms(2000) };
    assert_eq!(out.last(), Some(&LinkOut::Report(end)));
}

#[test]
fn a_link_of_one_track_knows_whose_it_is() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Mono(Track::Outbound));
    stage.speak(ms(2000));
    stage.message(&result(0, "hola", 0.0, 1.0, true, true));
    assert_eq!(heard(&stage.take())[0].track, Track::Outbound);
}

#[test]
fn a_result_of_no_channel_is_nobodys() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.speak(ms(2000));
    stage.take();
    stage.message(&result(2, "hola", 0.0, 1.0, true, true));
    assert!(matches!(stage.take()[..], [LinkOut::Report(Report::Trouble(_))]));
}

#[test]
fn absurd_times_settle_no_more_than_was_sent() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(960));
    stage.message(&result(0, "hola", -5.0, 1e300, true, true));
    let first = heard(&stage.take()).pop().unwrap();
    assert_eq!((first.start, first.end), (ms(0), ms(960)));
    stage.speak(ms(960));
    stage.message(&result(0, "qué tal", 0.96, 1.9, true, true));
    assert_eq!(heard(&stage.take())[0].text, "qué tal");
}

#[test]
fn the_rest_is_asked_for_after_the_audio_before_it() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(1030));
    stage.link.finalize(stage.now);
    stage.drain();
    let out = stage.take();
    assert_eq!(samples(&out).len(), 8160, "also what is less than a chunk");
    assert_eq!(out.last(), Some(&LinkOut::Send(Frame::Text(FINALIZE.to_owned()))));
}

#[test]
fn the_end_waits_for_the_goodbye() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(1030));
    stage.link.finish(stage.now);
    stage.drain();
    let out = stage.take();
    assert_eq!(out.last(), Some(&LinkOut::Send(Frame::Text(CLOSE_STREAM.to_owned()))));
    stage.wait(ms(2000));
    stage.message(&result(0, "chau", 0.2, 0.9, true, false));
    assert_eq!(heard(&stage.take())[0].text, "chau");
    stage.message(r#"{"type":"Metadata","duration":1.03}"#);
    assert_eq!(stage.take(), [LinkOut::Disconnect, LinkOut::Report(Report::Finished)]);
    assert!(stage.link.is_over() && stage.link.deadline().is_none());
}

#[test]
fn the_end_without_a_goodbye_is_asked_for_again_and_then_told() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(1000));
    stage.link.finish(stage.now);
    stage.drain();
    stage.take();
    stage.wait(ms(4900));
    assert!(stage.take().is_empty());
    stage.wait(ms(1200));
    assert_eq!(stage.take(), [LinkOut::Disconnect, LinkOut::Connect { connection: 2 }]);
    stage.opened();
    assert_eq!(samples(&stage.take()).len(), RATE as usize, "what wasn't settled, once more");
    stage.wait(ms(10_000));
    let out = stage.take();
    let lost = LinkOut::Lost { from: ms(0), to: ms(1000) };
    assert!(
        out.contains(&lost) && matches!(out.last(), Some(LinkOut::Report(Report::Trouble(_)))),
        "{out:?}"
    );
    assert!(stage.link.is_over());
}

#[test]
fn an_end_where_all_is_settled_needs_no_goodbye() {
    let mut stage = Stage::open(Dialect::Deepgram, MONO);
    stage.speak(ms(960));
    stage.message(&result(0, "chau", 0.0, 0.96, true, true));
    stage.link.finish(stage.now);
    stage.drain();
    stage.take();
    stage.wait(ms(5000));
    assert_eq!(stage.take(), [LinkOut::Disconnect, LinkOut::Report(Report::Finished)]);
}

#[test]
fn a_writer_that_is_full_makes_audio_wait_and_it_catches_up() {
    let mut stage = Stage::open(Dialect::Deepgram, Layout::Stereo);
    stage.speak(ms(1000));
    let before = samples(&stage.take()).len();
    stage.link.writable(false, stage.now);
    stage.speak(ms(2000));
    assert!(samples(&stage.take()).is_empty() && stage.link.backlog() >= ms(1900));
    stage.link.writable(true, stage.now);
    stage.drain();
    let out = stage.take();
    assert!(stage.link.backlog() < ms(50), "at once, not in real time");
    assert!(before + samples(&out).len() > RATE as usize * 2 * 29 / 10);
    assert!(!out.iter().any(|out| matches!(out, LinkOut::Lost { .. })));
}

#[test]
fn vosk_is_sent_no_more_than_it_answers() {
    let mut stage = Stage::open(Dialect::Vosk, MONO);
    stage.speak(ms(4000));
    let sent = |out: &[LinkOut]| out.iter().filter(|o| matches!(o, LinkOut::Send(Frame::Binary(_)))).count();
    assert_eq!(sent(&stage.take()), 16, "a window, then it waits");
    stage.message(r#"{"partial":""}"#);
    stage.message(r#"{"partial":"hola"}"#);
    assert_eq!(sent(&stage.take()), 2, "a reply lets one message go");
}

#[test]
fn vosk_results_without_times_get_the_sent_audios() {
    let mut stage = Stage::open(Dialect::Vosk, MONO);
    stage.speak(ms(1000));
    for _ in 0..5 {
        stage.message(r#"{"partial":"buenas"}"#);
    }
    let partial = heard(&stage.take()).pop().unwrap();
    assert_eq!((partial.start, partial.end), (ms(0), ms(500)));
    stage.message(r#"{"text":"buenas tardes"}"#);
    let done = heard(&stage.take()).pop().unwrap();
    assert_eq!((done.start, done.end, done.settled, done.endpoint), (ms(0), ms(600), true, true));
    stage.message(r#"{"partial":"mi"}"#);
    let next = heard(&stage.take()).pop().unwrap();
    assert_eq!((next.start, next.end), (ms(600), ms(700)));
}

#[test]
fn vosk_says_goodbye_with_its_last_reply() {
    let mut stage = Stage::open(Dialect::Vosk, MONO);
    stage.speak(ms(200));
    stage.link.finish(stage.now);
    stage.drain();
    assert_eq!(texts(&stage.take()).last(), Some(&vosk::EOF));
    stage.message(r#"{"partial":""}"#);
    stage.message(r#"{"partial":"chau"}"#);
    assert!(!stage.link.is_over());
    stage.message(r#"{"text":"chau"}"#);
    let out = stage.take();
    assert_eq!(out[out.len() - 2..], [LinkOut::Disconnect, LinkOut::Report(Report::Finished)]);
    assert!(stage.link.is_over());
}

#[test]
fn vosk_that_hangs_is_dialled_again() {
    let mut stage = Stage::open(Dialect::Vosk, MONO);
    stage.speak(ms(1000));
    stage.wait(ms(9500));
    assert!(stage.take().contains(&LinkOut::Disconnect));
}
