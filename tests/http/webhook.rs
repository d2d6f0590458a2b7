//! Retell's webhooks against the real service: whose they are, kept once, on disk before the 204.
use crate::plain::{Response, get, post, post_part};
use crate::retell::{Caller, Line};
use crate::service::{Fact, Options, PATIENCE, Running};
use crate::signature::sign;
use crate::watch::holds_long_number;
use aura::event::News;
use aura::protocol::retell::webhook::MAX_WEBHOOK;
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const PATH: &str = "/retell/webhook";
const KEY: &str = "key_webhook_0123";

fn keyed() -> Options {
    Options::default().set("RETELL_API_KEY", KEY)
}

fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

async fn send_with(running: &Running, headers: &[(&str, &str)], body: &[u8]) -> Response {
    post(running.address(), PATH, headers, body).await
}

/// Sends these bytes, signed with `key` now.
async fn send_bytes(running: &Running, key: &str, body: &[u8]) -> Response {
    send_with(running, &[("x-retell-signature", &sign(key, body, now()))], body).await
}

/// Sends it as Retell does.
async fn send(running: &Running, body: &Value) -> Response {
    send_bytes(running, KEY, body.to_string().as_bytes()).await
}

fn told(event: &str, call: &str) -> Value {
    json!({ "event": event, "call": { "call_id": call, "call_status": "ended", "from_number": "+5491145678901" } })
}

/// What is kept of this call's webhooks now, without waiting.
/// What was told of a call, once all that is on disk has reached the database.
async fn reports(running: &Running, call: &str) -> Vec<Fact> {
    running.flush().await;
    running.facts(call).await.into_iter().filter(|fact| fact.kind == "call_reported").collect()
}

async fn rows(running: &Running) -> i64 {
    running.sql().query_one("SELECT count(*) FROM event_log", &[]).await.unwrap().get(0)
}

