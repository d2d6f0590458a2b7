//! A patient's rights over what is kept: erased for good, also what arrives later.
//!
//! A call is the patient's whose document held last in it, unless the patient denied it: a number that was
//! misheard and corrected gives nobody a right to a stranger's call. Writers of facts and an erasure exclude
//! each other by an advisory lock, so that nothing slips in between.
use super::acts::{ActRow, insert_acts};
use super::events::{Facts, clean};
use super::lock::ERASING;
use super::{Store, StoreError};
use aura::audit::{Act, Action};
use aura::call::trace::ENDED;
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;
use std::collections::HashSet;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// A call without an end whose last line is younger than this is taken for live, in minutes.
const LIVE_MINUTES: i32 = 15;

/// By which document a call goes, or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityRow {
    /// The call.
    pub call_id: String,
    /// The patient's keyed hash.
    pub patient: String,
    /// `dictated`, `typed`, `keypad` or `chat`.
    pub source: String,
    /// `given`, `read_back`, `confirmed` or `denied`.
    pub state: String,
    /// The document, sealed with the vault's key and bound to the call.
    pub sealed: Option<String>,
    /// Since when.
    pub at: Timestamp,
}

/// How much was erased.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// Calls.
    pub calls: u64,
    /// Lines of their journals.
    pub lines: u64,
    /// Facts of the event log, suggestions among them.
    pub events: u64,
    /// Call backs, settled or not.
    pub callbacks: u64,
    /// Lessons that were learnt in them.
    pub lessons: u64,
    /// Rows that tie a call to the patient.
    pub identities: u64,
    /// Rows of the cache.
    pub cache: u64,
}

/// What came of an erasure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erasure {
    /// It is done, and on record.
    Done(Erased),
    /// These calls are still live; nothing was erased.
    Live(Vec<String>),
}

/// The calls of patient `$1`.
pub(super) const OWN_CALLS: &str = "SELECT call_id FROM call_patients mine
    WHERE patient = $1 AND state <> 'denied' AND NOT EXISTS (
      SELECT FROM call_patients other WHERE other.call_id = mine.call_id AND other.patient <> mine.patient
        AND other.at > mine.at)
    ORDER BY call_id";

impl Store {
    /// Erases what is kept of a patient, in one transaction: journals, events, call backs and lessons of
    /// their calls, the cache. What stays is that it was done: a tombstone, an entry of the trail, and the
    /// calls' ids, so that facts that are still on a server's disk aren't written later. While a call is live
    /// nothing is erased: what it promises (a call back) would be lost unheard.
    pub async fn erase_patient(&self, patient: &str, by: &str) -> Result<Erasure, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&ERASING]).await?;
        let calls = texts(&transaction, OWN_CALLS, &[&patient]).await?;
        let sql = "SELECT call_id FROM call_journal WHERE call_id = ANY($1) GROUP BY call_id
                   HAVING NOT bool_or(what = $2) AND max(at) > now() - make_interval(mins => $3)
                   ORDER BY call_id";
        let live = texts(&transaction, sql, &[&calls, &ENDED, &LIVE_MINUTES]).await?;
        if !live.is_empty() {
            return Ok(Erasure::Live(live));
        }
        let mut erased = erase_calls(&transaction, &calls).await?;
        let rest = "DELETE FROM call_patients WHERE patient = $1";
        erased.identities += transaction.execute(rest, &[&patient]).await?;
        erased.cache = transaction.execute("DELETE FROM patients WHERE patient = $1", &[&patient]).await?;
        let counts = json!(erased);
        let sql = "INSERT INTO erasures (id, patient, at, by, counts) VALUES ($1, $2, $3, $4, $5)";
        let values: [&(dyn ToSql + Sync); 5] = [&Uuid::now_v7(), &patient, &Timestamp::now(), &by, &counts];
        transaction.execute(sql, &values).await?;
        let (patient, by) = (Some(patient.to_owned()), by.to_owned());
        let act = Act { by, action: Action::PatientErased, patient, call: None, detail: counts };
        insert_acts(&transaction, &[ActRow::now(act)]).await?;
        transaction.commit().await?;
        Ok(Erasure::Done(erased))
    }
}

