//! The course of a connection: waits, pings, silence, which answer is of which request.
use super::super::course::{Beat, Course, DEAD_MS, PING_MS};
use super::{NOW, call, row, welcome};
use aura::protocol::desk::{Ask, Cursor, Message, Request, VERSION, read_message};
use serde_json::{Value, json};
use std::time::Duration;

fn message(frame: Value) -> Message {
    read_message(&frame.to_string()).unwrap()
}

fn welcomed() -> Course {
    let mut course = Course::new(Some("104".to_owned()));
    let Request { id, ask } = course.opened(0);
    assert_eq!((id, ask), (1, Ask::Hello { version: VERSION, extension: Some("104".to_owned()) }));
    course.told(&message(welcome(7, json!([row("a", json!({}))]), &[])), 0);
    course
}

#[test]
fn waits_double_up_to_eight_seconds() {
    let mut course = Course::new(None);
    let waits: Vec<u64> =
        (0..7).map(|_| u64::try_from(course.broke(0, 1.0).0.as_millis()).unwrap()).collect();
    assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    assert_eq!(course.broke(0, 0.0).0, Duration::from_millis(6_000), "clients don't dial all at once");
}

#[test]
fn a_connection_that_stood_makes_the_next_wait_short_again() {
    let mut course = welcomed();
    for _ in 0..5 {
        course.broke(0, 1.0);
    }
    course.opened(100_000);
    course.told(&message(welcome(7, json!([]), &[])), 100_000);
    assert_eq!(
        course.broke(103_000, 1.0).0,
        Duration::from_secs(8),
        "one that broke at once was no good one"
    );
    course.opened(200_000);
    course.told(&message(welcome(7, json!([]), &[])), 200_000);
    assert_eq!(course.broke(211_000, 1.0).0, Duration::from_millis(500));
}

#[test]
fn the_server_is_asked_every_fifteen_seconds_and_dead_after_thirty() {
    let mut course = welcomed();
    assert_eq!(course.beat(1), Beat::Until(PING_MS));
    let Beat::Ping(Request { id, ask: Ask::Ping }) = course.beat(PING_MS) else { panic!("no ping") };
    assert_eq!(course.beat(PING_MS), Beat::Until(DEAD_MS));
    assert_eq!(course.told(&message(json!({ "type": "pong", "id": id })), 16_000), Some(Ask::Ping));
    assert_eq!(course.beat(16_000), Beat::Until(2 * PING_MS));
    assert_eq!(course.beat(16_000 + DEAD_MS - 1), Beat::Ping(Request { id: id + 1, ask: Ask::Ping }));
    assert_eq!(course.beat(16_000 + DEAD_MS), Beat::Dead);
}

#[test]
fn a_server_that_never_welcomes_is_dead_too() {
    let mut course = Course::new(None);
    course.opened(0);
    assert_eq!(course.beat(PING_MS), Beat::Until(DEAD_MS));
    assert_eq!(course.beat(DEAD_MS), Beat::Dead);
}

#[test]
fn nothing_is_sent_before_the_welcome_and_only_so_much_at_a_time() {
    let mut course = Course::new(None);
    course.opened(0);
    let claim = Ask::Claim { call: call() };
    assert_eq!(course.ask(claim.clone()), Err(claim.clone()));
    let mut course = welcomed();
    let sent = (0..100).filter(|_| course.ask(claim.clone()).is_ok()).count();
    assert!((10..32).contains(&sent), "{sent} requests without an answer: the server closes on more than 32");
}

#[test]
fn answers_find_their_requests() {
    let mut course = welcomed();
    let see = Ask::SeePatient { call: call() };
    let claim = Ask::Claim { call: call() };
    let watch = Ask::Watch { call: call(), after: Some(Cursor { epoch: 7, seq: 9 }) };
    let [see_id, claim_id, watch_id] =
        [&see, &claim, &watch].map(|ask| course.ask(ask.clone()).map(|request| request.id).unwrap());
    assert_eq!((see_id, claim_id, watch_id), (2, 3, 4));
    let done = json!({ "type": "done", "id": claim_id });
    assert_eq!(course.told(&message(done.clone()), 0), Some(claim));
    assert_eq!(course.told(&message(done), 0), None, "once");
    let refused = json!({ "type": "refused", "id": watch_id, "why": "unknown", "text": "no" });
    assert_eq!(course.told(&message(refused), 0), Some(watch));
    let patient = json!({
        "type": "patient", "call": "another", "dni": null, "source": null, "state": null, "look_up": "waiting",
        "lookUp": "waiting", "outage": null, "provider": null, "cached": false, "models": [], "devices": null,
    });
    assert_eq!(course.told(&message(patient.clone()), 0), None, "of another call");
    let mut own = patient;
    own["call"] = json!(super::CALL);
    assert_eq!(course.told(&message(own), 0), Some(see));
}

#[test]
fn what_nobody_answered_is_counted_where_it_matters() {
    let mut course = welcomed();
    for ask in [
        Ask::Claim { call: call() },
        Ask::Suggest { call: call() },
        Ask::Watch { call: call(), after: None },
        Ask::Callbacks,
    ] {
        course.ask(ask).unwrap();
    }
    assert_eq!(course.broke(NOW, 0.0).1, 2);
    assert_eq!(course.broke(NOW, 0.0).1, 0, "and forgotten");
}
