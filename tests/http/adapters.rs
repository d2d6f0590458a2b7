//! A call on the real OpenAI-compatible model adapter: sentences, tokens, and what an interruption stops.
use crate::retell::Caller;
use crate::service::{Options, Running};
use crate::support::openai::{Answer, Ending, StandIn, Step, delta, finish, frames, usage};
use aura::phrases::HOLDING_BOT;
use serde_json::{Value, json};
use std::time::Duration;

/// A turn under four words: nothing is embedded, the model is asked at once.
const SHORT: &str = "no sé";
const LONGER: Duration = Duration::from_millis(50);

/// The service with a model that answers by this script.
async fn with(script: Vec<Answer>) -> (StandIn, Running) {
    let model = StandIn::start(script).await;
    let running = Running::start(Options::default().llm(model.base_url())).await;
    (model, running)
}

/// A stream that says this much and then nothing more until the client hangs up.
fn held(texts: &[&str]) -> Answer {
    let texts: Vec<Value> = texts.iter().map(|text| delta(text)).collect();
    Answer::stream(frames(&texts)).then(Step::Hold)
}

/// Twenty sentences, one every `LONGER`.
fn twenty() -> Answer {
    let sentence = |n: usize| Step::Bytes(frames(&[delta(&format!("Frase vieja {n}. "))]).into_bytes());
    let mut answer = Answer::stream("");
    answer.steps = (1..=20).flat_map(|n| [sentence(n), Step::Pause(LONGER)]).collect();
    answer.then(Step::Bytes(frames(&[finish("stop"), "[DONE]".into()]).into_bytes()))
}

#[actix_rt::test]
async fn e10_sentences_come_one_by_one_and_tokens_are_recorded() {
    let (first, rest) = ("Entiendo. ", "Vamos a mirarlo juntos. ¿Qué ve en la pantalla?");
    let answer = Answer::stream(frames(&[delta(first), delta("Va")])).then(Step::Pause(LONGER)).then(
        Step::Bytes(frames(&[delta(&rest[2..]), finish("stop"), usage(1200, 9), "[DONE]".into()]).into()),
    );
    let (model, running) = with(vec![answer]).await;
    let mut caller = Caller::dial(&running, "tokens").await;
    let answer = caller.say(SHORT).await;
    assert_eq!(answer.pieces, ["Entiendo.", "Vamos a mirarlo juntos.", "¿Qué ve en la pantalla?"]);
    let said = running.last("tokens", "suggestion_generated", 1).await;
    assert_eq!(said["promptTokens"], 1200, "{said}");
    assert_eq!((&said["completionTokens"], &said["cachedTokens"]), (&json!(9), &json!(0)));
    assert_eq!(said["responder"], "openai/gpt-4.1-mini");
    assert_eq!(said["text"], answer.text());
    assert!(said["firstTokenMs"].is_u64() && said["llmMs"].is_u64() && said["turnMs"].is_u64(), "{said}");
    let body = &model.received()[0].body;
    assert_eq!((&body["stream"], &body["model"]), (&json!(true), &json!("gpt-4.1-mini")));
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(messages.last().unwrap(), &json!({ "role": "user", "content": SHORT }));
}

#[actix_rt::test]
async fn e4_an_interruption_silences_the_old_answer_and_hangs_up_upstream() {
    let (model, running) =
        with(vec![held(&["Primera frase. ", "Segunda frase. ", "Y la te"]), Answer::spoken(&["Ahora sí."])])
            .await;
    let mut caller = Caller::dial(&running, "abort").await;
    let old = caller.ask(SHORT).await;
    assert_eq!(caller.line.piece(old).await.trim(), "Primera frase.");
    assert_eq!(caller.line.piece(old).await.trim(), "Segunda frase.");
    // From here on any frame of the old answer fails the test.
    let answer = caller.say("no, espere").await;
    assert_eq!(answer.text(), "Ahora sí.");
    assert_eq!(model.ending(0).await, Ending::Dropped);
    assert_eq!(caller.line.settle().await, [] as [Value; 0]);
    let facts = running.facts_with("abort", "suggestion_generated", 1).await;
    let aborted: Vec<_> = facts.iter().filter(|fact| fact.kind == "turn_aborted").collect();
    assert_eq!(aborted.len(), 1);
    assert_eq!(aborted[0].turn, Some(1));
    assert_eq!(aborted[0].payload["said"], "Primera frase. Segunda frase.");
    let suggested: Vec<_> = facts.iter().filter(|fact| fact.kind == "suggestion_generated").collect();
    assert_eq!(
        (suggested.len(), suggested[0].turn),
        (1, Some(2)),
        "the aborted turn has no tokens to report"
    );
}

