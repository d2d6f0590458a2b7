//! What each key asks.
use super::super::prompt::{Overlay, Prompt};
use super::{CALL, Seat, call, card, row};
use aura::capture::Field;
use aura::protocol::desk::{Ask, Private, Verdict};
use aura::script::Step;
use aura::suggestion::Mode;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};

fn mark(verdict: Verdict, note: Option<&str>) -> Ask {
    Ask::Mark { call: call(), suggestion_id: format!("{CALL}/3"), verdict, note: note.map(str::to_owned) }
}

fn private(text: &str) -> Private {
    Private(text.to_owned())
}

/// Ana's own call, with a card.
fn seat() -> Seat {
    let mut seat = Seat::claimed();
    seat.event(card(3, "Apague el equipo.", true));
    seat
}

#[test]
fn each_key_asks_for_its_own() {
    let call = call();
    let table: [(&str, Vec<Ask>); 20] = [
        ("t", vec![Ask::Claim { call: call.clone() }]),
        ("s", vec![Ask::Release { call: call.clone() }]),
        ("m", vec![Ask::Mode { call: call.clone(), mode: Mode::Quiet }]),
        ("g", vec![Ask::Suggest { call: call.clone() }]),
        ("d14.231.608\n", vec![Ask::TypeDni { call: call.clone(), dni: private("14.231.608") }]),
        ("d\n", vec![]),
        ("e4", vec![Ask::Step { call: call.clone(), step: Step::Equipment }]),
        ("e9", vec![]),
        (
            "f1Rosa Pérez\n",
            vec![Ask::Capture { call: call.clone(), field: Field::Name, value: private("Rosa Pérez") }],
        ),
        (
            "f5 1145\n",
            vec![Ask::Capture { call: call.clone(), field: Field::Telephone, value: private("1145") }],
        ),
        ("v4", vec![Ask::ConfirmCapture { call: call.clone(), field: Field::Code }]),
        ("bqué es H08\n", vec![Ask::Search { call: call.clone(), text: "qué es H08".to_owned() }]),
        ("xs", vec![Ask::Swap { call: call.clone() }]),
        ("xn", vec![]),
        ("+", vec![mark(Verdict::Right, None)]),
        ("-", vec![mark(Verdict::Wrong, None)]),
        ("=", vec![mark(Verdict::Divergent, None)]),
        ("u", vec![mark(Verdict::Used, None)]),
        ("-nno era eso\n", vec![mark(Verdict::Wrong, Some("no era eso"))]),
        ("l", vec![Ask::Callbacks]),
    ];
    for (keys, asks) in table {
        assert_eq!(typed(&mut seat(), keys), asks, "{keys:?}");
    }
    assert_eq!(seat().press(KeyCode::Backspace), [mark(Verdict::Dismissed, None)]);
    assert_eq!(seat().types("p"), [Ask::SeePatient { call: call.clone() }]);
}

/// Presses the keys; `\n` is Enter. What the last of them asks.
fn typed(seat: &mut Seat, keys: &str) -> Vec<Ask> {
    let code = |key| if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
    keys.chars().map(|key| seat.press(code(key))).last().unwrap_or_default()
}

#[test]
fn escape_gives_a_prompt_up_and_keys_are_keys_again() {
    let mut seat = seat();
    seat.types("d14");
    assert!(matches!(seat.state.prompt, Some(Prompt::Line(..))));
    assert!(!format!("{:?}", seat.state.prompt).contains("14,"), "what is typed may be a document");
    assert_eq!(seat.press(KeyCode::Esc), []);
    assert!(seat.state.prompt.is_none());
    assert_eq!(seat.types("g"), [Ask::Suggest { call: call() }]);
}

#[test]
fn a_line_can_be_corrected() {
    let mut seat = seat();
    seat.types("b");
    seat.types("cañula");
    seat.press(KeyCode::Backspace);
    seat.types("o");
    seat.state.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    seat.types("tubo");
    assert_eq!(seat.press(KeyCode::Enter), [Ask::Search { call: call(), text: "tubo".to_owned() }]);
}

#[test]
fn what_is_pasted_presses_no_keys() {
    let mut seat = seat();
    seat.state.paste("tsg\n+");
    assert!(seat.state.prompt.is_none() && seat.state.toast.is_none());
    seat.types("b");
    seat.state.paste("alarma\nroja");
    assert_eq!(seat.press(KeyCode::Enter), [Ask::Search { call: call(), text: "alarmaroja".to_owned() }]);
}

