//! Embedder and language model: each asked once for something small.
use super::Check;
use crate::config::{Config, LlmChoice};
use crate::embed::{self, Embedder, Purpose};
use crate::ingest;
use crate::llm::{self, Llm};
use aura::generation::{Grounding, Message, Request, Role};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long an embedder or a model may take; a caller waits less.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is embedded: nobody's words.
const TEXT: &str = "El concentrador enciende, pero suena una alarma.";

/// Opens the configured embedder and embeds one text.
pub(super) async fn embedder(config: &Config) -> (Check, Option<Arc<dyn Embedder>>) {
    let embedder = match embed::open(config) {
        Ok(embedder) => embedder,
        Err(error) => {
            let advice = "check AURA_EMBEDDER and its variables; deploy/up fetches the local model's weights";
            return (Check::failure("embedder", error.to_string(), advice), None);
        }
    };
    let who = format!("{}/{}", embedder.name(), embedder.model());
    let begun = Instant::now();
    let failure = match one(embedder.as_ref(), Purpose::Query, TEXT.to_owned()).await {
        Ok(_) => {
            let ms = begun.elapsed().as_millis();
            let found = format!("{who} embeds a text into {} dimensions in {ms} ms", embedder.dims());
            return (Check::ok("embedder", found), Some(embedder));
        }
        Err(why) => format!("{who}: {why}"),
    };
    let advice = "check the embedder's address, key and load; until then turns go on without manuals";
    (Check::failure("embedder", failure, advice), None)
}

/// One text's vector, believed only where it can be one.
pub(super) async fn one(embedder: &dyn Embedder, purpose: Purpose, text: String) -> Result<Vec<f32>, String> {
    let vectors = timeout(PATIENCE, ingest::embed(embedder, purpose, vec![text]));
    let vectors = vectors.await.map_err(|_| format!("no vector within {} s", PATIENCE.as_secs()))??;
    vectors.into_iter().next().ok_or_else(|| "no vector came".to_owned())
}

/// Asks the configured model for one token.
pub(super) async fn model(config: &Config) -> Check {
    if config.llm == LlmChoice::Local {
        return Check::ok("model", "local: quotes the manuals, asks no model");
    }
    let model = match llm::open(config) {
        Ok(model) => model,
        Err(error) => {
            return Check::failure("model", error.to_string(), "check OPENAI_BASE_URL and OPENAI_API_KEY");
        }
    };
    let who = format!("{}/{}", model.name(), model.model());
    let begun = Instant::now();
    match timeout(PATIENCE, token(model.as_ref())).await {
        Ok(Ok(())) => Check::ok("model", format!("{who} answers in {} ms", begun.elapsed().as_millis())),
        Ok(Err(why)) => {
            let advice = "check its address, key, name and credit; until then the channel's sentence is said";
            Check::failure("model", format!("{who}: {why}"), advice)
        }
        Err(_) => {
            let advice = "check the network and the server's load: a caller doesn't wait so long";
            Check::failure("model", format!("{who}: no word within {} s", PATIENCE.as_secs()), advice)
        }
    }
}

/// The first piece of an answer of one token.
async fn token(model: &dyn Llm) -> Result<(), String> {
    let messages = vec![Message { role: Role::User, content: "Hola".to_owned() }];
    let request = Request {
        messages,
        max_tokens: 1,
        grounding: Grounding::Nothing,
        holding: "",
        cache_key: "doctor".to_owned(),
    };
    match model.stream(request).next().await {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("the answer ended before it began".to_owned()),
    }
}
