//! Facts, calls' journals and call backs: many in one statement, each once.
use super::acts::{ActRow, insert_acts};
use super::rights::{IdentityRow, insert_identities, without_erased};
use super::{Store, StoreError};
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Made where the fact happened; writing it twice is writing it once (DECISIONS 23).
    pub id: Uuid,
    /// The call.
    pub call_id: String,
    /// E.g. `knowledge_queried`.
    pub kind: String,
    /// The channel.
    pub source: String,
    /// The turn, from 1; none for what belongs to the whole call.
    pub turn: Option<u32>,
    /// The agent who had claimed the call.
    pub agent_id: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// The fact itself; camelCase fields.
    pub payload: Value,
}

/// One line of a call's journal.
#[derive(Clone, Debug, PartialEq)]
pub struct LineRow {
    /// Made where it happened.
    pub id: Uuid,
    /// The call.
    pub call_id: String,
    /// The channel.
    pub source: String,
    /// Counts the call's lines from 1.
    pub seq: i64,
    /// The turn, from 1.
    pub turn: Option<u32>,
    /// E.g. `asked`, `said`.
    pub what: String,
    /// When it happened.
    pub at: Timestamp,
    /// The rest.
    pub detail: Value,
}

/// Somebody is to be called back (S3).
#[derive(Clone, Debug, PartialEq)]
pub struct CallbackRow {
    /// The id of its event.
    pub id: Uuid,
    /// The call in which it was promised.
    pub call_id: String,
    /// The channel.
    pub source: String,
    /// E.g. `holding`, `breathing`.
    pub reason: String,
    /// What was asked, masked.
    pub question: Option<String>,
    /// Where the caller is reached.
    pub phone: Option<String>,
    /// When it was promised.
    pub at: Timestamp,
}

/// A batch of the journal, by table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// For `event_log`.
    pub events: Vec<EventRow>,
    /// For `call_journal`.
    pub lines: Vec<LineRow>,
    /// For `pending_callbacks`.
    pub callbacks: Vec<CallbackRow>,
    /// For the audit trail.
    pub acts: Vec<ActRow>,
    /// For `call_patients`.
    pub identities: Vec<IdentityRow>,
}

impl Facts {
    /// The calls that they are of; the trail's acts are kept whatever becomes of a call.
    pub(super) fn calls(&self) -> impl Iterator<Item = &str> {
        let events = self.events.iter().map(|row| &row.call_id);
        let lines = self.lines.iter().map(|row| &row.call_id);
        let callbacks = self.callbacks.iter().map(|row| &row.call_id);
        let identities = self.identities.iter().map(|row| &row.call_id);
        events.chain(lines).chain(callbacks).chain(identities).map(String::as_str)
    }

    /// Keeps the facts of the calls that `keep` names.
    pub(super) fn keep_calls(&mut self, keep: impl Fn(&str) -> bool) {
        self.events.retain(|row| keep(&row.call_id));
        self.lines.retain(|row| keep(&row.call_id));
        self.callbacks.retain(|row| keep(&row.call_id));
        self.identities.retain(|row| keep(&row.call_id));
    }
}

impl Store {
    /// Writes a batch in one transaction, each row once; answers how many rows were new. All or none of them
    /// are written, without those of calls that were erased.
    pub async fn insert_facts(&self, facts: &Facts) -> Result<u64, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let facts = without_erased(&transaction, facts).await?;
        let mut new = 0;
        if !facts.events.is_empty() {
            new += insert_events(&transaction, &facts.events).await?;
        }
        if !facts.lines.is_empty() {
            new += insert_lines(&transaction, &facts.lines).await?;
        }
        for callback in &facts.callbacks {
            new += insert_callback(&transaction, callback).await?;
        }
        new += insert_identities(&transaction, &facts.identities).await?;
        if !facts.acts.is_empty() {
            new += insert_acts(&transaction, &facts.acts).await?;
        }
        transaction.commit().await?;
        Ok(new)
    }

    /// A call's facts in the order in which they happened.
    pub async fn events_of(&self, call_id: &str) -> Result<Vec<EventRow>, StoreError> {
        let sql = "SELECT id, call_id, kind, source, turn, agent_id, at, payload FROM event_log
                   WHERE call_id = $1 ORDER BY at, id";
        let rows = self.client().await?.query(sql, &[&call_id]).await?;
        let event = |row: &tokio_postgres::Row| EventRow {
            id: row.get(0),
            call_id: row.get(1),
            kind: row.get(2),
            source: row.get(3),
            turn: row.get::<_, Option<i32>>(4).and_then(|turn| u32::try_from(turn).ok()),
            agent_id: row.get(5),
            at: row.get(6),
            payload: row.get(7),
        };
        Ok(rows.iter().map(event).collect())
    }
}

