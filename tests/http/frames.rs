//! Frames that can't be read, and sockets that meet: one call's trouble is nobody else's.
use crate::retell::{Caller, Line, frame};
use crate::service::{Options, Running};
use aura::protocol::retell::MAX_FRAME;
use serde_json::{Value, json};

/// A call, and another beside it.
async fn two() -> (Running, Caller, Caller) {
    let running = Running::start(Options::default()).await;
    let caller = Caller::dial(&running, "troubled").await;
    let other = Caller::dial(&running, "other").await;
    (running, caller, other)
}

#[actix_rt::test]
async fn frames_a_binary_frame_closes_the_socket_as_corrupt() {
    let (_running, mut caller, mut other) = two().await;
    caller.line.send_binary(vec![0; 320]).await;
    assert_eq!(caller.line.closed().await, Some(1007));
    assert!(other.say("no sé").await.complete);
}

#[actix_rt::test]
async fn frames_that_mean_nothing_are_passed_over() {
    let (_running, mut caller, mut other) = two().await;
    for corrupt in ["", "{", "hola", "[]", "null", "{}", "\u{0}", r#"{"interaction_type":7}"#] {
        caller.line.send_text(corrupt.to_owned()).await;
    }
    caller.line.send(json!({ "interaction_type": "from_the_future", "response_id": 99 })).await;
    caller.line.send(json!({ "interaction_type": "response_required", "transcript": [] })).await;
    caller.line.send(json!({ "interaction_type": "update_only", "transcript": "none", "more": [1] })).await;
    assert_eq!(caller.line.settle().await, [] as [Value; 0]);
    assert!(caller.say("no sé").await.complete, "the call goes on");
    assert!(other.say("no sé").await.complete);
}

#[actix_rt::test]
async fn frames_of_invalid_utf8_close_one_socket_and_the_call_can_be_redialled() {
    let (running, mut caller, mut other) = two().await;
    caller
        .line
        .send_bytes_as_text(b"{\"interaction_type\":\"ping_pong\",\"timestamp\":1,\"x\":\"se\xf1ora\"}")
        .await;
    let code = caller.line.closed().await;
    assert!(code.is_some_and(|code| code != 1000), "a code that makes Retell redial, not {code:?}");
    assert!(other.say("no sé").await.complete);
    let mut line = Line::dial(&running, "troubled").await;
    assert_eq!(line.settle().await, [] as [Value; 0], "no second greeting");
}

#[actix_rt::test]
async fn frames_beyond_the_bound_close_one_socket() {
    let (running, mut caller, mut other) = two().await;
    let words = "palabra ".repeat(MAX_FRAME / 8 + 1);
    caller.line.try_send_text(frame("response_required", 1, &[("user", &words)]).to_string()).await;
    assert_ne!(caller.line.closed().await, Some(1000), "Retell would take it for a goodbye");
    assert!(other.say("no sé").await.complete);
    assert_eq!(running.live_calls(), 2, "its call waits for the redial");
}

#[actix_rt::test]
async fn fault_52_an_hour_of_transcript_fits_into_a_frame() {
    let (_running, mut caller, _other) = two().await;
    let words = "palabra ".repeat(100_000);
    let turns = [("agent", words.as_str()), ("user", "no sé")];
    caller.line.send(frame("response_required", 1, &turns)).await;
    assert!(caller.line.answer(1).await.complete);
}

#[actix_rt::test]
async fn fault_50_of_two_sockets_for_one_call_the_newest_wins() {
    let (running, mut caller, mut other) = two().await;
    let mut newer = Line::dial(&running, "troubled").await;
    let code = caller.line.closed().await;
    assert!(code.is_some_and(|code| code != 1000), "the older is closed, but not with goodbye: {code:?}");
    newer.ask(1, &[("user", "no sé")]).await;
    assert!(newer.answer(1).await.complete);
    assert_eq!(newer.settle().await, [] as [Value; 0], "and isn't greeted again");
    assert!(other.say("no sé").await.complete);
    assert_eq!(running.live_calls(), 2);
}

#[actix_rt::test]
async fn retell_pings_come_back_with_their_number_even_while_an_answer_runs() {
    let (_running, mut caller, _other) = two().await;
    caller.line.send(json!({ "interaction_type": "ping_pong", "timestamp": 1_723_459_200_123_i64 })).await;
    let echo = caller.line.frame().await;
    assert_eq!(echo, json!({ "response_type": "ping_pong", "timestamp": 1_723_459_200_123_i64 }));
    caller.line.send(frame("reminder_required", 1, &[])).await;
    assert!(caller.line.answer(1).await.complete, "a reminder before anybody spoke");
}
