//! Connections of their own, outside the pool: for locks that last and for listening.
use super::{Store, StoreError, tls};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{Client, Connection, Socket, tls::TlsStream};

/// The one writer of vectors in bulk. Dropped, or its process dead, the next one may start.
pub struct WriterLock {
    /// The server frees the lock when this connection ends.
    _client: Client,
}

/// Any number that nothing else in this database locks: "aura" and 1.
const WRITER: i64 = 0x6175_7261_0000_0001;
pub(super) const MIGRATOR: i64 = 0x6175_7261_0000_0002;
pub(super) const ERASING: i64 = 0x6175_7261_0000_0003;
pub(super) const RETENTION: i64 = 0x6175_7261_0000_0004;

impl Store {
    /// Waits until no other `aura ingest` or `aura reembed` writes.
    pub async fn lock_writer(&self) -> Result<WriterLock, StoreError> {
        let client = self.own_client().await?;
        let free: bool = client.query_one("SELECT pg_try_advisory_lock($1)", &[&WRITER]).await?.get(0);
        if !free {
            tracing::info!("another ingest or reembed is writing; waiting for it to end");
            client.query_one("SELECT pg_advisory_lock($1)", &[&WRITER]).await?;
        }
        Ok(WriterLock { _client: client })
    }

    /// A connection without the pool's time limits, driven in the background until it is dropped.
    pub(super) async fn own_client(&self) -> Result<Client, StoreError> {
        let (client, connection) = self.own_connection().await?;
        tokio::spawn(connection);
        Ok(client)
    }

    pub(super) async fn own_connection(
        &self,
    ) -> Result<(Client, Connection<Socket, impl TlsStream + Unpin + Send + 'static>), StoreError> {
        let unreachable = |why: String| StoreError::Unreachable { at: self.config.shown(), why };
        let connecting = self.config.pg().connect(tls::connector(&self.config)?);
        match timeout(Duration::from_secs(5), connecting).await {
            Ok(Ok(pair)) => Ok(pair),
            Ok(Err(error)) => Err(unreachable(super::error::chain(&error))),
            Err(_) => Err(unreachable("no answer within 5 s".to_owned())),
        }
    }
}
