//! Everything that is kept of a patient, as one JSON document.
use super::rights::{OWN_CALLS, texts};
use super::{Store, StoreError};
use aura::audit::{Act, Action};
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_postgres::IsolationLevel;

/// How the call `$1` came to be the patient `$2`'s.
const IDENTITY: &str = "SELECT jsonb_agg(jsonb_build_object('source', source, 'state', state, 'at', at))
                        FROM call_patients WHERE call_id = $1 AND patient = $2";

/// One list of a call: its name in the document and the statement that answers it, for the call `$1`.
const OF_A_CALL: [(&str, &str); 5] = [
    // The journal keeps differences: of each line, what it had become.
    (
        "transcript",
        "SELECT jsonb_agg(jsonb_build_object('at', at, 'speaker', speaker, 'text', text) ORDER BY place)
         FROM (SELECT DISTINCT ON (place) * FROM (
                 SELECT (detail->>'index')::numeric AS place, seq, at, detail->>'speaker' AS speaker,
                        detail->>'text' AS text
                 FROM call_journal
                 WHERE call_id = $1 AND what = 'heard' AND jsonb_typeof(detail->'index') = 'number'
                  ) AS heard
               ORDER BY place, seq DESC) AS lines",
    ),
    (
        "journal",
        "SELECT jsonb_agg(jsonb_build_object('seq', seq, 'at', at, 'turn', turn, 'what', what,
                                             'detail', detail) ORDER BY seq)
         FROM call_journal WHERE call_id = $1",
    ),
    (
        "events",
        "SELECT jsonb_agg(jsonb_build_object('kind', kind, 'source', source, 'turn', turn, 'agent', agent_id,
                                             'at', at, 'payload', payload) ORDER BY at, id)
         FROM event_log WHERE call_id = $1",
    ),
    (
        "callbacks",
        "SELECT jsonb_agg(jsonb_build_object('reason', reason, 'question', question, 'phone', phone,
                            'requestedAt', requested_at, 'settledAt', settled_at, 'settledBy', settled_by)
                          ORDER BY requested_at)
         FROM pending_callbacks WHERE call_id = $1",
    ),
    (
        "lessons",
        "SELECT jsonb_agg(jsonb_build_object('kind', kind, 'complaint', customer_complaint, 'answer', answer,
                                             'updatedAt', updated_at) ORDER BY updated_at)
         FROM memory_embeddings WHERE call_id = $1",
    ),
];

/// One list of the patient `$1`.
const OF_A_PATIENT: [(&str, &str); 4] = [
    // Every call that named the document, also where another one took its place: those aren't this patient's.
    (
        "namedIn",
        "SELECT jsonb_agg(jsonb_build_object('call', call_id, 'source', source, 'state', state, 'at', at)
                          ORDER BY at)
         FROM call_patients WHERE patient = $1",
    ),
    (
        "cache",
        "SELECT jsonb_agg(jsonb_build_object('models', models, 'source', source, 'foundAt', found_at))
         FROM patients WHERE patient = $1",
    ),
    (
        "audit",
        "SELECT jsonb_agg(jsonb_build_object('seq', seq, 'at', at, 'by', by, 'action', action,
                                             'call', call_id, 'detail', detail) ORDER BY seq)
         FROM audit_log WHERE patient = $1",
    ),
    (
        "erasures",
        "SELECT jsonb_agg(jsonb_build_object('at', at, 'by', by, 'counts', counts) ORDER BY at)
         FROM erasures WHERE patient = $1",
    ),
];

impl Store {
    /// Everything that is kept of a patient, as of one moment; that it was asked for is on record before.
    pub async fn export_patient(&self, patient: &str, by: &str) -> Result<Value, StoreError> {
        let (of, by) = (Some(patient.to_owned()), by.to_owned());
        let (action, detail) = (Action::PatientExported, json!({}));
        self.put_on_record(Act { by, action, patient: of, call: None, detail }).await?;
        let mut client = self.client().await?;
        let transaction = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let mut calls = Vec::new();
        for call in texts(&transaction, OWN_CALLS, &[&patient]).await? {
            let identity = list(&transaction, IDENTITY, &[&call, &patient]).await?;
            let mut told = json!({ "call": call, "identity": identity });
            for (name, sql) in OF_A_CALL {
                told[name] = list(&transaction, sql, &[&call]).await?;
            }
            calls.push(told);
        }
        let mut whole = json!({ "patient": patient, "exportedAt": Timestamp::now(), "calls": calls });
        for (name, sql) in OF_A_PATIENT {
            whole[name] = list(&transaction, sql, &[&patient]).await?;
        }
        Ok(whole)
    }
}

async fn list(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
) -> Result<Value, StoreError> {
    let row = transaction.query_one(sql, values).await?;
    Ok(row.get::<_, Option<Value>>(0).unwrap_or_else(|| json!([])))
}
