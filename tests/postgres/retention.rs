//! What is deleted by age, in a real Postgres: to the microsecond, in pieces, by one process at a time.
use crate::database::Database;
use aura::settings::Snapshot;
use aura_actors::retention::{Limit, Sweep, Swept, count, limits};
use aura_actors::store::{Kept, Store, TrailQuery};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_postgres::Client;

const KINDS: [Kept; 5] =
    [Kept::Transcripts, Kept::Events, Kept::Callbacks, Kept::PatientCache, Kept::Identities];

fn now() -> Timestamp {
    "2026-11-30T06:00:00.000001Z".parse().unwrap()
}

/// One row of each kind, as many microseconds older than its limit as `older` says; negative: younger.
async fn rows(client: &Client, name: &str, older: i64) {
    let limits = limits(&Snapshot::default(), now());
    let at = |kept: Kept| {
        let limit = limits.iter().find(|limit| limit.kept == kept).unwrap();
        Timestamp::from_microsecond(limit.before.as_microsecond() - older).unwrap()
    };
    let sql = format!(
        "INSERT INTO call_journal VALUES (gen_random_uuid(), '{name}', 'retell', 1, NULL, 'said', '{}', '{{}}');
         INSERT INTO event_log VALUES (gen_random_uuid(), '{name}', 'red_flag', 'retell', 1, NULL, '{}', '{{}}');
         INSERT INTO pending_callbacks VALUES
           (gen_random_uuid(), '{name}', 'retell', 'holding', NULL, NULL, '2001-01-01', '{}', 'ana');
         INSERT INTO patients (patient, models, source, found_at) VALUES (md5('{name}'), '[]', '{name}', '{}');
         INSERT INTO call_patients VALUES ('{name}', '{name}', 'typed', 'given', NULL, '{}')",
        at(Kept::Transcripts),
        at(Kept::Events),
        at(Kept::Callbacks),
        at(Kept::PatientCache),
        at(Kept::Identities),
    );
    client.batch_execute(&sql).await.unwrap();
}

/// The names of the rows that are left in each table.
async fn left(client: &Client) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (column, table) in [
        ("call_id", "call_journal"),
        ("call_id", "event_log"),
        ("call_id", "pending_callbacks"),
        ("source", "patients"),
        ("call_id", "call_patients"),
    ] {
        let rows = client.query(&format!("SELECT {column} FROM {table} ORDER BY 1"), &[]).await.unwrap();
        all.push(rows.iter().map(|row| row.get(0)).collect());
    }
    all
}

async fn swept(store: &Store) -> Swept {
    let limits = limits(&Snapshot::default(), now());
    store.sweep(&limits, "system").await.unwrap().expect("nobody else deletes")
}

fn counts(swept: &Swept) -> Vec<(Kept, u64)> {
    swept.0.iter().map(|(limit, rows)| (limit.kept, *rows)).collect()
}

#[tokio::test]
async fn what_is_exactly_of_its_age_stays_and_a_microsecond_more_goes() {
    let (database, store) = Database::migrated().await;
    let client = database.client().await;
    for (name, older) in [("younger", -1), ("edge", 0), ("older", 1), ("oldest", 86_400_000_000)] {
        rows(&client, name, older).await;
    }
    let limits = limits(&Snapshot::default(), now());
    let would = count(&store, &limits).await.unwrap();
    assert_eq!(counts(&would), KINDS.map(|kept| (kept, 2)));
    assert_eq!(left(&client).await[0].len(), 4, "counting deletes nothing");
    assert_eq!(swept(&store).await, would, "what was foretold");
    assert_eq!(left(&client).await, vec![vec!["edge".to_owned(), "younger".to_owned()]; 5]);
    assert_eq!(counts(&swept(&store).await), KINDS.map(|kept| (kept, 0)));
}

#[tokio::test]
async fn an_open_call_back_lessons_and_the_trail_are_kept_whatever_their_age() {
    let (database, store) = Database::migrated().await;
    let client = database.client().await;
    let sql = "INSERT INTO pending_callbacks VALUES
                 (gen_random_uuid(), 'c', 'retell', 'holding', NULL, '1', '2001-01-01', NULL, NULL);
               INSERT INTO memory_embeddings VALUES
                 ('l', 'q', 'r', 'approved', 'c', '[1]', 'm', '2001-01-01', '2001-01-01')";
    client.batch_execute(sql).await.unwrap();
    swept(&store).await;
    swept(&store).await;
    let row = client.query_one(
        "SELECT (SELECT count(*) FROM pending_callbacks), (SELECT count(*) FROM memory_embeddings),
                (SELECT count(*) FROM audit_log)",
        &[],
    );
    let row = row.await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1), row.get::<_, i64>(2)), (1, 1, 2));
}

