//! Accounts as rows: who there is, with which role and password. Secrets come in hashed.
mod links;
mod sessions;
mod tokens;

pub use links::LinkRow;
pub use sessions::{Lifetimes, SessionRow};
pub use tokens::{NewToken, ShownToken, TokenRow};

use super::{Store, StoreError};
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

/// The sha256 of a session's id, a token or a link: what is stored instead of them.
pub type Hash = [u8; 32];

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// Its key.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// The name of its role.
    pub role: String,
    /// Argon2id as a PHC string; none until a password was set.
    pub password_hash: Option<String>,
    /// Since when it is closed.
    pub disabled_at: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
}

const COLUMNS: &str = "SELECT id, name, role, password_hash, disabled_at, created_at FROM accounts";

fn account_row(row: &Row) -> AccountRow {
    AccountRow {
        id: row.get(0),
        name: row.get(1),
        role: row.get(2),
        password_hash: row.get(3),
        disabled_at: row.get(4),
        created_at: row.get(5),
    }
}

impl Store {
    /// Adds an account; `None` where the name is taken.
    pub async fn add_account(
        &self,
        name: &str,
        role: &str,
        password_hash: Option<&str>,
    ) -> Result<Option<Uuid>, StoreError> {
        let sql = "INSERT INTO accounts (id, name, role, password_hash) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (name) DO NOTHING";
        let id = Uuid::now_v7();
        let added = self.client().await?.execute(sql, &[&id, &name, &role, &password_hash]).await?;
        Ok((added > 0).then_some(id))
    }

    /// The account of this name.
    pub async fn account(&self, name: &str) -> Result<Option<AccountRow>, StoreError> {
        let client = self.client().await?;
        let row = client.query_opt(&format!("{COLUMNS} WHERE name = $1"), &[&name]).await?;
        Ok(row.as_ref().map(account_row))
    }

    /// All accounts, by name.
    pub async fn accounts(&self) -> Result<Vec<AccountRow>, StoreError> {
        let rows = self.client().await?.query(&format!("{COLUMNS} ORDER BY name"), &[]).await?;
        Ok(rows.iter().map(account_row).collect())
    }

    /// Sets a password. All sessions, tokens and links of the account end with the former one.
    pub async fn set_password(&self, account: Uuid, password_hash: &str) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "UPDATE accounts SET password_hash = $2 WHERE id = $1";
        transaction.execute(sql, &[&account, &password_hash]).await?;
        end_everything(&transaction, account).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Puts the same password's hash with newer parameters in the place of `former`, if that still holds.
    pub async fn rehash(&self, account: Uuid, former: &str, newer: &str) -> Result<(), StoreError> {
        let sql = "UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
        self.client().await?.execute(sql, &[&account, &former, &newer]).await?;
        Ok(())
    }

    /// Closes an account; its sessions, tokens and links end.
    pub async fn disable_account(&self, account: Uuid) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "UPDATE accounts SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1";
        transaction.execute(sql, &[&account]).await?;
        end_everything(&transaction, account).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Opens an account again. What ended with it stays ended.
    pub async fn enable_account(&self, account: Uuid) -> Result<(), StoreError> {
        let sql = "UPDATE accounts SET disabled_at = NULL WHERE id = $1";
        self.client().await?.execute(sql, &[&account]).await?;
        Ok(())
    }
}

/// Ends all that an account's former password or openness gave.
async fn end_everything(transaction: &Transaction<'_>, account: Uuid) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM account_sessions WHERE account_id = $1", &[&account]).await?;
    transaction.execute("DELETE FROM account_links WHERE account_id = $1", &[&account]).await?;
    let sql = "UPDATE account_tokens SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL";
    transaction.execute(sql, &[&account]).await?;
    Ok(())
}
