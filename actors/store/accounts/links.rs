//! One-time links as rows: each is used once, within its time.
use super::super::{Store, StoreError};
use super::{Hash, end_everything};
use std::time::Duration;
use uuid::Uuid;

/// What a valid link is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Whose password it sets: key and name; none: it makes the first administrator.
    pub account: Option<(Uuid, String)>,
}

/// The row that a link's insertion would make ambiguous is replaced.
const INSERT: &str = "INSERT INTO account_links (token_hash, account_id, expires_at)
                      SELECT $1::bytea, $2::uuid, now() + make_interval(secs => $3)";
const REPLACE: &str = "ON CONFLICT ((coalesce(account_id, '00000000-0000-0000-0000-000000000000')))
                       DO UPDATE SET token_hash = EXCLUDED.token_hash, created_at = now(),
                                     expires_at = EXCLUDED.expires_at";

impl Store {
    /// Keeps a link for an account, in the place of one that it may have.
    pub async fn password_link(&self, hash: &Hash, account: Uuid, life: Duration) -> Result<(), StoreError> {
        let sql = format!("{INSERT} {REPLACE}");
        let client = self.client().await?;
        client.execute(&sql, &[&hash.as_slice(), &Some(account), &life.as_secs_f64()]).await?;
        Ok(())
    }

    /// Keeps the set-up link, if there is no account yet; says whether it did. With `first`, only if there
    /// never was one.
    pub async fn setup_link(&self, hash: &Hash, life: Duration, first: bool) -> Result<bool, StoreError> {
        let conflict = if first { "ON CONFLICT DO NOTHING" } else { REPLACE };
        let sql = format!("{INSERT} WHERE NOT EXISTS (SELECT FROM accounts) {conflict}");
        let none: Option<Uuid> = None;
        let client = self.client().await?;
        Ok(client.execute(&sql, &[&hash.as_slice(), &none, &life.as_secs_f64()]).await? > 0)
    }

    /// What the link is for, if it is valid.
    pub async fn link(&self, hash: &Hash) -> Result<Option<LinkRow>, StoreError> {
        let sql = "SELECT a.id, a.name FROM account_links l LEFT JOIN accounts a ON a.id = l.account_id
                   WHERE l.token_hash = $1 AND l.expires_at > now() AND a.disabled_at IS NULL";
        let row = self.client().await?.query_opt(sql, &[&hash.as_slice()]).await?;
        Ok(row.map(|row| {
            let id: Option<Uuid> = row.get(0);
            LinkRow { account: id.map(|id| (id, row.get(1))) }
        }))
    }

    /// Uses the set-up link: makes the first administrator. False where the link isn't valid (any more) or
    /// there is an account already.
    pub async fn set_up(&self, hash: &Hash, name: &str, password_hash: &str) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        // Whoever deletes the row has the link; another who tries it at once waits here and finds none.
        let sql = "DELETE FROM account_links
                   WHERE token_hash = $1 AND account_id IS NULL AND expires_at > now()";
        let used = transaction.execute(sql, &[&hash.as_slice()]).await?;
        let sql = "INSERT INTO accounts (id, name, role, password_hash)
                   SELECT $1::uuid, $2::text, 'administrator', $3::text WHERE NOT EXISTS (SELECT FROM accounts)";
        if used == 0 || transaction.execute(sql, &[&Uuid::now_v7(), &name, &password_hash]).await? == 0 {
            return Ok(false); // the transaction is rolled back with it
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Uses an account's link: sets its password, as [`Store::set_password`] does. False where the link isn't
    /// valid (any more).
    pub async fn use_password_link(&self, hash: &Hash, password_hash: &str) -> Result<bool, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "DELETE FROM account_links l USING accounts a
                   WHERE l.token_hash = $1 AND l.expires_at > now() AND a.id = l.account_id
                     AND a.disabled_at IS NULL RETURNING a.id";
        let Some(row) = transaction.query_opt(sql, &[&hash.as_slice()]).await? else { return Ok(false) };
        let account: Uuid = row.get(0);
        let sql = "UPDATE accounts SET password_hash = $2 WHERE id = $1";
        transaction.execute(sql, &[&account, &password_hash]).await?;
        end_everything(&transaction, account).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
