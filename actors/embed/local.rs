//! The embedder in this process: multilingual-e5-small on threads of its own, no account needed.
use super::e5::pool::{Pool, PoolError, PoolSettings};
use super::e5::{DIMENSIONS, E5, MODEL, Text, WeightsError};
use super::{EmbedError, Embedder, Purpose};
use async_trait::async_trait;
use aura::retrieval::score::Scale;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// Requests that may wait per thread: some 0.4 s of work. A longer queue would let each of them wait for
/// longer than its caller does, and then none is answered in time.
const WAITING_PER_THREAD: usize = 16;

/// The local model, its threads and its cache.
pub struct LocalEmbedder {
    pool: Pool,
}

impl LocalEmbedder {
    /// Maps the weights and starts `threads` threads.
    pub fn open(weights: &Path, threads: NonZeroUsize) -> Result<Self, LocalError> {
        let model = Arc::new(E5::open(weights)?);
        let queue = WAITING_PER_THREAD * threads.get();
        let pool = Pool::start(model, PoolSettings { threads, queue, ..PoolSettings::default() })?;
        Ok(Self { pool })
    }
}

/// Why the local embedder can't start.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// The weights can't be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The threads can't be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn name(&self) -> &'static str {
        "local"
    }

    fn model(&self) -> &str {
        MODEL
    }

    fn dims(&self) -> usize {
        DIMENSIONS
    }

    fn scale(&self) -> Scale {
        Scale::of_model(MODEL)
    }

    async fn embed(&self, purpose: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let kind = match purpose {
            Purpose::Query => Text::Query,
            Purpose::Passage => Text::Passage,
        };
        self.pool.embed(kind, texts).await.map_err(|error| match error {
            PoolError::Busy(waiting) => EmbedError::Busy(waiting),
            error @ PoolError::Panicked => EmbedError::Refused(error.to_string()),
            other => EmbedError::Failed(other.to_string()),
        })
    }
}
