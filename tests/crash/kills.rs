//! kill -9 at random moments under load (DECISIONS 23, 24).
use crate::audit;
use crate::callers::{Caller, Heard};
use crate::posters::{Acknowledged, post};
use crate::process::Place;
use rustix::process::Signal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How often the program is killed, unless `AURA_CRASHES` says otherwise.
const CRASHES: usize = 20;
/// Calls, and webhooks on their way, at once.
const LOAD: (usize, usize) = (8, 4);
/// How long the load may take to notice that it is over.
const SOON: Duration = Duration::from_secs(60);

/// Moments that a seed repeats.
struct Moments(u64);

impl Moments {
    fn seeded() -> Self {
        let time = || u64::try_from(jiff::Timestamp::now().as_microsecond()).expect("after 1970");
        let seed = std::env::var("AURA_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(time);
        println!("AURA_SEED={seed}");
        Self(seed | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    async fn pass(&mut self, most: u64) {
        sleep(Duration::from_millis(self.below(most))).await;
    }
}

/// Calls and webhooks that go on whatever happens to the server.
struct Load {
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
    acknowledged: Acknowledged,
    heard: Vec<(String, Arc<Mutex<Heard>>)>,
}

impl Load {
    fn start(place: &Place) -> Self {
        let (mut tasks, (stop, stopped)) = (JoinSet::new(), watch::channel(false));
        let acknowledged = Acknowledged::default();
        let mut heard = Vec::new();
        for n in 0..LOAD.0 {
            let (call, hears) = (format!("caller_{n}"), Arc::default());
            tasks.spawn(Caller::new(place.address, &call, stopped.clone(), Arc::clone(&hears)).talk());
            heard.push((call, hears));
        }
        for n in 0..LOAD.1 {
            let (address, stopped, acknowledged) = (place.address, stopped.clone(), acknowledged.clone());
            tasks.spawn(async move { post(address, &format!("report_{n}"), stopped, acknowledged).await });
        }
        Self { tasks, stop, acknowledged, heard }
    }

    async fn stop(&mut self) {
        self.stop.send_replace(true);
        let ended = async { while self.tasks.join_next().await.is_some_and(|task| task.is_ok()) {} };
        timeout(SOON, ended).await.expect("the load ends");
    }
}

async fn crash(place: &Place, crashes: usize) -> Vec<Instant> {
    let mut moments = Moments::seeded();
    let mut kills = Vec::new();
    while kills.len() < crashes {
        // One in five doesn't live to see its first call.
        let killed = if moments.below(5) == 0 {
            let process = place.spawn();
            moments.pass(700).await;
            process.kill()
        } else {
            let process = place.start().await;
            moments.pass(1500).await;
            process.kill()
        };
        kills.push(killed);
    }
    kills
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d23_kill_9_under_load_loses_nothing_that_was_accepted_and_repeats_nothing() {
    let crashes = std::env::var("AURA_CRASHES").ok().and_then(|count| count.parse().ok()).unwrap_or(CRASHES);
    let place = Place::new().await;
    let mut load = Load::start(&place);
    let kills = crash(&place, crashes).await;
    let mut last = place.start().await;
    sleep(Duration::from_secs(2)).await;
    load.stop().await;
    last.signal(Signal::TERM);
    assert!(last.ended().await.success(), "it drains in order: {}", place.log());

    let acknowledged = load.acknowledged.lock().expect("no poison").clone();
    let sql = place.database.client().await;
    let mut faults = audit::webhooks(&sql, &acknowledged).await;
    let mut answers = 0;
    for (call, heard) in &load.heard {
        let heard = heard.lock().expect("no poison").clone();
        answers += heard.answers.len();
        faults.extend(audit::call(&sql, call, &heard, &kills).await);
    }
    faults.extend(audit::folder(&place));
    println!(
        "{} crashes, {} webhooks acknowledged, {answers} answers heard",
        kills.len(),
        acknowledged.len()
    );
    assert!(acknowledged.len() > crashes && answers > crashes, "there was load");
    assert!(faults.is_empty(), "{} faults:\n{}\n{}", faults.len(), faults.join("\n"), place.log());
}
