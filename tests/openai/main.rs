//! The OpenAI-compatible adapters against a server that follows the document, and against ones that don't.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod answers;
mod embeddings;
mod faults;
mod retries;
mod settings;
#[path = "../support/mod.rs"]
#[allow(dead_code)]
mod support;

use aura::generation::{Grounding, Message, Request, Role, Usage};
use aura_actors::llm::openai::{ChatClient, Limits, OpenAiLlm};
use aura_actors::llm::{Llm, LlmError, Piece};
use aura_actors::openai::{CONNECT, Http};
use aura_actors::secret::Secret;
use futures_util::StreamExt;
use std::time::Duration;
use support::openai::{Answer, StandIn};

/// The caller's words, as the prompt carries them.
const WORDS: &str = "me duele el pecho";
const KEY: &str = "sk-test-123";

fn http() -> Http {
    Http::new(CONNECT).unwrap()
}

fn request() -> Request {
    let message = |role, content: &str| Message { role, content: content.into() };
    Request {
        messages: vec![message(Role::System, "Sos Aura."), message(Role::User, WORDS)],
        max_tokens: 300,
        grounding: Grounding::Nothing,
        holding: "Un momento, por favor.",
        cache_key: "retell-v3".into(),
    }
}

/// Deadlines that a busy test machine meets.
fn patient() -> Limits {
    let long = Duration::from_secs(30);
    Limits {
        first_token: long,
        first_token_in_all: long,
        next_piece: long,
        next_token: long,
        ..Limits::default()
    }
}

fn client(server: &StandIn, limits: Limits) -> ChatClient {
    let settings =
        OpenAiLlm { limits, ..OpenAiLlm::new(server.base_url(), Some(Secret::new(KEY)), "gpt-test") };
    settings.adapter(&http()).unwrap()
}

/// One answer to its end: the texts, and how it ended. Every error is checked for what it must not hold.
async fn hear(client: &ChatClient) -> (Vec<String>, Result<Usage, LlmError>) {
    let mut stream = client.stream(request());
    let mut texts = Vec::new();
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(Piece::Delta(text)) => texts.push(text),
            Ok(Piece::Finished(usage)) => {
                assert!(stream.next().await.is_none(), "nothing comes after the end");
                return (texts, Ok(usage));
            }
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing comes after an error");
                let said = format!("{error} {error:?}");
                assert!(!said.contains("duele") && !said.contains(KEY), "{said}");
                return (texts, Err(error));
            }
        }
    }
    panic!("the stream ended without a word about it");
}

/// A server with this script, and what a patient client hears from it.
async fn play(script: Vec<Answer>) -> (StandIn, Vec<String>, Result<Usage, LlmError>) {
    let server = StandIn::start(script).await;
    let (texts, end) = hear(&client(&server, patient())).await;
    (server, texts, end)
}

/// The text of a refusal of this very request.
fn refused(end: Result<Usage, LlmError>) -> String {
    match end {
        Err(LlmError::Refused(detail)) => detail,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// The text of an error that is neither a timeout nor the request's own fault.
fn upstream(end: Result<Usage, LlmError>) -> String {
    match end {
        Err(LlmError::Upstream(detail)) => detail,
        other => panic!("expected an upstream error, got {other:?}"),
    }
}
