//! What operations look at: alive, ready, counted.
use crate::plain::get;
use crate::retell::Caller;
use crate::service::{Options, Running};

#[actix_rt::test]
async fn health_alive_and_ready() {
    let running = Running::start(Options::default()).await;
    let alive = get(running.address(), "/healthz", &[]).await;
    assert_eq!((alive.status, alive.body.contains("alive")), (200, true), "{alive:?}");
    let _caller = Caller::dial(&running, "healthy").await;
    let ready = get(running.address(), "/readyz", &[]).await;
    assert_eq!(ready.status, 200, "{ready:?}");
    let body: serde_json::Value = serde_json::from_str(&ready.body).unwrap();
    assert_eq!((&body["status"], &body["calls"]), (&"ready".into(), &1.into()));
}

#[actix_rt::test]
async fn r29_every_service_of_a_process_renders_its_metrics() {
    let first = Running::start(Options::default()).await;
    let second = Running::start(Options::default()).await;
    for (running, call) in [(&first, "counted1"), (&second, "counted2")] {
        let mut caller = Caller::dial(running, call).await;
        caller.say("Hola, tengo un concentrador M50 y me marca error H08").await;
        running.facts_with(call, "suggestion_generated", 1).await;
        let metrics = get(running.address(), "/metrics", &[]).await;
        assert_eq!(metrics.status, 200, "{call}: {metrics:?}");
        let text = &metrics.body;
        for series in [
            r#"aura_turns_total{source="retell",outcome="complete"}"#,
            r#"aura_retrievals_total{source="retell",hit="true",reason="none"}"#,
            "aura_calls_live",
            "aura_journal_written_total",
            "aura_desk_events_total",
            r#"aura_layer_ms_bucket{layer="embed""#,
            r#"aura_layer_ms_bucket{layer="query""#,
            r#"aura_layer_ms_bucket{layer="turn""#,
        ] {
            assert!(text.contains(series), "{series} is missing from\n{text}");
        }
        assert!(!text.contains(call), "no call's id in a metric");
    }
}
