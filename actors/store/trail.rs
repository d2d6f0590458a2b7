//! Reads the audit trail: from its beginning to see whether it holds, or what somebody asks for.
use super::{Store, StoreError};
use aura::audit::chain::{Damage, Entry, Known, Verified, Verifier};
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use std::error::Error;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{IsolationLevel, Row};
use uuid::Uuid;

/// Entries read in one statement.
const PAGE: i64 = 2000;
/// Microseconds from 1970 to 2000, where Postgres begins to count.
const POSTGRES_EPOCH_US: i64 = 946_684_800_000_000;
const COLUMNS: &str = "seq, id, at, by, action, patient, call_id, detail::text, hash";

/// Which entries somebody asks for; what is `None` asks for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrailQuery {
    /// From this moment on.
    pub since: Option<Timestamp>,
    /// Of this action.
    pub action: Option<String>,
    /// By somebody.
    pub by: Option<String>,
    /// About this patient.
    pub patient: Option<String>,
}

/// A time as it is stored, whatever somebody wrote there.
struct Micros(i64);

impl<'a> FromSql<'a> for Micros {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(i64::from_be_bytes(raw.try_into()?).saturating_add(POSTGRES_EPOCH_US)))
    }

    fn accepts(of: &Type) -> bool {
        *of == Type::TIMESTAMPTZ
    }
}

impl Store {
    /// Whether the trail holds from its first entry to its head, as of one moment, and a place that was
    /// written down is still in it.
    pub async fn verify_trail(&self, known: Option<Known>) -> Result<Result<Verified, Damage>, StoreError> {
        let mut client = self.client().await?;
        let transaction = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let mut verifier = Verifier::new(known);
        let mut last = i64::MIN;
        loop {
            let page = page(&transaction, last, &TrailQuery::default()).await?;
            for (entry, hash) in &page {
                if let Err(damage) = verifier.take(entry, hash) {
                    return Ok(Err(damage));
                }
                last = entry.seq;
            }
            if page.is_empty() {
                break;
            }
        }
        let head = transaction.query_opt("SELECT seq, hash FROM audit_head", &[]).await?;
        let head = head.ok_or(StoreError::NoTrail)?;
        Ok(verifier.end(head.get(0), head.get(1)))
    }

    /// A page of entries after number `after`, oldest first; an empty one is the end.
    pub async fn trail(&self, after: i64, query: &TrailQuery) -> Result<Vec<Entry>, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.build_transaction().read_only(true).start().await?;
        Ok(page(&transaction, after, query).await?.into_iter().map(|(entry, _)| entry).collect())
    }
}

async fn page(
    transaction: &Transaction<'_>,
    after: i64,
    query: &TrailQuery,
) -> Result<Vec<(Entry, Vec<u8>)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM audit_log WHERE seq > $1 AND ($2::timestamptz IS NULL OR at >= $2)
           AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR by = $4)
           AND ($5::text IS NULL OR patient = $5)
         ORDER BY seq LIMIT {PAGE}"
    );
    let TrailQuery { since, action, by, patient } = query;
    let values: [&(dyn ToSql + Sync); 5] = [&after, since, action, by, patient];
    Ok(transaction.query(&sql, &values).await?.iter().map(link).collect())
}

fn link(row: &Row) -> (Entry, Vec<u8>) {
    let entry = Entry {
        seq: row.get(0),
        id: row.get::<_, Uuid>(1).hyphenated().to_string(),
        at_us: row.get::<_, Micros>(2).0,
        by: row.get(3),
        action: row.get(4),
        patient: row.get(5),
        call: row.get(6),
        detail: row.get(7),
    };
    (entry, row.get(8))
}
