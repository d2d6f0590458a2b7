//! When a second try is made, and when it must not be.
use crate::support::openai::{Answer, StandIn, Step, delta};
use crate::{client, hear, http, patient, play, upstream};
use aura::generation::{Failure, FailureKind};
use aura_actors::llm::LlmError;
use aura_actors::llm::openai::OpenAiLlm;
use aura_actors::openai::Http;
use serde_json::json;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};

async fn tries(first: Answer) -> usize {
    let (server, texts, end) = play(vec![first, Answer::spoken(&["hola"])]).await;
    assert_eq!(texts.len(), usize::from(end.is_ok()));
    server.received().len()
}

#[tokio::test]
async fn passing_trouble_is_tried_again_once() {
    for status in [408, 409, 429, 500, 503] {
        assert_eq!(tries(Answer::refused(status, "busy", "server_error")).await, 2, "{status}");
    }
    assert_eq!(tries(Answer::html(502)).await, 2);
    assert_eq!(tries(Answer::stream("").broken_off()).await, 2, "closed before the first text");
    let (server, _, end) = play(vec![Answer::html(502), Answer::html(502), Answer::spoken(&["no"])]).await;
    assert!(upstream(end).contains("answered 502"));
    assert_eq!(server.received().len(), 2, "at most one retry");
}

#[tokio::test]
async fn lasting_trouble_is_not() {
    for status in [400, 401, 403, 404, 422, 307] {
        assert_eq!(tries(Answer::refused(status, "nope", "invalid_request_error")).await, 1, "{status}");
    }
    assert_eq!(tries(Answer::refused(429, "insufficient_quota", "insufficient_quota")).await, 1);
}

#[tokio::test]
async fn the_servers_own_word_decides() {
    assert_eq!(tries(Answer::html(500).header("x-should-retry", "false")).await, 1);
    assert_eq!(tries(Answer::html(400).header("x-should-retry", "true")).await, 2);
}

#[tokio::test]
async fn retry_after_is_obeyed_only_where_a_caller_can_wait() {
    let busy = || Answer::refused(429, "rate_limit_exceeded", "requests");
    assert_eq!(tries(busy().header("retry-after", "30")).await, 1);
    assert_eq!(tries(busy().header("retry-after-ms", "1500.5")).await, 1);
    assert_eq!(tries(busy().header("retry-after", "Thu, 01 Jan 2099 00:00:00 GMT")).await, 1);
    assert_eq!(tries(busy().header("retry-after", "0.05")).await, 2);
    assert_eq!(tries(busy().header("retry-after-ms", "20").header("retry-after", "30")).await, 2);
    assert_eq!(tries(busy().header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")).await, 2, "the past");
    assert_eq!(tries(busy().header("retry-after", "pronto")).await, 2, "nonsense");
}

#[tokio::test]
async fn nothing_is_tried_again_after_output() {
    let (server, texts, end) =
        play(vec![Answer::framed(&[delta("hola")]).broken_off(), Answer::spoken(&["hola"])]).await;
    assert_eq!(texts, ["hola"]);
    upstream(end);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_refusal_says_what_to_do_and_nothing_of_the_prompt() {
    let (_, _, end) = play(vec![Answer::refused(401, "invalid_api_key", "invalid_request_error")]).await;
    let failure = Failure::from(end.unwrap_err());
    assert_eq!(failure.kind, FailureKind::Upstream);
    assert!(failure.detail.contains("answered 401 (code invalid_api_key, type invalid_request_error)"));
    assert!(failure.detail.contains("check the API key"));
}

#[tokio::test]
async fn a_refusal_whose_body_never_ends_is_still_a_refusal() {
    let server = StandIn::start(vec![Answer::refused(401, "x", "y").then(Step::Hold)]).await;
    let (_, end) = hear(&client(&server, patient())).await;
    assert!(upstream(end).contains("answered 401"));
}

#[tokio::test]
async fn a_closed_port_is_named_without_its_address_or_key() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let settings = OpenAiLlm {
        limits: patient(),
        ..OpenAiLlm::new(format!("http://127.0.0.1:{port}/v1?clave=x"), None, "m")
    };
    let detail = upstream(hear(&settings.adapter(&http()).unwrap()).await.1);
    assert!(detail.contains("no connection (connection refused)"), "{detail}");
    assert!(!detail.contains("clave"), "{detail}");
}

/// Fills a listener's queue, so that the system drops whoever knocks next.
fn crowd(address: SocketAddr) -> Vec<TcpStream> {
    let knock = || TcpStream::connect_timeout(&address, Duration::from_millis(200));
    std::iter::from_fn(|| knock().ok()).take(16).collect()
}

#[tokio::test]
async fn a_server_that_does_not_pick_up_is_a_timeout_of_connecting() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let crowd = crowd(address);
    assert!(crowd.len() < 16, "the queue has an end");
    let settings =
        OpenAiLlm { limits: patient(), ..OpenAiLlm::new(format!("http://{address}/v1"), None, "m") };
    let client = settings.adapter(&Http::new(Duration::from_millis(200)).unwrap()).unwrap();
    let (_, end) = hear(&client).await;
    assert!(matches!(end, Err(LlmError::Timeout { waited: "connecting", ms: 200 })), "{end:?}");
}

/// What a breaker counts: trouble of the server, not of one request.
#[tokio::test]
async fn only_the_servers_own_trouble_is_an_outage() {
    let outage = async |answer: Answer| play(vec![answer.clone(), answer]).await.2.unwrap_err().is_outage();
    for status in [401, 403, 404, 408, 429, 500, 503] {
        assert!(outage(Answer::refused(status, "code", "invalid_request_error")).await, "{status}");
    }
    assert!(
        outage(Answer::refused(429, "rate_limit_exceeded", "requests").header("retry-after", "30")).await
    );
    assert!(outage(Answer::html(502)).await && outage(Answer::stream("").broken_off()).await);
    for status in [400, 413, 422] {
        assert!(!outage(Answer::refused(status, "code", "invalid_request_error")).await, "{status}");
    }
    let framed = |error| Answer::framed(&[json!({ "error": error })]);
    assert!(
        !outage(framed(json!({ "code": "context_length_exceeded", "type": "invalid_request_error" }))).await
    );
    assert!(outage(framed(json!({ "code": "invalid_api_key", "type": "invalid_request_error" }))).await);
    assert!(outage(framed(json!({ "message": "overloaded" }))).await);
}
