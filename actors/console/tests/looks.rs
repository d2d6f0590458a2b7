//! When the patient is looked at: by itself in one's own call, once for what there is to see, never otherwise.
use super::super::state::Connection;
use super::{CALL, Seat, call, row, welcome};
use aura::protocol::desk::Ask;
use ratatui::crossterm::event::KeyCode;
use serde_json::{Value, json};
use std::time::Duration;

fn look_up(progress: &str) -> Value {
    json!({ "event": "look_up", "progress": progress, "outage": null, "source": "mock", "models": 1, "cached": false })
}

fn equipment() -> Value {
    json!({ "event": "equipment", "detail": true })
}

fn identity(change: &str, dni: &str) -> Value {
    json!({ "event": "identity", "change": change, "held": { "dni": dni, "source": "dictated", "state": "given" } })
}

fn patient(look_up: &str, devices: Value) -> Value {
    json!({
        "type": "patient", "call": CALL, "dni": "14231608", "source": "dictated", "state": "given", "lookUp": look_up,
        "outage": null, "provider": "mock", "cached": false, "models": ["M50"], "devices": devices,
    })
}

fn m50() -> Value {
    json!([{ "name": "Concentrador de oxígeno M50", "brand": "Canta", "sku": null, "category": "concentrador" }])
}

fn see() -> Ask {
    Ask::SeePatient { call: call() }
}

#[test]
fn found_is_looked_at_once_whichever_news_comes_first() {
    for news in [[look_up("dni"), equipment()], [equipment(), look_up("dni")]] {
        let mut seat = Seat::claimed();
        seat.event(identity("captured", "DNI ···608"));
        assert_eq!(seat.event(look_up("pending")), []);
        let [first, second] = news;
        assert_eq!(seat.event(first), [see()]);
        assert_eq!(seat.event(second), [], "a look is under way");
        assert_eq!(seat.answered(patient("dni", m50()), Some(see())), [], "it showed all there is");
        assert_eq!(seat.event(json!({ "event": "hold", "on": true })), []);
        let screen = seat.screen(100, 32);
        assert!(screen.contains("14.231.608") && screen.contains("M50 (Canta)"), "{screen}");
    }
}

#[test]
fn detail_that_came_after_the_look_is_looked_at_again() {
    let mut seat = Seat::claimed();
    seat.event(identity("captured", "DNI ···608"));
    assert_eq!(seat.event(look_up("dni")), [see()]);
    assert_eq!(seat.answered(patient("dni", Value::Null), Some(see())), []);
    assert_eq!(seat.event(equipment()), [see()]);
    // The answer that crossed it didn't know yet.
    assert_eq!(seat.answered(patient("dni", m50()), Some(see())), []);
}

#[test]
fn what_happened_before_is_looked_at_once_at_its_end() {
    let mut seat = Seat::welcomed(json!([row(CALL, json!({ "claimedBy": "ana" }))]));
    seat.press(KeyCode::Enter);
    seat.watching(true);
    assert_eq!(seat.event(identity("captured", "DNI ···608")), []);
    assert_eq!(seat.event(look_up("dni")), []);
    assert_eq!(seat.event(equipment()), []);
    assert_eq!(seat.caught_up(), [see()]);
}

#[test]
fn a_call_that_isnt_ones_own_is_looked_at_by_hand_alone() {
    let mut seat = Seat::welcomed(json!([row(CALL, json!({ "claimedBy": "luis" }))]));
    seat.press(KeyCode::Enter);
    seat.watching(true);
    seat.event(identity("captured", "DNI ···608"));
    seat.event(look_up("dni"));
    assert_eq!(seat.caught_up(), []);
    assert_eq!(seat.types("p"), [see()]);
    assert_eq!(seat.types("p"), [], "one look at a time");
    seat.answered(patient("dni", m50()), Some(see()));
    assert!(seat.screen(100, 32).contains("14.231.608"));
    // It becomes one's own.
    let asks = seat.row(row(CALL, json!({ "claimedBy": "ana" })));
    assert_eq!(asks, [see()]);
    // And somebody else's again: nothing of the patient stays.
    seat.row(row(CALL, json!({ "claimedBy": "luis" })));
    let screen = seat.screen(100, 32);
    assert!(!screen.contains("14.231.608") && screen.contains("DNI ···608"), "{screen}");
}

#[test]
fn another_document_takes_the_seen_patient_away() {
    let mut seat = Seat::claimed();
    seat.event(identity("captured", "DNI ···608"));
    seat.event(look_up("dni"));
    seat.answered(patient("dni", m50()), Some(see()));
    seat.event(identity("confirmed", "DNI ···608"));
    assert!(seat.screen(100, 32).contains("14.231.608"), "it is the same document");
    seat.event(identity("corrected", "DNI ···999"));
    let screen = seat.screen(100, 32);
    assert!(
        !screen.contains("14.231.608") && !screen.contains("Canta") && screen.contains("···999"),
        "{screen}"
    );
    assert_eq!(seat.event(look_up("pending")), []);
    assert_eq!(seat.event(look_up("dni")), [see()]);
}

#[test]
fn a_look_that_was_cut_off_is_taken_again() {
    let mut seat = Seat::claimed();
    assert_eq!(seat.event(look_up("dni")), [see()]);
    let (why, again) = ("corte".to_owned(), Duration::from_millis(500));
    seat.state.connected(Connection::Broken { why, again, unanswered: 0 });
    let asks = seat.told(welcome(7, json!([row(CALL, json!({ "claimedBy": "ana" }))]), &[]));
    assert!(asks.contains(&see()), "{asks:?}");
}

#[test]
fn a_refused_look_isnt_repeated_by_itself() {
    let mut seat = Seat::claimed();
    assert_eq!(seat.event(look_up("dni")), [see()]);
    let refused =
        json!({ "type": "refused", "id": 5, "why": "forbidden", "text": "No puede ver pacientes." });
    assert_eq!(seat.answered(refused, Some(see())), []);
    assert_eq!(seat.toast(), "No puede ver pacientes.");
    assert_eq!(seat.event(json!({ "event": "hold", "on": true })), []);
    assert_eq!(seat.types("p"), [see()], "by hand it is");
}

#[test]
fn only_a_document_that_is_shown_is_vouched_for() {
    let mut seat = Seat::claimed();
    seat.event(identity("captured", "DNI ···608"));
    assert_eq!(seat.types("c"), [see()], "first it is looked at");
    seat.answered(patient("pending", Value::Null), Some(see()));
    let confirm = Ask::ConfirmDni { call: call(), dni: aura::protocol::desk::Private("14231608".to_owned()) };
    assert_eq!(seat.types("c"), [confirm]);
    seat.event(identity("corrected", "DNI ···999"));
    assert_eq!(seat.types("c"), [see()], "that one is gone");
}
