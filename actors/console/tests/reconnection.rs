//! What a client asks when it is back: the open call from where it was.
use super::super::state::Connection;
use super::{CALL, NOW, Seat, call, row, welcome};
use aura::protocol::desk::{Ask, Cursor};
use ratatui::crossterm::event::KeyCode;
use serde_json::json;
use std::time::Duration;

fn broken(unanswered: usize) -> Connection {
    Connection::Broken { why: "corte".to_owned(), again: Duration::from_millis(500), unanswered }
}

#[test]
fn the_open_call_is_watched_from_where_the_client_was() {
    let mut seat = Seat::claimed();
    seat.line(0, "patient", 1_000, "Hola", false);
    seat.line(1, "patient", 3_000, "se apagó", true);
    seat.state.connected(broken(0));
    let asks = seat.told(welcome(7, json!([row(CALL, json!({ "claimedBy": "ana" }))]), &[]));
    assert_eq!(asks, [Ask::Watch { call: call(), after: Some(Cursor { epoch: 7, seq: 2 }) }]);
    // The server goes on from there: what was known stays, and nothing is told twice.
    seat.watching(false);
    seat.line(1, "patient", 3_000, "se apagó el equipo", false);
    let screen = seat.screen(100, 32);
    assert!(screen.contains("Hola") && screen.contains("se apagó el equipo"), "{screen}");
}

#[test]
fn after_a_restart_of_the_server_everything_is_told_anew() {
    let mut seat = Seat::claimed();
    seat.line(0, "patient", 1_000, "Hola", false);
    seat.state.connected(broken(0));
    seat.told(welcome(8, json!([row(CALL, json!({ "claimedBy": "ana" }))]), &[]));
    seat.seq = 0;
    seat.told(json!({ "type": "watching", "id": 2, "call": CALL, "epoch": 8, "anew": true, "cut": false }));
    seat.line(0, "patient", 1_000, "Hola, buenas", false);
    seat.caught_up();
    let screen = seat.screen(100, 32);
    assert_eq!(screen.matches("Hola").count(), 1, "{screen}");
    seat.state.connected(broken(0));
    let asks = seat.told(welcome(8, json!([row(CALL, json!({ "claimedBy": "ana" }))]), &[]));
    assert_eq!(asks, [Ask::Watch { call: call(), after: Some(Cursor { epoch: 8, seq: 1 }) }]);
}

#[test]
fn a_call_that_is_gone_after_a_restart_stays_in_view_and_is_watched_once_it_is_back() {
    let mut seat = Seat::claimed();
    seat.line(0, "patient", 1_000, "Hola", false);
    let after = Some(Cursor { epoch: 7, seq: 1 });
    let watch = Ask::Watch { call: call(), after };
    assert_eq!(seat.told(welcome(8, json!([]), &[])), std::slice::from_ref(&watch));
    let refused = json!({ "type": "refused", "id": 3, "why": "unknown", "text": "No hay tal llamada." });
    assert_eq!(seat.answered(refused, Some(watch.clone())), []);
    assert!(seat.screen(100, 32).contains("Hola"));
    assert_eq!(seat.row(row("other", json!({}))), []);
    assert_eq!(seat.row(row(CALL, json!({}))), [watch], "its peer redialled");
    assert_eq!(seat.row(row(CALL, json!({ "overdue": true }))), [], "once");
}

#[test]
fn a_call_that_ended_and_left_the_list_is_left() {
    let mut seat = Seat::claimed();
    seat.event(json!({ "event": "closed" }));
    seat.told(json!({ "type": "rows", "rows": [], "gone": [CALL] }));
    assert!(seat.state.open.is_none() && seat.state.mirror.watched.is_empty());
}

#[test]
fn what_may_not_have_been_done_is_said_and_what_wasnt_sent_too() {
    let mut seat = Seat::claimed();
    seat.state.connected(broken(2));
    assert!(seat.toast().contains("2 pedido(s) sin respuesta"), "{}", seat.toast());
    let screen = seat.screen(100, 32);
    assert!(screen.contains("SIN CONEXIÓN (corte)"), "{screen}");
    seat.state.unsent(&Ask::Suggest { call: call() });
    assert!(seat.toast().contains("no se envió"), "{}", seat.toast());
    seat.state.clock(NOW + 60_000);
    assert_eq!(seat.toast(), "", "it goes by itself");
}

#[test]
fn a_goodbye_for_good_ends_the_client_and_a_passing_one_doesnt() {
    let mut seat = Seat::claimed();
    seat.told(json!({ "type": "bye", "why": "restart", "text": "Vuelve enseguida." }));
    assert_eq!(seat.state.farewell, None);
    seat.told(json!({ "type": "bye", "why": "signed_out", "text": "Vuelva a entrar." }));
    assert_eq!(seat.state.farewell.as_deref(), Some("Vuelva a entrar."));
}

#[test]
fn leaving_a_call_for_another_unwatches_it() {
    let mut seat = Seat::claimed();
    seat.row(row("other", json!({})));
    seat.press(KeyCode::Down);
    let other = aura::ids::CallId::parse("other").unwrap();
    let asks = seat.press(KeyCode::Enter);
    assert_eq!(asks, [Ask::Unwatch { call: call() }, Ask::Watch { call: other, after: None }]);
    assert!(!seat.state.mirror.watched.contains_key(&call()), "what was told of it is kept no longer");
}
