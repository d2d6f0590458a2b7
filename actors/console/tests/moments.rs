//! The screen at certain moments, as it is seen.
use super::{CALL, SERVER, Seat, card, row, welcome};
use insta::assert_snapshot;
use ratatui::crossterm::event::KeyCode;
use serde_json::{Value, json};

fn said(speaker: &str, text: &str) -> Value {
    json!({ "speaker": speaker, "text": text, "at": SERVER - 1_000 })
}

/// Four calls: one in danger, one overdue, one of Luis's, one bot's.
fn waiting() -> Seat {
    let mut seat = Seat::new();
    let rows = json!([
        row(
            "fork-1",
            json!({ "extension": "201", "waitingSince": SERVER - 95_000, "overdue": true,
            "last": said("patient", "Hola, ¿hay alguien ahí?") })
        ),
        row(
            "fork-2",
            json!({ "extension": "202", "claimedBy": "luis", "state": "hold", "step": "resolution",
            "last": said("agent", "Aguárdeme un momento en línea") })
        ),
        row(
            "fork-3",
            json!({ "extension": "203", "danger": "breathing",
            "last": said("patient", "mi mamá no puede respirar") })
        ),
        row(
            "call_8f2c11aa90",
            json!({ "source": "retell", "extension": null, "waitingSince": null,
            "since": SERVER - 3_725_000, "step": "equipment", "last": said("agent", "¿Qué equipo tiene?") })
        ),
        row(
            "fork-5",
            json!({ "extension": "205", "state": "closed", "waitingSince": null, "claimedBy": "ana" })
        ),
    ]);
    seat.told(welcome(7, rows, &["El modelo de lenguaje no responde: sin sugerencias."]));
    seat
}

/// Ana's call as it goes on, without a card yet.
fn talking() -> Seat {
    let mut seat = Seat::welcomed(json!([
        row(
            CALL,
            json!({ "claimedBy": "ana", "step": "identification", "since": SERVER - 130_000,
            "last": said("patient", "Acá dice M50, SysMed M50") })
        ),
        row("fork-9", json!({ "extension": "209" })),
    ]));
    seat.press(KeyCode::Enter);
    seat.watching(true);
    seat.event(json!({ "event": "opened", "source": "audio_fork" }));
    seat.line(
        0,
        "agent",
        1_000,
        "Soporte de oxígeno, buenas tardes, habla Ana. ¿En qué la puedo ayudar?",
        false,
    );
    seat.line(
        1,
        "patient",
        5_200,
        "Hola, mire, el concentrador de mi mamá empezó a pitar y en la pantalla me aparece H08",
        false,
    );
    seat.event(
        json!({ "event": "gap", "track": null, "fromMs": 14_000, "toMs": 17_400, "why": "unrecognised" }),
    );
    // Told late, spoken before.
    seat.line(3, "patient", 20_000, "Acá dice M50, SysMed M50", false);
    seat.line(2, "agent", 18_000, "¿Me dice qué modelo es?", false);
    seat.line(4, "patient", 26_000, "y sigue pitando, no", true);
    seat.event(steps(1));
    seat.event(json!({ "event": "captured", "fields": [
        datum("code", "Código o aviso que nombró", "H08", false, true),
        datum("equipment", "Equipo que nombró", "M50", true, false),
    ] }));
    seat.caught_up();
    seat
}

fn datum(field: &str, label: &str, value: &str, confirmed: bool, doubt: bool) -> Value {
    json!({ "field": field, "label": label, "values": [value], "typed": false, "confirmed": confirmed, "inDoubt": doubt })
}

fn steps(open: usize) -> Value {
    let names = [
        ("greeting", "saludo"),
        ("identification", "identificación"),
        ("reason", "motivo"),
        ("equipment", "equipo"),
        ("resolution", "resolución"),
        ("closing", "cierre"),
    ];
    let steps = names.iter().enumerate().map(|(at, (step, label))| {
        let progress = if at < open {
            "done"
        } else if at == open {
            "open"
        } else {
            "todo"
        };
        json!({ "step": step, "label": label, "progress": progress })
    });
    json!({ "event": "script", "open": names[open].0, "corrected": false, "steps": steps.collect::<Vec<_>>() })
}

