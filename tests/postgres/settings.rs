//! Runtime settings: rows, and the copy in memory that follows them (R4).
use crate::database::Database;
use aura_actors::store::SettingRow;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

type Watch = tokio::sync::watch::Receiver<Vec<SettingRow>>;

/// Waits for a state, not for a time; the limit only ends a test that failed.
async fn until(watch: &mut Watch, wanted: &[(&str, &str, Value)]) {
    let same = |rows: &Vec<SettingRow>| {
        rows.len() == wanted.len()
            && rows
                .iter()
                .zip(wanted)
                .all(|(row, want)| (row.0.as_str(), row.1.as_str(), &row.2) == (want.0, want.1, &want.2))
    };
    let seen = timeout(Duration::from_secs(30), watch.wait_for(same)).await.is_ok_and(|seen| seen.is_ok());
    assert!(seen, "expected {wanted:?}, still {:?}", *watch.borrow());
}

#[tokio::test]
async fn r04_a_setting_is_written_read_and_taken_away() {
    let (_database, store) = Database::migrated().await;
    let key = "rag.knowledgeThreshold";
    assert!(store.seed_setting(key, "global", &json!(0.55)).await.unwrap());
    assert!(!store.seed_setting(key, "global", &json!(0.9)).await.unwrap(), "a seed never overwrites (R3)");
    store.change_setting(key, "whatsapp", Some(&json!(0.6)), "test").await.unwrap();
    store.change_setting(key, "whatsapp", Some(&json!(0.7)), "test").await.unwrap();
    assert_eq!(store.setting(key, "whatsapp").await.unwrap(), Some(json!(0.7)));
    assert_eq!(store.setting(key, "retell").await.unwrap(), None);
    assert_eq!(store.settings().await.unwrap().len(), 2);
    assert_eq!(store.change_setting(key, "whatsapp", None, "test").await.unwrap(), Some(json!(0.7)));
    assert_eq!(store.change_setting(key, "whatsapp", None, "test").await.unwrap(), None);
    assert_eq!(store.settings().await.unwrap(), [(key.to_owned(), "global".to_owned(), json!(0.55))]);
}

#[tokio::test]
async fn r04_a_change_elsewhere_is_here_at_once() {
    let (database, store) = Database::migrated().await;
    store.change_setting("a", "global", Some(&json!(1)), "test").await.unwrap();
    let mut watch = store.watch_settings().await.unwrap();
    assert_eq!(watch.borrow().len(), 1, "the first reading is there before the watch is handed out");
    let other = database.store().await;
    other.change_setting("b", "retell", Some(&json!({"x": true})), "test").await.unwrap();
    until(&mut watch, &[("a", "global", json!(1)), ("b", "retell", json!({"x": true}))]).await;
    other.change_setting("a", "global", None, "test").await.unwrap();
    until(&mut watch, &[("b", "retell", json!({"x": true}))]).await;
    // Not through Aura at all: the trigger speaks for every writer.
    let client = database.client().await;
    client.batch_execute("UPDATE app_settings SET value = '3'").await.unwrap();
    until(&mut watch, &[("b", "retell", json!(3))]).await;
}

#[tokio::test]
async fn r04_a_killed_connection_costs_no_change() {
    let (database, store) = Database::migrated().await;
    let mut watch = store.watch_settings().await.unwrap();
    store.change_setting("a", "global", Some(&json!(1)), "test").await.unwrap();
    until(&mut watch, &[("a", "global", json!(1))]).await;
    let client = database.client().await;
    // Change and kill in one transaction: the notice goes to a connection that is dying or dead.
    let kill = "BEGIN; UPDATE app_settings SET value = '2';
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid(); COMMIT";
    client.batch_execute(kill).await.unwrap();
    until(&mut watch, &[("a", "global", json!(2))]).await;
    // And it listens again, not only reads again.
    client.batch_execute("UPDATE app_settings SET value = '4'").await.unwrap();
    until(&mut watch, &[("a", "global", json!(4))]).await;
}

#[tokio::test]
async fn the_following_ends_with_its_last_reader() {
    let (database, store) = Database::migrated().await;
    let watch = store.watch_settings().await.unwrap();
    let client = database.client().await;
    let listening = "SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND query LIKE '%app_settings%ORDER BY%'
                       AND pid <> pg_backend_pid()";
    drop(watch);
    for _ in 0..300 {
        let left: i64 = client.query_one(listening, &[]).await.unwrap().get(0);
        if left == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the connection that follows the settings is still there");
}