#[test]
fn without_an_open_call_keys_say_so() {
    let mut seat = Seat::welcomed(json!([row(CALL, json!({}))]));
    for key in "smgdcpefvbrx+-=un".chars() {
        seat.state.toast = None;
        assert_eq!(seat.press(KeyCode::Char(key)), [], "{key}");
        assert!(seat.toast().contains("abra una llamada"), "{key}: {}", seat.toast());
    }
    let asks = seat.types("t");
    assert_eq!(
        asks,
        [Ask::Watch { call: call(), after: None }, Ask::Claim { call: call() }],
        "claiming opens"
    );
}

#[test]
fn only_supervisors_take_over_and_only_when_they_are_sure() {
    let rows = json!([row(CALL, json!({ "claimedBy": "luis" }))]);
    let mut seat = Seat::welcomed(rows.clone());
    assert_eq!(seat.types("Ts"), []);
    assert!(seat.toast().contains("supervisor") || seat.state.prompt.is_none());
    let mut welcome = super::welcome(7, rows, &[]);
    welcome["may"] = json!(["take_over"]);
    let mut seat = Seat::new();
    seat.told(welcome);
    seat.types("T");
    assert!(seat.screen(100, 32).contains("¿Tomar la llamada que tiene luis? s/n"));
    assert_eq!(seat.types("k"), [], "anything else asks again");
    assert_eq!(seat.types("s"), [Ask::TakeOver { call: call() }]);
}

#[test]
fn leaving_with_a_call_asks_first() {
    let mut seat = seat();
    seat.types("q");
    assert!(!seat.state.quit && seat.screen(100, 32).contains("Tiene 1 llamada(s) tomada(s)"));
    seat.types("s");
    assert!(seat.state.quit);
    let mut free = Seat::welcomed(json!([]));
    free.types("q");
    assert!(free.state.quit);
    let mut hurried = self::seat();
    hurried.state.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert!(hurried.state.quit);
}

#[test]
fn modes_come_round() {
    for (mode, next) in [("push", Mode::Quiet), ("quiet", Mode::OnDemand), ("on_demand", Mode::Push)] {
        let mut seat = seat();
        seat.row(row(CALL, json!({ "claimedBy": "ana", "mode": mode })));
        assert_eq!(seat.types("m"), [Ask::Mode { call: call(), mode: next }]);
    }
}

#[test]
fn quiet_covers_a_card_until_it_is_asked_for() {
    for key in [KeyCode::Enter, KeyCode::Char(' ')] {
        let mut seat = seat();
        seat.row(row(CALL, json!({ "claimedBy": "ana", "mode": "quiet" })));
        let screen = seat.screen(100, 32);
        assert!(screen.contains("● hay una sugerencia") && !screen.contains("Apague"), "{screen}");
        assert_eq!(seat.types("+"), [], "what wasn't seen isn't marked");
        assert_eq!(seat.press(key), []);
        assert!(seat.screen(100, 32).contains("Apague el equipo."));
        seat.event(card(4, "Enciéndalo una sola vez.", false));
        assert!(!seat.screen(100, 32).contains("Enciéndalo"), "the next one is covered again");
    }
}

#[test]
fn a_card_that_was_put_aside_makes_room_and_earlier_ones_can_be_read() {
    let mut seat = seat();
    seat.event(card(4, "Enciéndalo una sola vez.", true));
    seat.press(KeyCode::Tab);
    assert_eq!(seat.types("+"), [mark(Verdict::Right, None)], "the mark is of the card that is looked at");
    seat.event(card(5, "Espere un minuto.", true));
    let screen = seat.screen(100, 32);
    assert!(screen.contains("hay una más nueva"), "nothing jumps while it is read: {screen}");
    seat.press(KeyCode::Esc);
    seat.event(json!({ "event": "marked", "suggestionId": format!("{CALL}/5"), "by": "ana", "verdict": "dismissed" }));
    let screen = seat.screen(100, 32);
    assert!(
        !screen.contains("Espere un minuto.") && screen.contains("· Enciéndalo una sola vez."),
        "{screen}"
    );
    assert_eq!(seat.types("+"), [], "what is of before doesn't come forward by itself");
}

