//! The event log: batches, each fact once (DECISIONS 23).
use crate::database::Database;
use aura_actors::store::{EventRow, Facts};
use serde_json::json;
use uuid::Uuid;

fn event(call: &str, second: i64, payload: serde_json::Value) -> EventRow {
    EventRow {
        id: Uuid::new_v4(),
        call_id: call.to_owned(),
        kind: "knowledge_queried".to_owned(),
        source: "retell".to_owned(),
        turn: Some(1),
        agent_id: None,
        at: jiff::Timestamp::from_second(1_800_000_000 + second).expect("in range"),
        payload,
    }
}

fn events(events: &[EventRow]) -> Facts {
    Facts { events: events.to_vec(), ..Facts::default() }
}

#[tokio::test]
async fn writing_twice_is_writing_once() {
    let (_database, store) = Database::migrated().await;
    let mut batch = vec![
        event("c1", 2, json!({"bestScore": 0.5})),
        event("c1", 1, json!({})),
        event("c2", 0, json!([1])),
    ];
    batch[0].agent_id = Some("ana".to_owned());
    batch[1].turn = None;
    assert_eq!(store.insert_facts(&events(&batch)).await.unwrap(), 3);
    let more = event("c1", 3, json!({"x": 1}));
    batch.push(more.clone());
    // The same fact twice in one batch counts once too.
    batch.push(more.clone());
    assert_eq!(store.insert_facts(&events(&batch)).await.unwrap(), 1);
    let read = store.events_of("c1").await.unwrap();
    assert_eq!(read, [batch[1].clone(), batch[0].clone(), more], "in order of time, as they were written");
    assert_eq!(store.insert_facts(&events(&[])).await.unwrap(), 0);
}

#[tokio::test]
async fn a_nul_from_a_peer_costs_nobody_a_batch() {
    let (_database, store) = Database::migrated().await;
    let batch =
        [event("c1", 0, json!({"a\u{0}": ["se\u{0}ñora", {"b": "\u{0}"}]})), event("c1", 1, json!("sana"))];
    assert_eq!(store.insert_facts(&events(&batch)).await.unwrap(), 2);
    let read = store.events_of("c1").await.unwrap();
    assert_eq!(read[0].payload, json!({"a\u{fffd}": ["se\u{fffd}ñora", {"b": "\u{fffd}"}]}));
}

#[tokio::test]
async fn a_batch_that_cannot_be_written_is_written_not_at_all() {
    let (database, store) = Database::migrated().await;
    let sql = "ALTER TABLE event_log ADD CHECK (call_id <> 'refused')";
    database.client().await.batch_execute(sql).await.unwrap();
    let batch = [event("c1", 0, json!(1)), event("refused", 1, json!(2))];
    assert!(store.insert_facts(&events(&batch)).await.is_err());
    assert!(store.events_of("c1").await.unwrap().is_empty());
}
