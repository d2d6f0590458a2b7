//! Every SQL statement of Aura, and the pool that carries it; nobody else speaks to Postgres.
// I10 keeps SQL in this room, so this room may call what the lint forbids elsewhere.
#![allow(clippy::disallowed_methods)]

mod accounts;
mod acts;
mod address;
mod callbacks;
mod embedding;
mod error;
mod events;
mod export;
mod files;
mod follow;
mod inspect;
mod knowledge;
mod lessons;
mod lock;
mod migrate;
mod patients;
mod prompts;
mod retention;
mod rights;
mod settings;
mod tls;
mod trail;

pub use accounts::{AccountRow, Hash, Lifetimes, LinkRow, NewToken, SessionRow, ShownToken, TokenRow};
pub use acts::ActRow;
pub use address::StoreConfig;
pub use callbacks::PendingCallback;
pub use embedding::{EmbeddingState, Pending};
pub use error::StoreError;
pub use events::{CallbackRow, EventRow, Facts, LineRow};
pub use files::{FileRow, NewRow};
pub use inspect::{Schema, VectorCount, Versions};
pub use knowledge::{HNSW_BOUND, Plan};
pub use lessons::Lesson;
pub use lock::WriterLock;
pub use prompts::{PromptFile, PromptSeed, PromptVersion};
pub use retention::{Kept, RetentionLock};
pub use rights::{Erased, Erasure, IdentityRow};
pub use settings::SettingRow;
pub use trail::TrailQuery;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Longest wait for a connection, whether one must come back or be made.
const POOL_WAIT: Duration = Duration::from_secs(2);
/// Longest life of a statement; the writers of `aura ingest` and `aura reembed` allow themselves more.
const STATEMENT: Duration = Duration::from_secs(5);
const LONG_STATEMENT_MS: u64 = 600_000;

/// The database: cheap to clone, one pool behind all clones.
#[derive(Clone)]
pub struct Store {
    pool: Pool,
    config: Arc<StoreConfig>,
    rows: Arc<knowledge::RowCount>,
    closed: CancellationToken,
}

impl Store {
    /// Connects; the first connection is made at once, so a wrong address fails here and not in a call.
    pub async fn connect(config: StoreConfig) -> Result<Self, StoreError> {
        let tls = tls::connector(&config)?;
        let manager = Manager::from_config(
            config.pg().clone(),
            tls,
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(config.pool_size)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(POOL_WAIT))
            .create_timeout(Some(POOL_WAIT))
            .recycle_timeout(Some(POOL_WAIT))
            .post_create(Hook::async_fn(|client, _| Box::pin(async move { limit(client).await })))
            .build()
            .map_err(|error| StoreError::Config(error.to_string()))?;
        let bound = config.hnsw_bound;
        let store = Self {
            pool,
            config: Arc::new(config),
            rows: Arc::new(knowledge::RowCount::new(bound)),
            closed: CancellationToken::new(),
        };
        store.ping().await?;
        Ok(store)
    }

    /// Whether the database answers: what `/readyz` asks.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.client().await?.batch_execute("SELECT 1").await?;
        Ok(())
    }

    /// Closes the pool and stops following tables; connections in use end when they come back.
    pub fn close(&self) {
        self.closed.cancel();
        self.pool.close();
    }

    async fn client(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(|error| StoreError::unreachable(&self.config, &error))
    }
}

/// No statement of a call may hang, and no transaction may be forgotten open.
async fn limit(client: &deadpool_postgres::ClientWrapper) -> Result<(), HookError> {
    let ms = STATEMENT.as_millis();
    let sql = format!(
        "SET statement_timeout = {ms}; SET idle_in_transaction_session_timeout = {LONG_STATEMENT_MS}"
    );
    client.batch_execute(&sql).await.map_err(HookError::Backend)
}
