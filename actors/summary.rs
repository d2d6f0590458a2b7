//! Has a model word the summaries of calls that are over: few at once, each once, and never before a live call.
use crate::breaker::{Breaker, Open};
use crate::desk::Tell;
use crate::journal::{Accept, Entry, Fact, NotKept};
use crate::llm::{Llm, LlmError, Piece};
use crate::telemetry;
use actix::prelude::*;
use aura::generation::Request;
use aura::summary::{Assignment, Note};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{info_span, warn};

/// Summaries that are written at once: calls share the model's permits with them.
pub const AT_ONCE: usize = 2;
/// Summaries that wait or are written; one more isn't (I7).
pub const PLACES: usize = 64;
/// How long one waits for those before it.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// How long a model may take for one.
pub const DEADLINE: Duration = Duration::from_secs(20);
/// How long the journal may take to keep one.
const KEEP: Duration = Duration::from_secs(10);
/// The longest answer that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// Have this summary worded.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Summarise(pub Box<Assignment>);

/// Why the rule's summary stands. Safe to log: it never holds what was said.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// Too many wait.
    #[error("{PLACES} summaries wait already; see aura_summaries_total and the model's latency")]
    Queue,
    /// Those before it took too long.
    #[error("no turn within {} s; the model is slow for as many calls as end", PATIENCE.as_secs())]
    Patience,
    /// Live calls have all permits.
    #[error("live calls have all permits of the model; raise AURA_LLM_PERMITS or add a server")]
    Busy,
    /// The model keeps failing.
    #[error(transparent)]
    Breaker(#[from] Open),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// The model took too long.
    #[error("no answer within {} s; check the model's load", DEADLINE.as_secs())]
    Timeout,
    /// Nothing of its answer may be kept.
    #[error(
        "no sentence of the answer is held by the call's rows; check the model (the local one writes none)"
    )]
    Nothing,
    /// The journal doesn't keep it.
    #[error(transparent)]
    Journal(#[from] NotKept),
    /// The journal doesn't answer.
    #[error("the journal didn't keep it within {} s", KEEP.as_secs())]
    NotKept,
}

impl NotWritten {
    const fn outcome(&self) -> &'static str {
        match self {
            Self::Queue | Self::Patience | Self::Busy => "busy",
            Self::Breaker(_) => "unavailable",
            Self::Model(_) | Self::Timeout => "failed",
            Self::Nothing => "nothing",
            Self::Journal(_) | Self::NotKept => "not_kept",
        }
    }
}

/// What a summary needs on its way.
#[derive(Clone)]
struct Writer {
    llm: Arc<dyn Llm>,
    /// The model's, which calls have too.
    permits: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    breaker: Breaker,
    journal: Recipient<Accept>,
    desk: Recipient<Tell>,
}

/// Asks the model for calls that are over.
pub struct SummaryActor {
    writer: Writer,
    places: Arc<Semaphore>,
}

impl SummaryActor {
    /// Asks `llm` under the `permits` and the `breaker` that calls have; what it writes goes to journal and desk.
    pub fn new(
        llm: Arc<dyn Llm>,
        permits: Arc<Semaphore>,
        breaker: Breaker,
        journal: Recipient<Accept>,
        desk: Recipient<Tell>,
    ) -> Self {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let writer = Writer { llm, permits, turns, breaker, journal, desk };
        Self { writer, places: Arc::new(Semaphore::new(PLACES)) }
    }
}

impl Actor for SummaryActor {
    type Context = Context<Self>;
}

impl Handler<Summarise> for SummaryActor {
    type Result = ();

    fn handle(&mut self, Summarise(work): Summarise, _: &mut Self::Context) {
        let span = info_span!("summary", call = %work.call);
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return span.in_scope(|| stands(&NotWritten::Queue));
        };
        let writer = self.writer.clone();
        drop(actix_rt::spawn(async move {
            let _place = place;
            match writer.write(*work).await {
                Ok(()) => count("written"),
                Err(why) => span.in_scope(|| stands(&why)),
            }
        }));
    }
}

impl Writer {
    async fn write(&self, work: Assignment) -> Result<(), NotWritten> {
        let turn = timeout(PATIENCE, self.turns.acquire()).await.map_err(|_| NotWritten::Patience)?;
        let answer = self.answer(work.request.clone()).await?;
        drop(turn);
        let note = work.accept(&answer).ok_or(NotWritten::Nothing)?;
        self.keep(&work, note).await
    }

    /// The model's whole answer, asked for once.
    async fn answer(&self, request: Request) -> Result<String, NotWritten> {
        let _permit = self.permits.try_acquire().map_err(|_| NotWritten::Busy)?;
        let attempt = self.breaker.admit()?;
        match timeout(DEADLINE, read(&self.llm, request)).await {
            Ok(Ok(answer)) => {
                attempt.succeeded();
                Ok(answer)
            }
            Ok(Err(error)) => {
                if error.is_outage() {
                    attempt.failed();
                }
                Err(error.into())
            }
            Err(_) => {
                attempt.failed();
                Err(NotWritten::Timeout)
            }
        }
    }

    /// On record first, then on the desk.
    async fn keep(&self, work: &Assignment, note: Note) -> Result<(), NotWritten> {
        let responder = format!("{}/{}", self.llm.name(), self.llm.model());
        let event = work.event(&note, &responder);
        telemetry::observe(&event);
        let kept = self.journal.send(Accept(Entry::now(Fact::Event(event))));
        match timeout(KEEP, kept).await {
            Ok(Ok(kept)) => kept?,
            Ok(Err(_)) | Err(_) => return Err(NotWritten::NotKept),
        }
        let news = work.news(note);
        telemetry::told(&news);
        self.desk.do_send(Tell(news));
        Ok(())
    }
}

async fn read(llm: &Arc<dyn Llm>, request: Request) -> Result<String, LlmError> {
    let (mut pieces, mut answer) = (llm.stream(request), String::new());
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Delta(text) => answer.push_str(&text),
            Piece::Finished(_) => break,
        }
        if answer.len() > LONGEST {
            break;
        }
    }
    Ok(answer)
}

fn stands(why: &NotWritten) {
    count(why.outcome());
    warn!(%why, "no summary by the model; the rule's stands");
}

fn count(outcome: &'static str) {
    metrics::counter!("aura_summaries_total", "outcome" => outcome).increment(1);
}
