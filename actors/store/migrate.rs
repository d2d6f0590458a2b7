//! Brings a database to the shape that this program expects; forward only.
use super::error::describe;
use super::lock::MIGRATOR;
use super::{Store, StoreError};

mod embedded {
    refinery::embed_migrations!("../migrations");
}

/// This program's migrations: version, name and checksum of each.
pub(super) fn known() -> Vec<(i64, String, String)> {
    let runner = embedded::migrations::runner();
    let one = |it: &refinery::Migration| (i64::from(it.version()), it.to_string(), it.checksum().to_string());
    runner.get_migrations().iter().map(one).collect()
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
}