/// The same once the card is whole and the patient was found.
fn answered() -> Seat {
    let mut seat = talking();
    seat.event(card(2, "Pregúntele qué modelo es.", true));
    seat.event(card(
        3,
        "H08 es filtro tapado: pídale que apague el equipo, saque el filtro de atrás, lo lave con agua tibia y lo \
         deje secar antes de volver a ponerlo.",
        true,
    ));
    seat.event(json!({ "event": "identity", "change": "captured",
        "held": { "dni": "DNI ···608", "source": "dictated", "state": "given" } }));
    seat.event(json!({ "event": "look_up", "progress": "dni", "outage": null, "source": "mock", "models": 1,
        "cached": false }));
    seat.event(json!({ "event": "equipment", "detail": true }));
    seat.told(json!({
        "type": "patient", "call": CALL, "dni": "14231608", "source": "dictated", "state": "given", "lookUp": "dni",
        "outage": null, "provider": "mock", "cached": false, "models": ["M50"], "devices": [
            { "name": "Concentrador de oxígeno M50", "brand": "Canta", "sku": "7F-5", "category": "concentrador" },
        ],
    }));
    seat.event(steps(4));
    seat
}

#[test]
fn calls_wait_and_one_is_overdue() {
    assert_snapshot!(waiting().screen(100, 32));
}

#[test]
fn a_suggestion_is_being_written() {
    let mut seat = talking();
    seat.event(card(3, "H08 es filtro tapado: pídale que", false));
    assert_snapshot!(seat.screen(100, 32));
}

#[test]
fn a_suggestion_is_whole_and_the_patient_is_known() {
    assert_snapshot!(answered().screen(100, 32));
}

#[test]
fn somebody_is_in_danger() {
    let mut seat = answered();
    seat.line(5, "patient", 31_000, "ay, no, sale humo del equipo", false);
    seat.event(
        json!({ "event": "suggestion_withdrawn", "suggestionId": format!("{CALL}/3"), "reason": "danger",
        "cause": "Hay una emergencia." }),
    );
    seat.event(json!({ "event": "red_flag", "index": 5, "flag": "fire",
        "text": "Salgan todos de la casa ahora mismo. No abran ningún oxígeno. Desde afuera, llamen al 107." }));
    seat.row(row(CALL, json!({ "claimedBy": "ana", "danger": "fire", "step": "resolution" })));
    assert_snapshot!(seat.screen(100, 32));
}

#[test]
fn a_small_terminal_shows_the_same() {
    assert_snapshot!(answered().screen(80, 24));
}

#[test]
fn a_wide_one_too_and_a_tiny_one_says_so() {
    let seat = answered();
    let wide = seat.screen(200, 60);
    assert!(wide.contains("saque el filtro de atrás, lo lave con agua tibia"), "{wide}");
    assert!(seat.screen(59, 40).contains("La ventana es muy chica"));
    // Any size draws.
    for (width, height) in [(1, 1), (2, 40), (60, 16), (61, 17), (133, 19), (300, 20)] {
        for overlay in ["", "?", "l", " ", "d", "e"] {
            let mut seat = answered();
            seat.types(overlay);
            seat.screen(width, height);
        }
    }
}

