//! Facts to Postgres, in batches, in order, each written once (E10, R28).
use actix::prelude::*;
use async_trait::async_trait;
use aura::event::Event;
use jiff::Timestamp;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tracing::{error, warn};
use uuid::Uuid;

/// How long a fact waits for company before it is written.
const GATHER: Duration = Duration::from_millis(100);
/// Facts in one statement.
const BATCH: usize = 256;
/// Facts that wait at most: some minutes of a busy desk (I7).
const CAPACITY: usize = 50_000;
/// Between two tries while the database is away.
const RETRY: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];

/// A fact with its key and time.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its key: writing twice is writing once (DECISIONS 23).
    pub id: Uuid,
    /// When it happened.
    pub at: Timestamp,
    /// What.
    pub event: Event,
}

/// Keep this fact.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub struct Record(pub Entry);

impl Record {
    /// A fact of this moment.
    pub fn now(event: Event) -> Self {
        Self(Entry { id: Uuid::now_v7(), at: Timestamp::now(), event })
    }
}

/// Write everything that waits; answered once it is written. Whoever asks brings the deadline.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Flush;

/// Where facts end up. Implemented by [`crate::store::Store`].
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Writes a batch; all of it or nothing.
    async fn append(&self, entries: &[Entry]) -> Result<(), String>;
}

/// Keeps facts until the database has them.
pub struct Journal {
    log: Arc<dyn EventLog>,
    waiting: VecDeque<Entry>,
    writing: bool,
    scheduled: bool,
    failures: usize,
    flushes: Vec<oneshot::Sender<()>>,
}

impl Journal {
    /// A journal that writes to `log`.
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        let (waiting, flushes) = (VecDeque::new(), Vec::new());
        Self { log, waiting, writing: false, scheduled: false, failures: 0, flushes }
    }

    fn schedule(&mut self, after: Duration, ctx: &mut Context<Self>) {
        if self.scheduled || self.writing {
            return;
        }
        self.scheduled = true;
        ctx.run_later(after, |journal, ctx| {
            journal.scheduled = false;
            journal.write(ctx);
        });
    }

    /// One batch at a time, so that facts arrive in order.
    fn write(&mut self, ctx: &mut Context<Self>) {
        if self.writing || self.waiting.is_empty() {
            return;
        }
        self.writing = true;
        let batch: Vec<Entry> = self.waiting.iter().take(BATCH).cloned().collect();
        let log = Arc::clone(&self.log);
        let written = async move { (batch.len(), log.append(&batch).await) };
        ctx.spawn(
            written.into_actor(self).map(|(count, result), journal, ctx| journal.written(count, result, ctx)),
        );
    }

    fn written(&mut self, count: usize, result: Result<(), String>, ctx: &mut Context<Self>) {
        self.writing = false;
        match result {
            Ok(()) => {
                self.waiting.drain(..count);
                self.failures = 0;
                metrics::counter!("aura_journal_written_total").increment(count as u64);
            }
            Err(error) => {
                warn!(waiting = self.waiting.len(), %error, "facts wait for the database");
                let pause = RETRY[self.failures.min(RETRY.len() - 1)];
                self.failures += 1;
                self.schedule(pause, ctx);
            }
        }
        metrics::gauge!("aura_journal_waiting").set(self.waiting.len() as f64);
        if self.waiting.is_empty() {
            self.flushes.drain(..).for_each(|flush| _ = flush.send(()));
        } else if self.failures > 0 {
            // The retry is scheduled.
        } else if !self.flushes.is_empty() || self.waiting.len() >= BATCH {
            self.write(ctx);
        } else {
            self.schedule(GATHER, ctx);
        }
    }
}

impl Actor for Journal {
    type Context = Context<Self>;
}

impl Handler<Record> for Journal {
    type Result = ();

    fn handle(&mut self, Record(entry): Record, ctx: &mut Self::Context) {
        if self.waiting.len() >= CAPACITY {
            metrics::counter!("aura_journal_refused_total").increment(1);
            error!(
                kind = entry.event.kind.as_str(),
                "a fact was refused: {CAPACITY} already wait for the database"
            );
            return;
        }
        self.waiting.push_back(entry);
        if self.waiting.len() >= BATCH && self.failures == 0 {
            self.write(ctx);
        } else {
            self.schedule(GATHER, ctx);
        }
    }
}

impl Handler<Flush> for Journal {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Flush, ctx: &mut Self::Context) -> Self::Result {
        let (sender, receiver) = oneshot::channel();
        if self.waiting.is_empty() {
            _ = sender.send(());
        } else {
            self.flushes.push(sender);
            self.write(ctx);
        }
        Box::pin(async move { _ = receiver.await })
    }
}
