//! Deletes what is older than it may become, a bounded piece at a time.
use super::lock::RETENTION;
use super::{Store, StoreError};
use jiff::Timestamp;

/// Rows deleted in one statement.
const PIECE: i64 = 2000;

/// A kind of data that is kept for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Lines of calls' journals, transcripts among them.
    Transcripts,
    /// The event log.
    Events,
    /// Call backs that were settled; an open one is kept until it is.
    Callbacks,
    /// What the patients' system answered.
    PatientCache,
    /// Which calls were whose.
    Identities,
}

impl Kept {
    /// The name in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transcripts => "transcripts",
            Self::Events => "events",
            Self::Callbacks => "callbacks",
            Self::PatientCache => "patientCache",
            Self::Identities => "identities",
        }
    }

    /// The table, and the column that tells a row's age; where that is NULL, the row has none.
    const fn rows(self) -> (&'static str, &'static str) {
        match self {
            Self::Transcripts => ("call_journal", "at"),
            Self::Events => ("event_log", "at"),
            Self::Callbacks => ("pending_callbacks", "settled_at"),
            Self::PatientCache => ("patients", "found_at"),
            Self::Identities => ("call_patients", "at"),
        }
    }
}

/// Held by whoever deletes by age; of several servers, one. Dropped, the next one may.
pub struct RetentionLock {
    /// The server frees the lock when this connection ends.
    _client: tokio_postgres::Client,
}

impl Store {
    /// The right to delete by age; `None` while another process has it.
    pub async fn lock_retention(&self) -> Result<Option<RetentionLock>, StoreError> {
        let client = self.own_client().await?;
        let free: bool = client.query_one("SELECT pg_try_advisory_lock($1)", &[&RETENTION]).await?.get(0);
        Ok(free.then_some(RetentionLock { _client: client }))
    }

    /// How many rows are older than `before`; one of exactly that age isn't.
    pub async fn count_older(&self, kept: Kept, before: Timestamp) -> Result<u64, StoreError> {
        let (table, age) = kept.rows();
        let sql = format!("SELECT count(*) FROM {table} WHERE {age} < $1");
        let count: i64 = self.client().await?.query_one(&sql, &[&before]).await?.get(0);
        Ok(count.unsigned_abs())
    }

    /// Deletes a piece of what is older than `before`; answers how many rows went: none is the end.
    pub async fn delete_older(
        &self,
        kept: Kept,
        before: Timestamp,
        _: &RetentionLock,
    ) -> Result<u64, StoreError> {
        let (table, age) = kept.rows();
        // A row that is written anew meanwhile is another version, and stays.
        let sql = format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY(
               SELECT ctid FROM {table} WHERE {age} < $1 ORDER BY {age} LIMIT {PIECE}))"
        );
        Ok(self.client().await?.execute(&sql, &[&before]).await?)
    }
}
