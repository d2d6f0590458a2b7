//! A patient's rights in a real Postgres: all of it is given out, all of it is erased, nothing comes back.
use crate::database::Database;
use aura::ids::CallId;
use aura_actors::journal::{Entry, EventLog, Fact, Identified};
use aura_actors::store::{CallbackRow, Erasure, EventRow, Facts, IdentityRow, LineRow, Store, TrailQuery};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio_postgres::Client;
use uuid::Uuid;

/// Two patients, as the vault names them.
const ANA: &str = "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0";
const EVA: &str = "e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0";
/// Every table that holds something of a call or a patient.
const TABLES: [&str; 7] = [
    "call_journal",
    "event_log",
    "pending_callbacks",
    "memory_embeddings",
    "call_patients",
    "patients",
    "reembedding",
];

async fn start() -> (Database, Store, Client) {
    let (database, store) = Database::migrated().await;
    let client = database.client().await;
    (database, store, client)
}

fn ago(minutes: i64) -> Timestamp {
    Timestamp::now() - minutes.minutes()
}

fn line(call: &str, seq: i64, what: &str, detail: Value, at: Timestamp) -> LineRow {
    let (call_id, source, what) = (call.to_owned(), "audio_fork".to_owned(), what.to_owned());
    LineRow { id: Uuid::now_v7(), call_id, source, seq, turn: None, what, at, detail }
}

fn identity(call: &str, patient: &str, state: &str, at: Timestamp) -> IdentityRow {
    let (call_id, patient, source) = (call.to_owned(), patient.to_owned(), "dictated".to_owned());
    let (state, sealed) = (state.to_owned(), Some(format!("sealed {call}")));
    IdentityRow { call_id, patient, source, state, sealed, at }
}

/// All that one call leaves behind; it began so many minutes ago.
fn call(id: &str, patient: &str, minutes: i64) -> Facts {
    let at = ago(minutes);
    let heard = |index: u64, text: &str| json!({ "index": index, "speaker": "patient", "text": text });
    let lines = vec![
        line(id, 1, "connected", Value::Null, at),
        line(id, 2, "heard", heard(0, "Hola, soy"), at),
        line(id, 3, "heard", heard(0, &format!("Hola, soy de {id}, DNI ···789")), at),
        line(id, 4, "heard", heard(1, "el M50 me marca H08"), at),
        line(id, 5, "memory", json!({ "turn": 1 }), at),
        line(id, 6, "ended", Value::Null, at),
    ];
    let event = EventRow {
        id: Uuid::now_v7(),
        call_id: id.to_owned(),
        kind: "suggestion_generated".to_owned(),
        source: "audio_fork".to_owned(),
        turn: Some(1),
        agent_id: None,
        at,
        payload: json!({ "text": format!("sugerencia de {id}") }),
    };
    let callback = CallbackRow {
        id: Uuid::now_v7(),
        call_id: id.to_owned(),
        source: "audio_fork".to_owned(),
        reason: "holding".to_owned(),
        question: Some(format!("pregunta de {id}")),
        phone: Some(format!("tel {id}")),
        at,
    };
    let identities = vec![identity(id, patient, "confirmed", at)];
    Facts { lines, events: vec![event], callbacks: vec![callback], identities, ..Facts::default() }
}

/// A lesson that was learnt in a call, its next vector, and what the cache holds of its patient.
async fn learnt(client: &Client, call: &str, patient: &str) {
    let sql = format!(
        "INSERT INTO memory_embeddings (id, customer_complaint, answer, kind, call_id, embedding, embedding_model)
           VALUES ('{call}', 'queja de {call}', 'respuesta', 'approved', '{call}', '[1,0]', 'm');
         INSERT INTO reembedding VALUES ('memory_embeddings', '{call}', 'm2', '[1,0]');
         INSERT INTO patients (patient, models, source, found_at) VALUES ('{patient}', '[\"M50\"]', 'mock', now())
           ON CONFLICT DO NOTHING"
    );
    client.batch_execute(&sql).await.unwrap();
}

/// The whole content of each table.
async fn dump(client: &Client) -> BTreeMap<&'static str, Vec<String>> {
    let mut all = BTreeMap::new();
    for table in TABLES {
        let sql = format!("SELECT (to_jsonb(t) - 'at')::text FROM {table} t ORDER BY 1");
        let rows = client.query(&sql, &[]).await.unwrap();
        all.insert(table, rows.iter().map(|row| row.get(0)).collect());
    }
    all
}

async fn erased(store: &Store, patient: &str) -> aura_actors::store::Erased {
    match store.erase_patient(patient, "command:test").await.unwrap() {
        Erasure::Done(erased) => erased,
        Erasure::Live(calls) => panic!("live: {calls:?}"),
    }
}

async fn trail_holds(store: &Store) {
    store.verify_trail(None).await.unwrap().expect("the trail holds");
}