#[actix_rt::test]
async fn fault_1_a_chunk_without_tool_calls_is_only_text() {
    let bare = json!({ "choices": [{ "delta": { "content": "hola" } }] });
    let (_model, running) = with(vec![Answer::framed(&[bare, finish("stop"), "[DONE]".into()])]).await;
    let mut caller = Caller::dial(&running, "bare").await;
    assert_eq!(caller.say(SHORT).await.text(), "hola");
}

#[actix_rt::test]
async fn fault_2_a_superseded_answer_says_nothing_after_the_new_question_was_read() {
    let (model, running) = with(vec![twenty(), Answer::spoken(&["Respuesta nueva."])]).await;
    let mut caller = Caller::dial(&running, "superseded").await;
    let old = caller.ask(SHORT).await;
    caller.line.piece(old).await;
    tokio::time::sleep(LONGER).await;
    let new = caller.ask("otra cosa").await;
    // What was on its way may still come; nothing behind the new answer's first frame, or the echo, may.
    let mut crossed = caller.line.settle().await;
    crossed.retain(|frame| frame["response_id"] != new);
    assert!(crossed.iter().all(|frame| frame["response_id"] == old), "{crossed:?}");
    let late = caller.line.settle().await;
    assert!(late.iter().all(|frame| frame["response_id"] == new), "{late:?}");
    assert_eq!(model.ending(0).await, Ending::Dropped);
    assert_eq!(running.last("superseded", "suggestion_generated", 1).await["text"], "Respuesta nueva.");
    assert_eq!(model.received().len(), 2, "one request for each question");
    let behind = caller.line.settle().await;
    assert!(behind.iter().all(|frame| frame["response_id"] == new), "{behind:?}");
}

#[actix_rt::test]
async fn fault_4_a_model_that_fails_leaves_no_answer_open() {
    let (_model, running) = with(Vec::new()).await; // every request is answered with 500
    let mut caller = Caller::dial(&running, "refused").await;
    let answer = caller.say(SHORT).await;
    assert_eq!(answer.text(), HOLDING_BOT.es);
    assert!(!answer.end_call);
    let failed = running.last("refused", "turn_failed", 1).await;
    assert_eq!(failed["kind"], "upstream", "{failed}");
    let error = failed["error"].as_str().unwrap();
    assert!(error.contains("500") && !error.contains("sk-test-123") && !error.contains("pecho"), "{error}");
}

#[actix_rt::test]
async fn fault_4_a_model_that_breaks_off_ends_what_it_began() {
    let begun =
        Answer::stream(frames(&[delta("Primero, tranquilo. "), delta("Ahora apague el")])).broken_off();
    let (_model, running) = with(vec![begun]).await;
    let mut caller = Caller::dial(&running, "broken").await;
    assert_eq!(caller.say(SHORT).await.text(), "Primero, tranquilo.", "half a sentence isn't said");
    running.facts_with("broken", "turn_failed", 1).await;
}

#[actix_rt::test]
async fn fault_11_a_cancelled_answer_never_leaks_into_the_next_turn() {
    let silent = Answer::stream("").after(Step::Hold);
    let (model, running) = with(vec![silent, Answer::spoken(&["Lo nuevo."])]).await;
    let mut caller = Caller::dial(&running, "leak").await;
    caller.ask(SHORT).await;
    model.asked(1).await;
    assert_eq!(caller.say("otra cosa").await.text(), "Lo nuevo.");
    assert_eq!(model.ending(0).await, Ending::Dropped);
}

#[actix_rt::test]
async fn fault_14_the_history_holds_what_was_heard_and_only_once() {
    let five = ["Bien. ", "Claro. ", "Entiendo. ", "Perfecto. ", "Gracias. "];
    let (model, running) = with(vec![held(&five), Answer::spoken(&["Bien."])]).await;
    let mut caller = Caller::dial(&running, "heard").await;
    let old = caller.ask(SHORT).await;
    for _ in 0..4 {
        caller.line.piece(old).await;
    }
    // Retell's transcript holds what was spoken before the interruption: two of five.
    caller.heard("Bien. Claro.");
    let new = caller.ask("no, pare").await;
    loop {
        // Whatever crossed belongs to the old answer.
        let frame = caller.line.frame().await;
        if frame["response_id"] == new && frame["content_complete"] == true {
            break;
        }
    }
    let body = &model.received()[1].body;
    let assistant: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(assistant.len(), 2, "the greeting and the interrupted answer: {assistant:?}");
    assert_eq!(assistant[1], "Bien. Claro.");
}
