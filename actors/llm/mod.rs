//! The language-model port: a request in, a stream of pieces out. The only file that names its adapters.
mod actor;
pub mod local;
pub mod openai;

use crate::config::{Config, LlmChoice};
use crate::openai::{CONNECT, Http, SettingsError};
pub use actor::{Generate, LlmActor};
use aura::generation::{Failure, FailureKind, Request, Usage};
use futures_util::stream::BoxStream;
use local::LocalResponder;
use openai::OpenAiLlm;
use std::sync::Arc;

/// Why no model can be asked.
pub type OpenError = SettingsError;

/// The responder that the configuration names.
pub fn open(config: &Config) -> Result<Arc<dyn Llm>, OpenError> {
    Ok(match config.llm {
        LlmChoice::Local => Arc::new(LocalResponder),
        LlmChoice::OpenAi => {
            let openai = &config.openai;
            let settings = OpenAiLlm::new(&openai.base_url, openai.api_key.clone(), &openai.model);
            Arc::new(settings.adapter(&Http::new(CONNECT)?)?)
        }
    })
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// More text.
    Delta(String),
    /// The end, with what it cost. Nothing comes after it.
    Finished(Usage),
}

/// Why an answer failed. The text is safe to log: it never holds the caller's words.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The model took longer than it may.
    #[error("model timed out: {waited} took longer than {ms} ms; check the model's address and load")]
    Timeout {
        /// What was waited for: `connecting`, `the first token`, `the next token`.
        waited: &'static str,
        /// How long, in milliseconds.
        ms: u64,
    },
    /// The model's server said no, or broke off.
    #[error("model failed: {0}")]
    Upstream(String),
    /// The model's server is well and won't answer this very request.
    #[error("model refused the request: {0}")]
    Refused(String),
}

impl LlmError {
    /// Whether it speaks against the model's server, not against this one request: what a breaker counts.
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Upstream(_))
    }
}

impl From<LlmError> for Failure {
    fn from(error: LlmError) -> Self {
        let kind = match error {
            LlmError::Timeout { .. } => FailureKind::Timeout,
            LlmError::Upstream(_) | LlmError::Refused(_) => FailureKind::Upstream,
        };
        Self { kind, detail: error.to_string() }
    }
}

/// A model that answers. Dropping the stream cancels the request upstream.
pub trait Llm: Send + Sync {
    /// The adapter's name in events: `local` or `openai`.
    fn name(&self) -> &'static str;
    /// The model's name in events.
    fn model(&self) -> &str;
    /// Starts one answer.
    fn stream(&self, request: Request) -> BoxStream<'static, Result<Piece, LlmError>>;
}
