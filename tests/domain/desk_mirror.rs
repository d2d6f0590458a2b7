//! What a client makes of what it is told: rows, calls from a cursor or anew, each event once (issue 6).
use super::desk_kit::*;
use aura::channel::Channel;
use aura::desk::Mirror;
use aura::event::News;
use aura::protocol::desk::{
    Callback, Cursor, Event, Farewell, Happening, Key, Message, Patient, Refusal, read_message,
};

fn watching(anew: bool, epoch: u64) -> Message {
    Message::Watching { id: 2, call: call("one"), epoch, anew, cut: false }
}

fn told(seq: u64, news: News) -> Message {
    let happening = Happening::of(&news, Channel::AudioFork);
    Message::Event(Event { call: call("one"), seq, at: NOON + seq, happening })
}

fn seqs(mirror: &Mirror) -> Vec<u64> {
    mirror.watched[&call("one")].events().map(|event| event.seq).collect()
}

/// A client that has read five events of a call.
fn mirror() -> Mirror {
    let mut mirror = Mirror::default();
    mirror.take(watching(true, 7));
    for (seq, text) in [(1, "hola"), (2, "me"), (3, "me marca")] {
        assert!(mirror.take(told(seq, heard(usize::from(seq > 1), text, true))));
    }
    mirror.take(told(4, heard(1, "me marca error", false)));
    mirror.take(told(5, claimed(Some("elsa"))));
    mirror
}

#[test]
fn issue6_the_newest_of_each_key_stands_in_the_order_in_which_it_was_told() {
    let mut mirror = mirror();
    assert_eq!(seqs(&mirror), [1, 4, 5]);
    let view = &mirror.watched[&call("one")];
    assert_eq!(view.cursor, Some(Cursor { epoch: 7, seq: 5 }));
    let line = Happening::of(&heard(1, "me marca error", false), Channel::AudioFork);
    assert_eq!(view.of(&Key::Line(1)), Some(&line));
    assert_eq!(view.of(&Key::Line(2)), None);
    assert!(!view.caught_up);
    assert!(mirror.take(Message::CaughtUp { call: call("one"), seq: 5 }));
    assert!(mirror.watched[&call("one")].caught_up);
}

#[test]
fn issue6_an_event_that_was_seen_changes_nothing_however_often_it_comes() {
    let mut mirror = mirror();
    let before = mirror.clone();
    for seq in 1..=5 {
        assert!(!mirror.take(told(seq, heard(1, "otra cosa", true))), "{seq}");
    }
    assert_eq!(mirror, before);
    assert!(mirror.take(told(6, heard(1, "me marca error H08", false))));
    assert_eq!(seqs(&mirror), [1, 5, 6]);
}

#[test]
fn issue6_catching_up_goes_on_where_the_client_is_and_anew_forgets_what_was() {
    let mut mirror = mirror();
    mirror.take(watching(false, 7));
    assert_eq!(seqs(&mirror), [1, 4, 5]);
    mirror.take(told(9, heard(2, "hola", false)));
    assert_eq!(seqs(&mirror), [1, 4, 5, 9]);
    // Another life of the server counts from 1.
    mirror.take(watching(true, 8));
    assert_eq!(seqs(&mirror), [] as [u64; 0]);
    assert_eq!(mirror.watched[&call("one")].cursor, Some(Cursor { epoch: 8, seq: 0 }));
    assert!(mirror.take(told(1, heard(0, "hola", false))));
    assert_eq!(seqs(&mirror), [1]);
    assert_eq!(mirror.watched[&call("one")].cursor, Some(Cursor { epoch: 8, seq: 1 }));
}

#[test]
fn issue6_what_was_caught_up_with_counts_for_the_cursor_even_where_nothing_of_it_stands() {
    let mut mirror = mirror();
    mirror.take(Message::CaughtUp { call: call("one"), seq: 40 });
    assert_eq!(mirror.watched[&call("one")].cursor, Some(Cursor { epoch: 7, seq: 40 }));
    mirror.take(Message::CaughtUp { call: call("one"), seq: 30 });
    assert_eq!(mirror.watched[&call("one")].cursor, Some(Cursor { epoch: 7, seq: 40 }), "never back");
}

