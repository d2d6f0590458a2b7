//! Writes the audit trail: each act once, chained to the one before it.
//!
//! The head's row is locked last of all that a transaction locks, so writers queue and never block each other.
use super::events::{clean, clean_json};
use super::{Store, StoreError};
use aura::audit::Act;
use aura::audit::chain::{Entry, Hash};
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use std::collections::HashSet;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// One act for the audit trail.
#[derive(Clone, Debug, PartialEq)]
pub struct ActRow {
    /// Made where it was done.
    pub id: Uuid,
    /// When it was done.
    pub at: Timestamp,
    /// What was done.
    pub act: Act,
}

impl ActRow {
    /// An act of this moment.
    pub fn now(act: Act) -> Self {
        Self { id: Uuid::now_v7(), at: Timestamp::now(), act }
    }
}

impl Store {
    /// Puts an act on record by itself; where it belongs to a change, it is written with that.
    pub async fn put_on_record(&self, act: Act) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        insert_acts(&transaction, &[ActRow::now(act)]).await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Chains acts that aren't in the trail yet; answers how many were new. Nothing may be locked after it.
pub(super) async fn insert_acts(transaction: &Transaction<'_>, acts: &[ActRow]) -> Result<u64, StoreError> {
    let head = transaction.query_opt("SELECT seq, hash FROM audit_head FOR UPDATE", &[]).await?;
    let head = head.ok_or(StoreError::NoTrail)?;
    let (mut seq, hash): (i64, Vec<u8>) = (head.get(0), head.get(1));
    let mut hash = Hash(hash.try_into().map_err(|_| StoreError::NoTrail)?);
    let mut known = known(transaction, acts).await?;
    let mut links = Vec::new();
    for row in acts {
        if known.insert(row.id) {
            seq += 1;
            let at = row.at.as_microsecond();
            let entry = Entry::of(seq, row.id.hyphenated().to_string(), at, &cleaned(&row.act));
            hash = entry.hash(hash);
            links.push((row.id, entry, hash));
        }
    }
    if links.is_empty() {
        return Ok(0);
    }
    write(transaction, &links).await?;
    let sql = "UPDATE audit_head SET seq = $1, hash = $2";
    transaction.execute(sql, &[&seq, &hash.0.as_slice()]).await?;
    Ok(links.len() as u64)
}

async fn known(transaction: &Transaction<'_>, acts: &[ActRow]) -> Result<HashSet<Uuid>, StoreError> {
    let ids: Vec<Uuid> = acts.iter().map(|row| row.id).collect();
    let rows = transaction.query("SELECT id FROM audit_log WHERE id = ANY($1)", &[&ids]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

async fn write(transaction: &Transaction<'_>, links: &[(Uuid, Entry, Hash)]) -> Result<(), StoreError> {
    let entries = || links.iter().map(|(_, entry, _)| entry);
    let numbers: Vec<i64> = entries().map(|entry| entry.seq).collect();
    let ids: Vec<Uuid> = links.iter().map(|(id, ..)| *id).collect();
    // Whole microseconds, as hashed: Postgres would round the rest.
    let time = |entry: &Entry| Timestamp::from_microsecond(entry.at_us).unwrap_or_default();
    let times: Vec<Timestamp> = entries().map(time).collect();
    let by: Vec<&str> = entries().map(|entry| entry.by.as_str()).collect();
    let actions: Vec<&str> = entries().map(|entry| entry.action.as_str()).collect();
    let patients: Vec<Option<&str>> = entries().map(|entry| entry.patient.as_deref()).collect();
    let calls: Vec<Option<&str>> = entries().map(|entry| entry.call.as_deref()).collect();
    let details: Vec<&str> = entries().map(|entry| entry.detail.as_str()).collect();
    let hashes: Vec<&[u8]> = links.iter().map(|(.., hash)| hash.0.as_slice()).collect();
    let sql = "INSERT INTO audit_log (seq, id, at, by, action, patient, call_id, detail, hash)
               SELECT seq, id, at, by, action, patient, call_id, detail::json, hash
               FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
                           $7::text[], $8::text[], $9::bytea[])
                 AS new (seq, id, at, by, action, patient, call_id, detail, hash)";
    let values: [&(dyn ToSql + Sync); 9] =
        [&numbers, &ids, &times, &by, &actions, &patients, &calls, &details, &hashes];
    transaction.execute(sql, &values).await?;
    Ok(())
}

/// Without what Postgres doesn't store: before it is hashed.
fn cleaned(act: &Act) -> Act {
    Act {
        by: clean(&act.by),
        action: act.action,
        patient: act.patient.as_deref().map(clean),
        call: act.call.clone(),
        detail: clean_json(&act.detail),
    }
}
