//! The audit trail in a real Postgres: it only grows, whoever writes, and one changed byte is found.
use crate::database::Database;
use aura::audit::chain::{Damage, Known};
use aura::audit::{Act, Action};
use aura::ids::CallId;
use aura_actors::store::{ActRow, Facts, Store, TrailQuery};
use serde_json::{Value, json};
use tokio_postgres::Client;
use uuid::Uuid;

fn act(by: &str, detail: Value) -> ActRow {
    let at = jiff::Timestamp::from_nanosecond(1_800_000_000_123_456_789).unwrap();
    let call = CallId::parse("c1").ok();
    let patient = Some("00".repeat(16));
    let act = Act { by: by.to_owned(), action: Action::EquipmentShown, patient, call, detail };
    ActRow { id: Uuid::now_v7(), at, act }
}

fn facts(acts: Vec<ActRow>) -> Facts {
    Facts { acts, ..Facts::default() }
}

async fn holds(store: &Store) -> i64 {
    store.verify_trail(None).await.unwrap().expect("the trail holds").count
}

/// What a superuser does who wants to hide something: the triggers are out of the way.
async fn unguarded(client: &Client, sql: &str) {
    let guarded = ["ALTER TABLE audit_log DISABLE TRIGGER audit_log_grows", sql].join(";");
    client.batch_execute(&guarded).await.unwrap();
}

/// DECISIONS 23: the journal sends a batch again when its answer was lost.
#[tokio::test]
async fn d23_an_act_is_on_record_once_however_often_it_is_sent() {
    let (_database, store) = Database::migrated().await;
    let acts = vec![act("account:ana", json!({})), act("account:eva", json!({}))];
    let twice = [acts.clone(), acts.clone()].concat();
    assert_eq!(store.insert_facts(&facts(twice)).await.unwrap(), 2);
    assert_eq!(store.insert_facts(&facts(acts)).await.unwrap(), 0);
    assert_eq!(holds(&store).await, 2);
}

/// Numbers that a database would write in another way, texts that it can't store, keys in any order.
#[tokio::test]
async fn whatever_an_act_tells_the_trail_holds_when_it_is_read_again() {
    let (_database, store) = Database::migrated().await;
    let details = [
        json!(null),
        json!({ "z": 1, "a": { "y": [1.0, 1e16, -0.0, 1e300, 1e-7, 0.1], "b": u64::MAX } }),
        json!({ "nul\u{0}": "\u{0}\u{1}\u{7f}", "ñandú": "\"\\/\n\u{2028}😀" }),
        json!(["", [], {}, true, i64::MIN]),
    ];
    let acts = details.into_iter().map(|detail| act("account:\u{0}añá", detail)).collect();
    store.insert_facts(&facts(acts)).await.unwrap();
    assert_eq!(holds(&store).await, 4);
    let read = store.trail(0, &TrailQuery::default()).await.unwrap();
    assert_eq!(read[0].by, "account:\u{fffd}añá");
    assert_eq!(read[0].at_us, 1_800_000_000_123_456, "whole microseconds");
    assert!(read[1].detail.contains("-0.0"), "{}", read[1].detail);
}

#[tokio::test]
async fn what_is_on_record_is_neither_changed_nor_deleted() {
    let (database, store) = Database::migrated().await;
    store.insert_facts(&facts(vec![act("account:ana", json!({}))])).await.unwrap();
    let client = database.client().await;
    let tries = [
        "UPDATE audit_log SET by = 'account:eva'",
        "UPDATE audit_log SET by = by WHERE false",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "DELETE FROM audit_head",
        "TRUNCATE audit_head",
        "SET session_replication_role = replica; DELETE FROM audit_log",
    ];
    for sql in tries {
        let refused = client.batch_execute(sql).await.expect_err(sql).to_string();
        assert!(refused.contains("db error"), "{sql}: {refused}");
    }
    assert_eq!(holds(&store).await, 1);
}

#[tokio::test]
async fn two_writers_at_once_make_one_chain() {
    let (database, store) = Database::migrated().await;
    let stores = [store.clone(), database.store().await];
    let write = |store: Store, name: String| async move {
        for number in 0..25 {
            let acts = (0..=number % 3).map(|part| act(&name, json!({ "number": number, "part": part })));
            store.insert_facts(&facts(acts.collect())).await.unwrap();
        }
    };
    let writers = (0..6).map(|n| tokio::spawn(write(stores[n % 2].clone(), format!("account:{n}"))));
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    // 25 batches of 1, 2, 3, 1, … acts for each writer.
    assert_eq!(holds(&store).await, 6 * 49);
    let alone = TrailQuery { by: Some("account:3".to_owned()), ..TrailQuery::default() };
    let own = store.trail(0, &alone).await.unwrap();
    assert_eq!(own.len(), 49);
    assert!(own.is_sorted_by_key(|entry| entry.seq));
}

/// A batch that fails leaves no act behind, and the next one chains to what is there.
#[tokio::test]
async fn an_act_is_on_record_with_its_batch_or_not_at_all() {
    let (database, store) = Database::migrated().await;
    let sql = "ALTER TABLE audit_log ADD CHECK (by <> 'account:refused')";
    database.client().await.batch_execute(sql).await.unwrap();
    let batch = vec![act("account:ana", json!({})), act("account:refused", json!({}))];
    assert!(store.insert_facts(&facts(batch)).await.is_err());
    assert_eq!(holds(&store).await, 0);
    store.insert_facts(&facts(vec![act("account:ana", json!({}))])).await.unwrap();
    assert_eq!(holds(&store).await, 1);
}

#[tokio::test]
async fn what_a_superuser_changes_is_found() {
    let cases = [
        ("UPDATE audit_log SET by = 'account:Ana' WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("UPDATE audit_log SET at = at + interval '1 microsecond' WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("UPDATE audit_log SET at = 'infinity' WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("UPDATE audit_log SET detail = '{ \"n\":2}' WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("UPDATE audit_log SET patient = NULL WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("UPDATE audit_log SET hash = '' WHERE seq = 2", Damage::Changed { seq: 2 }),
        ("DELETE FROM audit_log WHERE seq = 1", Damage::Missing { seq: 1 }),
        ("DELETE FROM audit_log WHERE seq = 3", Damage::Cut { seq: 3 }),
        ("UPDATE audit_log SET seq = 9 WHERE seq = 3", Damage::Missing { seq: 3 }),
        ("UPDATE audit_head SET hash = '\\x00'", Damage::Head { seq: 3 }),
    ];
    for (sql, damage) in cases {
        let (database, store) = Database::migrated().await;
        let acts = (1..=3).map(|n| act("account:ana", json!({ "n": n }))).collect();
        store.insert_facts(&facts(acts)).await.unwrap();
        let known = store.verify_trail(None).await.unwrap().unwrap();
        let known = Some(Known { seq: Some(known.count), hash: known.head });
        store.insert_facts(&facts(vec![])).await.unwrap();
        unguarded(&database.client().await, sql).await;
        assert_eq!(store.verify_trail(known).await.unwrap(), Err(damage), "{sql}");
    }
}
