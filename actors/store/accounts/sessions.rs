//! Sessions as rows.
use super::super::{Store, StoreError};
use super::Hash;
use std::time::Duration;
use uuid::Uuid;

/// How long a session lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// From sign-in, whatever happens.
    pub whole: Duration,
    /// Without being used.
    pub idle: Duration,
}

/// A session that is valid now.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// Whose.
    pub account: Uuid,
    /// The account's name.
    pub name: String,
    /// The name of its role.
    pub role: String,
    /// How much longer it lasts if it isn't used, by the database's clock.
    pub remaining: Duration,
}

impl Store {
    /// Opens a session for an account that is open and still has this password; says whether it did. One that
    /// the same browser had before ends, and so do those that have expired.
    pub async fn open_session(
        &self,
        id: &Hash,
        (account, password_hash): (Uuid, &str),
        proof: &str,
        lifetimes: Lifetimes,
        former: Option<&Hash>,
    ) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "DELETE FROM account_sessions WHERE id_hash = $1 OR expires_at <= now()";
        transaction.execute(sql, &[&former.map(<[u8; 32]>::as_slice)]).await?;
        let sql = "INSERT INTO account_sessions (id_hash, account_id, proof, expires_at)
                   SELECT $1::bytea, id, $4::text, now() + make_interval(secs => $5) FROM accounts
                   WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE";
        let whole = lifetimes.whole.as_secs_f64();
        let opened =
            transaction.execute(sql, &[&id.as_slice(), &account, &password_hash, &proof, &whole]).await?;
        transaction.commit().await?;
        Ok(opened > 0)
    }

    /// The session with this id if it is valid. With `used`, it is not idle from now on; that is written down
    /// once a minute at most.
    pub async fn session(
        &self,
        id: &Hash,
        lifetimes: Lifetimes,
        used: bool,
    ) -> Result<Option<SessionRow>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT a.id, a.name, a.role,
                          extract(epoch FROM s.expires_at - now())::float8,
                          extract(epoch FROM s.last_seen_at - now())::float8 + $2
                   FROM account_sessions s JOIN accounts a ON a.id = s.account_id
                   WHERE s.id_hash = $1 AND a.disabled_at IS NULL AND s.expires_at > now()
                     AND s.last_seen_at > now() - make_interval(secs => $2)";
        let idle = lifetimes.idle.as_secs_f64();
        let Some(row) = client.query_opt(sql, &[&id.as_slice(), &idle]).await? else { return Ok(None) };
        let (whole, mut left): (f64, f64) = (row.get(3), row.get(4));
        if used {
            let sql = "UPDATE account_sessions SET last_seen_at = now()
                       WHERE id_hash = $1 AND last_seen_at < now() - interval '1 minute'";
            client.execute(sql, &[&id.as_slice()]).await?;
            left = idle;
        }
        let remaining = Duration::try_from_secs_f64(whole.min(left)).unwrap_or_default();
        Ok(Some(SessionRow { account: row.get(0), name: row.get(1), role: row.get(2), remaining }))
    }

    /// Ends a session; says whether there was one.
    pub async fn close_session(&self, id: &Hash) -> Result<bool, StoreError> {
        let sql = "DELETE FROM account_sessions WHERE id_hash = $1";
        Ok(self.client().await?.execute(sql, &[&id.as_slice()]).await? > 0)
    }
}
