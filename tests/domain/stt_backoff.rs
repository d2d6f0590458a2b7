//! When a link dials again, and when it tells that nobody should wait for it.
use super::stt_stage::{MONO, Stage, ms, result};
use aura::stt::{Dialect, Limits, LinkOut, Refusal, Report};
use std::time::Duration;

#[test]
fn a_handshake_that_hangs_is_given_up() {
    let mut stage = Stage::new(Dialect::Deepgram, MONO);
    stage.wait(ms(10_000));
    assert!(stage.take().contains(&LinkOut::Disconnect));
    stage.wait(ms(1000));
    assert_eq!(stage.connection, 2);
}

#[test]
fn waiting_times_grow_to_their_cap_and_differ_between_links() {
    let waits = |seed: u64| -> Vec<Duration> {
        let mut stage = Stage::with(Dialect::Deepgram, MONO, Limits::default(), seed);
        let mut waits = Vec::new();
        for _ in 0..5 {
            stage.link.refused(
                stage.connection,
                &Refusal { status: Some(503), ..Refusal::default() },
                stage.now,
            );
            stage.drain();
            let wait = stage.link.deadline().unwrap() - stage.now;
            waits.push(wait);
            stage.wait(wait);
        }
        assert!(!stage.take().iter().any(|out| matches!(out, LinkOut::GaveUp { .. })));
        waits
    };
    let all: Vec<Vec<Duration>> = (0..50).map(waits).collect();
    for (attempt, most) in [1, 2, 4, 8, 10].into_iter().enumerate() {
        let longest = all.iter().map(|waits| waits[attempt]).max().unwrap();
        let shortest = all.iter().map(|waits| waits[attempt]).min().unwrap();
        let most = Duration::from_secs(most);
        assert!(
            longest <= most && longest > most * 8 / 10 && shortest < most / 5,
            "{shortest:?} {longest:?}"
        );
    }
    assert_eq!(waits(3), waits(3), "the same seed waits the same");
}

#[test]
fn after_five_attempts_it_is_tried_seldom_and_comes_back() {
    let mut stage = Stage::new(Dialect::Deepgram, MONO);
    for _ in 0..6 {
        stage.link.refused(stage.connection, &Refusal::default(), stage.now);
        stage.drain();
        let wait = stage.link.deadline().unwrap() - stage.now;
        stage.wait(wait.min(ms(10_000)));
    }
    assert_eq!(stage.take().iter().filter(|out| matches!(out, LinkOut::GaveUp { .. })).count(), 1);
    let connection = stage.connection;
    stage.wait(ms(19_000));
    assert_eq!(stage.connection, connection);
    stage.wait(ms(1500));
    assert_eq!(stage.connection, connection + 1, "every 30 s");
    stage.opened();
    stage.speak(ms(1000));
    assert!(!stage.take().contains(&LinkOut::Recovered), "an open socket proves nothing");
    stage.message(&result(0, "", 0.0, 1.0, true, false));
    assert!(stage.take().contains(&LinkOut::Recovered));
}

#[test]
fn what_somebody_must_mend_isnt_retried_quickly() {
    for (status, advice) in [(400, "options"), (401, "key"), (402, "credit"), (403, "key"), (404, "address")]
    {
        let mut stage = Stage::new(Dialect::Deepgram, MONO);
        stage.take();
        let detail = "INVALID_AUTH\u{7} 32.456.789".to_owned();
        let refusal = Refusal { status: Some(status), retry_after: None, detail };
        stage.link.refused(stage.connection, &refusal, stage.now);
        stage.drain();
        let out = stage.take();
        let [LinkOut::GaveUp { reason }] = &out[..] else { panic!("{out:?}") };
        assert!(reason.contains(advice) && reason.contains("INVALID_AUTH DNI ···789"), "{reason}");
        stage.wait(ms(59_900));
        assert_eq!(stage.connection, 1);
        stage.wait(ms(200));
        assert_eq!(stage.connection, 2, "looked at again every minute");
    }
}

#[test]
fn a_server_that_names_a_time_is_given_it() {
    let mut stage = Stage::new(Dialect::Deepgram, MONO);
    let refusal = Refusal { status: Some(429), retry_after: Some(ms(7000)), ..Refusal::default() };
    stage.link.refused(stage.connection, &refusal, stage.now);
    assert_eq!(stage.link.deadline().unwrap() - stage.now, ms(7000));
}

#[test]
fn close_codes_decide() {
    for (code, lasting) in [
        (1002, true),
        (1003, true),
        (1007, true),
        (1008, true),
        (1006, false),
        (1011, false),
        (1012, false),
        (1013, false),
        (4001, false),
        (1000, false),
    ] {
        let mut stage = Stage::open(Dialect::Deepgram, MONO);
        stage.speak(ms(500));
        stage.closed(code);
        let gave_up = stage.take().iter().any(|out| matches!(out, LinkOut::GaveUp { .. }));
        assert_eq!(gave_up, lasting, "{code}");
        assert_eq!(stage.link.deadline().unwrap() - stage.now > ms(1000), lasting, "{code}");
    }
}

#[test]
fn a_call_that_ends_while_nobody_answers_ends_in_time() {
    let mut stage = Stage::new(Dialect::Deepgram, MONO);
    stage.speak(ms(2000));
    stage.link.finish(stage.now);
    for _ in 0..20 {
        stage.link.refused(stage.connection, &Refusal::default(), stage.now);
        stage.drain();
        stage.wait(ms(1000));
    }
    let out = stage.take();
    assert!(out.contains(&LinkOut::Lost { from: ms(0), to: ms(2000) }), "{out:?}");
    assert!(matches!(out.last(), Some(LinkOut::Report(Report::Trouble(_)))));
    assert!(stage.link.is_over());
}
