//! Who may dial, under which name, and how many at once.
use crate::plain::{dial, get};
use crate::retell::Line;
use crate::service::{Options, Running};
use aura_actors::config::Config;

#[actix_rt::test]
async fn door_a_wrong_or_missing_secret_is_refused_and_two_are_valid_at_once() {
    let running = Running::start(Options::default().set("RETELL_SECRET", "vieja-llave, nueva-llave")).await;
    for path in ["/llm-websocket/c1", "/llm-websocket/otra/c1", "/llm-websocket/vieja-llav/c1"] {
        let refused = dial(running.address(), path, &[]).await;
        assert_eq!(refused.status, 401, "{path}");
        let detail = refused.problem();
        assert!(detail.contains("secret") && detail.contains("RETELL_SECRET"), "{detail}");
        assert!(!refused.body.contains("vieja") && !refused.body.contains("nueva"), "{}", refused.body);
    }
    assert_eq!(running.live_calls(), 0);
    for secret in ["vieja-llave", "nueva-llave"] {
        Line::dial_url(&format!("{}/{secret}/{secret}", running.url())).await.answer(0).await;
    }
}

#[actix_rt::test]
async fn door_only_allowed_addresses_may_dial() {
    let options = Options::default().set("RETELL_ALLOW_IPS", "100.20.5.228, 10.0.0.0/8");
    let running = Running::start(options).await;
    let forged = [("x-forwarded-for", "100.20.5.228")];
    for headers in [&[][..], &forged] {
        let refused = dial(running.address(), "/llm-websocket/c1", headers).await;
        assert_eq!(refused.status, 403);
        assert!(refused.problem().contains("RETELL_ALLOW_IPS"));
    }
    assert_eq!(running.live_calls(), 0);
}

#[actix_rt::test]
async fn door_behind_a_proxy_the_last_forwarded_address_counts() {
    let options =
        Options::default().set("RETELL_ALLOW_IPS", "100.20.5.228").set("AURA_TRUST_FORWARDED", "true");
    let running = Running::start(options).await;
    let from = |list: &'static str| [("x-forwarded-for", list)];
    let forged = from("100.20.5.228, 203.0.113.9");
    assert_eq!(dial(running.address(), "/llm-websocket/c1", &forged).await.status, 403);
    let through = from("203.0.113.9, 100.20.5.228");
    assert_eq!(dial(running.address(), "/llm-websocket/c1", &through).await.status, 101);
}

#[actix_rt::test]
async fn door_a_call_id_of_other_characters_is_refused() {
    let running = Running::start(Options::default()).await;
    for id in ["a%20b", "%C3%B1and%C3%BA", "a%00b", "a%2Fb", "a%FFb"] {
        let refused = dial(running.address(), &format!("/llm-websocket/{id}"), &[]).await;
        assert_eq!(refused.status, 400, "{id}");
        assert!(refused.problem().contains("call id"), "{id}: {refused:?}");
    }
    let long = format!("/llm-websocket/{}", "a".repeat(129));
    assert_eq!(dial(running.address(), &long, &[]).await.status, 400);
    assert_eq!(running.live_calls(), 0);
}

#[actix_rt::test]
async fn door_what_is_no_websocket_opens_no_call() {
    let running = Running::start(Options::default()).await;
    let refused = get(running.address(), "/llm-websocket/c1", &[]).await;
    assert_eq!(refused.status, 400);
    assert!(refused.problem().contains("websocket"), "{refused:?}");
    assert_eq!(running.live_calls(), 0, "a browser's visit takes no call's place");
}

#[actix_rt::test]
async fn i7_more_calls_than_the_cap_are_refused_with_what_to_do() {
    let running = Running::start(Options::default().set("AURA_MAX_CALLS", 1)).await;
    let mut line = Line::dial(&running, "only").await;
    line.answer(0).await;
    let refused = dial(running.address(), "/llm-websocket/another", &[]).await;
    assert_eq!(refused.status, 503);
    let detail = refused.problem();
    assert!(detail.contains("1 calls are live") && detail.contains("AURA_MAX_CALLS"), "{detail}");
    let seconds = refused.headers.get("retry-after").and_then(|seconds| seconds.parse::<u32>().ok());
    assert!(seconds.is_some_and(|seconds| seconds > 0), "the peer learns when to dial again: {refused:?}");
    // The live one may come back: a redial is no new call.
    drop(line);
    Line::dial(&running, "only").await.settle().await;
}

#[test]
fn door_an_address_that_can_be_reached_needs_a_secret() {
    let read = |listen: &str, secret: Option<&str>| {
        let (listen, secret) = (listen.to_owned(), secret.map(str::to_owned));
        Config::read(&move |name| match name {
            "AURA_LISTEN" => Some(listen.clone()),
            "RETELL_SECRET" => secret.clone(),
            "PATIENT_LOOKUP_PROVIDER" => Some("disabled".to_owned()),
            _ => None,
        })
    };
    for listen in ["0.0.0.0:8080", "[::]:8080", "192.0.2.1:8080"] {
        let error = read(listen, None).unwrap_err();
        assert_eq!(error.name, "RETELL_SECRET");
        assert!(error.to_string().contains(listen), "{error}");
        assert!(read(listen, Some(" , ")).is_err(), "an empty secret is none");
        assert!(read(listen, Some("s3creto")).is_ok());
    }
    assert!(read("127.0.0.1:8080", None).is_ok() && read("[::1]:8080", None).is_ok());
}