async fn insert_events(transaction: &Transaction<'_>, events: &[EventRow]) -> Result<u64, StoreError> {
    let column =
        |text: fn(&EventRow) -> &str| -> Vec<String> { events.iter().map(|row| clean(text(row))).collect() };
    let ids: Vec<Uuid> = events.iter().map(|event| event.id).collect();
    let turns: Vec<Option<i32>> = events.iter().map(|event| whole(event.turn)).collect();
    let agents: Vec<Option<String>> =
        events.iter().map(|event| event.agent_id.as_deref().map(clean)).collect();
    let times: Vec<Timestamp> = events.iter().map(|event| event.at).collect();
    let payloads: Vec<Value> = events.iter().map(|event| clean_json(&event.payload)).collect();
    let sql = "INSERT INTO event_log (id, call_id, kind, source, turn, agent_id, at, payload)
               SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[],
                                    $7::timestamptz[], $8::jsonb[])
               ON CONFLICT (id) DO NOTHING";
    let statement = transaction.prepare_cached(sql).await?;
    let calls = column(|event| &event.call_id);
    let kinds = column(|event| &event.kind);
    let sources = column(|event| &event.source);
    let values: [&(dyn ToSql + Sync); 8] =
        [&ids, &calls, &kinds, &sources, &turns, &agents, &times, &payloads];
    Ok(transaction.execute(&statement, &values).await?)
}

async fn insert_lines(transaction: &Transaction<'_>, lines: &[LineRow]) -> Result<u64, StoreError> {
    let column =
        |text: fn(&LineRow) -> &str| -> Vec<String> { lines.iter().map(|row| clean(text(row))).collect() };
    let ids: Vec<Uuid> = lines.iter().map(|line| line.id).collect();
    let numbers: Vec<i64> = lines.iter().map(|line| line.seq).collect();
    let turns: Vec<Option<i32>> = lines.iter().map(|line| whole(line.turn)).collect();
    let times: Vec<Timestamp> = lines.iter().map(|line| line.at).collect();
    let details: Vec<Value> = lines.iter().map(|line| clean_json(&line.detail)).collect();
    let sql = "INSERT INTO call_journal (id, call_id, source, seq, turn, what, at, detail)
               SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::text[],
                                    $7::timestamptz[], $8::jsonb[])
               ON CONFLICT (id) DO NOTHING";
    let statement = transaction.prepare_cached(sql).await?;
    let (calls, sources) = (column(|line| &line.call_id), column(|line| &line.source));
    let kinds = column(|line| &line.what);
    let values: [&(dyn ToSql + Sync); 8] =
        [&ids, &calls, &sources, &numbers, &turns, &kinds, &times, &details];
    Ok(transaction.execute(&statement, &values).await?)
}

async fn insert_callback(transaction: &Transaction<'_>, row: &CallbackRow) -> Result<u64, StoreError> {
    let sql = "INSERT INTO pending_callbacks (id, call_id, source, reason, question, phone, requested_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING";
    let statement = transaction.prepare_cached(sql).await?;
    let (call, source, reason) = (clean(&row.call_id), clean(&row.source), clean(&row.reason));
    let (question, phone) = (row.question.as_deref().map(clean), row.phone.as_deref().map(clean));
    let values: [&(dyn ToSql + Sync); 7] = [&row.id, &call, &source, &reason, &question, &phone, &row.at];
    Ok(transaction.execute(&statement, &values).await?)
}

fn whole(turn: Option<u32>) -> Option<i32> {
    turn.and_then(|turn| i32::try_from(turn).ok())
}

/// Postgres stores no NUL; a peer that sends one must not cost the whole batch.
pub(super) fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

pub(super) fn clean_json(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => Value::Array(items.iter().map(clean_json).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (clean(key), clean_json(value))).collect())
        }
        other => other.clone(),
    }
}