#[test]
fn reading_back_stays_where_it_is() {
    let mut seat = seat();
    for index in 0..60 {
        seat.line(index, "patient", 1_000 * index as u64, &format!("línea {index:02}"), false);
    }
    assert!(seat.screen(100, 32).contains("línea 59"));
    for _ in 0..4 {
        seat.press(KeyCode::PageUp);
    }
    let talk = |screen: &str| {
        screen.lines().filter(|line| line.contains("Pac. línea")).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = talk(&seat.screen(100, 32));
    assert!(before.last().unwrap().contains("línea 47"), "{before:?}");
    for index in 60..70 {
        seat.line(index, "patient", 1_000 * index as u64, &format!("línea {index:02}"), index == 69);
    }
    let screen = seat.screen(100, 32);
    assert_eq!(talk(&screen), before);
    assert!(screen.contains("▼ 22 más abajo"), "{screen}");
    seat.press(KeyCode::End);
    assert!(seat.screen(100, 32).contains("línea 69"));
}

#[test]
fn call_backs_are_chosen_looked_at_and_done() {
    let mut seat = seat();
    seat.types("l");
    let callback = |id: &str| {
        json!({
            "callback": id, "call": "r-1", "source": "retell", "reason": "holding", "text": "Quedó una pregunta.",
            "question": "¿qué es E3?", "telephone": "···4567", "since": super::SERVER - 60_000,
        })
    };
    seat.told(json!({ "type": "callbacks", "rows": [callback("one"), callback("two")] }));
    seat.press(KeyCode::Down);
    seat.press(KeyCode::Down);
    assert_eq!(seat.press(KeyCode::Enter), [Ask::SeeTelephone { callback: "two".to_owned() }]);
    assert!(!seat.screen(100, 32).contains("1145674567"));
    seat.told(json!({ "type": "telephone", "callback": "two", "telephone": "1145674567" }));
    assert!(seat.screen(100, 32).contains("☎ 1145674567"));
    assert_eq!(seat.types("h"), [Ask::CallbackDone { callback: "two".to_owned() }]);
    seat.press(KeyCode::Esc);
    assert!(seat.state.overlay.is_none() && !seat.screen(100, 32).contains("1145674567"));
}

#[test]
fn a_search_of_ones_own_opens_its_results_and_somebody_elses_doesnt() {
    let found = |search: u32| -> Value {
        json!({ "event": "searched", "search": search, "query": "h08", "failed": null, "rows": [{
            "source": "sysmed_m50.md", "title": "SysMed M50", "section": "Alarmas", "row": "H08",
            "content": "Filtro tapado: límpielo.", "score": 0.91, "holds": true,
        }] })
    };
    let mut seat = seat();
    seat.event(found(1));
    assert!(seat.state.overlay.is_none());
    typed(&mut seat, "bh08\n");
    seat.event(found(2));
    assert_eq!(seat.state.overlay, Some(Overlay::Results { at: 0 }));
    let screen = seat.screen(100, 32);
    assert!(screen.contains("✓ SysMed M50 · Alarmas · H08") && screen.contains("Filtro tapado"), "{screen}");
}

#[test]
fn arrows_stay_at_their_call_when_the_list_is_sorted_anew() {
    let mut seat = Seat::welcomed(json!([
        row("a", json!({ "waitingSince": super::SERVER - 9_000 })),
        row("b", json!({ "waitingSince": super::SERVER - 5_000 })),
    ]));
    seat.press(KeyCode::Down);
    let picked = |seat: &Seat| seat.state.picked.as_ref().map(ToString::to_string);
    assert_eq!(picked(&seat).as_deref(), Some("b"));
    seat.row(row("c", json!({ "danger": "fire" })));
    assert_eq!(picked(&seat).as_deref(), Some("b"));
    assert!(seat.state.ring && seat.toast().contains("FUEGO"), "{}", seat.toast());
    seat.press(KeyCode::Up);
    seat.press(KeyCode::Up);
    assert_eq!(picked(&seat).as_deref(), Some("c"), "danger is at the top");
    seat.told(json!({ "type": "rows", "rows": [], "gone": ["c"] }));
    assert_eq!(picked(&seat).as_deref(), Some("a"));
}
