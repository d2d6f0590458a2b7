//! Whole turns while embedder, database or model is out: what is asked, what is logged, what operations see.
use crate::plain::get;
use crate::retell::Caller;
use crate::service::{Options, PATIENCE, Running, embedder};
use crate::support::openai::{Answer, StandIn};
use async_trait::async_trait;
use aura::phrases::{HOLDING_BOT, HOLDING_BOT_AGAIN};
use aura::retrieval::score::Scale;
use aura_actors::breaker::FAILURES;
use aura_actors::embed::{EmbedError, Embedder, Purpose};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const QUESTION: &str = "Hola, tengo un concentrador M50 y me marca error H08";

/// The real model, which a test can break.
struct Fragile {
    broken: AtomicBool,
    asked: AtomicUsize,
    real: Arc<dyn Embedder>,
}

impl Fragile {
    fn broken() -> Arc<Self> {
        Arc::new(Self { broken: AtomicBool::new(true), asked: AtomicUsize::new(0), real: embedder() })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Embedder for Fragile {
    fn name(&self) -> &'static str {
        self.real.name()
    }

    fn model(&self) -> &str {
        self.real.model()
    }

    fn dims(&self) -> usize {
        self.real.dims()
    }

    fn scale(&self) -> Scale {
        self.real.scale()
    }

    async fn embed(&self, purpose: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.broken.load(Ordering::SeqCst) {
            return Err(EmbedError::Failed("connection refused".to_owned()));
        }
        self.real.embed(purpose, texts).await
    }
}

async fn ready(running: &Running) -> Value {
    let answer = get(running.address(), "/readyz", &[]).await;
    assert_eq!(answer.status, 200, "degraded is still answering: {answer:?}");
    serde_json::from_str(&answer.body).unwrap()
}

/// The dependencies that `/readyz` calls degraded by their breaker, with its state.
fn broken(ready: &Value) -> Vec<(&str, &str)> {
    let degraded = ready["degraded"].as_array().map_or(&[][..], Vec::as_slice);
    degraded.iter().filter_map(|one| Some((one["dependency"].as_str()?, one["breaker"].as_str()?))).collect()
}

/// The metrics, once they hold this line: other services of this program write the same series.
async fn metric(running: &Running, line: &str) {
    let seen = async {
        while !get(running.address(), "/metrics", &[]).await.body.lines().any(|one| one == line) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("{line} never was in /metrics"));
}

/// Asks until a turn finds its manual.
async fn until_hit(running: &Running, caller: &mut Caller, call: &str, mut turns: usize) {
    let healed = async {
        loop {
            caller.say(QUESTION).await;
            turns += 1;
            if running.last(call, "knowledge_queried", turns).await["hit"] == true {
                return;
            }
            sleep(Duration::from_millis(200)).await;
        }
    };
    timeout(PATIENCE, healed).await.expect("the breaker never closed");
}

/// The channel's sentence, or its shorter form once a call back was promised.
fn held(text: &str) -> bool {
    text == HOLDING_BOT.es || text == HOLDING_BOT_AGAIN.es
}

#[actix_rt::test]
async fn e9_a_dead_embedder_is_left_alone_after_five_turns_and_asked_again_later() {
    let embedder = Fragile::broken();
    let running = Running::start(Options::default().embedder(embedder.clone())).await;
    assert_eq!(ready(&running).await["status"], "ready");
    metric(&running, r#"aura_breaker_state{dependency="embedder"} 0"#).await;
    let mut caller = Caller::dial(&running, "embedless").await;
    for turn in 1..=FAILURES {
        assert!(held(&caller.say(QUESTION).await.text()));
        let queried = running.last("embedless", "knowledge_queried", turn).await;
        assert_eq!(queried["error"], "embedder failed: connection refused");
    }
    assert_eq!(embedder.asked(), FAILURES);
    let mut said = Vec::new();
    for turn in FAILURES + 1..=FAILURES + 3 {
        assert!(held(&caller.say(QUESTION).await.text()), "nothing technical without the manual");
        let queried = running.last("embedless", "knowledge_queried", turn).await;
        assert_eq!((&queried["reason"], &queried["hit"]), (&json!("search_failed"), &json!(false)));
        said.push(queried["error"].as_str().expect("why there was no manual").to_owned());
    }
    assert_eq!(embedder.asked(), FAILURES, "three turns later it was not asked once more");
    assert!(
        said[0].starts_with("embedder unavailable") && said[0].contains("circuit breaker"),
        "{}",
        said[0]
    );
    assert!(said.iter().all(|one| *one == said[0]), "one outage, one text: {said:?}");
    let degraded = ready(&running).await;
    assert_eq!((&degraded["status"], broken(&degraded)), (&json!("degraded"), vec![("embedder", "open")]));
    metric(&running, r#"aura_breaker_state{dependency="embedder"} 2"#).await;
    embedder.broken.store(false, Ordering::SeqCst);
    until_hit(&running, &mut caller, "embedless", FAILURES + 3).await;
    assert_eq!(ready(&running).await["status"], "ready");
    metric(&running, r#"aura_breaker_state{dependency="embedder"} 0"#).await;
}

#[actix_rt::test]
async fn e9_a_database_that_is_away_is_left_alone_and_found_again() {
    let embedder = Fragile::broken();
    embedder.broken.store(false, Ordering::SeqCst);
    let running = Running::start(Options::default().embedder(embedder.clone())).await;
    let mut caller = Caller::dial(&running, "baseless").await;
    running.close_database(true).await;
    for _ in 0..FAILURES {
        assert!(held(&caller.say(QUESTION).await.text()));
    }
    let asked = embedder.asked();
    assert!(held(&caller.say(QUESTION).await.text()));
    assert_eq!(embedder.asked(), asked, "nothing is embedded that can't be looked up");
    let degraded = ready(&running).await;
    assert_eq!(broken(&degraded), [("database", "open")], "{degraded}");
    let pinged = degraded["degraded"].as_array().unwrap().iter().any(|one| one["ping"].is_string());
    assert!(pinged, "and the ping fails: {degraded}");
    running.close_database(false).await;
    // The facts waited for the database.
    let facts = running.facts_with("baseless", "knowledge_queried", FAILURES + 1).await;
    let errors: Vec<&str> = facts
        .iter()
        .filter(|fact| fact.kind == "knowledge_queried")
        .map(|fact| fact.payload["error"].as_str().expect("why there was no manual"))
        .collect();
    assert!(errors[..FAILURES].iter().all(|error| error.contains("database not reachable")), "{errors:#?}");
    assert!(errors[FAILURES].starts_with("database unavailable"), "{errors:#?}");
    until_hit(&running, &mut caller, "baseless", FAILURES + 1).await;
    assert_eq!(ready(&running).await["status"], "ready");
}

#[actix_rt::test]
async fn e9_a_model_that_answers_500_is_left_alone_and_found_again() {
    // Each turn tries twice.
    let refusing = 2 * FAILURES;
    let model = StandIn::responding(move |n, _| match n < refusing {
        true => Answer::refused(500, "overloaded", "server_error"),
        false => Answer::spoken(&["Aquí estoy."]),
    })
    .await;
    let running = Running::start(Options::default().llm(model.base_url())).await;
    let mut caller = Caller::dial(&running, "modelless").await;
    for turn in 1..=FAILURES + 2 {
        assert!(held(&caller.say("no sé").await.text()));
        let failed = running.last("modelless", "turn_failed", turn).await;
        let expected = if turn <= FAILURES { "upstream" } else { "unavailable" };
        assert_eq!(failed["kind"], expected, "turn {turn}: {failed}");
    }
    assert_eq!(model.received().len(), refusing, "an open breaker asks nobody");
    let failed = running.last("modelless", "turn_failed", FAILURES + 2).await;
    assert!(failed["error"].as_str().unwrap().starts_with("model unavailable"), "{failed}");
    assert_eq!(broken(&ready(&running).await), [("model", "open")]);
    let healed = async {
        while caller.say("no sé").await.text() != "Aquí estoy." {
            sleep(Duration::from_millis(200)).await;
        }
    };
    timeout(PATIENCE, healed).await.expect("the breaker never closed");
    assert_eq!(model.received().len(), refusing + 1, "one probe, and it closed it");
    assert_eq!(ready(&running).await["status"], "ready");
}
