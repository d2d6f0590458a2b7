//! The faults that users of such servers reported, each as one answer of a real socket.
use crate::support::openai::{Answer, Ending, StandIn, Step, delta, finish, frames, usage};
use crate::{client, hear, patient, play, refused, upstream};
use aura_actors::llm::LlmError;
use aura_actors::llm::openai::Limits;
use serde_json::json;
use std::time::Duration;

fn whole() -> String {
    frames(&[
        delta("Señora, "),
        delta("¿está el tubo 🫁 conectado?"),
        finish("stop"),
        usage(7, 8),
        "[DONE]".into(),
    ])
}

const TEXTS: [&str; 2] = ["Señora, ", "¿está el tubo 🫁 conectado?"];

#[tokio::test]
async fn fault_1_tool_call_fragments_do_not_crash() {
    for fragment in [
        json!([{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]),
        json!([{"index": 3}]),
        json!(null),
    ] {
        let tools = json!({"choices": [{"index": 0, "delta": {"tool_calls": fragment}}]});
        let (_, texts, end) =
            play(vec![Answer::framed(&[tools, delta("hola"), finish("tool_calls"), "[DONE]".into()])]).await;
        assert_eq!((texts, end.is_ok()), (vec!["hola".to_owned()], true));
    }
}

#[tokio::test]
async fn fault_25_accents_survive_any_cut() {
    for answer in [
        Answer::stream(whole()).cut_every(1),
        Answer::stream(whole()).cut_after(b"Se\xC3"),
        Answer::stream(whole()).cut_every(3),
    ] {
        let (_, texts, end) = play(vec![answer]).await;
        assert_eq!(texts, TEXTS);
        end.unwrap();
    }
}

#[tokio::test]
async fn fault_26_crlf_streams_are_heard() {
    let body = whole().replace('\n', "\r\n");
    for answer in [
        Answer::stream(body.clone()),
        Answer::stream(body.clone()).cut_every(1),
        Answer::stream(body).cut_after(b"}\r"),
    ] {
        assert_eq!(play(vec![answer]).await.1, TEXTS);
    }
}

#[tokio::test]
async fn fault_27_a_bare_cr_does_not_stall() {
    let server = StandIn::start(vec![Answer::stream(whole().replace('\n', "\r")).then(Step::Hold)]).await;
    let (texts, end) = hear(&client(&server, patient())).await;
    assert_eq!(texts, TEXTS);
    end.unwrap();
}

#[tokio::test]
async fn fault_29_no_space_comments_and_broken_data_lines() {
    let tight = whole().replace("data: ", "data:");
    let noisy = format!(": OPENROUTER PROCESSING\n\n: ping\n{}", whole());
    let broken = whole().replace("data: {", "data:\n {");
    let split = whole().replace("\"choices\":", "\ndata: \"choices\":");
    for body in [tight, noisy, broken, split] {
        let (_, texts, end) = play(vec![Answer::stream(body)]).await;
        assert_eq!(texts, TEXTS);
        end.unwrap();
    }
}

#[tokio::test]
async fn fault_31_a_normal_end_is_no_error_and_is_not_asked_again() {
    let said = [delta("hola"), finish("stop")];
    let done = [delta("hola"), finish("stop"), "[DONE]".into()];
    for answer in [
        Answer::framed(&done),
        Answer::framed(&done).broken_off(),
        Answer::framed(&done).then(Step::Hold),
        Answer::framed(&said),
        Answer::framed(&said).broken_off(),
        Answer::framed(&said).then(Step::Hold),
        Answer::stream(format!("{}data: [DONE]", frames(&said))),
    ] {
        let (server, texts, end) = play(vec![answer.clone()]).await;
        assert_eq!(texts, ["hola"]);
        assert!(end.is_ok(), "{answer:?}: {end:?}");
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test]
async fn fault_31_an_answer_cut_off_is_an_error_and_is_not_said_again() {
    for answer in [Answer::framed(&[delta("hola")]), Answer::framed(&[delta("hola")]).broken_off()] {
        let (server, texts, end) = play(vec![answer, Answer::spoken(&["hola"])]).await;
        assert_eq!(texts, ["hola"]);
        assert!(upstream(end).contains("ended before the answer did"));
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test]
async fn fault_32_empty_choices_first_and_last() {
    let azure = json!({"choices": [], "prompt_filter_results": []});
    let (_, texts, end) =
        play(vec![Answer::framed(&[azure, usage(1, 1), delta("hola"), finish("stop"), usage(4, 2)])]).await;
    assert_eq!(texts, ["hola"]);
    assert_eq!(end.unwrap().prompt_tokens, Some(4));
}

#[tokio::test]
async fn fault_34_an_error_frame_first_is_tried_again_once() {
    let error = Answer::framed(&[json!({"error": {"message": "overloaded"}})]);
    let (server, texts, end) = play(vec![error.clone(), Answer::spoken(&["hola"])]).await;
    assert_eq!(texts, ["hola"]);
    end.unwrap();
    assert_eq!(server.received().len(), 2);
    let (server, texts, end) = play(vec![error.clone(), error]).await;
    assert!(texts.is_empty());
    assert!(upstream(end).contains("broke off with an error"));
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn fault_34_an_error_frame_in_the_middle_ends_the_answer() {
    let error = json!({"error": {"message": "'me duele el pecho'", "type": "server_error", "code": 502}});
    let all = [delta("a"), delta("b"), delta("c"), delta("d"), error, delta("e"), finish("stop")];
    let (server, texts, end) = play(vec![Answer::framed(&all), Answer::spoken(&["otra"])]).await;
    assert_eq!(texts, ["a", "b", "c", "d"]);
    assert!(upstream(end).contains("code 502, type server_error"));
    assert_eq!(server.received().len(), 1);
}

/// Deadlines short enough to wait for.
fn hasty() -> Limits {
    Limits {
        first_token: Duration::from_millis(300),
        first_token_in_all: Duration::from_secs(20),
        next_piece: Duration::from_secs(1),
        next_token: Duration::from_secs(2),
        retries: 1,
        retry_wait: Duration::from_millis(40),
        tail: Duration::from_millis(100),
    }
}

fn ping() -> Step {
    Step::Forever(b": keep-alive\n\n".to_vec(), Duration::from_millis(20))
}

#[tokio::test]
async fn fault_35_comments_are_no_answer() {
    let only_comments = Answer::stream("").after(ping());
    let server = StandIn::start(vec![only_comments.clone(), only_comments]).await;
    let (texts, end) = hear(&client(&server, hasty())).await;
    assert!(texts.is_empty());
    assert!(matches!(end, Err(LlmError::Timeout { waited: "the first token", .. })), "{end:?}");
    assert_eq!((server.ending(0).await, server.ending(1).await), (Ending::Dropped, Ending::Dropped));
}

#[tokio::test]
async fn fault_35_silence_after_the_headers_or_without_them() {
    for answer in [Answer::stream(": \n").then(Step::Hold), Answer::mute()] {
        let server = StandIn::start(vec![answer.clone(), answer]).await;
        let (_, end) = hear(&client(&server, hasty())).await;
        assert!(matches!(end, Err(LlmError::Timeout { waited: "the first token", ms: 1..=300 })), "{end:?}");
        assert_eq!(server.received().len(), 2, "one quick retry, before any output");
    }
}

#[tokio::test]
async fn fault_35_both_tries_together_have_a_bound() {
    let server = StandIn::start(vec![Answer::mute(), Answer::spoken(&["tarde"])]).await;
    let limits = Limits { first_token_in_all: Duration::from_millis(200), ..patient() };
    let (_, end) = hear(&client(&server, limits)).await;
    assert!(matches!(end, Err(LlmError::Timeout { waited: "the first token", ms: 1..=200 })), "{end:?}");
    assert_eq!(server.received().len(), 1, "no time is left for a second try");
}

#[tokio::test]
async fn fault_35_comments_keep_a_stream_alive_but_not_for_ever() {
    let server = StandIn::start(vec![Answer::framed(&[delta("hola")]).then(ping())]).await;
    let (texts, end) = hear(&client(&server, hasty())).await;
    assert_eq!(texts, ["hola"]);
    assert!(matches!(end, Err(LlmError::Timeout { waited: "the next token", ms: 2000 })), "{end:?}");
    assert_eq!(server.ending(0).await, Ending::Dropped);
    assert_eq!(server.received().len(), 1, "never a retry after output");
    let server = StandIn::start(vec![Answer::framed(&[delta("hola")]).then(Step::Hold)]).await;
    let (_, end) = hear(&client(&server, hasty())).await;
    assert!(matches!(end, Err(LlmError::Timeout { waited: "the next token", ms: 1000 })), "{end:?}");
}

#[tokio::test]
async fn a_body_that_is_no_stream_is_named() {
    let (server, _, end) = play(vec![Answer::html(200)]).await;
    assert!(upstream(end).contains("text/html came"));
    assert_eq!(server.received().len(), 1);
    let whole = json!({"choices": [{"message": {"content": "hola"}}]}).to_string();
    let (_, _, end) = play(vec![Answer::new(200, "application/json", whole)]).await;
    assert!(upstream(end).contains("application/json came (no code)"));
    let (_, _, end) = play(vec![Answer::refused(200, "model_overloaded", "server_error")]).await;
    assert!(upstream(end).contains("code model_overloaded, type server_error"));
    let mut unnamed = Answer::spoken(&["hola"]);
    unnamed.headers.clear();
    assert_eq!(play(vec![unnamed]).await.1, ["hola"], "a stream without a content type is heard");
}

#[tokio::test]
async fn a_corrupt_stream_is_an_error_and_no_crash() {
    let good = frames(&[delta("hola")]);
    for (bad, why) in [
        (b"data: {\"choices\":[\n\n".to_vec(), "not a JSON object"),
        (b"data: {\"x\":\"\xC3\x28\"}\n\n".to_vec(), "not UTF-8"),
        (vec![b'x'; 300_000], "longer than"),
    ] {
        let body = [good.as_bytes(), &bad].concat();
        let (_, texts, end) = play(vec![Answer::stream(body)]).await;
        assert_eq!(texts, ["hola"]);
        let detail = upstream(end);
        assert!(detail.contains(why), "{detail}");
    }
}

#[tokio::test]
async fn an_answer_without_a_word_is_a_failure() {
    let empty = Answer::framed(&[delta(""), finish("stop"), "[DONE]".into()]);
    let (server, _, end) = play(vec![empty.clone(), empty.clone()]).await;
    assert!(upstream(end).contains("without a word"));
    assert_eq!(server.received().len(), 2);
    assert_eq!(play(vec![empty, Answer::spoken(&["hola"])]).await.1, ["hola"]);
    let filtered = Answer::framed(&[delta("ho"), finish("content_filter"), "[DONE]".into()]);
    assert!(refused(play(vec![filtered]).await.2).contains("content filter"));
    assert!(play(vec![Answer::framed(&[delta("ho"), finish("length"), "[DONE]".into()])]).await.2.is_ok());
}