#[tokio::test]
async fn what_was_deleted_goes_on_record_with_its_counts() {
    let (database, store) = Database::migrated().await;
    rows(&database.client().await, "older", 1).await;
    swept(&store).await;
    let trail = store.trail(0, &TrailQuery::default()).await.unwrap();
    assert_eq!((trail[0].by.as_str(), trail[0].action.as_str()), ("system", "retention_applied"));
    let detail: Value = serde_json::from_str(&trail[0].detail).unwrap();
    assert_eq!(detail["whole"], true);
    assert_eq!(detail["kinds"]["transcripts"], json!({ "days": 180, "rows": 1 }));
    assert_eq!(detail["kinds"]["events"], json!({ "days": 730, "rows": 1 }));
    assert_eq!(detail["kinds"]["patientCache"], json!({ "days": 30, "rows": 1 }));
    store.verify_trail(None).await.unwrap().expect("the trail holds");
}

#[tokio::test]
async fn more_than_a_piece_goes_all_the_same() {
    let (database, store) = Database::migrated().await;
    let client = database.client().await;
    let sql = "INSERT INTO event_log SELECT gen_random_uuid(), 'c', 'k', 'retell', 1, NULL,
                 timestamptz '2001-01-01' + n * interval '1 second', '{}' FROM generate_series(1, 4321) n";
    client.batch_execute(sql).await.unwrap();
    assert_eq!(counts(&swept(&store).await)[1], (Kept::Events, 4321));
}

#[tokio::test]
async fn of_two_processes_one_deletes() {
    let (database, store) = Database::migrated().await;
    let other = database.store().await;
    rows(&database.client().await, "older", 1).await;
    let lock = other.lock_retention().await.unwrap().expect("free");
    let limits = limits(&Snapshot::default(), now());
    assert_eq!(store.sweep(&limits, "system").await.unwrap(), None);
    assert_eq!(left(&database.client().await).await[0].len(), 1);
    drop(lock);
    // The server notices the closed connection in its own time.
    let freed = async {
        while store.sweep(&limits, "system").await.unwrap().is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), freed).await.expect("the lock is freed");
    assert!(left(&database.client().await).await.iter().all(Vec::is_empty));
}

/// A kind that fails costs neither what went before it nor the record of that.
#[tokio::test]
async fn a_run_that_fails_half_way_tells_what_it_did() {
    let (database, store) = Database::migrated().await;
    let client = database.client().await;
    rows(&client, "older", 1).await;
    client.batch_execute("ALTER TABLE event_log RENAME TO event_log_gone").await.unwrap();
    let limits = limits(&Snapshot::default(), now());
    assert!(store.sweep(&limits, "system").await.is_err());
    let trail = store.trail(0, &TrailQuery::default()).await.unwrap();
    let detail: Value = serde_json::from_str(&trail[0].detail).unwrap();
    assert_eq!(detail["whole"], false);
    assert_eq!(
        detail["kinds"],
        json!({ "transcripts": { "days": 180, "rows": 1 }, "events": { "days": 730, "rows": 0 } })
    );
    client.batch_execute("ALTER TABLE event_log_gone RENAME TO event_log").await.unwrap();
    assert_eq!(counts(&swept(&store).await).iter().map(|(_, rows)| rows).sum::<u64>(), 4);
}

#[test]
fn a_setting_decides_how_long_each_kind_is_kept() {
    let row = |name: &str, days: u64| (name.to_owned(), "global".to_owned(), json!(days));
    let (snapshot, refused) =
        Snapshot::new([row("retention.eventsDays", 10), row("retention.callbacksDays", 0)]);
    assert_eq!(refused.len(), 1, "nought is refused: it would delete what is live");
    let limits = limits(&snapshot, now());
    let of = |kept: Kept| *limits.iter().find(|limit: &&Limit| limit.kept == kept).unwrap();
    assert_eq!(of(Kept::Events).days, 10);
    assert_eq!(of(Kept::Events).before.to_string(), "2026-11-20T06:00:00.000001Z");
    assert_eq!(of(Kept::Callbacks).days, 90, "its default");
}
