//! Answers by the book, what is asked for them, and hanging up.
use crate::support::openai::{Answer, Ending, StandIn, Step, delta, finish, frames, usage};
use crate::{KEY, client, hear, http, patient, play, request};
use aura::generation::Usage;
use aura::protocol::chat_completions::Capabilities;
use aura_actors::llm::openai::OpenAiLlm;
use aura_actors::llm::{Llm, Piece};
use futures_util::StreamExt;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn an_answer_comes_in_pieces_and_ends_with_its_cost() {
    let (server, texts, end) = play(vec![Answer::spoken(&["Apague ", "el equipo, ", "señora."])]).await;
    assert_eq!(texts, ["Apague ", "el equipo, ", "señora."]);
    let cost = Usage { prompt_tokens: Some(1200), cached_tokens: Some(0), completion_tokens: Some(9) };
    assert_eq!(end.unwrap(), cost);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn e1_the_first_piece_does_not_wait_for_the_second() {
    let answer = Answer::framed(&[delta("Hola")]).then(Step::Hold);
    let server = StandIn::start(vec![answer]).await;
    let mut stream = client(&server, patient()).stream(request());
    assert_eq!(stream.next().await.unwrap().unwrap(), Piece::Delta("Hola".into()));
}

#[tokio::test]
async fn an_unknown_server_is_asked_in_the_plainest_way() {
    let (server, ..) = play(vec![Answer::spoken(&["hola"])]).await;
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/chat/completions");
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(received.headers["content-type"], "application/json");
    let expected = json!({"model": "gpt-test", "stream": true, "max_tokens": 300, "messages": [
        {"role": "system", "content": "Sos Aura."}, {"role": "user", "content": "me duele el pecho"}]});
    assert_eq!(received.body, expected);
}

#[tokio::test]
async fn e5_a_capable_server_is_asked_for_usage_and_a_warm_cache() {
    let server = StandIn::responding(|_, _| Answer::spoken(&["hola"])).await;
    let can = Capabilities {
        stream_options: true,
        max_completion_tokens: true,
        prompt_cache_key: true,
        store: true,
    };
    let settings = OpenAiLlm {
        capabilities: Some(can),
        reasoning_effort: Some("minimal".into()),
        ..OpenAiLlm::new(server.base_url(), None, "gpt-test")
    };
    let client = settings.adapter(&http()).unwrap();
    hear(&client).await.1.unwrap();
    hear(&client).await.1.unwrap();
    let received = server.received();
    assert_eq!(received[0].text, received[1].text, "equal requests are equal bytes");
    let body = &received[0].body;
    assert_eq!(body["stream_options"], json!({"include_usage": true, "include_obfuscation": false}));
    assert_eq!(body["max_completion_tokens"], 300);
    assert_eq!(body["prompt_cache_key"], "retell-v3");
    assert_eq!(body["store"], false);
    assert_eq!(body["reasoning_effort"], "minimal");
    assert!(body.get("max_tokens").is_none() && body.get("parallel_tool_calls").is_none());
    assert!(!received[0].headers.contains_key("authorization"), "no key, no header");
}

#[tokio::test]
async fn dropping_the_stream_hangs_up() {
    let answer = Answer::framed(&[delta("Hola")])
        .then(Step::Forever(frames(&[delta("a")]).into(), Duration::from_millis(5)));
    let server = StandIn::start(vec![answer]).await;
    let mut stream = client(&server, patient()).stream(request());
    stream.next().await.unwrap().unwrap();
    drop(stream);
    assert_eq!(server.ending(0).await, Ending::Dropped);
}

#[tokio::test]
async fn dropping_the_stream_before_the_headers_hangs_up() {
    let server = StandIn::start(vec![Answer::mute()]).await;
    let client = client(&server, patient());
    let task = tokio::spawn(async move { hear(&client).await });
    server.asked(1).await;
    task.abort();
    assert_eq!(server.ending(0).await, Ending::Dropped);
}

#[tokio::test]
async fn fault_11_a_cancelled_answer_does_not_leak_into_the_next() {
    let old = Answer::spoken(&["viejo"]).after(Step::Pause(Duration::from_secs(5)));
    let server = StandIn::start(vec![old, Answer::spoken(&["nuevo"])]).await;
    let client = client(&server, patient());
    let cancelled = client.clone();
    let task = tokio::spawn(async move { hear(&cancelled).await });
    server.asked(1).await;
    task.abort();
    assert_eq!(hear(&client).await.0, ["nuevo"]);
    assert_eq!(server.ending(0).await, Ending::Dropped);
}

#[tokio::test]
async fn usage_in_every_chunk_is_not_summed() {
    let counted = |n: u32| {
        let mut frame = delta("a");
        frame["usage"] = json!({"completion_tokens": n});
        frame
    };
    let (_, texts, end) =
        play(vec![Answer::framed(&[counted(1), counted(2), finish("stop"), usage(5, 3), "[DONE]".into()])])
            .await;
    assert_eq!((texts.len(), end.unwrap().completion_tokens), (2, Some(3)));
}
