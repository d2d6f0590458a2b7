//! What the test plays around an actor: a call that listens, an embedder, stores and a model that obey.
use actix::prelude::*;
use async_trait::async_trait;
use aura::call::Input;
use aura::generation::Request;
use aura::retrieval::score::Scale;
use aura::retrieval::{Candidate, Filter, LessonCandidate};
use aura_actors::call::Happened;
use aura_actors::embed::{EmbedError, Embedder, Purpose};
use aura_actors::llm::{Llm, LlmError, Piece};
use aura_actors::rag::Stores;
use aura_actors::store::StoreError;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// A call's ear: what it is told comes out of the receiver.
pub fn ear() -> (Recipient<Happened>, mpsc::UnboundedReceiver<Input>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Ear(sender).start().recipient(), receiver)
}

struct Ear(mpsc::UnboundedSender<Input>);

impl Actor for Ear {
    type Context = Context<Self>;
}

impl Handler<Happened> for Ear {
    type Result = ();

    fn handle(&mut self, Happened(input): Happened, _: &mut Self::Context) {
        drop(self.0.send(input));
    }
}

/// How a neighbour behaves at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Answers after so long.
    Well(Duration),
    /// Fails at once.
    Fails,
    /// Never answers.
    Mute,
    /// Says that our own queue is full.
    Busy,
    /// Says that this very request is wrong.
    Refuses,
}

/// A neighbour of any kind, with its mood and how often it was asked.
pub struct Neighbour {
    mood: Mutex<Mood>,
    asked: AtomicUsize,
}

impl Neighbour {
    /// In this mood.
    pub fn new(mood: Mood) -> Self {
        Self { mood: Mutex::new(mood), asked: AtomicUsize::new(0) }
    }

    /// Changes it.
    pub fn turns(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn mood(&self) -> Mood {
        self.asked.fetch_add(1, Ordering::SeqCst);
        *self.mood.lock().unwrap()
    }
}

#[async_trait]
impl Embedder for Neighbour {
    fn name(&self) -> &'static str {
        "neighbour"
    }

    fn model(&self) -> &str {
        "neighbour"
    }

    fn dims(&self) -> usize {
        2
    }

    fn scale(&self) -> Scale {
        Scale::Identity
    }

    async fn embed(&self, _: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.mood() {
            Mood::Well(after) => sleep(after).await,
            Mood::Fails => return Err(EmbedError::Failed("told to fail".to_owned())),
            Mood::Mute => std::future::pending().await,
            Mood::Busy => return Err(EmbedError::Busy(16)),
            Mood::Refuses => return Err(EmbedError::Refused("answered 400".to_owned())),
        }
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
}

#[async_trait]
impl Stores for Neighbour {
    async fn nearest(
        &self,
        _: &[f32],
        _: &str,
        _: Option<&Filter>,
    ) -> (Result<Vec<Candidate>, StoreError>, Result<Vec<LessonCandidate>, StoreError>) {
        let error = match self.mood() {
            Mood::Well(after) => {
                sleep(after).await;
                return (Ok(Vec::new()), Ok(Vec::new()));
            }
            Mood::Fails => StoreError::Outage("told to fail".to_owned()),
            Mood::Mute => std::future::pending().await,
            Mood::Busy => StoreError::Busy,
            Mood::Refuses => StoreError::Sql("syntax".to_owned()),
        };
        (Err(error), Ok(Vec::new()))
    }
}

impl Llm for Neighbour {
    fn name(&self) -> &'static str {
        "neighbour"
    }

    fn model(&self) -> &str {
        "neighbour"
    }

    fn stream(&self, _: Request) -> BoxStream<'static, Result<Piece, LlmError>> {
        let pieces = match self.mood() {
            Mood::Well(after) => {
                let first = stream::once(async move {
                    sleep(after).await;
                    Ok(Piece::Delta("Hola. ".to_owned()))
                });
                return first.chain(stream::iter([Ok(Piece::Finished(Default::default()))])).boxed();
            }
            Mood::Fails | Mood::Busy => Err(LlmError::Upstream("answered 429".to_owned())),
            Mood::Mute => return stream::pending().boxed(),
            Mood::Refuses => Err(LlmError::Refused("answered 400".to_owned())),
        };
        stream::iter([pieces]).boxed()
    }
}
