//! The OpenAI-compatible embedder: manuals in patient batches, questions within a caller's patience.
use super::{EmbedError, Embedder, Purpose};
use crate::openai::{Endpoint, Http, Kind, SettingsError, Trouble, abilities, backoff, read_bounded};
use crate::secret::Secret;
use async_trait::async_trait;
use aura::protocol::embeddings::{AnswerError, Body, MAX_INPUTS, parse};
use aura::retrieval::score::Scale;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The most text in one request, in bytes: well below the 300,000 tokens that a server takes.
const MAX_BATCH_BYTES: usize = 256 * 1024;
/// The longest answer that is read: a full batch of long vectors in decimal notation takes a third of it.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;
/// Lengths of the vectors of known models.
const KNOWN: &[(&str, usize)] =
    &[("text-embedding-3-small", 1536), ("text-embedding-3-large", 3072), ("text-embedding-ada-002", 1536)];

/// How patient a purpose is.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For everything, pauses included; `None` leaves it to tries and pauses.
    pub in_all: Option<Duration>,
    /// For one try.
    pub one_try: Duration,
    /// How many more tries after the first.
    pub retries: u32,
    /// The first pause, doubled each time.
    pub pause: Duration,
    /// The longest `retry-after` that is obeyed; a longer one gives up.
    pub longest_pause: Duration,
}

impl Patience {
    /// A caller waits for the answer.
    pub const QUERY: Self = Self {
        in_all: Some(Duration::from_millis(1500)),
        one_try: Duration::from_millis(900),
        retries: 1,
        pause: Duration::from_millis(100),
        longest_pause: Duration::from_millis(400),
    };
    /// Nobody waits; the work should get done.
    pub const PASSAGES: Self = Self {
        in_all: None,
        one_try: Duration::from_secs(30),
        retries: 2,
        pause: Duration::from_millis(500),
        longest_pause: Duration::from_secs(120),
    };
}

/// The settings of this adapter.
#[derive(Clone, Debug)]
pub struct OpenAiEmbedder {
    /// The server's base, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key, where the server wants one.
    pub api_key: Option<Secret>,
    /// The model's name.
    pub model: String,
    /// Components of the model's vectors; needed for models that this adapter doesn't know.
    pub dims: Option<usize>,
    /// Asks the server for vectors shortened to so many components, which few models can do.
    pub shorten_to: Option<usize>,
    /// Whether to ask for base64; `None` looks the host up. Both encodings are understood anyway.
    pub base64: Option<bool>,
    /// For questions.
    pub query: Patience,
    /// For manuals and lessons.
    pub passages: Patience,
}

impl OpenAiEmbedder {
    /// Settings for `text-embedding-3-small`, all else by default.
    pub fn new(base_url: impl Into<String>, api_key: Option<Secret>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key,
            model: "text-embedding-3-small".to_owned(),
            dims: None,
            shorten_to: None,
            base64: None,
            query: Patience::QUERY,
            passages: Patience::PASSAGES,
        }
    }

    /// The adapter, on the client that all adapters share. Connects to nothing yet.
    pub fn adapter(self, http: &Http) -> Result<EmbeddingClient, SettingsError> {
        let endpoint = Endpoint::new(http, &self.base_url, "embeddings", self.api_key.as_ref())?;
        let known = KNOWN.iter().find(|(name, _)| *name == self.model).map(|(_, dims)| *dims);
        let dims = self
            .shorten_to
            .or(self.dims)
            .or(known)
            .filter(|dims| *dims > 0)
            .ok_or_else(|| SettingsError::UnknownModel(self.model.clone()))?;
        // Shortened vectors are another space: they get another name (DECISIONS 2).
        let name = match self.shorten_to {
            Some(dims) => format!("{}@{dims}", self.model),
            None => self.model.clone(),
        };
        let base64 = self.base64.unwrap_or_else(|| abilities(endpoint.host()).base64);
        Ok(EmbeddingClient { endpoint, name, dims, base64, settings: self })
    }
}

/// An embedding model behind an OpenAI-compatible server.
#[derive(Clone, Debug)]
pub struct EmbeddingClient {
    settings: OpenAiEmbedder,
    endpoint: Endpoint,
    name: String,
    dims: usize,
    base64: bool,
}

#[async_trait]
impl Embedder for EmbeddingClient {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.name
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn scale(&self) -> Scale {
        Scale::Identity
    }

    async fn embed(&self, purpose: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(position) = texts.iter().position(|text| text.trim().is_empty()) {
            let what = format!("text {} of {} is empty; leave it out", position + 1, texts.len());
            return Err(EmbedError::Refused(what));
        }
        let patience = match purpose {
            Purpose::Query => self.settings.query,
            Purpose::Passage => self.settings.passages,
        };
        let work = self.all(&texts, patience);
        match patience.in_all {
            None => work.await,
            Some(limit) => timeout(limit, work).await.unwrap_or_else(|_| Err(timed_out(limit))),
        }
    }
}

impl EmbeddingClient {
    async fn all(&self, texts: &[String], patience: Patience) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(batch_size(rest));
            vectors.extend(self.batch(batch, patience).await?);
            rest = after;
        }
        Ok(vectors)
    }

    async fn batch(&self, texts: &[String], patience: Patience) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut tries = 0;
        loop {
            let trouble = match timeout(patience.one_try, self.once(texts)).await {
                Ok(Ok(vectors)) => return Ok(vectors),
                Ok(Err(trouble)) => trouble,
                Err(_) => Trouble::timeout("the vectors", patience.one_try),
            };
            let pause = trouble.wait.unwrap_or_else(|| backoff(patience.pause, tries));
            if tries == patience.retries || !trouble.passing || pause > patience.longest_pause {
                return Err(trouble.into());
            }
            tries += 1;
            tracing::warn!(host = self.endpoint.host(), kind = ?trouble.kind, tries, "embedder failed; another try");
            sleep(pause).await;
        }
    }

    async fn once(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Trouble> {
        let body = Body {
            model: &self.settings.model,
            input: texts,
            encoding_format: self.base64.then_some("base64"),
            dimensions: self.settings.shorten_to,
        };
        let host = self.endpoint.host();
        let mut response = self.endpoint.post(&body).await?;
        let bytes = read_bounded(&mut response, MAX_ANSWER_BYTES)
            .await
            .ok_or_else(|| Trouble::failed(host, "the answer broke off, or is longer than 32 MiB", true))?;
        parse(&bytes, texts.len(), self.dims).map_err(|error| match &error {
            AnswerError::Provider(provider) if provider.blames_request() => Trouble::refused(host, error),
            AnswerError::Provider(provider) => {
                let passing = !provider.is_permanent();
                Trouble::failed(host, error, passing)
            }
            _ => Trouble::failed(host, error, false),
        })
    }
}

/// How many of the texts fit in one request; at least one.
fn batch_size(texts: &[String]) -> usize {
    let mut bytes = 0;
    let fits = |text: &&String| {
        bytes += text.len();
        bytes <= MAX_BATCH_BYTES
    };
    texts.iter().take(MAX_INPUTS).take_while(fits).count().max(1)
}

fn timed_out(limit: Duration) -> EmbedError {
    EmbedError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
}

impl From<Trouble> for EmbedError {
    fn from(trouble: Trouble) -> Self {
        match trouble.kind {
            Kind::Timeout { limit, .. } => timed_out(limit),
            Kind::Failed(detail) => Self::Failed(detail),
            Kind::Refused(detail) => Self::Refused(detail),
        }
    }
}
