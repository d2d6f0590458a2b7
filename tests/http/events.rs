//! What is kept of a call: each fact once, in order, also while the database comes and goes.
use crate::retell::Caller;
use crate::service::{Fact, Options, Running};
use aura::event::News;
use aura::phrases::HOLDING_BOT;
use serde_json::Value;

const QUESTION: &str = "Hola, tengo un concentrador M50 y me marca error H08";

fn kinds(facts: &[Fact]) -> Vec<(&str, Option<i32>)> {
    facts.iter().map(|fact| (fact.kind.as_str(), fact.turn)).collect()
}

/// Every name in a payload, at any depth.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.push(name.clone());
            names(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[actix_rt::test]
async fn r28_e10_each_fact_of_a_call_is_logged_once_and_in_order() {
    let running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "logged").await;
    assert!(caller.say(QUESTION).await.complete);
    assert!(caller.say("sí, dale").await.complete);
    let farewell = caller.say("gracias, chau").await;
    assert!(farewell.end_call);
    let facts = running.facts_with("logged", "suggestion_generated", 3).await;
    let turn = |n| [("knowledge_queried", Some(n)), ("suggestion_generated", Some(n))];
    let expected: Vec<_> =
        std::iter::once(("call_started", None)).chain([1, 2, 3].into_iter().flat_map(turn)).collect();
    assert_eq!(kinds(&facts), expected);
    assert!(facts.iter().all(|fact| fact.source == "retell"));
    let mut all = Vec::new();
    facts.iter().for_each(|fact| names(&fact.payload, &mut all));
    let odd: Vec<_> = all
        .iter()
        .filter(|name| name.contains(['_', '-', ' ']) || name.starts_with(char::is_uppercase))
        .collect();
    assert!(odd.is_empty(), "camelCase only: {odd:?}");
    let queried = &facts[1].payload;
    for field in [
        "query",
        "hit",
        "embedMs",
        "queryMs",
        "knowledgeThreshold",
        "knowledgeSources",
        "scope",
        "reason",
        "bestScore",
        "bestSource",
        "bestSection",
        "memoryBestScore",
    ] {
        assert!(queried.get(field).is_some(), "R28 wants {field}: {queried}");
    }
    assert_eq!(facts[3].payload["reason"], "locked");
    assert_eq!(facts[2].payload["ragHit"], true);
}

#[actix_rt::test]
async fn e11_the_desk_hears_of_a_bots_call() {
    let running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "watched").await;
    let answer = caller.say("no sé").await;
    running.facts_with("watched", "suggestion_generated", 1).await;
    let news = running.desk.of("watched");
    assert_eq!(news.first(), Some(&News::Opened));
    assert!(news.iter().any(|news| matches!(news, News::Heard { text, .. } if text == "no sé")), "{news:?}");
    let done = News::Answer {
        turn: aura::ids::TurnId(1),
        text: answer.text(),
        done: true,
        rag_hit: false,
        rag_score: None,
        unconfirmed: false,
    };
    assert_eq!(news.last(), Some(&done));
}

#[actix_rt::test]
async fn e10_cut_database_connections_lose_no_fact() {
    let running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "cut").await;
    for turn in 1..=4 {
        caller.say("no sé").await;
        if turn % 2 == 0 {
            // What the turn before left is written: there is a connection, and this turn's facts wait for it.
            running.facts_with("cut", "suggestion_generated", turn - 1).await;
            assert!(running.cut_connections().await > 0, "there were connections to cut");
        }
    }
    caller.say("gracias, chau").await;
    let facts = running.facts_with("cut", "suggestion_generated", 5).await;
    let turn = |n| [("knowledge_queried", Some(n)), ("suggestion_generated", Some(n))];
    let mut expected: Vec<_> =
        std::iter::once(("call_started", None)).chain((1..=5).flat_map(turn)).collect();
    // Nothing was known in the first turn: a call back is promised, once.
    expected.insert(2, ("callback_requested", Some(1)));
    assert_eq!(kinds(&facts), expected, "all of them, each once, in order");
}

#[actix_rt::test]
async fn e9_while_the_database_is_away_the_call_goes_on_without_manuals() {
    let running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "away").await;
    running.close_database(true).await;
    let answer = caller.say(QUESTION).await;
    assert_eq!(answer.text(), HOLDING_BOT.es, "nothing technical without the manual");
    let ready = crate::plain::get(running.address(), "/readyz", &[]).await;
    assert!(ready.body.contains("degraded"), "{}", ready.body);
    running.close_database(false).await;
    let failed = running.last("away", "knowledge_queried", 1).await;
    assert_eq!((&failed["reason"], &failed["hit"]), (&"search_failed".into(), &false.into()), "{failed}");
    assert!(failed["error"].as_str().is_some_and(|error| !error.is_empty()), "{failed}");
    // The database is back, and so are the manuals.
    let answer = caller.say(QUESTION).await;
    assert!(answer.text().contains("H08") || answer.text().contains("encend"), "{}", answer.text());
}
