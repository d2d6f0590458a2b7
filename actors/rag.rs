//! The actors that search: permit, embed, both stores at once (R1). A pool of them serves all calls.
mod search;

pub use search::{Stores, Terms, search_both};
/// What [`Retrieve::cancel`] is.
pub use tokio_util::sync::CancellationToken;

use crate::breaker::Breakers;
use crate::call::Happened;
use crate::embed::Embedder;
use actix::prelude::*;
use aura::call::Input;
use aura::generation::{Failure, FailureKind};
use aura::ids::TurnId;
use aura::retrieval::{Found, Search};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::{Instrument, Span};

/// What a search is for: its answer brings it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A turn.
    Turn(TurnId),
    /// An operator's own search, by its number.
    Hand(u32),
}

impl Of {
    fn answer(self, found: Result<Found, Failure>) -> Happened {
        Happened(match self {
            Self::Turn(turn) => Input::Retrieved { turn, found },
            Self::Hand(search) => Input::Searched { search, found },
        })
    }
}

/// Search for this.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Retrieve {
    /// What for.
    pub of: Of,
    /// What.
    pub search: Search,
    /// How long it may take in all; the call gives up a little later.
    pub within: Duration,
    /// Ends it.
    pub cancel: CancellationToken,
    /// Who is told.
    pub reply: Recipient<Happened>,
    /// The turn, for traces.
    pub span: Span,
}

/// One searcher of the pool.
pub struct RagActor {
    embedder: Arc<dyn Embedder>,
    stores: Arc<dyn Stores>,
    permits: Arc<Semaphore>,
    breakers: Breakers,
}

impl RagActor {
    /// A searcher that shares `permits` and `breakers` with the others; without a permit a search is refused
    /// at once (I7), and so it is while the breaker of what it needs is open.
    pub fn new(
        embedder: Arc<dyn Embedder>,
        stores: Arc<dyn Stores>,
        permits: Arc<Semaphore>,
        breakers: Breakers,
    ) -> Self {
        Self { embedder, stores, permits, breakers }
    }
}

impl Actor for RagActor {
    type Context = Context<Self>;
}

impl Handler<Retrieve> for RagActor {
    type Result = ();

    fn handle(&mut self, retrieve: Retrieve, _: &mut Self::Context) {
        let Retrieve { of, search, within, cancel, reply, span } = retrieve;
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            let failure = busy("too many searches at once; raise AURA_RAG_PERMITS or add a server");
            reply.do_send(of.answer(Err(failure)));
            return;
        };
        let (embedder, stores) = (Arc::clone(&self.embedder), Arc::clone(&self.stores));
        let terms = Terms { breakers: self.breakers.clone(), deadline: within };
        let work = async move {
            let work = search_both(&*embedder, &*stores, search, &terms);
            if let Some(found) = cancel.run_until_cancelled(work).await {
                reply.do_send(of.answer(found));
            }
            drop(permit);
        };
        actix_rt::spawn(work.instrument(span));
    }
}

fn busy(detail: &str) -> Failure {
    Failure { kind: FailureKind::Busy, detail: detail.to_owned() }
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
