//! The nightly job on a paused clock: when it runs, what it does after a failure, when it stops.
use actix::prelude::*;
use async_trait::async_trait;
use aura::settings::Snapshot;
use aura_actors::journal::Rotate;
use aura_actors::retention::{Limit, Retention, Stop, Sweep, Swept, Wall, next_run};
use aura_actors::store::StoreError;
use jiff::Timestamp;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

const HOUR: Duration = Duration::from_secs(3600);

/// Notes when it was asked, by the test's clock, and fails as often as it is told to.
struct Broom {
    wall: Wall,
    asked: Mutex<Vec<(Timestamp, Vec<Limit>)>>,
    failures: Mutex<usize>,
    busy: bool,
}

#[async_trait]
impl Sweep for Broom {
    async fn sweep(&self, limits: &[Limit], by: &str) -> Result<Option<Swept>, StoreError> {
        assert_eq!(by, "system");
        self.asked.lock().unwrap().push(((self.wall)(), limits.to_vec()));
        let mut failures = self.failures.lock().unwrap();
        if *failures > 0 {
            *failures -= 1;
            return Err(StoreError::Busy);
        }
        Ok((!self.busy).then(Swept::default))
    }
}

/// Counts how often a new segment was asked for.
struct Segments(Arc<Mutex<usize>>);

impl Actor for Segments {
    type Context = Context<Self>;
}

impl Handler<Rotate> for Segments {
    type Result = ();

    fn handle(&mut self, _: Rotate, _: &mut Self::Context) {
        *self.0.lock().unwrap() += 1;
    }
}

struct Night {
    broom: Arc<Broom>,
    rotated: Arc<Mutex<usize>>,
    settings: watch::Sender<Arc<Snapshot>>,
    job: Addr<Retention>,
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn snapshot(rows: &[(&str, i64)]) -> Arc<Snapshot> {
    let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), "global".to_owned(), json!(value)));
    Arc::new(Snapshot::new(rows).0)
}

impl Night {
    /// The job, begun at this moment.
    fn begin(now: &str, failures: usize, busy: bool) -> Self {
        tokio::time::pause();
        let (begun, start) = (at(now), Instant::now());
        let wall: Wall = Arc::new(move || begun + start.elapsed());
        let (asked, failures) = (Mutex::default(), Mutex::new(failures));
        let broom = Arc::new(Broom { wall: wall.clone(), asked, failures, busy });
        let rotated = Arc::new(Mutex::new(0));
        let journal = Segments(rotated.clone()).start().recipient();
        let (settings, watched) = watch::channel(snapshot(&[]));
        let job = Retention::new(broom.clone(), watched, journal, wall).start();
        Self { broom, rotated, settings, job }
    }

    fn runs(&self) -> Vec<String> {
        let asked = self.broom.asked.lock().unwrap();
        // To the second: a timer is due within a millisecond.
        asked.iter().map(|(at, _)| at.to_string()[..19].to_owned()).collect()
    }
}

#[test]
fn the_next_run_is_the_next_such_hour_of_buenos_aires() {
    let cases = [
        ("2026-11-30T05:59:59Z", 3, "2026-11-30T06:00:00Z"),
        ("2026-11-30T06:00:00Z", 3, "2026-12-01T06:00:00Z"),
        ("2026-11-30T05:59:59.999999999Z", 3, "2026-11-30T06:00:00Z"),
        ("2026-12-31T23:00:00Z", 3, "2027-01-01T06:00:00Z"),
        ("2028-02-28T12:00:00Z", 0, "2028-02-29T03:00:00Z"),
        // 22:30 there: the day is still the one before.
        ("2026-12-01T01:30:00Z", 23, "2026-12-01T02:00:00Z"),
        ("2026-12-01T02:00:00Z", 23, "2026-12-02T02:00:00Z"),
    ];
    for (now, hour, next) in cases {
        assert_eq!(next_run(at(now), hour), at(next), "{now} {hour}");
    }
}

#[actix_rt::test]
async fn it_runs_once_a_night_at_three_and_each_time_a_new_segment_begins() {
    let night = Night::begin("2026-11-30T20:00:00Z", 0, false);
    sleep(HOUR * 9).await;
    assert!(night.runs().is_empty(), "{:?}", night.runs());
    sleep(HOUR * 24 * 2 + HOUR * 2).await;
    assert_eq!(night.runs(), ["2026-12-01T06:00:00", "2026-12-02T06:00:00", "2026-12-03T06:00:00"]);
    assert_eq!(*night.rotated.lock().unwrap(), 3);
    let asked = night.broom.asked.lock().unwrap();
    let before = |run: usize| asked[run].1[0].before.to_string()[..10].to_owned();
    assert_eq!((before(0), before(2)), ("2026-06-04".to_owned(), "2026-06-06".to_owned()), "180 days");
}

#[actix_rt::test]
async fn after_a_failure_it_tries_again_each_hour_and_then_keeps_to_the_night() {
    let night = Night::begin("2026-12-01T05:00:00Z", 2, false);
    sleep(HOUR * 26).await;
    let tries = ["2026-12-01T06:00:00", "2026-12-01T07:00:00", "2026-12-01T08:00:00", "2026-12-02T06:00:00"];
    assert_eq!(night.runs(), tries);
}

#[actix_rt::test]
async fn where_another_server_does_it_this_one_waits_for_the_next_night() {
    let night = Night::begin("2026-12-01T05:00:00Z", 0, true);
    sleep(HOUR * 20).await;
    assert_eq!(night.runs(), ["2026-12-01T06:00:00"]);
    assert_eq!(*night.rotated.lock().unwrap(), 1, "its own journal begins a new segment all the same");
}

#[actix_rt::test]
async fn another_hour_and_other_limits_hold_from_the_same_night() {
    let night = Night::begin("2026-12-01T05:00:00Z", 0, false);
    sleep(HOUR / 2).await;
    night.settings.send(snapshot(&[("retention.hour", 5), ("retention.transcriptsDays", 1)])).unwrap();
    sleep(HOUR * 20).await;
    assert_eq!(night.runs(), ["2026-12-01T08:00:00"]);
    let limit = night.broom.asked.lock().unwrap()[0].1[0];
    assert_eq!(
        (limit.days, limit.before.to_string()[..19].to_owned()),
        (1, "2026-11-30T08:00:00".to_owned())
    );
}

#[actix_rt::test]
async fn a_service_that_drains_stops_it() {
    let night = Night::begin("2026-12-01T05:00:00Z", 0, false);
    night.job.send(Stop).await.unwrap();
    sleep(HOUR * 48).await;
    assert!(night.runs().is_empty());
    assert!(!night.job.connected());
}
