//! One search: the text embedded, then both stores at once (R1), each step under its dependency's breaker.
use crate::breaker::{Breaker, Breakers};
use crate::embed::{EmbedError, Embedder, Purpose};
use crate::store::StoreError;
use async_trait::async_trait;
use aura::generation::{Failure, FailureKind};
use aura::retrieval::{Candidate, Filter, Found, LessonCandidate, Search};
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tracing::warn;

/// A step that was given less time than this, because the one before it was slow, isn't to blame for a time-out.
const FAIR: Duration = Duration::from_millis(500);

/// Both vector stores. Implemented by [`crate::store::Store`].
#[async_trait]
pub trait Stores: Send + Sync {
    /// The rows and lessons of `model` nearest to a vector, both searched at once. Each store answers
    /// for itself: lessons that can't be had hide no manual.
    async fn nearest(
        &self,
        vector: &[f32],
        model: &str,
        filter: Option<&Filter>,
    ) -> (Result<Vec<Candidate>, StoreError>, Result<Vec<LessonCandidate>, StoreError>);
}

/// Within which bounds a search runs.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Who is asked at all.
    pub breakers: Breakers,
    /// How long it may take in all.
    pub deadline: Duration,
}

impl Terms {
    /// For commands: nobody waits on the phone, and each has breakers of its own.
    pub fn patient() -> Self {
        Self { breakers: Breakers::default(), deadline: Duration::from_secs(60) }
    }
}

/// Why a step gave nothing, and whether that speaks against its dependency.
struct Fault {
    failure: Failure,
    outage: bool,
}

/// Embeds the text and asks both stores at once (R1). `aura ask` and `aura calibrate` search with it too.
pub async fn search_both(
    embedder: &dyn Embedder,
    stores: &dyn Stores,
    search: Search,
    terms: &Terms,
) -> Result<Found, Failure> {
    let Terms { breakers, deadline } = terms;
    let started = Instant::now();
    let until = started + *deadline;
    breakers.database.check()?; // nothing is embedded that can't be looked up
    let vector = step(&breakers.embedder, until, *deadline, embed_one(embedder, search.text)).await?;
    let embed_ms = millis(started);
    let started = Instant::now();
    let look = nearest(stores, &vector, embedder.model(), search.filter.as_ref());
    let (manuals, lessons) = step(&breakers.database, until, *deadline, look).await?;
    Ok(Found { manuals, lessons, embed_ms, query_ms: millis(started), model: embedder.model().to_owned() })
}

/// One step. Dropped in the middle (the turn was superseded) it says nothing about its dependency.
async fn step<T>(
    breaker: &Breaker,
    until: Instant,
    deadline: Duration,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Failure> {
    let attempt = breaker.admit()?;
    let fair = until.duration_since(Instant::now()) >= FAIR;
    match timeout_at(until, work).await {
        Ok(Ok(done)) => {
            attempt.succeeded();
            Ok(done)
        }
        Ok(Err(Fault { failure, outage })) => {
            if outage {
                attempt.failed();
            }
            Err(failure)
        }
        Err(_) => {
            if fair {
                attempt.failed();
            }
            Err(timeout(breaker.name(), deadline))
        }
    }
}

async fn embed_one(embedder: &dyn Embedder, text: String) -> Result<Vec<f32>, Fault> {
    let vectors = embedder.embed(Purpose::Query, vec![text]).await.map_err(|error| {
        let kind = match error {
            EmbedError::Busy(_) => FailureKind::Busy,
            EmbedError::Timeout(_) => FailureKind::Timeout,
            EmbedError::Failed(_) | EmbedError::Refused(_) => FailureKind::Upstream,
        };
        Fault { failure: Failure { kind, detail: error.to_string() }, outage: error.is_outage() }
    })?;
    vectors.into_iter().next().ok_or_else(|| {
        let detail = format!("the embedder '{}' answered with no vector", embedder.name());
        Fault { failure: Failure { kind: FailureKind::Upstream, detail }, outage: true }
    })
}

async fn nearest(
    stores: &dyn Stores,
    vector: &[f32],
    model: &str,
    filter: Option<&Filter>,
) -> Result<(Vec<Candidate>, Vec<LessonCandidate>), Fault> {
    let (manuals, lessons) = stores.nearest(vector, model, filter).await;
    let manuals = manuals.map_err(|error| {
        let failure = Failure { kind: FailureKind::Upstream, detail: error.to_string() };
        Fault { failure, outage: error.is_outage() }
    })?;
    let lessons = lessons.unwrap_or_else(|error| {
        warn!(%error, "lessons could not be searched; the turn goes on without them");
        Vec::new()
    });
    Ok((manuals, lessons))
}

fn millis(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX)
}

fn timeout(waited_for: &str, deadline: Duration) -> Failure {
    let detail = format!(
        "the search took longer than {} ms, waiting for the {waited_for} at last; check its load",
        deadline.as_millis()
    );
    Failure { kind: FailureKind::Timeout, detail }
}