/// Deletes what is kept of these calls, and remembers that it was.
async fn erase_calls(transaction: &Transaction<'_>, calls: &[String]) -> Result<Erased, StoreError> {
    let delete = async |table: &str| {
        let sql = format!("DELETE FROM {table} WHERE call_id = ANY($1)");
        transaction.execute(&sql, &[&calls]).await
    };
    // Vectors of the next model belong to the lessons.
    let vectors = "DELETE FROM reembedding WHERE store = 'memory_embeddings'
                   AND id IN (SELECT id FROM memory_embeddings WHERE call_id = ANY($1))";
    transaction.execute(vectors, &[&calls]).await?;
    let erased = Erased {
        calls: calls.len() as u64,
        lines: delete("call_journal").await?,
        events: delete("event_log").await?,
        callbacks: delete("pending_callbacks").await?,
        lessons: delete("memory_embeddings").await?,
        identities: delete("call_patients").await?,
        cache: 0,
    };
    let sql = "INSERT INTO erased_calls (call_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING";
    transaction.execute(sql, &[&calls]).await?;
    Ok(erased)
}

/// The facts without those of erased calls. No erasure begins before the transaction has ended.
pub(super) async fn without_erased<'a>(
    transaction: &Transaction<'_>,
    facts: &'a Facts,
) -> Result<Cow<'a, Facts>, StoreError> {
    let calls: HashSet<&str> = facts.calls().collect();
    if calls.is_empty() {
        return Ok(Cow::Borrowed(facts));
    }
    let lock = transaction.prepare_cached("SELECT pg_advisory_xact_lock_shared($1)").await?;
    transaction.execute(&lock, &[&ERASING]).await?;
    let look = transaction.prepare_cached("SELECT call_id FROM erased_calls WHERE call_id = ANY($1)").await?;
    let calls: Vec<&str> = calls.into_iter().collect();
    let rows = transaction.query(&look, &[&calls]).await?;
    if rows.is_empty() {
        return Ok(Cow::Borrowed(facts));
    }
    let erased: HashSet<&str> = rows.iter().map(|row| row.get(0)).collect();
    let mut rest = facts.clone();
    rest.keep_calls(|call| !erased.contains(call));
    Ok(Cow::Owned(rest))
}

/// Notes by which documents calls go; of each call and patient, the newest row. One that was identified
/// before the patient's erasure, but only heard of now, is erased with all that came of it.
pub(super) async fn insert_identities(
    transaction: &Transaction<'_>,
    rows: &[IdentityRow],
) -> Result<u64, StoreError> {
    let mut new = 0;
    let mut late = Vec::new();
    for row in rows {
        let (call, patient) = (clean(&row.call_id), clean(&row.patient));
        let sql = "SELECT 1 FROM erasures WHERE patient = $1 AND at >= $2 LIMIT 1";
        if transaction.query_opt(sql, &[&patient, &row.at]).await?.is_some() {
            late.push(call);
            continue;
        }
        let sql = "INSERT INTO call_patients AS held (call_id, patient, source, state, sealed, at)
                   VALUES ($1, $2, $3, $4, $5, $6)
                   ON CONFLICT (call_id, patient) DO UPDATE
                     SET source = excluded.source, state = excluded.state, sealed = excluded.sealed,
                         at = excluded.at
                     WHERE held.at < excluded.at";
        let values: [&(dyn ToSql + Sync); 6] =
            [&call, &patient, &clean(&row.source), &clean(&row.state), &row.sealed, &row.at];
        new += transaction.execute(sql, &values).await?;
    }
    if !late.is_empty() {
        erase_calls(transaction, &late).await?;
    }
    Ok(new)
}

/// The first column of what a statement answers.
pub(super) async fn texts(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Vec<String>, StoreError> {
    Ok(transaction.query(sql, values).await?.iter().map(|row| row.get(0)).collect())
}
