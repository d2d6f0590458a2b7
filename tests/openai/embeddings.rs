//! The embedder: batches, both encodings, patience, and vectors that must not be believed.
use crate::support::openai::{Answer, Ending, StandIn, vector_of};
use crate::{KEY, http};
use aura::retrieval::score::Scale;
use aura_actors::embed::openai::{EmbeddingClient, OpenAiEmbedder, Patience};
use aura_actors::embed::{EmbedError, Embedder, Purpose};
use aura_actors::secret::Secret;
use serde_json::json;
use std::time::Duration;

const DIMS: usize = 8;

fn settings(server: &StandIn) -> OpenAiEmbedder {
    let long = Duration::from_secs(30);
    let pause = Duration::from_millis(10);
    OpenAiEmbedder {
        dims: Some(DIMS),
        query: Patience { in_all: Some(long), one_try: long, pause, ..Patience::QUERY },
        passages: Patience { one_try: long, pause, ..Patience::PASSAGES },
        ..OpenAiEmbedder::new(server.base_url(), Some(Secret::new(KEY)))
    }
}

fn client(server: &StandIn) -> EmbeddingClient {
    settings(server).adapter(&http()).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("fila {n}: señal")).collect()
}

fn unit(text: &str) -> Vec<f32> {
    let vector = vector_of(text, DIMS);
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    vector.into_iter().map(|x| (f64::from(x) / length) as f32).collect()
}

async fn failure(client: &EmbeddingClient, purpose: Purpose) -> String {
    let error = client.embed(purpose, vec!["me duele el pecho".into()]).await.unwrap_err().to_string();
    assert!(!error.contains("duele") && !error.contains(KEY), "{error}");
    error
}

/// How many requests a script costs, and the error it ends in, if it does.
async fn tries(script: Vec<Answer>, purpose: Purpose) -> (usize, Option<String>) {
    let server = StandIn::start(script).await;
    let outcome = client(&server).embed(purpose, texts(1)).await;
    (server.received().len(), outcome.err().map(|error| error.to_string()))
}

fn good() -> Answer {
    Answer::embeddings(&[vector_of("x", DIMS)], false)
}

