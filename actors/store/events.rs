//! The event log: many facts in one statement, each once.
use super::{Store, StoreError};
use jiff::Timestamp;
use serde_json::Value;
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

impl Store {
    /// Writes facts in one statement; answers how many were new. All or none of them are written.
    pub async fn insert_events(&self, events: &[EventRow]) -> Result<u64, StoreError> {
        let column = |text: fn(&EventRow) -> &str| -> Vec<String> {
            events.iter().map(|event| clean(text(event))).collect()
        };
        let ids: Vec<Uuid> = events.iter().map(|event| event.id).collect();
        let turns: Vec<Option<i32>> =
            events.iter().map(|event| event.turn.and_then(|turn| i32::try_from(turn).ok())).collect();
        let agents: Vec<Option<String>> =
            events.iter().map(|event| event.agent_id.as_deref().map(clean)).collect();
        let times: Vec<Timestamp> = events.iter().map(|event| event.at).collect();
        let payloads: Vec<Value> = events.iter().map(|event| clean_json(&event.payload)).collect();
        let sql = "INSERT INTO event_log (id, call_id, kind, source, turn, agent_id, at, payload)
                   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[],
                                        $7::timestamptz[], $8::jsonb[])
                   ON CONFLICT (id) DO NOTHING";
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await?;
        let calls = column(|event| &event.call_id);
        let kinds = column(|event| &event.kind);
        let sources = column(|event| &event.source);
        let written = client
            .execute(&statement, &[&ids, &calls, &kinds, &sources, &turns, &agents, &times, &payloads])
            .await?;
        Ok(written)
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

/// Postgres stores no NUL; a peer that sends one must not cost the whole batch.
fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn clean_json(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => Value::Array(items.iter().map(clean_json).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (clean(key), clean_json(value))).collect())
        }
        other => other.clone(),
    }
}