#[tokio::test]
async fn an_export_holds_all_that_is_kept_of_the_patient_and_of_nobody_else() {
    let (_database, store, client) = start().await;
    for facts in [call("a1", ANA, 90), call("a2", ANA, 80), call("e1", EVA, 70)] {
        store.insert_facts(&facts).await.unwrap();
    }
    for (call, patient) in [("a1", ANA), ("a2", ANA), ("e1", EVA)] {
        learnt(&client, call, patient).await;
    }
    let whole = store.export_patient(ANA, "command:test").await.unwrap();
    let calls = whole["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    let first = &calls[0];
    assert_eq!(first["call"], "a1");
    assert_eq!(first["identity"][0]["state"], "confirmed");
    let lines: Vec<&str> =
        first["transcript"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(lines, ["Hola, soy de a1, DNI ···789", "el M50 me marca H08"], "masked, as it had become");
    assert_eq!(first["journal"].as_array().unwrap().len(), 6);
    assert_eq!(first["events"][0]["payload"]["text"], "sugerencia de a1");
    assert_eq!(first["callbacks"][0]["phone"], "tel a1");
    assert_eq!(first["lessons"][0]["complaint"], "queja de a1");
    assert_eq!(whole["cache"][0]["models"], json!(["M50"]));
    assert_eq!(whole["namedIn"].as_array().unwrap().len(), 2);
    assert_eq!(whole["audit"][0]["action"], "patient_exported", "that it was exported is on record already");
    assert_eq!(whole["audit"][0]["by"], "command:test");
    let text = whole.to_string();
    assert!(!text.contains("e1\"") && !text.contains(EVA), "{text}");
    assert!(!text.contains("sealed"), "the document itself isn't in it: {text}");
    // Of somebody nobody knows: no call, and only the record of this question.
    let nobody = store.export_patient(&"00".repeat(16), "command:test").await.unwrap();
    assert_eq!((&nobody["calls"], &nobody["cache"]), (&json!([]), &json!([])));
    trail_holds(&store).await;
}

#[tokio::test]
async fn an_erasure_takes_everything_of_the_patient_and_nothing_of_others() {
    let (_database, store, client) = start().await;
    store.insert_facts(&call("e1", EVA, 90)).await.unwrap();
    learnt(&client, "e1", EVA).await;
    let others = dump(&client).await;
    for name in ["a1", "a2"] {
        store.insert_facts(&call(name, ANA, 80)).await.unwrap();
        learnt(&client, name, ANA).await;
    }
    store.export_patient(ANA, "command:test").await.unwrap();
    let counts = erased(&store, ANA).await;
    assert_eq!((counts.calls, counts.lines, counts.events, counts.callbacks), (2, 12, 2, 2));
    assert_eq!((counts.lessons, counts.identities, counts.cache), (2, 2, 1));
    assert_eq!(dump(&client).await, others);
    trail_holds(&store).await;
    // What stays: that it was done.
    let whole = store.export_patient(ANA, "command:test").await.unwrap();
    assert_eq!((&whole["calls"], &whole["namedIn"]), (&json!([]), &json!([])));
    assert_eq!(whole["erasures"][0]["counts"]["lines"], 12);
    let actions: Vec<&str> =
        whole["audit"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["patient_exported", "patient_erased", "patient_exported"]);
    // Again: nothing is left, and that it was asked for is on record too.
    assert_eq!(erased(&store, ANA).await, aura_actors::store::Erased::default());
    trail_holds(&store).await;
}

/// Facts that still lie in a server's journal arrive after the erasure: they are dropped, those of other
/// calls in the same batch aren't.
#[tokio::test]
async fn what_arrives_after_an_erasure_does_not_come_back() {
    let (_database, store, client) = start().await;
    let facts = call("a1", ANA, 80);
    store.insert_facts(&facts).await.unwrap();
    erased(&store, ANA).await;
    let before = dump(&client).await;
    // The same batch again, as after a lost answer, and newer facts of the call.
    assert_eq!(store.insert_facts(&facts).await.unwrap(), 0);
    assert_eq!(store.insert_facts(&call("a1", ANA, 5)).await.unwrap(), 0);
    assert_eq!(dump(&client).await, before);
    let mut mixed = call("a1", ANA, 5);
    let other = call("e1", EVA, 5);
    mixed.lines.extend(other.lines);
    mixed.events.extend(other.events);
    assert_eq!(store.insert_facts(&mixed).await.unwrap(), 7, "six lines and a fact of the other call");
    let left: i64 =
        client.query_one("SELECT count(*) FROM call_journal WHERE call_id = 'a1'", &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
}

/// A call of before the erasure whose server only now reaches the database.
#[tokio::test]
async fn a_call_that_is_heard_of_after_the_erasure_is_erased_too() {
    let (_database, store, client) = start().await;
    store.insert_facts(&call("e1", EVA, 90)).await.unwrap();
    let before = dump(&client).await;
    erased(&store, ANA).await;
    let late = call("a9", ANA, 60);
    // First what was said, then whose call it is: in batches of their own.
    let said = Facts { identities: Vec::new(), ..late.clone() };
    assert_eq!(store.insert_facts(&said).await.unwrap(), 8);
    store.insert_facts(&Facts { identities: late.identities.clone(), ..Facts::default() }).await.unwrap();
    assert_eq!(dump(&client).await, before);
    assert_eq!(store.insert_facts(&late).await.unwrap(), 0);
    // The patient calls again after that: a new call is kept like any other.
    let mut again = call("a10", ANA, 0);
    again.identities[0].at = Timestamp::now() + 1.second();
    assert_eq!(store.insert_facts(&again).await.unwrap(), 9);
}

#[tokio::test]
async fn while_a_call_is_live_nothing_is_erased() {
    let (_database, store, client) = start().await;
    store.insert_facts(&call("a1", ANA, 80)).await.unwrap();
    let mut live = call("a2", ANA, 3);
    live.lines.retain(|line| line.what != "ended");
    store.insert_facts(&live).await.unwrap();
    let before = dump(&client).await;
    let refused = store.erase_patient(ANA, "command:test").await.unwrap();
    assert_eq!(refused, Erasure::Live(vec!["a2".to_owned()]));
    assert_eq!(dump(&client).await, before);
    assert!(store.trail(0, &TrailQuery::default()).await.unwrap().is_empty());
    // One that never ended, because its server died, is live no longer than it can be.
    client.batch_execute("UPDATE call_journal SET at = at - interval '1 hour'").await.unwrap();
    assert_eq!(erased(&store, ANA).await.calls, 2);
}

/// A number that was misheard and corrected, or denied, gives nobody a right to a stranger's call.
#[tokio::test]
async fn a_call_is_of_the_document_that_held_last() {
    let (_database, store, client) = start().await;
    let mut corrected = call("e1", EVA, 80);
    corrected.identities = vec![identity("e1", ANA, "given", ago(80)), identity("e1", EVA, "given", ago(79))];
    let mut denied = call("e2", EVA, 70);
    denied.identities = vec![identity("e2", ANA, "denied", ago(70))];
    for facts in [&corrected, &denied] {
        store.insert_facts(facts).await.unwrap();
    }
    let whole = store.export_patient(ANA, "command:test").await.unwrap();
    assert_eq!(whole["calls"], json!([]));
    assert_eq!(whole["namedIn"].as_array().unwrap().len(), 2, "that they were named is told");
    let counts = erased(&store, ANA).await;
    assert_eq!((counts.calls, counts.lines, counts.identities), (0, 0, 2));
    let whole = store.export_patient(EVA, "command:test").await.unwrap();
    assert_eq!(whole["calls"].as_array().unwrap().len(), 1, "it is still the other's");
    drop(client);
}

/// The journal's fact, as a server sends it: the newest of a call and patient holds, in any order.
#[tokio::test]
async fn d24_the_newest_identity_of_a_call_holds() {
    let (_database, store, client) = start().await;
    let fact = |state: &str, at: Timestamp| {
        let identified = Identified {
            call: CallId::parse("a1").unwrap(),
            patient: ANA.to_owned(),
            source: "typed".to_owned(),
            state: state.to_owned(),
            sealed: Some(state.to_uppercase()),
        };
        Entry { id: Uuid::now_v7(), at, fact: Fact::Identified(identified) }
    };
    let now = Timestamp::now();
    let early = fact("given", now - 2.seconds());
    let entries = [fact("read_back", now - 1.second()), fact("confirmed", now), early];
    store.append(&entries).await.unwrap();
    store.append(&entries).await.unwrap();
    let sql = "SELECT source, state, sealed FROM call_patients WHERE call_id = 'a1'";
    let rows = client.query(sql, &[]).await.unwrap();
    let row =
        rows.first().map(|row| (row.get::<_, String>(0), row.get::<_, String>(1), row.get::<_, String>(2)));
    assert_eq!(row, Some(("typed".to_owned(), "confirmed".to_owned(), "CONFIRMED".to_owned())));
    assert_eq!(rows.len(), 1);
}

/// Writers and erasures at once: whoever comes first, nothing of the patient is left.
#[tokio::test]
async fn an_erasure_and_writers_at_once_leave_nothing() {
    let (database, store, client) = start().await;
    store.insert_facts(&call("a1", ANA, 80)).await.unwrap();
    let writers = (0..4).map(|_| {
        let config = database.config();
        tokio::spawn(async move {
            let store = Store::connect(config).await.unwrap();
            for _ in 0..40 {
                store.insert_facts(&call("a1", ANA, 80)).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..10 {
        erased(&store, ANA).await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(dump(&client).await.values().all(Vec::is_empty));
    trail_holds(&store).await;
}
