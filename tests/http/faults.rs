//! Retell's own ways of being difficult: details late or never, broken lines.
use crate::retell::{Caller, Line, frame};
use crate::service::{Options, Running};
use crate::support::openai::{Answer, Ending, StandIn, Step, delta, frames};
use serde_json::{Value, json};
use std::time::Duration;

const TEMPLATE: &str = "Hola {nombre}, habla Aura.";

/// The service with a greeting that wants the caller's name.
async fn naming() -> Running {
    Running::start(Options::default().setting("retell.greeting", TEMPLATE)).await
}

fn details(variables: &Value) -> Value {
    json!({ "interaction_type": "call_details", "call": { "call_id": "c", "retell_llm_dynamic_variables": variables } })
}

#[actix_rt::test]
async fn fault_9_details_in_time_give_the_greeting_its_name() {
    let running = naming().await;
    let mut line = Line::dial(&running, "in_time").await;
    line.send(details(&json!({ "nombre": "Elsa" }))).await;
    assert_eq!(line.answer(0).await.text(), "Hola Elsa, habla Aura.");
}

#[actix_rt::test]
async fn fault_9_late_details_neither_delay_nor_repeat_the_greeting() {
    let running = naming().await;
    let mut line = Line::dial(&running, "late").await;
    let greeting = line.answer(0).await.text();
    assert_eq!(greeting, "Hola, habla Aura.", "no gap, no `None`");
    tokio::time::sleep(Duration::from_millis(1500)).await; // 3 s after the config in all
    line.send(details(&json!({ "nombre": "Elsa" }))).await;
    assert_eq!(line.settle().await, [] as [Value; 0], "greeted once");
    line.send(frame("response_required", 1, &[("agent", &greeting), ("user", "no sé")])).await;
    assert!(line.answer(1).await.complete, "and the call goes on");
}

#[actix_rt::test]
async fn fault_9_empty_details_are_no_name() {
    let running = naming().await;
    let mut line = Line::dial(&running, "null").await;
    line.send(details(&json!({ "nombre": null, "name": "None", "first_name": "{{name}}" }))).await;
    assert_eq!(line.answer(0).await.text(), "Hola, habla Aura.");
}

#[actix_rt::test]
async fn fault_10_after_a_broken_line_only_the_new_question_is_answered() {
    let old =
        Answer::stream(frames(&[delta("Respuesta vieja. "), delta("Más de lo mismo. ")])).then(Step::Hold);
    let model = StandIn::start(vec![old, Answer::spoken(&["Respuesta nueva."])]).await;
    let running = Running::start(Options::default().llm(model.base_url())).await;
    let mut caller = Caller::dial(&running, "redialled").await;
    let asked = caller.ask("no sé").await;
    caller.line.piece(asked).await;
    drop(caller); // no close frame: 1006 at the other end
    assert_eq!(model.ending(0).await, Ending::Dropped, "nobody listens to it any more");
    let mut line = Line::dial(&running, "redialled").await;
    assert_eq!(line.settle().await, [] as [Value; 0], "no second greeting, no rest of the old answer");
    line.ask(7, &[("agent", "Hola."), ("user", "no sé"), ("agent", "Respuesta vieja."), ("user", "¿hola?")])
        .await;
    assert_eq!(line.answer(7).await.text(), "Respuesta nueva.");
    let facts = running.facts_with("redialled", "suggestion_generated", 1).await;
    let started = facts.iter().filter(|fact| fact.kind == "call_started").count();
    assert_eq!(started, 1, "one call, two sockets: {facts:#?}");
    assert_eq!(running.live_calls(), 1);
}

#[actix_rt::test]
async fn fault_10_a_repeated_question_is_answered_once() {
    let running = Running::start(Options::default()).await;
    let mut line = Line::dial(&running, "repeated").await;
    line.answer(0).await;
    line.ask(3, &[("user", "no sé")]).await;
    line.answer(3).await;
    for old in [3, 2, 0] {
        line.ask(old, &[("user", "no sé")]).await;
    }
    assert_eq!(line.settle().await, [] as [Value; 0], "old ids are dead");
}
