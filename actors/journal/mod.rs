//! Every fact and every line of every call: on local disk at once, in Postgres in order, once, when it is
//! there (DECISIONS 23, 24).
//!
//! Speech never waits for the disk: what is recorded is written as it comes and synced within
//! [`writer::SYNC`]. Whoever owes a peer an acknowledgement sends [`Accept`] and waits for its answer.
mod recall;
mod segment;
mod shipper;
mod writer;

pub use recall::{Recalled, Remembered};
pub use writer::NotKept;

use actix::prelude::*;
use async_trait::async_trait;
use aura::audit::Act;
use aura::call::trace::Line;
use aura::channel::Channel;
use aura::event::Event;
use aura::ids::CallId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use shipper::Shipper;
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tracing::{error, warn};
use uuid::Uuid;
use writer::{Position, Writer};

/// A fact with its key and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its key: writing twice is writing once (DECISIONS 23).
    pub id: Uuid,
    /// When it happened.
    pub at: Timestamp,
    /// What.
    pub fact: Fact,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// For the event log.
    Event(Event),
    /// For the call's own journal.
    Line(CallLine),
    /// For the audit trail.
    Act(Act),
    /// By whose document a call goes.
    Identified(Identified),
}

/// By which document a call goes, since this moment; the newest of a call and patient holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identified {
    /// Which call.
    pub call: CallId,
    /// The patient's keyed hash ([`crate::vault::Vault::patient`]).
    pub patient: String,
    /// `dictated`, `typed`, `keypad` or `chat`.
    pub source: String,
    /// `given`, `read_back`, `confirmed`, or `denied`: then the call isn't this patient's.
    pub state: String,
    /// The document, sealed and bound to the call ([`crate::vault::Vault::seal`]); none where it couldn't be.
    pub sealed: Option<String>,
}

/// One line of a call's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallLine {
    /// Which call.
    pub call: CallId,
    /// Through which channel.
    pub source: Channel,
    /// Counts the call's lines from 1, across rebuilds.
    pub seq: u64,
    /// What.
    pub line: Line,
}

impl Entry {
    /// A fact of this moment.
    pub fn now(fact: Fact) -> Self {
        Self { id: Uuid::now_v7(), at: Timestamp::now(), fact }
    }
}

/// Keep these facts, in this order.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub struct Record(pub Vec<Entry>);

/// Keep this fact; answered once it is on local disk.
#[derive(Message, Clone, Debug)]
#[rtype(result = "Result<(), NotKept>")]
pub struct Accept(pub Entry);

/// Sync what was recorded; answered once it is on local disk.
#[derive(Message, Debug)]
#[rtype(result = "Result<(), NotKept>")]
pub struct Sync;

/// Sync, let go of the folder and end; answered once that is done.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Close;

/// Begin a new segment: what was said in calls that have ended leaves this disk once the database has it.
/// What the database refused and was set aside goes after 30 days.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Rotate;

/// Write everything that was recorded to the database; answered once it has it. Whoever asks brings the
/// deadline.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Flush;

/// Why a batch wasn't written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The database isn't there, or not now.
    #[error("{0}")]
    Away(String),
    /// It refuses what is in the batch.
    #[error("{0}")]
    Refused(String),
}

/// Where facts end up. Implemented by [`crate::store::Store`].
#[async_trait]
pub trait EventLog: Send + std::marker::Sync {
    /// Writes a batch; all of it or nothing.
    async fn append(&self, entries: &[Entry]) -> Result<(), AppendError>;
}

/// Why the journal can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Somebody else writes it.
    #[error(
        "the journal {} is in use by another aura server; give each its own with AURA_JOURNAL or AURA_HOME",
        .0.display()
    )]
    Taken(PathBuf),
    /// The disk.
    #[error("the journal {} can't be used ({why}); AURA_JOURNAL names a folder that Aura may write", folder.display())]
    Disk {
        /// Which folder.
        folder: PathBuf,
        /// What the system said.
        why: io::Error,
    },
}

/// The folder, locked, and what was found in it.
pub struct Opened {
    folder: PathBuf,
    lock: File,
    /// Calls that were live when the last process ended; for whoever waits for their redial, to be taken.
    pub recalled: Vec<Recalled>,
    /// The segments in which they begin: kept until they have ended, whoever took them.
    needed: HashMap<CallId, u64>,
    first: u64,
}

