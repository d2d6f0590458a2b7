//! The actor that asks the language model for calls, under permits.
use super::{Llm, LlmError, Piece};
use crate::breaker::{Attempt, Breaker};
use crate::call::Happened;
use actix::prelude::*;
use aura::call::Input;
use aura::generation::{Failure, FailureKind, Request};
use aura::ids::TurnId;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

/// Answer this.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Generate {
    /// For which turn.
    pub turn: TurnId,
    /// What.
    pub request: Box<Request>,
    /// Ends it, here and upstream.
    pub cancel: CancellationToken,
    /// Who is told.
    pub reply: Recipient<Happened>,
    /// The turn, for traces.
    pub span: Span,
}

/// A model that has said nothing for so long when its answer is cancelled has failed the turn, whoever ended
/// it: were it not counted, a call that gives up on a mute model first would keep the breaker closed for ever.
const MUTE: Duration = Duration::from_secs(3);

/// Asks one model for the calls of one arbiter.
pub struct LlmActor {
    llm: Arc<dyn Llm>,
    permits: Arc<Semaphore>,
    breaker: Breaker,
}

impl LlmActor {
    /// At most as many answers at once as there are permits; one more is refused at once (I7), and so is any
    /// while the breaker is open. Actors on several arbiters share both.
    pub fn new(llm: Arc<dyn Llm>, permits: Arc<Semaphore>, breaker: Breaker) -> Self {
        Self { llm, permits, breaker }
    }

    fn admit(&self) -> Result<(OwnedSemaphorePermit, Attempt), Failure> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().map_err(|_| {
            let detail = "too many answers at once; raise AURA_LLM_PERMITS or add a server".to_owned();
            Failure { kind: FailureKind::Busy, detail }
        })?;
        Ok((permit, self.breaker.admit()?))
    }
}

impl Actor for LlmActor {
    type Context = Context<Self>;
}

impl Handler<Generate> for LlmActor {
    type Result = ();

    fn handle(&mut self, generate: Generate, _: &mut Self::Context) {
        let Generate { turn, request, cancel, reply, span } = generate;
        let (permit, attempt) = match self.admit() {
            Ok(admitted) => admitted,
            Err(failure) => return reply.do_send(Happened(Input::Failed { turn, failure })),
        };
        let pieces = self.llm.stream(*request);
        let work = async move {
            answer(turn, pieces, attempt, cancel, reply).await;
            drop(permit);
        };
        actix_rt::spawn(work.instrument(span));
    }
}

/// Tells the call of every piece, and the breaker how it ended.
async fn answer(
    turn: TurnId,
    mut pieces: BoxStream<'static, Result<Piece, LlmError>>,
    mut attempt: Attempt,
    cancel: CancellationToken,
    reply: Recipient<Happened>,
) {
    let (asked, mut mute) = (Instant::now(), true);
    // A call that is gone without a word (it panicked) has nobody to cancel for it: then its stream ends here.
    while reply.connected() {
        let piece = match cancel.run_until_cancelled(pieces.next()).await {
            Some(Some(piece)) => piece,
            Some(None) => return,
            None if mute && asked.elapsed() >= MUTE => return attempt.failed(),
            None => return,
        };
        let input = match piece {
            Ok(Piece::Delta(text)) => {
                if std::mem::take(&mut mute) {
                    attempt.answering();
                }
                Input::Delta { turn, text }
            }
            Ok(Piece::Finished(usage)) => {
                attempt.succeeded();
                return reply.do_send(Happened(Input::Finished { turn, usage }));
            }
            Err(error) => {
                if error.is_outage() {
                    attempt.failed();
                }
                return reply.do_send(Happened(Input::Failed { turn, failure: error.into() }));
            }
        };
        reply.do_send(Happened(input));
        // A provider's burst is many pieces: the first sentence leaves before the rest of them is looked at.
        tokio::task::yield_now().await;
    }
}