#[tokio::test]
async fn many_texts_go_in_batches_and_come_back_in_order() {
    let server = StandIn::embedding(DIMS).await;
    let texts = texts(300);
    let vectors = client(&server).embed(Purpose::Passage, texts.clone()).await.unwrap();
    let expected: Vec<_> = texts.iter().map(|text| unit(text)).collect();
    assert_eq!(vectors, expected);
    let sizes: Vec<_> = server.received().iter().map(|r| r.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [128, 128, 44]);
    assert_eq!(server.received()[0].path, "/v1/embeddings");
    assert_eq!(server.received()[0].headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn long_texts_go_in_smaller_batches() {
    let server = StandIn::embedding(DIMS).await;
    let long: Vec<_> = (0..5).map(|n| format!("{n}{}", "a".repeat(100_000))).collect();
    let vectors = client(&server).embed(Purpose::Passage, long).await.unwrap();
    assert_eq!((vectors.len(), server.received().len()), (5, 3));
}

#[tokio::test]
async fn base64_and_floats_are_the_same_vectors() {
    let server = StandIn::embedding(DIMS).await;
    let packed = OpenAiEmbedder { base64: Some(true), ..settings(&server) }.adapter(&http()).unwrap();
    let a = packed.embed(Purpose::Query, texts(3)).await.unwrap();
    let b = client(&server).embed(Purpose::Query, texts(3)).await.unwrap();
    assert_eq!(a, b);
    let received = server.received();
    assert_eq!(received[0].body["encoding_format"], "base64");
    assert_eq!(
        received[1].body,
        json!({"model": "text-embedding-3-small", "input": texts(3)}),
        "nothing more"
    );
    let stubborn = StandIn::start(vec![Answer::embeddings(&[vector_of("x", DIMS)], false)]).await;
    let packed = OpenAiEmbedder { base64: Some(true), ..settings(&stubborn) }.adapter(&http()).unwrap();
    assert_eq!(packed.embed(Purpose::Query, texts(1)).await.unwrap(), [unit("x")], "floats despite base64");
}

#[tokio::test]
async fn dimensions_are_sent_only_where_configured_and_checked() {
    let server = StandIn::embedding(DIMS).await;
    let short = OpenAiEmbedder { shorten_to: Some(4), ..settings(&server) }.adapter(&http()).unwrap();
    let error = failure(&short, Purpose::Query).await;
    assert!(error.contains("8 components, 4 were expected"), "{error}");
    assert_eq!(server.received()[0].body["dimensions"], 4);
}

#[tokio::test]
async fn an_empty_text_is_refused_before_it_is_sent() {
    let server = StandIn::embedding(DIMS).await;
    let client = client(&server);
    let error = client.embed(Purpose::Passage, vec!["a".into(), "  ".into()]).await.unwrap_err();
    assert!(error.to_string().contains("text 2 of 2 is empty"));
    assert!(client.embed(Purpose::Passage, Vec::new()).await.unwrap().is_empty());
    assert!(server.received().is_empty());
    assert_eq!(client.scale(), Scale::Identity);
}

#[tokio::test]
async fn vectors_that_cannot_be_true_are_refused() {
    let mut holed = vector_of("x", DIMS);
    holed[3] = f32::NAN;
    for (answer, why) in [
        (Answer::embeddings(&[], false), "1 vectors were expected, 0 came"),
        (Answer::embeddings(&[vec![1.0; DIMS], vec![1.0; DIMS]], true), "1 vectors were expected, 2 came"),
        (Answer::embeddings(std::slice::from_ref(&holed), true), "no direction"),
        (Answer::embeddings(&[holed], false), "not an embeddings list"),
        (Answer::embeddings(&[vec![0.0; DIMS]], true), "no direction"),
        (Answer::embeddings(&[vec![1.0; 3]], true), "3 components"),
        (Answer::html(200), "not an embeddings list"),
    ] {
        let (requests, error) = tries(vec![answer, good()], Purpose::Passage).await;
        let error = error.unwrap();
        assert!(error.contains(why), "{error}");
        assert_eq!(requests, 1, "a server that counts wrong does so again");
    }
}

#[tokio::test]
async fn passages_are_tried_three_times_and_queries_twice() {
    let busy = || Answer::refused(500, "busy", "server_error");
    let script = |failures: usize| (0..failures).map(|_| busy()).chain([good()]).collect::<Vec<_>>();
    assert_eq!(tries(script(2), Purpose::Passage).await, (3, None));
    assert_eq!(tries(script(1), Purpose::Query).await, (2, None));
    let (requests, error) = tries(script(3), Purpose::Passage).await;
    assert_eq!(requests, 3);
    assert!(error.unwrap().contains("answered 500 (code busy, type server_error)"));
    assert_eq!(tries(script(2), Purpose::Query).await.0, 2);
    let frame = json!({"error": {"message": "m", "type": "server_error"}}).to_string();
    let error_in_200 = Answer::new(200, "application/json", frame);
    assert_eq!(tries(vec![error_in_200, good()], Purpose::Passage).await, (2, None));
    assert_eq!(tries(vec![good().broken_off(), good()], Purpose::Passage).await, (2, None));
}

#[tokio::test]
async fn lasting_trouble_is_not_tried_again() {
    for (status, code) in [(400, "bad"), (401, "invalid_api_key"), (429, "insufficient_quota")] {
        assert_eq!(
            tries(vec![Answer::refused(status, code, "x"), good()], Purpose::Passage).await.0,
            1,
            "{code}"
        );
    }
    let busy = || Answer::refused(429, "rate_limit_exceeded", "tokens");
    assert_eq!(tries(vec![busy().header("retry-after", "121"), good()], Purpose::Passage).await.0, 1);
    assert_eq!(
        tries(vec![busy().header("retry-after", "2"), good()], Purpose::Query).await.0,
        1,
        "a caller waits"
    );
    assert_eq!(tries(vec![busy().header("retry-after-ms", "30"), good()], Purpose::Passage).await, (2, None));
}

#[tokio::test]
async fn a_query_gives_up_in_time_and_hangs_up() {
    let server = StandIn::responding(|_, _| Answer::mute()).await;
    let with = |query| OpenAiEmbedder { query, ..settings(&server) }.adapter(&http()).unwrap();
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(20));
    let bounded = with(Patience { in_all: Some(short), one_try: long, ..Patience::QUERY });
    let outcome = bounded.embed(Purpose::Query, texts(1)).await;
    assert!(matches!(outcome, Err(EmbedError::Timeout(200))), "{outcome:?}");
    assert_eq!((server.ending(0).await, server.received().len()), (Ending::Dropped, 1));
    let stubborn = with(Patience { in_all: Some(long), one_try: short, ..Patience::QUERY });
    let outcome = stubborn.embed(Purpose::Query, texts(1)).await;
    assert!(matches!(outcome, Err(EmbedError::Timeout(200))), "{outcome:?}");
    assert_eq!((server.ending(2).await, server.received().len()), (Ending::Dropped, 3));
}

#[tokio::test]
async fn a_slow_first_try_leaves_room_for_a_second() {
    let server = StandIn::start(vec![Answer::mute(), good()]).await;
    let query = Patience {
        one_try: Duration::from_millis(400),
        in_all: Some(Duration::from_secs(20)),
        ..Patience::QUERY
    };
    let client = OpenAiEmbedder { query, ..settings(&server) }.adapter(&http()).unwrap();
    assert_eq!(client.embed(Purpose::Query, texts(1)).await.unwrap(), [unit("x")]);
}
