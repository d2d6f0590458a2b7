//! The actor that asks the language model for calls, under permits.
use super::{Llm, Piece};
use crate::call::Happened;
use actix::prelude::*;
use aura::call::Input;
use aura::generation::{Failure, FailureKind, Request};
use aura::ids::TurnId;
use futures_util::StreamExt;
use std::sync::Arc;
use tokio::sync::Semaphore;
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

/// Asks one model for many calls.
pub struct LlmActor {
    llm: Arc<dyn Llm>,
    permits: Arc<Semaphore>,
}

impl LlmActor {
    /// At most `permits` answers at once; one more is refused at once (I7).
    pub fn new(llm: Arc<dyn Llm>, permits: usize) -> Self {
        Self { llm, permits: Arc::new(Semaphore::new(permits)) }
    }
}

impl Actor for LlmActor {
    type Context = Context<Self>;
}

impl Handler<Generate> for LlmActor {
    type Result = ();

    fn handle(&mut self, generate: Generate, _: &mut Self::Context) {
        let Generate { turn, request, cancel, reply, span } = generate;
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            let detail = "too many answers at once; raise AURA_LLM_PERMITS or add a server".to_owned();
            reply.do_send(Happened(Input::Failed {
                turn,
                failure: Failure { kind: FailureKind::Busy, detail },
            }));
            return;
        };
        let mut pieces = self.llm.stream(*request);
        let work = async move {
            let answer = async {
                while let Some(piece) = pieces.next().await {
                    let input = match piece {
                        Ok(Piece::Delta(text)) => Input::Delta { turn, text },
                        Ok(Piece::Finished(usage)) => Input::Finished { turn, usage },
                        Err(error) => Input::Failed { turn, failure: error.into() },
                    };
                    reply.do_send(Happened(input));
                }
            };
            cancel.run_until_cancelled(answer).await;
            drop(permit);
        };
        actix_rt::spawn(work.instrument(span));
    }
}