#[test]
fn issue6_a_beginning_that_is_kept_no_more_is_known_until_all_is_told_anew() {
    let mut mirror = mirror();
    let cut = |cut, anew| Message::Watching { id: 2, call: call("one"), epoch: 7, anew, cut };
    mirror.take(cut(true, false));
    mirror.take(cut(false, false));
    assert!(mirror.watched[&call("one")].cut);
    mirror.take(cut(false, true));
    assert!(!mirror.watched[&call("one")].cut);
}

#[test]
fn issue6_calls_that_are_not_watched_stay_out() {
    let mut mirror = mirror();
    let two = Event { call: call("two"), seq: 1, at: NOON, happening: Happening::Lost };
    assert!(!mirror.take(Message::Event(two)));
    assert!(!mirror.take(Message::CaughtUp { call: call("two"), seq: 3 }));
    assert_eq!(mirror.watched.len(), 1);
}

#[test]
fn issue6_an_id_that_is_dialled_again_is_shown_as_another_call() {
    let mut mirror = mirror();
    mirror.take(told(6, News::Lost));
    mirror.take(told(7, News::Opened));
    assert_eq!(seqs(&mirror), [1, 4, 5, 7], "back, not another");
    mirror.take(told(8, News::Closed));
    mirror.take(told(9, News::Opened));
    mirror.take(told(10, heard(0, "soy otra persona", false)));
    assert_eq!(seqs(&mirror), [9, 10]);
}

#[test]
fn issue6_the_list_is_what_the_server_has() {
    let (mut desk, mut mirror) = (Desk::new(1), Mirror::default());
    for name in ["one", "two"] {
        desk.news(&fork(&call(name), News::Opened));
    }
    desk.connect(0);
    desk.clients[0].drain(NOON);
    assert_eq!(desk.clients[0].mirror.rows.values().cloned().collect::<Vec<_>>(), desk.board.rows());
    let rows = desk.board.rows();
    assert!(mirror.take(Message::Rows { rows: rows.clone(), gone: vec![] }));
    desk.news(&fork(&call("two"), claimed(Some("elsa"))));
    let row = desk.board.row(&call("two")).unwrap().clone();
    mirror.take(Message::Rows { rows: vec![row.clone()], gone: vec![call("one")] });
    assert_eq!(mirror.rows.into_values().collect::<Vec<_>>(), [row]);
}

#[test]
fn issue6_the_rest_is_taken_over_or_passed_over() {
    let mut mirror = mirror();
    assert!(mirror.take(Message::Health { down: vec!["No hay sugerencias.".to_owned()] }));
    assert_eq!(mirror.down, ["No hay sugerencias."]);
    let callback = Callback {
        callback: "7".to_owned(),
        call: call("one"),
        source: "retell".to_owned(),
        reason: "holding".to_owned(),
        text: "se le prometió una respuesta".to_owned(),
        question: None,
        telephone: Some("Tel. ···8900".to_owned()),
        since: NOON,
    };
    assert!(mirror.take(Message::Callbacks { rows: vec![callback.clone()] }));
    assert_eq!(mirror.callbacks, [callback]);
    let before = mirror.clone();
    let patient = Patient {
        call: call("one"),
        dni: Some("23456789".to_owned()),
        source: None,
        state: None,
        look_up: Default::default(),
        outage: None,
        provider: None,
        cached: false,
        models: Vec::new(),
        devices: None,
    };
    let answers = [
        Message::Done { id: 1 },
        Message::Pong { id: 1 },
        Message::Refused { id: None, why: Refusal::Value, text: String::new(), by: None },
        Message::Patient(Box::new(patient)),
        Message::Telephone { callback: "7".to_owned(), telephone: None },
        Message::Bye { why: Farewell::Behind, text: String::new() },
        Message::Unknown,
    ];
    for answer in answers {
        assert!(!mirror.take(answer));
    }
    assert_eq!(mirror, before);
}

#[test]
fn issue6_a_newer_servers_event_is_passed_over_and_counts() {
    let mut mirror = mirror();
    let text = r#"{"type":"event","call":"one","seq":6,"at":9,"event":"dance","partner":{"name":"x"}}"#;
    assert!(mirror.take(read_message(text).unwrap()));
    assert!(!mirror.take(read_message(r#"{"type":"weather","sun":true}"#).unwrap()));
    let view = &mirror.watched[&call("one")];
    assert_eq!(view.cursor, Some(Cursor { epoch: 7, seq: 6 }));
    assert_eq!(view.events().next_back().unwrap().happening, Happening::Unknown);
}
