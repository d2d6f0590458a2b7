//! A call outlives its process: what it knew is known again after a restart.
use crate::retell::Caller;
use crate::service::{Options, Running};
use serde_json::Value;

#[actix_rt::test]
async fn d24_a_call_is_rebuilt_after_a_restart_and_goes_on_where_it_was() {
    let mut running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "rebuilt").await;
    assert!(caller.say("El M50 me marca error H08 desde hoy").await.text().contains("H08"));
    running.stop().await;
    running.again().await;
    caller.redial(&running, "rebuilt").await;
    assert_eq!(caller.line.settle().await, [] as [Value; 0], "no second greeting");
    caller.say("¿y después qué hago con el equipo?").await;
    let facts = running.facts_with("rebuilt", "suggestion_generated", 2).await;
    let of = |kind: &str| facts.iter().filter(|fact| fact.kind == kind).count();
    assert_eq!((of("call_started"), of("call_rebuilt")), (1, 1));
    let queried: Vec<&Value> =
        facts.iter().filter(|fact| fact.kind == "knowledge_queried").map(|fact| &fact.payload).collect();
    assert_eq!(queried.len(), 2);
    assert_eq!(queried[1]["reason"], "locked", "the lock is as it was: {queried:?}");
    assert_eq!(queried[0]["bestSource"], queried[1]["bestSource"]);
}

#[actix_rt::test]
async fn d24_the_journal_tells_a_calls_story_in_order_without_documents() {
    let mut running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "story").await;
    caller.say("soy Elsa, DNI 30.123.456, y el M50 marca H08").await;
    running.stop().await;
    let sql = "SELECT what, detail::text, turn FROM call_journal WHERE call_id = 'story' ORDER BY seq";
    let rows = running.sql().query(sql, &[]).await.unwrap();
    let whats: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let place =
        |what: &str| whats.iter().position(|one| one == what).unwrap_or_else(|| panic!("{what}: {whats:?}"));
    let order = ["connected", "said", "asked", "heard", "retrieve", "retrieved", "generate", "finished"];
    assert!(order.map(place).is_sorted(), "{whats:?}");
    let all: String = rows.iter().map(|row| row.get::<_, String>(1)).collect();
    assert!(!aura::mask::contains_long_number(&all.replace(['{', '}', '"'], " ")), "{all}");
    assert!(all.contains("DNI ···456"), "masked, not lost");
    let sql = "SELECT count(*), count(DISTINCT seq), max(seq) FROM call_journal WHERE call_id = 'story'";
    let row = running.sql().query_one(sql, &[]).await.unwrap();
    let (count, distinct, last): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    assert!(count == distinct && count == last, "numbered from 1 without a gap: {count} {distinct} {last}");
}

#[actix_rt::test]
async fn d23_facts_wait_on_disk_for_a_database_that_is_away_and_survive_a_restart() {
    let mut running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "outage").await;
    running.close_database(true).await;
    caller.say("necesito una recarga de oxígeno para mañana").await;
    assert_eq!(running.facts("outage").await.iter().filter(|fact| fact.kind == "turn_failed").count(), 0);
    assert!(running.journal().join("000000000001.journal").metadata().unwrap().len() > 500);
    running.close_database(false).await;
    let facts = running.facts_with("outage", "knowledge_queried", 1).await;
    assert_eq!(facts.iter().filter(|fact| fact.kind == "call_started").count(), 1);
    running.stop().await;
}
