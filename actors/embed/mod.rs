//! The embedding port: texts in, unit vectors out. The only file that names its adapters.
pub mod e5;
pub mod local;
pub mod openai;

use crate::config::{Config, EmbedderChoice};
use crate::openai::{CONNECT, Http, SettingsError};
use async_trait::async_trait;
use aura::retrieval::score::Scale;
use local::{LocalEmbedder, LocalError};
use openai::OpenAiEmbedder;
use std::sync::Arc;

/// Why no embedder can be made.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The model in this process.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// The OpenAI-compatible server's settings.
    #[error(transparent)]
    OpenAi(#[from] SettingsError),
}

/// The embedder that the configuration names.
pub fn open(config: &Config) -> Result<Arc<dyn Embedder>, OpenError> {
    Ok(match config.embedder {
        EmbedderChoice::Local => Arc::new(LocalEmbedder::open(&config.e5_weights, config.e5_threads)?),
        EmbedderChoice::OpenAi => {
            let mut settings = OpenAiEmbedder::new(&config.openai.base_url, config.openai.api_key.clone());
            settings.model.clone_from(&config.openai.embedding_model);
            settings.dims = config.openai.embedding_dims;
            Arc::new(settings.adapter(&Http::new(CONNECT)?)?)
        }
    })
}

/// What a text is embedded for; some models treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A question.
    Query,
    /// Something to be found.
    Passage,
}

/// Why no vector came. The text is safe to log: it never holds what was embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// No room in the queue: refused at once (I7).
    #[error("embedding refused: {0} requests are already waiting; try again in a moment")]
    Busy(usize),
    /// It took longer than it may.
    #[error("embedding timed out after {0} ms; check the embedder's address and load")]
    Timeout(u64),
    /// The embedder answered with an error, or with nonsense.
    #[error("embedder failed: {0}")]
    Failed(String),
    /// The embedder is well and won't take these very texts.
    #[error("embedder refused the text: {0}")]
    Refused(String),
}

impl EmbedError {
    /// Whether it speaks against the embedder, not against this text or our own queue: what a breaker counts.
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Failed(_))
    }
}

/// A model that turns texts into vectors. Every vector has [`Embedder::dims`] components and length 1.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The adapter's name in events: `local` or `openai`.
    fn name(&self) -> &'static str;
    /// The model's name, stored with each vector: two models never meet in one search (DECISIONS 2).
    fn model(&self) -> &str;
    /// Components of a vector.
    fn dims(&self) -> usize;
    /// Maps this model's cosine to the scale of the thresholds (DECISIONS 1).
    fn scale(&self) -> Scale;
    /// Embeds texts in order; as many vectors come back as texts went in.
    async fn embed(&self, purpose: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError>;
}