/// Takes the folder and reads what the last process left.
pub fn open(folder: &Path) -> Result<Opened, OpenError> {
    let disk = |why| OpenError::Disk { folder: folder.to_owned(), why };
    fs::create_dir_all(folder).map_err(disk)?;
    let lock = File::create(folder.join("lock")).map_err(disk)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(OpenError::Taken(folder.to_owned())),
        Err(TryLockError::Error(why)) => return Err(disk(why)),
    }
    let segments = segment::list(folder).map_err(disk)?;
    let recalled = recall::read(folder, &segments);
    let needed = recalled.iter().map(|call| (call.id.clone(), call.first_segment)).collect();
    let first = segments.last().map_or(1, |last| last + 1);
    Ok(Opened { folder: folder.to_owned(), lock, recalled, needed, first })
}

/// Keeps facts until the database has them.
pub struct Journal {
    /// None once it was closed.
    writer: Option<Writer>,
    shipped: watch::Receiver<Position>,
}

impl Journal {
    /// A journal in an opened folder that writes to `log`; `most` is the bound of its size in bytes.
    pub fn start(opened: Opened, log: Arc<dyn EventLog>, most: u64) -> Result<Addr<Self>, OpenError> {
        let Opened { folder, lock, needed, first, .. } = opened;
        let disk = |why| OpenError::Disk { folder: folder.clone(), why };
        let writer = Writer::start(&folder, lock, first, needed, most).map_err(disk)?;
        let (shipper, shipped) = Shipper::new(folder, log, writer.position());
        actix_rt::spawn(shipper.run());
        Ok(Actor::start(Self { writer: Some(writer), shipped }))
    }
}

impl Actor for Journal {
    type Context = Context<Self>;
}

impl Journal {
    fn synced(&self, entries: Vec<Entry>) -> ResponseFuture<Result<Position, NotKept>> {
        match &self.writer {
            Some(writer) => Box::pin(writer.sync(entries)),
            None => Box::pin(std::future::ready(Err(NotKept::Stopped))),
        }
    }
}

impl Handler<Record> for Journal {
    type Result = ();

    fn handle(&mut self, Record(entries): Record, _: &mut Self::Context) {
        let count = entries.len() as u64;
        let kept = self.writer.as_ref().map_or(Err(NotKept::Stopped), |writer| writer.keep(entries));
        if let Err(why) = kept {
            metrics::counter!("aura_journal_refused_total").increment(count);
            error!(count, %why, "facts were refused");
        }
    }
}

impl Handler<Accept> for Journal {
    type Result = ResponseFuture<Result<(), NotKept>>;

    fn handle(&mut self, Accept(entry): Accept, _: &mut Self::Context) -> Self::Result {
        let synced = self.synced(vec![entry]);
        Box::pin(async move { synced.await.map(drop) })
    }
}

impl Handler<Sync> for Journal {
    type Result = ResponseFuture<Result<(), NotKept>>;

    fn handle(&mut self, _: Sync, _: &mut Self::Context) -> Self::Result {
        let synced = self.synced(Vec::new());
        Box::pin(async move { synced.await.map(drop) })
    }
}

impl Handler<Rotate> for Journal {
    type Result = ();

    fn handle(&mut self, _: Rotate, _: &mut Self::Context) {
        let asked = self.writer.as_ref().map_or(Err(NotKept::Stopped), Writer::rotate);
        if let Err(why) = asked {
            warn!(%why, "the journal begins no new segment");
        }
    }
}

impl Handler<Flush> for Journal {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Flush, _: &mut Self::Context) -> Self::Result {
        let (synced, mut shipped) = (self.synced(Vec::new()), self.shipped.clone());
        Box::pin(async move {
            match synced.await {
                Ok(position) => {
                    let reached = shipped.wait_for(|shipped| shipped.place() >= position.place());
                    drop(reached.await);
                }
                Err(error) => error!(%error, "the last facts aren't on disk"),
            }
        })
    }
}

impl Handler<Close> for Journal {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Close, ctx: &mut Self::Context) -> Self::Result {
        ctx.stop();
        let writer = self.writer.take();
        Box::pin(async move {
            let closing = tokio::task::spawn_blocking(move || writer.map(Writer::close));
            if closing.await.is_err() {
                error!("the journal could not be closed in order");
            }
        })
    }
}