#[test]
fn a_bots_call_shows_what_aura_says() {
    let mut seat = Seat::welcomed(json!([row(
        CALL,
        json!({ "source": "retell", "extension": null,
        "waitingSince": null })
    )]));
    seat.press(KeyCode::Enter);
    seat.watching(true);
    seat.event(json!({ "event": "line", "index": 0, "speaker": "agent", "text": "Hola, habla Aura." }));
    seat.event(json!({ "event": "line", "index": 1, "speaker": "patient", "text": "me marca error H08" }));
    seat.event(json!({ "event": "answer", "turn": 1, "text": "Es el filtro.", "done": true, "ragHit": true,
        "ragScore": 0.88, "unconfirmed": true }));
    seat.caught_up();
    let screen = seat.screen(100, 32);
    for part in
        ["Respuesta de Aura · completa", "Es el filtro.", "Manual (0.88)", "sin confirmar", "Aura Hola"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    seat.event(json!({ "event": "answer_failed", "turn": 1, "text": "El modelo no respondió." }));
    let screen = seat.screen(100, 32);
    assert!(screen.contains("✗ falló") && screen.contains("✗ El modelo no respondió."), "{screen}");
}

#[test]
fn an_outage_of_the_patients_system_is_shown_with_its_cause() {
    let mut seat = talking();
    seat.event(
        json!({ "event": "look_up", "progress": "pending", "source": null, "models": 1, "cached": true,
        "outage": { "cause": "timeout", "retrying": true } }),
    );
    let screen = seat.screen(100, 32);
    for part in
        ["… consultando", "✗ sistema de pacientes:", "muy lento", "1 modelos en el filtro", "de antes"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

#[test]
fn a_failed_suggestion_is_shown_with_its_cause() {
    let mut seat = talking();
    seat.event(
        json!({ "event": "suggestion_failed", "suggestionId": format!("{CALL}/3"), "createdAt": SERVER,
        "text": "H08 es", "cause": "El modelo no respondió." }),
    );
    let screen = seat.screen(100, 32);
    assert!(screen.contains("✗ falló") && screen.contains("✗ El modelo no respondió."), "{screen}");
}

#[test]
fn the_help_names_all_keys_and_what_is_down() {
    let mut seat = waiting();
    seat.types("?");
    for (width, height) in [(100, 32), (80, 24)] {
        let screen = seat.screen(width, height);
        for (key, does) in aura::phrases::console::KEYS {
            assert!(screen.contains(key) && screen.contains(does.es), "{key} {}: {screen}", does.es);
        }
        assert!(screen.contains("⚠ El modelo de lenguaje no responde"), "{screen}");
    }
}

#[test]
fn what_is_red_has_a_mark_too() {
    use ratatui::style::Color;
    let seat = waiting();
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(100, 32)).unwrap();
    terminal.draw(|frame| super::screen::draw(frame, &seat.state)).unwrap();
    let buffer = terminal.backend().buffer();
    let red = |y| (1..26).any(|x| buffer[(x, y)].fg == Color::Red);
    let text = |y| (1..26).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    let heads: Vec<(bool, bool)> =
        [1, 4, 7, 10].map(|y| (red(y), text(y).contains('⚠') || text(y).contains('!'))).to_vec();
    assert_eq!(heads, [(true, true), (true, true), (false, false), (false, false)]);
}

#[test]
fn a_call_that_is_over_is_summed_up_in_place_of_suggestions() {
    let mut seat = answered();
    seat.event(
        json!({ "event": "summary", "of": "hand_over", "by": "rule", "text": "Motivo: pita con H08." }),
    );
    assert!(seat.toast().contains("Hay un resumen"), "{}", seat.toast());
    assert!(!seat.screen(100, 32).contains("Motivo: pita"), "it doesn't push the suggestion away");
    seat.types("r");
    let screen = seat.screen(100, 32);
    assert!(
        screen.contains("Para quien la recibe (por reglas)") && screen.contains("Motivo: pita"),
        "{screen}"
    );
    seat.press(KeyCode::Esc);
    seat.event(json!({ "event": "closed" }));
    seat.event(
        json!({ "event": "summary", "of": "after", "by": "model", "text": "Se resolvió: filtro tapado." }),
    );
    let screen = seat.screen(100, 32);
    assert!(screen.contains("┌ Resumen ─") && screen.contains("Se resolvió: filtro tapado."), "{screen}");
    // The id names another call by now.
    seat.event(json!({ "event": "opened", "source": "audio_fork" }));
    let screen = seat.screen(100, 32);
    assert!(!screen.contains("14.231.608") && !screen.contains("filtro tapado"), "{screen}");
}