async fn until(what: &str, done: impl Fn() -> bool) {
    let wait = async {
        while !done() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(timeout(PATIENCE, wait).await.is_ok(), "{what}: it never came to that");
}

#[actix_rt::test]
async fn fault_5_bodies_are_taken_as_they_were_signed_byte_by_byte() {
    let running = Running::start(keyed()).await;
    let bodies = [
        r#"{"event":"call_started","call":{"call_id":"a1","amount":1.0}}"#,
        r#"{"event": "call_started", "call":{"call_id":"a2"}}"#,
        "{\"event\":\"call_started\",\"call\":{\"call_id\":\"a3\",\"n\":\"Nu\\u00f1ez\"}}",
        "{\"event\":\"call_started\",\"call\":{\"call_id\":\"a4\",\"n\":\"Núñez\"}}\n",
        r#"{"event":"call_started","data":{"call_id":"a5"}}"#,
    ];
    for (body, call) in bodies.iter().zip(["a1", "a2", "a3", "a4", "a5"]) {
        let answer = send_bytes(&running, KEY, body.as_bytes()).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{body}: {answer:?}");
        assert_eq!(reports(&running, call).await.len(), 1, "on disk before the 204: {body}");
    }
}

#[actix_rt::test]
async fn fault_6_what_is_not_signed_is_refused_at_once_and_changes_nothing() {
    let running = Running::start(keyed()).await;
    let mut caller = Caller::dial(&running, "live").await;
    let body = told("call_ended", "live").to_string();
    let good = sign(KEY, body.as_bytes(), now());
    let old = sign(KEY, body.as_bytes(), now() - 600_000);
    let early = sign(KEY, body.as_bytes(), now() + 600_000);
    let other_body = sign(KEY, format!("{body} ").as_bytes(), now());
    let other_key = sign("key_webhook_0124", body.as_bytes(), now());
    let (short, long, upper) = (&good[..good.len() - 1], format!("{good}0"), good.to_uppercase());
    for header in [&old, &early, &other_body, &other_key, short, &long, &upper, "", "true"] {
        let refused = send_with(&running, &[("x-retell-signature", header)], body.as_bytes()).await;
        assert_eq!(refused.status, 401, "{header}");
        assert!(refused.problem().contains("x-retell-signature"), "{refused:?}");
        assert!(!refused.body.contains(KEY) && !refused.body.contains("live"), "{}", refused.body);
    }
    let twice = [("x-retell-signature", good.as_str()), ("x-retell-signature", &other_key)];
    for headers in [&[][..], &twice, &[("x-retell-signatur", good.as_str())]] {
        assert_eq!(send_with(&running, headers, body.as_bytes()).await.status, 401, "{headers:?}");
    }
    // Refused without waiting for a body that may never come.
    let unread = post_part(running.address(), PATH, &[], b"", 1_000_000).await;
    assert_eq!(unread.status, 401);
    assert!(caller.say("no sé").await.complete, "the call goes on");
    assert_eq!(reports(&running, "live").await, []);
    assert_eq!(running.live_calls(), 1);
}

#[actix_rt::test]
async fn fault_7_both_keys_are_valid_while_one_is_rotated() {
    let running = Running::start(Options::default().set("RETELL_API_KEY", "key_old, key_new")).await;
    for (key, call) in [("key_old", "k1"), ("key_new", "k2")] {
        let body = told("call_ended", call).to_string();
        assert_eq!(send_bytes(&running, key, body.as_bytes()).await.status, 204, "{key}");
        assert_eq!(reports(&running, call).await.len(), 1, "{key}");
    }
    let body = told("call_ended", "k3").to_string();
    assert_eq!(send_bytes(&running, "key_old, key_new", body.as_bytes()).await.status, 401);
}

#[actix_rt::test]
async fn webhook_repetitions_at_once_and_later_are_one_row() {
    let running = Running::start(keyed()).await;
    let body = told("call_analyzed", "again");
    let answers = join_all((0..20).map(|_| send(&running, &body))).await;
    assert!(answers.iter().all(|answer| answer.status == 204), "{answers:?}");
    assert_eq!(reports(&running, "again").await.len(), 1);
    assert_eq!(send(&running, &body).await.status, 204);
    assert_eq!(reports(&running, "again").await.len(), 1);
    // The same event of another call, and another event of the same call, are facts of their own.
    assert_eq!(send(&running, &told("call_analyzed", "again.2")).await.status, 204);
    assert_eq!(send(&running, &told("call_ended", "again")).await.status, 204);
    assert_eq!((reports(&running, "again").await.len(), rows(&running).await), (2, 3));
}

#[actix_rt::test]
async fn webhook_events_may_come_in_any_order_and_open_no_call() {
    let running = Running::start(keyed()).await;
    let order = ["call_analyzed", "transfer_ended", "call_ended", "transfer_started", "call_started"];
    for event in order {
        assert_eq!(send(&running, &told(event, "shuffled")).await.status, 204, "{event}");
    }
    let kept = reports(&running, "shuffled").await;
    let events: Vec<_> = kept.iter().map(|fact| fact.payload["event"].as_str().unwrap()).collect();
    assert_eq!(events, order);
    assert!(kept.iter().all(|fact| fact.source == "retell" && fact.turn.is_none()), "{kept:?}");
    assert_eq!(running.live_calls(), 0);
}

#[actix_rt::test]
async fn webhook_the_analysis_is_kept_masked_and_the_talk_is_not() {
    let running = Running::start(keyed()).await;
    let said = "mi documento es 23.456.789";
    let body = json!({ "event": "call_analyzed", "call": {
        "call_id": "analysed", "agent_id": "agent_1", "call_status": "ended", "duration_ms": 61_000,
        "disconnection_reason": "user_hangup", "from_number": "+5491145678901", "recording_url": "https://a/1.wav",
        "transcript": said, "transcript_object": [{ "role": "user", "content": said }],
        "retell_llm_dynamic_variables": { "nombre": "Elsa" }, "metadata": { "nombre": "Elsa" },
        "call_analysis": {
            "call_summary": "Dio su DNI 23.456.789 y consultó por H08.", "user_sentiment": "Neutral",
            "call_successful": false, "custom_analysis_data": { "dni": 23_456_789, "motivo": "H08" } },
    }});
    assert_eq!(send(&running, &body).await.status, 204);
    let kept = reports(&running, "analysed").await;
    let report = &kept[0].payload["report"];
    assert_eq!(report["disconnectionReason"], "user_hangup");
    assert_eq!(report["durationMs"], 61_000);
    let analysis = json!({ "summary": "Dio su DNI ···789 y consultó por H08.", "sentiment": "Neutral",
        "successful": false, "inVoicemail": null,
        "customAnalysisData": { "dni": "DNI ···789", "motivo": "H08" } });
    assert_eq!(report["callAnalysis"], analysis);
    let whole = kept[0].payload.to_string();
    assert!(!holds_long_number(&whole) && !whole.contains("Elsa") && !whole.contains(".wav"), "{whole}");
}

#[actix_rt::test]
async fn d23_what_is_acknowledged_without_a_database_is_there_once_after_a_restart() {
    let mut running = Running::start(keyed()).await;
    let body = told("call_ended", "outage");
    running.close_database(true).await;
    for _ in 0..2 {
        assert_eq!(send(&running, &body).await.status, 204, "it is on disk");
    }
    assert_eq!(running.facts("outage").await, [], "and not in the database yet");
    running.stop().await;
    running.close_database(false).await;
    running.again().await;
    running.facts_with("outage", "call_reported", 1).await;
    assert_eq!(reports(&running, "outage").await.len(), 1, "kept, and once");
}

#[actix_rt::test]
async fn webhook_a_call_that_ended_is_let_go_of_though_it_lingers() {
    let running = Running::start(keyed()).await;
    let caller = Caller::dial(&running, "lingers").await;
    drop(caller); // no close frame: a redial is awaited for two minutes
    until("lost", || running.desk.of("lingers").contains(&News::Lost)).await;
    assert_eq!(running.live_calls(), 1);
    assert_eq!(send(&running, &told("call_analyzed", "lingers")).await.status, 204);
    assert_eq!(send(&running, &told("call_ended", "another")).await.status, 204);
    assert_eq!(running.live_calls(), 1, "neither says that this call ended");
    assert_eq!(send(&running, &told("call_ended", "lingers")).await.status, 204);
    until("let go of", || running.live_calls() == 0).await;
    assert_eq!(running.last("lingers", "call_ended", 1).await["reason"], "hung_up");
}

#[actix_rt::test]
async fn webhook_a_call_that_ended_lets_go_of_its_socket_for_good() {
    let running = Running::start(keyed()).await;
    let mut line = Line::dial(&running, "open").await;
    line.answer(0).await;
    assert_eq!(send(&running, &told("call_ended", "open")).await.status, 204);
    assert_eq!(line.closed().await, Some(1000), "nothing to redial for");
    until("let go of", || running.live_calls() == 0).await;
    assert_eq!(running.facts_with("open", "call_ended", 1).await.len(), 3, "started, reported, ended");
}

#[actix_rt::test]
async fn r9_an_inbound_call_is_answered_and_nobody_is_looked_up_or_kept() {
    let running = Running::start(keyed()).await;
    let numbers = json!({ "agent_id": "a", "from_number": "+5491145678901", "to_number": "+541143210000" });
    let answer = send(&running, &json!({ "event": "call_inbound", "call_inbound": numbers })).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"call_inbound":{}}"#));
    let unsigned = send_with(&running, &[], br#"{"event":"call_inbound","call_inbound":{}}"#).await;
    assert_eq!(unsigned.status, 401);
    for event in ["transcript_updated", "chat_started", "call_dreamt"] {
        let answer = send(&running, &json!({ "event": event, "call": { "call_id": "c" } })).await;
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{event}");
    }
    assert_eq!((rows(&running).await, running.live_calls()), (0, 0));
}

#[actix_rt::test]
async fn webhook_what_cannot_be_read_is_refused_without_repeating_it() {
    let running = Running::start(keyed()).await;
    for body in ["", "23456789", "{\"event\":\"call_ended\"", "{\"call\":{}}", "{\"event\":\"call_ended\"}"] {
        let refused = send_bytes(&running, KEY, body.as_bytes()).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(!refused.problem().contains("23456789"), "{refused:?}");
    }
    assert_eq!(send_bytes(&running, KEY, b"\xff\xfe{").await.status, 400);
    let bad_id = json!({ "event": "call_ended", "call": { "call_id": "../etc" } });
    assert!(send(&running, &bad_id).await.problem().contains("call id"));
    assert_eq!(get(running.address(), PATH, &[]).await.status, 405);
    assert_eq!(rows(&running).await, 0);
}

#[actix_rt::test]
async fn i7_a_body_that_is_too_large_or_never_ends_is_refused() {
    let running = Running::start(keyed()).await;
    let sized = |bytes: usize| {
        let frame =
            json!({ "event": "call_ended", "call": { "call_id": "big", "transcript": "" } }).to_string();
        let padding = "a".repeat(bytes - frame.len());
        json!({ "event": "call_ended", "call": { "call_id": "big", "transcript": padding } })
    };
    let refused = send(&running, &sized(MAX_WEBHOOK + 1)).await;
    assert_eq!(refused.status, 413);
    assert!(refused.problem().contains(&MAX_WEBHOOK.to_string()), "{refused:?}");
    assert_eq!(rows(&running).await, 0);
    assert_eq!(send(&running, &sized(MAX_WEBHOOK)).await.status, 204, "an hour's transcript comes in");
    let signature = sign(KEY, b"{}", now());
    let half = post_part(running.address(), PATH, &[("x-retell-signature", &signature)], b"{", 2).await;
    assert_eq!(half.status, 503, "{half:?}");
}

#[actix_rt::test]
async fn door_webhooks_come_from_the_same_addresses_as_calls() {
    let options = keyed().set("RETELL_ALLOW_IPS", "100.20.5.228").set("AURA_TRUST_FORWARDED", "true");
    let running = Running::start(options).await;
    let body = told("call_ended", "c1").to_string();
    let signature = sign(KEY, body.as_bytes(), now());
    let from = |list: &'static str| [("x-retell-signature", signature.as_str()), ("x-forwarded-for", list)];
    for headers in [&from("100.20.5.228, 203.0.113.9")[..], &from("nobody"), &from("")[..1]] {
        let refused = send_with(&running, headers, body.as_bytes()).await;
        assert_eq!(refused.status, 403, "{headers:?}");
        assert!(refused.problem().contains("RETELL_ALLOW_IPS"));
    }
    assert_eq!(reports(&running, "c1").await, []);
    let through = send_with(&running, &from("203.0.113.9, 100.20.5.228"), body.as_bytes()).await;
    assert_eq!(through.status, 204);
}

#[actix_rt::test]
async fn door_without_a_key_there_are_no_webhooks() {
    for options in [Options::default(), Options::default().set("RETELL_API_KEY", " , ")] {
        let running = Running::start(options).await;
        let body = told("call_ended", "c1").to_string();
        for key in [KEY, "", ","] {
            let refused = send_bytes(&running, key, body.as_bytes()).await;
            assert_eq!(refused.status, 404);
            assert!(refused.problem().contains("RETELL_API_KEY"), "{refused:?}");
        }
        assert_eq!(rows(&running).await, 0);
    }
}

#[actix_rt::test]
async fn r29_webhooks_are_counted_under_names_of_our_own() {
    let running = Running::start(keyed()).await;
    for event in ["call_ended", "call_inbound", "chat_started", "invented_by_a_peer"] {
        send(&running, &told(event, "counted.webhook")).await;
    }
    send_with(&running, &[], b"{}").await;
    let metrics = get(running.address(), "/metrics", &[]).await.body;
    for series in [
        r#"aura_webhooks_total{event="call_ended",outcome="kept"}"#,
        r#"aura_webhooks_total{event="call_inbound",outcome="answered"}"#,
        r#"aura_webhooks_total{event="chat",outcome="passed"}"#,
        r#"aura_webhooks_total{event="other",outcome="passed"}"#,
        r#"aura_webhooks_total{event="unread",outcome="unsigned"}"#,
    ] {
        assert!(metrics.contains(series), "{series} is missing from\n{metrics}");
    }
    assert!(!metrics.contains("invented") && !metrics.contains("counted.webhook"));
}
