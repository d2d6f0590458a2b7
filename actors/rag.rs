//! The actors that search: permit, embed, both stores at once (R1). A pool of them serves all calls.
use crate::call::Happened;
use crate::embed::{EmbedError, Embedder, Purpose};
use actix::prelude::*;
use async_trait::async_trait;
use aura::call::Input;
use aura::generation::{Failure, FailureKind};
use aura::ids::TurnId;
use aura::retrieval::{Candidate, Filter, Found, LessonCandidate, Search};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, warn};

/// How long one search may take in all; the call gives up a little later.
const DEADLINE: Duration = Duration::from_millis(1800);

/// Search for this.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Retrieve {
    /// For which turn.
    pub turn: TurnId,
    /// What.
    pub search: Search,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Who is told.
    pub reply: Recipient<Happened>,
    /// The turn, for traces.
    pub span: Span,
}

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
    ) -> (Result<Vec<Candidate>, String>, Result<Vec<LessonCandidate>, String>);
}

/// One searcher of the pool.
pub struct RagActor {
    embedder: Arc<dyn Embedder>,
    stores: Arc<dyn Stores>,
    permits: Arc<Semaphore>,
}

impl RagActor {
    /// A searcher that shares `permits` with the others; without one a search is refused at once (I7).
    pub fn new(embedder: Arc<dyn Embedder>, stores: Arc<dyn Stores>, permits: Arc<Semaphore>) -> Self {
        Self { embedder, stores, permits }
    }
}

impl Actor for RagActor {
    type Context = Context<Self>;
}

impl Handler<Retrieve> for RagActor {
    type Result = ();

    fn handle(&mut self, retrieve: Retrieve, _: &mut Self::Context) {
        let Retrieve { turn, search, cancel, reply, span } = retrieve;
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            let failure = busy("too many searches at once; raise AURA_RAG_PERMITS or add a server");
            reply.do_send(Happened(Input::Retrieved { turn, found: Err(failure) }));
            return;
        };
        let (embedder, stores) = (Arc::clone(&self.embedder), Arc::clone(&self.stores));
        let work = async move {
            let work = tokio::time::timeout(DEADLINE, search_both(&*embedder, &*stores, search));
            if let Some(found) = cancel.run_until_cancelled(work).await {
                let found = found.unwrap_or_else(|_| Err(timeout()));
                reply.do_send(Happened(Input::Retrieved { turn, found }));
            }
            drop(permit);
        };
        actix_rt::spawn(work.instrument(span));
    }
}

/// Embeds the text and asks both stores at once (R1). `aura ask` and `aura calibrate` search with it too.
pub async fn search_both(
    embedder: &dyn Embedder,
    stores: &dyn Stores,
    search: Search,
) -> Result<Found, Failure> {
    let started = Instant::now();
    let vector = embed_one(embedder, search.text).await?;
    let embed_ms = millis(started);
    let started = Instant::now();
    let filter = search.filter.as_ref();
    let (manuals, lessons) = stores.nearest(&vector, embedder.model(), filter).await;
    let manuals = manuals.map_err(|detail| Failure { kind: FailureKind::Upstream, detail })?;
    let lessons = lessons.unwrap_or_else(|error| {
        warn!(%error, "lessons could not be searched; the turn goes on without them");
        Vec::new()
    });
    Ok(Found { manuals, lessons, embed_ms, query_ms: millis(started), model: embedder.model().to_owned() })
}

async fn embed_one(embedder: &dyn Embedder, text: String) -> Result<Vec<f32>, Failure> {
    let vectors = embedder.embed(Purpose::Query, vec![text]).await.map_err(|error| {
        let kind = match error {
            EmbedError::Busy(_) => FailureKind::Busy,
            EmbedError::Timeout(_) => FailureKind::Timeout,
            EmbedError::Failed(_) => FailureKind::Upstream,
        };
        Failure { kind, detail: error.to_string() }
    })?;
    vectors.into_iter().next().ok_or_else(|| Failure {
        kind: FailureKind::Upstream,
        detail: format!("the embedder '{}' answered with no vector", embedder.name()),
    })
}

fn millis(since: Instant) -> u32 {
    u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX)
}

fn busy(detail: &str) -> Failure {
    Failure { kind: FailureKind::Busy, detail: detail.to_owned() }
}

fn timeout() -> Failure {
    let detail =
        format!("the search took longer than {} ms; check embedder and database", DEADLINE.as_millis());
    Failure { kind: FailureKind::Timeout, detail }
}

/// Shares the searches out among the actors of the pool, one after another.
pub struct RagPool {
    searchers: Vec<Recipient<Retrieve>>,
    next: usize,
}

impl RagPool {
    /// A pool of these; must not be empty.
    pub fn new(searchers: Vec<Recipient<Retrieve>>) -> Self {
        Self { searchers, next: 0 }
    }
}

impl Actor for RagPool {
    type Context = Context<Self>;
}

impl Handler<Retrieve> for RagPool {
    type Result = ();

    fn handle(&mut self, retrieve: Retrieve, _: &mut Self::Context) {
        self.next = self.next.wrapping_add(1);
        let Some(searcher) = self.searchers.get(self.next % self.searchers.len().max(1)) else { return };
        searcher.do_send(retrieve);
    }
}
