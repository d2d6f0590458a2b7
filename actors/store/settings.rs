//! Runtime settings as rows; their meaning is the domain's (R4).
use super::acts::{ActRow, insert_acts};
use super::follow::follow;
use super::{Store, StoreError};
use aura::audit::{Act, Action};
use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_postgres::Client;

/// One stored setting: key, scope (`global` or a channel), value.
pub type SettingRow = (String, String, Value);

const ALL: &str = "SELECT key, scope, value FROM app_settings ORDER BY key, scope";

async fn load(client: &Client) -> Result<Vec<SettingRow>, tokio_postgres::Error> {
    let rows = client.query(ALL, &[]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
}

impl Store {
    /// The row of this key and scope; no other scope is looked at.
    pub async fn setting(&self, key: &str, scope: &str) -> Result<Option<Value>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT value FROM app_settings WHERE key = $1 AND scope = $2";
        Ok(client.query_opt(sql, &[&key, &scope]).await?.map(|row| row.get(0)))
    }

    /// Writes a row, or deletes it where `value` is `None`; answers what it held. The change and its entry in
    /// the audit trail, with `by` whom, are one. Every process that follows the settings hears of it.
    pub async fn change_setting(
        &self,
        key: &str,
        scope: &str,
        value: Option<&Value>,
        by: &str,
    ) -> Result<Option<Value>, StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "SELECT value FROM app_settings WHERE key = $1 AND scope = $2 FOR UPDATE";
        let old: Option<Value> = transaction.query_opt(sql, &[&key, &scope]).await?.map(|row| row.get(0));
        match value {
            Some(value) => {
                let sql = "INSERT INTO app_settings (key, scope, value) VALUES ($1, $2, $3)
                           ON CONFLICT (key, scope) DO UPDATE SET value = $3, updated_at = now()";
                transaction.execute(sql, &[&key, &scope, value]).await?;
            }
            None => {
                let sql = "DELETE FROM app_settings WHERE key = $1 AND scope = $2";
                transaction.execute(sql, &[&key, &scope]).await?;
            }
        }
        let detail = json!({ "key": key, "scope": scope, "old": old, "new": value });
        let (by, action) = (by.to_owned(), Action::SettingChanged);
        let act = Act { by, action, patient: None, call: None, detail };
        insert_acts(&transaction, &[ActRow::now(act)]).await?;
        transaction.commit().await?;
        Ok(old)
    }

    /// Writes a row only where none is: what boot seeds never undoes what somebody chose (R3). Says whether it did.
    pub async fn seed_setting(&self, key: &str, scope: &str, value: &Value) -> Result<bool, StoreError> {
        let sql = "INSERT INTO app_settings (key, scope, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        Ok(self.client().await?.execute(sql, &[&key, &scope, value]).await? > 0)
    }

    /// All rows, by key and scope.
    pub async fn settings(&self) -> Result<Vec<SettingRow>, StoreError> {
        Ok(load(&*self.client().await?).await?)
    }

    /// All rows, kept current (R4): a change anywhere is here a moment later, and after a lost connection
    /// everything is read anew.
    pub async fn watch_settings(&self) -> Result<watch::Receiver<Vec<SettingRow>>, StoreError> {
        follow(self, "aura_settings", |client| load(client).boxed()).await
    }
}
