//! Settings act from the next turn of a running call, prompts from the next call (R4, DECISIONS 13).
use crate::retell::Caller;
use crate::service::{Fact, Options, PATIENCE, Running};
use crate::support::openai::{Answer, StandIn};
use aura_actors::base::Base;
use serde_json::Value;
use tokio::time::timeout;

/// The threshold that the newest search ran with.
fn threshold(facts: &[Fact]) -> f64 {
    let queried = facts.iter().rfind(|fact| fact.kind == "knowledge_queried").unwrap();
    queried.payload["knowledgeThreshold"].as_f64().unwrap()
}

#[actix_rt::test]
async fn r4_a_threshold_changed_during_a_call_holds_for_its_next_question() {
    let running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "live").await;
    caller.say("Hola, tengo un concentrador M50 y me marca error H08").await;
    let first = running.last("live", "knowledge_queried", 1).await;
    assert_eq!((&first["hit"], &first["knowledgeThreshold"]), (&true.into(), &0.55.into()), "{first}");
    running.set("rag.knowledgeThreshold", 1.0).await;
    // Short turns report the threshold without a search: the change is there as soon as one does.
    let arrived = async {
        for turn in 2.. {
            caller.say("no sé").await;
            if threshold(&running.facts_with("live", "knowledge_queried", turn).await) == 1.0 {
                return turn;
            }
        }
        unreachable!()
    };
    let turns = timeout(PATIENCE, arrived).await.expect("the change never reached the call");
    // Another model lets go of what was held.
    caller.say("Ahora tengo el CP501 y me marca Low O2").await;
    let missed = running.last("live", "knowledge_queried", turns + 1).await;
    assert_eq!((&missed["hit"], &missed["reason"]), (&false.into(), &"below_threshold".into()), "{missed}");
    assert!(missed["bestScore"].is_number(), "the near miss is kept: {missed}");
}

#[actix_rt::test]
async fn r4_the_channels_own_row_goes_before_the_global_one() {
    let running = Running::start(Options::default().setting("rag.knowledgeThreshold", 0.9)).await;
    let sql = "INSERT INTO app_settings (key, scope, value) VALUES
               ('rag.knowledgeThreshold', 'retell', '0.7'), ('rag.knowledgeThreshold', 'whatsapp', '0.2')";
    running.sql().batch_execute(sql).await.unwrap();
    let mut caller = Caller::dial(&running, "scoped").await;
    let arrived = async {
        for turn in 1.. {
            caller.say("no sé").await;
            let now = threshold(&running.facts_with("scoped", "knowledge_queried", turn).await);
            if (now - 0.7).abs() < 1e-6 {
                return;
            }
            assert!((now - 0.9).abs() < 1e-6, "{now}");
        }
    };
    timeout(PATIENCE, arrived).await.expect("the channel's row never came to hold");
}

#[actix_rt::test]
async fn e14_a_prompt_activated_during_a_call_is_for_calls_that_start_later() {
    let model = StandIn::responding(|_, _| Answer::spoken(&["Bien."])).await;
    let running = Running::start(Options::default().llm(model.base_url())).await;
    let mut old = Caller::dial(&running, "old").await;
    let before = running.last("old", "call_started", 1).await["prompt"].clone();
    assert_eq!(before, "agent_identity@1.1.0");
    let body = "Es Aura, segunda versión.";
    let sql =
        "INSERT INTO prompt_versions (key, version, body, sha256) VALUES ('agent_identity', '9.0.0', $1, '')";
    running.sql().execute(sql, &[&body]).await.unwrap();
    activate(&running).await;
    let arrived = async {
        for n in 0.. {
            let call = format!("new{n}");
            let caller = Caller::dial(&running, &call).await;
            if running.last(&call, "call_started", 1).await["prompt"] == "agent_identity@9.0.0" {
                return (call, caller);
            }
            caller.line.hang_up().await;
        }
        unreachable!()
    };
    let (call, mut new) = timeout(PATIENCE, arrived).await.expect("the new version never came to hold");
    old.say("no sé").await;
    assert_eq!(running.last("old", "suggestion_generated", 1).await["prompt"], before);
    new.say("no sé").await;
    assert_eq!(running.last(&call, "suggestion_generated", 1).await["prompt"], "agent_identity@9.0.0");
    let system = |n: usize| -> Value { model.received()[n].body["messages"][0]["content"].clone() };
    assert_ne!(system(0), body);
    assert_eq!(system(1), body);
}

/// What `aura prompts activate` does, from another process's connection.
async fn activate(running: &Running) {
    let base: Base = running.base().await;
    base.store.activate_prompt("agent_identity", "9.0.0", "test").await.unwrap();
    base.close().await.unwrap();
}
