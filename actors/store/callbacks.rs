//! Who is to be called back: what the desk lists, and what becomes of it.
use super::{Store, StoreError};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

/// Call backs that are listed; the oldest first.
const MOST: i64 = 200;

/// Somebody who is to be called back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCallback {
    /// Its key.
    pub id: Uuid,
    /// In which call it was promised.
    pub call: String,
    /// Through which channel.
    pub source: String,
    /// Why.
    pub reason: String,
    /// The question that waits, masked.
    pub question: Option<String>,
    /// The telephone.
    pub phone: Option<String>,
    /// Since when.
    pub at: Timestamp,
}

const COLUMNS: &str =
    "SELECT id, call_id, source, reason, question, phone, requested_at FROM pending_callbacks";

impl Store {
    /// Those that nobody has made, oldest first.
    pub async fn pending_callbacks(&self) -> Result<Vec<PendingCallback>, StoreError> {
        let client = self.client().await?;
        let sql = format!("{COLUMNS} WHERE settled_at IS NULL ORDER BY requested_at, id LIMIT $1");
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[&MOST]).await?;
        rows.iter().map(read).collect()
    }

    /// One that nobody has made.
    pub async fn pending_callback(&self, id: Uuid) -> Result<Option<PendingCallback>, StoreError> {
        let client = self.client().await?;
        let sql = format!("{COLUMNS} WHERE id = $1 AND settled_at IS NULL");
        let statement = client.prepare_cached(&sql).await?;
        client.query_opt(&statement, &[&id]).await?.as_ref().map(read).transpose()
    }

    /// It was made; whether it was pending.
    pub async fn settle_callback(&self, id: Uuid, by: &str) -> Result<bool, StoreError> {
        let client = self.client().await?;
        let sql = "UPDATE pending_callbacks SET settled_at = now(), settled_by = $2
                   WHERE id = $1 AND settled_at IS NULL";
        let statement = client.prepare_cached(sql).await?;
        Ok(client.execute(&statement, &[&id, &by]).await? > 0)
    }
}

fn read(row: &Row) -> Result<PendingCallback, StoreError> {
    Ok(PendingCallback {
        id: row.try_get(0)?,
        call: row.try_get(1)?,
        source: row.try_get(2)?,
        reason: row.try_get(3)?,
        question: row.try_get(4)?,
        phone: row.try_get(5)?,
        at: row.try_get(6)?,
    })
}
