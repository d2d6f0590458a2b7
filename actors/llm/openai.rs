//! The OpenAI-compatible model: an answer streamed over HTTP, with deadlines fit for a phone call.
mod stream;

use self::stream::{Reading, only_streams};
use super::{Llm, LlmError, Piece};
use crate::openai::{Endpoint, Http, Kind, SettingsError, Trouble, abilities, backoff};
use crate::secret::Secret;
use aura::generation::Request;
use aura::protocol::chat_completions::{Body, Capabilities};
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// How long each part of an answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From a try's start to its first text. Comments don't count: somebody waits on the phone.
    pub first_token: Duration,
    /// From the first try's start to the first text, the second try included.
    pub first_token_in_all: Duration,
    /// Between two pieces of the stream; a comment is a sign of life.
    pub next_piece: Duration,
    /// Between two texts, however many comments come.
    pub next_token: Duration,
    /// Tries after the first, before any text came.
    pub retries: u32,
    /// The longest pause before a second try that a server's `retry-after` is granted.
    pub retry_wait: Duration,
    /// How long the usage may come after the text's end.
    pub tail: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_token: Duration::from_secs(4),
            first_token_in_all: Duration::from_secs(6),
            next_piece: Duration::from_secs(8),
            next_token: Duration::from_secs(16),
            retries: 1,
            retry_wait: Duration::from_secs(1),
            tail: Duration::from_millis(500),
        }
    }
}

/// The settings of this adapter.
#[derive(Clone, Debug)]
pub struct OpenAiLlm {
    /// The server's base, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key, where the server wants one.
    pub api_key: Option<Secret>,
    /// The model's name.
    pub model: String,
    /// `reasoning_effort`, sent only where set: `none`, `minimal` or `low` suit a call.
    pub reasoning_effort: Option<String>,
    /// What the server takes; `None` looks its host up.
    pub capabilities: Option<Capabilities>,
    /// Deadlines.
    pub limits: Limits,
}

impl OpenAiLlm {
    /// Settings with the defaults for all but address, key and model.
    pub fn new(base_url: impl Into<String>, api_key: Option<Secret>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key,
            model: model.into(),
            reasoning_effort: None,
            capabilities: None,
            limits: Limits::default(),
        }
    }

    /// The adapter, on the client that all adapters share. Connects to nothing yet.
    pub fn adapter(self, http: &Http) -> Result<ChatClient, SettingsError> {
        let endpoint = Endpoint::new(http, &self.base_url, "chat/completions", self.api_key.as_ref())?;
        let can = self.capabilities.unwrap_or_else(|| abilities(endpoint.host()).chat);
        Ok(ChatClient(Arc::new(Shared { settings: self, endpoint, can })))
    }
}

/// A model behind an OpenAI-compatible server.
#[derive(Clone, Debug)]
pub struct ChatClient(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: OpenAiLlm,
    endpoint: Endpoint,
    can: Capabilities,
}

impl Llm for ChatClient {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.0.settings.model
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<Piece, LlmError>> {
        let (shared, retries) = (self.0.clone(), self.0.settings.limits.retries);
        let answer = Answer { shared, request, stage: Stage::Opening, retries, give_up: None };
        unfold(answer, |mut answer| async { answer.next().await.map(|item| (item, answer)) }).boxed()
    }
}

/// One answer. It owns its connection, so dropping it hangs up.
struct Answer {
    shared: Arc<Shared>,
    request: Request,
    stage: Stage,
    retries: u32,
    give_up: Option<Instant>,
}

enum Stage {
    Opening,
    Reading(Box<Reading>),
    Over,
}

impl Answer {
    async fn next(&mut self) -> Option<Result<Piece, LlmError>> {
        loop {
            let host = self.shared.endpoint.host();
            let trouble = match &mut self.stage {
                Stage::Over => return None,
                Stage::Opening => match self.open().await {
                    Ok(reading) => {
                        self.stage = Stage::Reading(Box::new(reading));
                        continue;
                    }
                    Err(trouble) => trouble,
                },
                Stage::Reading(reading) => match reading.next(host, &self.shared.settings.limits).await {
                    Ok(piece) => {
                        // Nothing that was spoken may be said again by a second try.
                        self.retries = 0;
                        if matches!(piece, Piece::Finished(_)) {
                            self.stage = Stage::Over;
                        }
                        return Some(Ok(piece));
                    }
                    Err(trouble) => trouble,
                },
            };
            // Hangs up before the pause, not after it.
            self.stage = Stage::Over;
            let Some(wait) = self.pause(&trouble) else { return Some(Err(trouble.into())) };
            tracing::warn!(host = self.shared.endpoint.host(), kind = ?trouble.kind, "model failed; a second try");
            self.retries -= 1;
            sleep(wait).await;
            self.stage = Stage::Opening;
        }
    }

    async fn open(&mut self) -> Result<Reading, Trouble> {
        let (shared, limits) = (&self.shared, &self.shared.settings.limits);
        let now = Instant::now();
        let give_up = *self.give_up.get_or_insert(now + limits.first_token_in_all);
        let first_token = (now + limits.first_token).min(give_up);
        let settings = &shared.settings;
        let body =
            Body::new(&self.request, &settings.model, settings.reasoning_effort.as_deref(), shared.can);
        let response = async {
            let response = shared.endpoint.post(&body).await?;
            only_streams(shared.endpoint.host(), response).await
        };
        let response = timeout_at(first_token, response)
            .await
            .map_err(|_| Trouble::timeout("the first token", first_token - now))??;
        Ok(Reading::new(response, first_token, first_token - now))
    }

    /// How long to pause before the second try, if there is to be one.
    fn pause(&self, trouble: &Trouble) -> Option<Duration> {
        let limits = &self.shared.settings.limits;
        if self.retries == 0 || !trouble.passing {
            return None;
        }
        let wait = trouble.wait.unwrap_or_else(|| backoff(limits.retry_wait / 4, 0));
        let in_time = self.give_up.is_some_and(|give_up| Instant::now() + wait < give_up);
        (wait <= limits.retry_wait && in_time).then_some(wait)
    }
}

impl From<Trouble> for LlmError {
    fn from(trouble: Trouble) -> Self {
        match trouble.kind {
            Kind::Timeout { waited, limit } => {
                Self::Timeout { waited, ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) }
            }
            Kind::Failed(detail) => Self::Upstream(detail),
            Kind::Refused(detail) => Self::Refused(detail),
        }
    }
}
