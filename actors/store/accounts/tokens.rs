//! Bearer tokens as rows.
use super::super::{Store, StoreError};
use super::Hash;
use jiff::Timestamp;
use std::time::Duration;
use uuid::Uuid;

/// A token to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The sha256 of the token.
    pub hash: Hash,
    /// What it is called.
    pub name: String,
    /// Whose it is; none: a machine's own.
    pub account: Option<Uuid>,
    /// The names of its scopes.
    pub scopes: Vec<String>,
    /// How long it lasts.
    pub days: u16,
}

/// A token that is valid now.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    /// What it is called.
    pub name: String,
    /// The account behind it: key, name, role.
    pub account: Option<(Uuid, String, String)>,
    /// The names of its scopes.
    pub scopes: Vec<String>,
    /// How much longer it lasts, by the database's clock.
    pub remaining: Duration,
}

/// A token as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownToken {
    /// What it is called.
    pub name: String,
    /// Whose.
    pub account: Option<String>,
    /// The names of its scopes.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was used last, to ten minutes.
    pub last_used_at: Option<Timestamp>,
}

impl Store {
    /// Keeps a token; says whether its name was free. An account that is disabled gets none.
    pub async fn issue_token(&self, token: &NewToken) -> Result<bool, StoreError> {
        let sql = "INSERT INTO account_tokens (token_hash, name, account_id, scopes, expires_at)
                   SELECT $1::bytea, $2::text, $3::uuid, $4::text[], now() + make_interval(days => $5)
                   WHERE $3::uuid IS NULL OR EXISTS
                         (SELECT FROM accounts WHERE id = $3 AND disabled_at IS NULL FOR SHARE)
                   ON CONFLICT DO NOTHING";
        let days = i32::from(token.days);
        let client = self.client().await?;
        let (hash, NewToken { name, account, scopes, .. }) = (token.hash.as_slice(), token);
        Ok(client.execute(sql, &[&hash, name, account, scopes, &days]).await? > 0)
    }

    /// The token with this hash if it is valid; its use is written down every ten minutes at most.
    pub async fn token(&self, hash: &Hash) -> Result<Option<TokenRow>, StoreError> {
        let client = self.client().await?;
        let sql =
            "SELECT t.name, t.scopes, extract(epoch FROM t.expires_at - now())::float8, a.id, a.name, a.role
                   FROM account_tokens t LEFT JOIN accounts a ON a.id = t.account_id
                   WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND t.expires_at > now()
                     AND a.disabled_at IS NULL";
        let Some(row) = client.query_opt(sql, &[&hash.as_slice()]).await? else { return Ok(None) };
        let sql = "UPDATE account_tokens SET last_used_at = now() WHERE token_hash = $1
                   AND (last_used_at IS NULL OR last_used_at < now() - interval '10 minutes')";
        client.execute(sql, &[&hash.as_slice()]).await?;
        let id: Option<Uuid> = row.get(3);
        Ok(Some(TokenRow {
            name: row.get(0),
            scopes: row.get(1),
            remaining: Duration::try_from_secs_f64(row.get(2)).unwrap_or_default(),
            account: id.map(|id| (id, row.get(4), row.get(5))),
        }))
    }

    /// Revokes the token of this name; says whether there was one.
    pub async fn revoke_token(&self, name: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE account_tokens SET revoked_at = now() WHERE name = $1 AND revoked_at IS NULL";
        Ok(self.client().await?.execute(sql, &[&name]).await? > 0)
    }

    /// Tokens that are valid, by name.
    pub async fn tokens(&self) -> Result<Vec<ShownToken>, StoreError> {
        let sql = "SELECT t.name, a.name, t.scopes, t.expires_at, t.last_used_at
                   FROM account_tokens t LEFT JOIN accounts a ON a.id = t.account_id
                   WHERE t.revoked_at IS NULL AND t.expires_at > now() ORDER BY t.name";
        let rows = self.client().await?.query(sql, &[]).await?;
        let shown = |row: &tokio_postgres::Row| ShownToken {
            name: row.get(0),
            account: row.get(1),
            scopes: row.get(2),
            expires_at: row.get(3),
            last_used_at: row.get(4),
        };
        Ok(rows.iter().map(shown).collect())
    }
}
