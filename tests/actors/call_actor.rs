//! A panic in one call rebuilds that call alone; one that goes on panicking takes leave in words.
use crate::stage::{STEP, Stage, break_next, to_break};
use aura::call::{Closing, Input};
use aura::event::{Event, Kind, News};
use aura::phrases::{BROKEN, FILLER, HOLDING_BOT};
use aura_actors::call::{Attach, Detach, Speech};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, advance};

/// On hold a question is answered at once, without search or model.
fn on_hold() -> [(&'static str, Value); 1] {
    [("retell.mode", json!("hold"))]
}

fn count(events: &[Event], kind: Kind) -> usize {
    events.iter().filter(|event| event.kind == kind).count()
}

#[actix_rt::test]
async fn panic_a_panic_rebuilds_the_call_and_the_answer_is_given_all_the_same() {
    let mut stage = Stage::set("panicked", &[]).await;
    stage.lock().await;
    let reply = stage.ask("¿y después qué hago?").await;
    break_next(1);
    let broken = stage.speak(STEP).await;
    let again = stage.speak(STEP).await;
    assert_ne!(broken, again, "a turn of its own: what is late for the old one changes nothing");
    assert_eq!(stage.answer(reply).await, (STEP.to_owned(), Closing::Stay));
    assert!(!stage.searched(), "the lock is as it was");
    let reply = stage.ask("listo, ya está").await;
    stage.speak("Me alegro.").await;
    assert_eq!(stage.answer(reply).await.0, "Me alegro.", "no second greeting, and the talk goes on");
    let events = stage.events().await;
    assert_eq!(count(&events, Kind::CallStarted), 1);
    assert_eq!(count(&events, Kind::CallRebuilt), 1);
    assert_eq!(count(&events, Kind::SuggestionGenerated), 3);
    assert_eq!(count(&events, Kind::CallBroken) + count(&events, Kind::CallbackRequested), 0);
    let aborted: Vec<_> = events.iter().filter(|event| event.kind == Kind::TurnAborted).collect();
    assert_eq!((aborted.len(), aborted[0].turn), (1, broken), "each turn ends once (I11): {aborted:?}");
    assert_eq!(stage.lines().await.iter().filter(|line| line.line.what == "connected").count(), 2);
    assert!(!stage.told().await.contains(&News::Closed));
}

#[actix_rt::test]
async fn panic_the_equipment_that_was_named_is_still_known_after_a_panic() {
    let mut stage = Stage::set("sticky", &[]).await;
    stage.lock().await;
    let reply = stage.ask("sí, dale").await;
    break_next(1);
    stage.speak("Bien.").await;
    stage.speak("Bien.").await;
    stage.answer(reply).await;
    stage.ask("ahora me marca error E3 en la pantalla").await;
    stage.find().await;
    let lines = stage.lines().await;
    let search = lines.iter().rfind(|line| line.line.what == "retrieve").expect("another code lets go");
    let filter = &search.line.detail["filter"]["sources"];
    assert_eq!(*filter, json!(["concentradores electricos/m50_sysmedm50.md"]), "{search:?}");
}

#[actix_rt::test]
async fn panic_a_panic_while_a_question_is_taken_loses_neither_line_nor_alarm() {
    let mut stage = Stage::set("taken", &[]).await;
    break_next(1);
    let reply = stage.ask("mi marido no puede respirar").await;
    assert_eq!(to_break(), 0, "a red flag is answered as it is taken");
    let (said, then) = stage.answer(reply).await;
    assert!(said.contains("911"), "{said}");
    assert_eq!(then, Closing::Stay);
    let told = stage.told().await;
    let heard = told.iter().filter(|news| matches!(news, News::Heard { .. })).count();
    let alarms = told.iter().filter(|news| matches!(news, News::RedFlag { .. })).count();
    assert_eq!((heard, alarms), (1, 1), "once each: {told:#?}");
    let lines = stage.lines().await;
    assert_eq!(lines.iter().filter(|line| line.line.what == "heard").count(), 1, "{lines:#?}");
    let events = stage.events().await;
    assert_eq!((count(&events, Kind::RedFlag), count(&events, Kind::CallRebuilt)), (1, 1));
    assert_eq!(count(&events, Kind::CallbackRequested), 1);
}

#[actix_rt::test]
async fn panic_three_panics_in_ten_seconds_and_the_call_takes_leave() {
    let mut stage = Stage::set("broken", &on_hold()).await;
    let phone = Some("+5491145678901".to_owned());
    stage.happen(Input::Details { variables: Default::default(), phone: phone.clone() }).await;
    stage.ask("hola").await;
    stage.answer(1).await;
    break_next(3);
    let reply = stage.ask("¿me escucha?").await;
    assert_eq!(stage.answer(reply).await, (BROKEN.es.to_owned(), Closing::HangUp));
    assert_eq!(to_break(), 0, "no fourth try");
    let events = stage.events().await;
    assert_eq!((count(&events, Kind::CallBroken), count(&events, Kind::CallRebuilt)), (1, 3));
    assert_eq!(count(&events, Kind::CallStarted), 1);
    // Promised once: with the first answer on hold.
    let callbacks = stage.events_of(Kind::CallbackRequested).await;
    assert_eq!(callbacks.len(), 1, "{callbacks:?}");
    assert_eq!(callbacks[0].payload["phone"], json!(phone));
}

#[actix_rt::test]
async fn panic_a_call_that_breaks_before_anything_was_promised_is_called_back() {
    let mut stage = Stage::set("early", &on_hold()).await;
    break_next(3);
    let reply = stage.ask("hola").await;
    assert_eq!(stage.answer(reply).await, (BROKEN.es.to_owned(), Closing::HangUp));
    let callbacks = stage.events_of(Kind::CallbackRequested).await;
    assert_eq!(callbacks.len(), 1, "{callbacks:?}");
    assert_eq!(callbacks[0].payload["reason"], "broken");
}

#[actix_rt::test]
async fn panic_panics_that_lie_further_apart_never_end_a_call() {
    let mut stage = Stage::set("spread", &on_hold()).await;
    for round in 1..=12 {
        break_next(1);
        let reply = stage.ask(&format!("hola otra vez, por {round}")).await;
        let (said, then) = stage.answer(reply).await;
        assert_eq!(then, Closing::Stay, "round {round}: {said}");
        assert_eq!(to_break(), 0);
        // Two of three stay within ten seconds, never three.
        advance(Duration::from_millis(5001)).await;
    }
    let events = stage.events().await;
    assert_eq!((count(&events, Kind::CallBroken), count(&events, Kind::CallRebuilt)), (0, 12));
    assert_eq!(count(&events, Kind::SuggestionGenerated), 12);
}

#[actix_rt::test]
async fn panic_its_neighbour_hears_nothing_of_it() {
    let mut quiet = Stage::set("quiet", &[]).await;
    let mut loud = Stage::beside("loud", &on_hold(), None).await;
    let pending = quiet.ask("no sé").await;
    break_next(3);
    let reply = loud.ask("hola").await;
    assert_eq!(loud.answer(reply).await.1, Closing::HangUp);
    quiet.speak("Aquí estoy.").await;
    assert_eq!(quiet.answer(pending).await, ("Aquí estoy.".to_owned(), Closing::Stay));
    let events = quiet.events().await;
    assert_eq!(count(&events, Kind::CallRebuilt) + count(&events, Kind::CallBroken), 0);
}

#[actix_rt::test]
async fn panic_a_call_that_panics_while_its_peer_is_away_waits_for_the_redial() {
    let mut stage = Stage::set("away", &on_hold()).await;
    let reply = stage.ask("hola").await;
    assert_eq!(stage.answer(reply).await.0, HOLDING_BOT.es);
    stage.call.send(Detach { socket: 1, clean: false }).await.unwrap();
    break_next(1);
    let reply = stage.ask("¿hola?").await;
    assert_eq!(to_break(), 0, "it was taken, and broke");
    let (outbox, speech) = mpsc::channel(128);
    stage.call.send(Attach { socket: 2, outbox }).await.unwrap();
    stage.speech = speech;
    let next = stage.ask("¿hola? ¿me escucha?").await;
    assert!(next > reply);
    assert_eq!(stage.answer(next).await.1, Closing::Stay, "answered, and not greeted again");
    assert_eq!(stage.events_of(Kind::CallRebuilt).await.len(), 1);
}

/// What a model says for a turn that was lost in a panic is nobody's answer any more.
#[actix_rt::test]
async fn i3_what_comes_late_for_a_turn_that_panicked_changes_nothing() {
    let mut stage = Stage::set("late", &[]).await;
    let reply = stage.ask("no sé").await;
    break_next(1);
    let broken = stage.speak("Bien. ").await; // released before the answer is whole
    for text in ["Viejo. ", "Más de lo viejo. "] {
        stage.happen(Input::Delta { turn: broken, text: text.to_owned() }).await;
    }
    stage.speak("Nuevo.").await;
    assert_eq!(stage.answer(reply).await.0, "Bien. Nuevo.");
}

#[actix_rt::test]
async fn panic_deadlines_hold_for_a_call_that_was_rebuilt() {
    let mut stage = Stage::set("deadlines", &[]).await;
    let reply = stage.ask("no sé").await;
    break_next(1);
    stage.speak("Bien. ").await;
    // The model never answers the second try.
    let heard = stage.listen(Instant::now() + Duration::from_secs(10)).await;
    let said: Vec<(u128, &str)> = heard
        .iter()
        .filter_map(|(at, speech)| match speech {
            Speech::Say { text, .. } => Some((*at, text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(said, [(0, "Bien."), (2000, FILLER.es), (4000, HOLDING_BOT.es)]);
    assert!(
        heard.iter().any(|(_, speech)| matches!(speech, Speech::Close { reply: of, .. } if of.0 == reply))
    );
}
