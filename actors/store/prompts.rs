//! Versions of prompts; at most one of each key is active (E14).
use super::acts::{ActRow, insert_acts};
use super::follow::follow;
use super::{Store, StoreError};
use aura::audit::{Act, Action};
use futures_util::FutureExt;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tokio::sync::watch;
use tokio_postgres::Client;

/// A version as it is recorded under `prompts/<key>/<version>.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFile {
    /// The folder, e.g. `copilot_identity`.
    pub key: String,
    /// The file's name without `.txt`, e.g. `1.4.0`.
    pub version: String,
    /// The prompt.
    pub body: String,
}

/// A stored version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptVersion {
    /// The prompt's key.
    pub key: String,
    /// The version.
    pub version: String,
    /// The prompt.
    pub body: String,
    /// sha256 of the body, hexadecimal.
    pub sha256: String,
    /// Whether calls that start now take it.
    pub active: bool,
}

/// What seeding did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptSeed {
    /// `key/version` of what was new.
    pub inserted: Vec<String>,
    /// `key/version` of what was made active because its key had nothing active.
    pub activated: Vec<String>,
    /// One sentence for each file that differs from the stored version of its number.
    pub warnings: Vec<String>,
}

const COLUMNS: &str = "SELECT key, version, body, sha256, active FROM prompt_versions";

fn version_row(row: &tokio_postgres::Row) -> PromptVersion {
    PromptVersion {
        key: row.get(0),
        version: row.get(1),
        body: row.get(2),
        sha256: row.get(3),
        active: row.get(4),
    }
}

async fn load_all(client: &Client) -> Result<Vec<PromptVersion>, tokio_postgres::Error> {
    let rows = client.query(&format!("{COLUMNS} ORDER BY key, version"), &[]).await?;
    Ok(rows.iter().map(version_row).collect())
}

impl Store {
    /// Inserts what is missing and never changes what is stored; of a key with nothing active, the newest of these
    /// files becomes active.
    pub async fn seed_prompts(&self, files: &[PromptFile]) -> Result<PromptSeed, StoreError> {
        let mut seed = PromptSeed::default();
        let mut newest: BTreeMap<&str, &str> = BTreeMap::new();
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        for file in files {
            let sha = sha256(&file.body);
            let sql = "INSERT INTO prompt_versions (key, version, body, sha256) VALUES ($1, $2, $3, $4)
                       ON CONFLICT DO NOTHING";
            let name = format!("{}/{}", file.key, file.version);
            if transaction.execute(sql, &[&file.key, &file.version, &file.body, &sha]).await? > 0 {
                seed.inserted.push(name);
            } else if stored_sha(&transaction, file).await? != sha {
                seed.warnings.push(format!(
                    "prompts/{name}.txt differs from the stored version {name}, which stays; give the file a new number"
                ));
            }
            let held = newest.entry(&file.key).or_insert(&file.version);
            if numbers(&file.version) > numbers(held) {
                *held = &file.version;
            }
        }
        for (key, version) in newest {
            let sql = "UPDATE prompt_versions SET active = true WHERE key = $1 AND version = $2
                       AND NOT EXISTS (SELECT FROM prompt_versions WHERE key = $1 AND active)";
            if transaction.execute(sql, &[&key, &version]).await? > 0 {
                seed.activated.push(format!("{key}/{version}"));
            }
        }
        transaction.commit().await?;
        Ok(seed)
    }

    /// All versions, by key, oldest first.
    pub async fn prompts(&self) -> Result<Vec<PromptVersion>, StoreError> {
        let rows = self.client().await?.query(COLUMNS, &[]).await?;
        let mut versions: Vec<PromptVersion> = rows.iter().map(version_row).collect();
        versions.sort_by(|a, b| (&a.key, numbers(&a.version)).cmp(&(&b.key, numbers(&b.version))));
        Ok(versions)
    }

    /// The active version of a key.
    pub async fn active_prompt(&self, key: &str) -> Result<Option<PromptVersion>, StoreError> {
        let client = self.client().await?;
        let row = client.query_opt(&format!("{COLUMNS} WHERE key = $1 AND active"), &[&key]).await?;
        Ok(row.as_ref().map(version_row))
    }

    /// Makes a version the active one; refuses one that isn't there. The change and its entry in the audit
    /// trail, with `by` whom, are one.
    pub async fn activate_prompt(&self, key: &str, version: &str, by: &str) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        let sql = "SELECT version, active FROM prompt_versions WHERE key = $1 ORDER BY version FOR UPDATE";
        let rows = transaction.query(sql, &[&key]).await?;
        let known: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        if !known.iter().any(|one| one == version) {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(StoreError::NoPrompt { key: key.to_owned(), version: version.to_owned(), known });
        }
        // The former first: at no moment are two active.
        let off = "UPDATE prompt_versions SET active = false WHERE key = $1 AND active AND version <> $2";
        transaction.execute(off, &[&key, &version]).await?;
        let on = "UPDATE prompt_versions SET active = true WHERE key = $1 AND version = $2 AND NOT active";
        transaction.execute(on, &[&key, &version]).await?;
        let old = rows.iter().find(|row| row.get(1)).map(|row| row.get::<_, String>(0));
        let detail = json!({ "key": key, "old": old, "new": version });
        let (by, action) = (by.to_owned(), Action::PromptActivated);
        let act = Act { by, action, patient: None, call: None, detail };
        insert_acts(&transaction, &[ActRow::now(act)]).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Every version of every key, kept current: calls that start after a change see it (E14), and one that
    /// is rebuilt finds the version that it began with.
    pub async fn watch_prompts(&self) -> Result<watch::Receiver<Vec<PromptVersion>>, StoreError> {
        follow(self, "aura_prompts", |client| load_all(client).boxed()).await
    }
}

async fn stored_sha(
    transaction: &deadpool_postgres::Transaction<'_>,
    file: &PromptFile,
) -> Result<String, StoreError> {
    let sql = "SELECT sha256 FROM prompt_versions WHERE key = $1 AND version = $2";
    Ok(transaction.query_one(sql, &[&file.key, &file.version]).await?.get(0))
}

/// `1.10.0` after `1.9.0`.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
