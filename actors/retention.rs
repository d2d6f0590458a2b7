//! Deletes by age what may not be kept longer: once a night, by one server of several.
//!
//! How long each kind is kept is a setting; lessons and the audit trail are kept. What was deleted goes on
//! record, and each server begins a new segment of its journal, so that the former, with what was said in
//! calls that have ended since, leaves its disk.
use crate::journal::Rotate;
use crate::store::{Kept, Store, StoreError};
use actix::prelude::*;
use async_trait::async_trait;
use aura::audit::{Act, Action};
use aura::channel::Channel;
use aura::settings::{self, Setting, Snapshot};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::{info, warn};

/// Buenos Aires, which has had no summer time since 2009: no time-zone files are needed.
pub const BUENOS_AIRES: TimeZone = TimeZone::fixed(Offset::constant(-3));
/// After a failure.
const AGAIN: Duration = Duration::from_secs(3600);
/// The longest sleep: a machine's clock may be set, and a setting changed.
const NAP: Duration = Duration::from_secs(600);

/// Each kind and the setting that says for how many days it is kept.
const LIMITS: [(Kept, &Setting); 5] = [
    (Kept::Transcripts, &settings::RETENTION_TRANSCRIPTS),
    (Kept::Events, &settings::RETENTION_EVENTS),
    (Kept::Callbacks, &settings::RETENTION_CALLBACKS),
    (Kept::PatientCache, &settings::RETENTION_PATIENT_CACHE),
    (Kept::Identities, &settings::RETENTION_IDENTITIES),
];

/// The first `hour` o'clock of Buenos Aires (0 to 23) after `now`.
pub fn next_run(now: Timestamp, hour: i8) -> Timestamp {
    let local = now.to_zoned(BUENOS_AIRES);
    let today = local.date().at(hour.clamp(0, 23), 0, 0, 0).to_zoned(BUENOS_AIRES);
    let next = today.and_then(|at| if at > local { Ok(at) } else { at.checked_add(1.day()) });
    next.map_or(now, |at| at.timestamp())
}

/// One kind of data: for how long it is kept, and what is older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which.
    pub kept: Kept,
    /// For how many days.
    pub days: usize,
    /// What is older than this goes.
    pub before: Timestamp,
}

/// What holds at `now`.
pub fn limits(settings: &Snapshot, now: Timestamp) -> Vec<Limit> {
    let limit = |(kept, setting)| {
        // Settings of the whole desk: no channel has a row of its own.
        let days = settings.count(setting, Channel::AudioFork);
        let hours = i64::try_from(days).unwrap_or(i64::MAX / 24).saturating_mul(24);
        // What can't be computed deletes nothing.
        let before = now.checked_sub(hours.hours()).unwrap_or(Timestamp::MIN);
        Limit { kept, days, before }
    };
    LIMITS.into_iter().map(limit).collect()
}

/// How many rows went, or would go, of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept(pub Vec<(Limit, u64)>);

impl Swept {
    fn detail(&self, whole: bool) -> Value {
        let kind = |(limit, rows): &(Limit, u64)| {
            (limit.kept.as_str().to_owned(), json!({ "days": limit.days, "rows": rows }))
        };
        let kinds: Map<String, Value> = self.0.iter().map(kind).collect();
        json!({ "whole": whole, "kinds": kinds })
    }
}

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |(limit, rows): &(Limit, u64)| {
            format!("{}: {rows} older than {} days", limit.kept.as_str(), limit.days)
        };
        f.write_str(&self.0.iter().map(line).collect::<Vec<_>>().join("; "))
    }
}

/// What deletes by age. Implemented by [`Store`].
#[async_trait]
pub trait Sweep: Send + Sync {
    /// Deletes what is over its limit and puts that on record; `None` while another process does so.
    async fn sweep(&self, limits: &[Limit], by: &str) -> Result<Option<Swept>, StoreError>;
}

