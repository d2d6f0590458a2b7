//! Brings a database to the shape that this program expects; forward only.
use super::error::describe;
use super::lock::MIGRATOR;
use super::{Store, StoreError};
use std::collections::BTreeSet;

mod embedded {
    refinery::embed_migrations!("../migrations");
}

impl Store {
    /// Creates the extension if it may, then applies what is missing. Several processes may do it at once.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        let mut client = self.own_client().await?;
        // Held until this connection ends.
        client.query_one("SELECT pg_advisory_lock($1)", &[&MIGRATOR]).await?;
        client
            .batch_execute("CREATE EXTENSION IF NOT EXISTS vector")
            .await
            .map_err(|error| StoreError::NoVector { why: describe(&error) })?;
        embedded::migrations::runner()
            .run_async(&mut client)
            .await
            .map_err(|error| StoreError::Migration(super::error::chain(&error)))?;
        Ok(())
    }

    /// Which of these manuals the base doesn't hold, so that boot can warn of each by name (R6).
    pub async fn missing_sources(&self, expected: &[String]) -> Result<Vec<String>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT DISTINCT source FROM knowledge_base WHERE source = ANY($1)";
        let rows = client.query(sql, &[&expected]).await?;
        let there: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
        Ok(expected.iter().filter(|source| !there.contains(*source)).cloned().collect())
    }
}