#[async_trait]
impl Sweep for Store {
    async fn sweep(&self, limits: &[Limit], by: &str) -> Result<Option<Swept>, StoreError> {
        let Some(lock) = self.lock_retention().await? else { return Ok(None) };
        let mut swept = Swept::default();
        let mut failed = None;
        'kinds: for limit in limits {
            swept.0.push((*limit, 0));
            loop {
                match self.delete_older(limit.kept, limit.before, &lock).await {
                    Ok(0) => break,
                    Ok(rows) => swept.0.iter_mut().next_back().into_iter().for_each(|(_, all)| *all += rows),
                    Err(error) => {
                        failed = Some(error);
                        break 'kinds;
                    }
                }
            }
        }
        // What went is told even if not all did.
        let detail = swept.detail(failed.is_none());
        let (by, action) = (by.to_owned(), Action::RetentionApplied);
        let told = self.put_on_record(Act { by, action, patient: None, call: None, detail }).await;
        failed.map_or(Ok(()), Err)?;
        told.map(|()| Some(swept))
    }
}

/// Counts what a run would delete.
pub async fn count(store: &Store, limits: &[Limit]) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    for limit in limits {
        swept.0.push((*limit, store.count_older(limit.kept, limit.before).await?));
    }
    Ok(swept)
}

/// What time it is for people.
pub type Wall = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The nightly job.
pub struct Retention {
    sweep: Arc<dyn Sweep>,
    settings: watch::Receiver<Arc<Snapshot>>,
    journal: Recipient<Rotate>,
    wall: Wall,
    /// When the last run ended well, or the job began: the next one is due after that.
    since: Timestamp,
    /// After a failure: not before this.
    again: Option<Timestamp>,
}

impl Retention {
    /// A job that works from now on.
    pub fn new(
        sweep: Arc<dyn Sweep>,
        settings: watch::Receiver<Arc<Snapshot>>,
        journal: Recipient<Rotate>,
        wall: Wall,
    ) -> Self {
        let since = wall();
        Self { sweep, settings, journal, wall, since, again: None }
    }

    fn due(&self) -> Timestamp {
        let hour = self.settings.borrow().count(&settings::RETENTION_HOUR, Channel::AudioFork);
        self.again.unwrap_or_else(|| next_run(self.since, i8::try_from(hour).unwrap_or(3)))
    }

    fn wait(&mut self, ctx: &mut Context<Self>) {
        let left = self.due().duration_since((self.wall)());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        if left.is_zero() {
            return self.run(ctx);
        }
        ctx.run_later(left.min(NAP), Self::wait);
    }

    fn run(&mut self, ctx: &mut Context<Self>) {
        self.journal.do_send(Rotate);
        let limits = limits(&self.settings.borrow(), (self.wall)());
        let sweep = Arc::clone(&self.sweep);
        let swept = async move { sweep.sweep(&limits, "system").await };
        ctx.spawn(swept.into_actor(self).map(|swept, job, ctx| job.ran(swept, ctx)));
    }

    fn ran(&mut self, swept: Result<Option<Swept>, StoreError>, ctx: &mut Context<Self>) {
        let now = (self.wall)();
        match swept {
            Ok(swept) => {
                match swept {
                    Some(swept) => info!("deleted by age: {swept}"),
                    None => info!("another server deletes by age tonight"),
                }
                (self.since, self.again) = (now, None);
            }
            Err(error) => {
                metrics::counter!("aura_retention_failed_total").increment(1);
                warn!(%error, "what is over its age could not be deleted; trying again in an hour");
                self.again = Some(now.checked_add(AGAIN).unwrap_or(now));
            }
        }
        self.wait(ctx);
    }
}

impl Actor for Retention {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.wait(ctx);
    }
}

/// End: the service drains. A run under way is dropped; what it deleted stays deleted.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Stop;

impl Handler<Stop> for Retention {
    type Result = ();

    fn handle(&mut self, _: Stop, ctx: &mut Self::Context) {
        ctx.stop();
    }
}
