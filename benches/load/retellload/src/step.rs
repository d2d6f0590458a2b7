//! One step of the ramp: so many calls at once, for so long, and what came of it.

use std::cell::Cell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout, Instant};

use crate::call::{call, ms, Data, Errors, Gate, Shared, Turn};
use crate::http;
use crate::procfs::{usage, Cpus, Usage};
use crate::script::Script;
use crate::summary::{round, Dist};
use crate::Args;

/// Small steps shorten the period until they have about this many turns.
const MIN_TURNS: u64 = 60;
const MIN_PERIOD_MS: u64 = 1200;
/// A step with more of a CPU stolen than this says little about the server.
const MAX_STEAL_PCT: f64 = 2.0;

/// What the steps of a run share.
pub struct Bench<'a> {
    pub args: &'a Args,
    pub target: SocketAddr,
    pub mock: SocketAddr,
    /// Memory of the server that is no cost of any one call.
    pub base_rss_kb: u64,
    /// Tells this run's calls from another run's.
    pub run_id: u64,
    /// Steps begun, warm-up and repeats included.
    pub begun: Cell<u32>,
}

/// The result of a step. Times are milliseconds unless they say otherwise.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Step {
    pub calls: usize,
    pub period_ms: u64,
    pub turns: usize,
    pub turns_per_s: f64,
    /// From sending response_required to the first content frame, less what the mock took.
    pub overhead_ms: Dist,
    /// The part of it before the request reached the mock.
    pub inbound_ms: Dist,
    /// The part of it after the mock wrote the first token.
    pub outbound_ms: Dist,
    /// Frames' lateness against the mock's rhythm.
    pub jitter_ms: Dist,
    pub barge: Barge,
    pub connect_ms: Dist,
    pub greeting_ms: Dist,
    pub ping_ms: Dist,
    pub pings_lost: usize,
    pub errors: Errors,
    pub error_samples: Vec<String>,
    /// Turns for which the mock saw no request, and requests that belong to no turn.
    pub unmatched_turns: usize,
    pub extra_requests: usize,
    pub server: Server,
    pub host: Host,
    pub ok: bool,
}

/// What happened when a newer response_required came while an answer streamed.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Barge {
    pub count: usize,
    /// As `overhead_ms`, for the first frame of the new answer.
    pub overhead_ms: Dist,
    /// Frames of the old answer that came after the interruption was sent.
    pub stale_frames: Dist,
    /// Those that came after the new answer had begun.
    pub stale_after_new: Dist,
    /// Share of old upstream requests that were dropped before their end, in percent.
    pub cancelled_pct: f64,
    /// From sending the interruption to the mock seeing its request dropped.
    pub cancel_ms: Dist,
    /// Tokens that the upstream made for nobody after the interruption.
    pub wasted_tokens: Dist,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Server {
    pub rss_base_mb: f64,
    pub rss_peak_mb: f64,
    pub rss_per_call_kb: f64,
    pub rss_after_mb: f64,
    pub cpu_s: f64,
    pub cpu_ms_per_turn: f64,
    pub cpu_pct: f64,
    pub threads: usize,
    pub files: usize,
}

/// How far the rest of the machine can be trusted to have stayed out of the way.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct Host {
    /// Per CPU: percent busy, and percent stolen by the hypervisor.
    pub busy_pct: Vec<f64>,
    pub steal_pct: Vec<f64>,
    /// Percent of one CPU that went to none of the server, the mock and this program.
    pub foreign_pct: f64,
    pub mock_cpu_pct: f64,
    pub load_cpu_pct: f64,
    /// How late the mock wrote its tokens and this program sent its messages.
    pub mock_lag_ms: Dist,
    pub load_lag_ms: Dist,
}

#[derive(Deserialize)]
struct MockRecord {
    id: String,
    received: u64,
    first_token: u64,
    ended: u64,
    tokens: usize,
    outcome: String,
}

impl Host {
    /// The most that the hypervisor took of any CPU, in percent.
    pub fn steal(&self) -> f64 {
        self.steal_pct.iter().copied().fold(0.0, f64::max)
    }
}

impl Bench<'_> {
    /// A step, repeated while the hypervisor disturbs it.
    pub async fn quiet_step(&self, calls: usize) -> Result<Step, Box<dyn std::error::Error>> {
        let mut tries = 0;
        loop {
            let result = self.step(calls).await?;
            let steal = result.host.steal();
            if steal <= MAX_STEAL_PCT || tries == self.args.retries {
                return Ok(result);
            }
            tries += 1;
            eprintln!("{calls} calls: {steal:.1} % of a CPU was stolen; trying again");
        }
    }

    /// Connects `calls` calls, lets them talk and reports.
    pub async fn step(&self, calls: usize) -> Result<Step, Box<dyn std::error::Error>> {
        let args = self.args;
        http::post(self.mock, "/reset", "").await?;
        let mock_pid = http::get(self.mock, "/stats").await?["pid"]
            .as_i64()
            .unwrap_or(0) as i32;
        self.begun.set(self.begun.get() + 1);
        let shared = Rc::new(Shared {
            // A server that keeps calls would take an id that it has seen for a redial.
            call_ids: format!("call_bench_{:x}_{}", self.run_id, self.begun.get()),
            args: args.clone(),
            script: Script::new(),
            target: self.target,
            data: Default::default(),
        });
        let (gate, watcher) = watch::channel(None);
        let mut tasks = JoinSet::new();
        let mut next = Instant::now();
        let rate = match args.connect_rate {
            0 => (calls as u64 / 10).max(10),
            rate => rate,
        };
        for number in 0..calls {
            tasks.spawn_local(call(shared.clone(), number, watcher.clone()));
            next += Duration::from_micros(1_000_000 / rate);
            sleep_until(next).await;
        }
        self.wait_until_ready(&shared, calls).await;
        sleep(Duration::from_secs(1)).await;

        let period_ms = period_ms(args, calls);
        let start = Instant::now();
        let stop = start + Duration::from_secs(args.secs);
        let before = self.reading(mock_pid);
        gate.send(Some(Gate {
            start,
            stop,
            period: Duration::from_millis(period_ms),
        }))?;
        let mut peak = Usage::default();
        while Instant::now() < stop {
            sleep_until((Instant::now() + Duration::from_millis(500)).min(stop)).await;
            let now = args.pid.map(usage).unwrap_or_default();
            peak.rss_kb = peak.rss_kb.max(now.rss_kb);
            peak.threads = peak.threads.max(now.threads);
            peak.files = peak.files.max(now.files);
        }
        let after = self.reading(mock_pid);
        let turns_begun = shared.data.borrow().turns.len();
        let window = start.elapsed().as_secs_f64();

        let rest = Duration::from_millis(args.turn_timeout_ms + 5000);
        let _ = timeout(rest, async { while tasks.join_next().await.is_some() {} }).await;
        tasks.shutdown().await;
        sleep(Duration::from_millis(1500)).await;
        let stats = http::get(self.mock, "/stats").await?;
        let records: Vec<MockRecord> =
            serde_json::from_value(http::get(self.mock, "/requests").await?)?;
        let rss_after_kb = args.pid.map(usage).unwrap_or_default().rss_kb;

        let data = shared.data.take();
        let cpu_ms = ms(after.server.cpu_ns - before.server.cpu_ns);
        let server = Server {
            rss_base_mb: mb(self.base_rss_kb),
            rss_peak_mb: mb(peak.rss_kb),
            rss_per_call_kb: round(
                (peak.rss_kb.saturating_sub(self.base_rss_kb)) as f64 / calls as f64,
            ),
            rss_after_mb: mb(rss_after_kb),
            cpu_s: round(cpu_ms / 1000.0),
            cpu_ms_per_turn: round(cpu_ms / turns_begun.max(1) as f64),
            cpu_pct: round(cpu_ms / 10.0 / window),
            threads: peak.threads,
            files: peak.files,
        };
        let lag = &stats["token_lag_ms"];
        let at = |q: &str| round(lag[q].as_f64().unwrap_or(0.0));
        let mut host = host(&before, &after, window);
        host.mock_lag_ms = Dist {
            p50: at("p50"),
            p99: at("p99"),
            max: at("max"),
            ..Dist::default()
        };
        Ok(self.evaluate(
            calls,
            period_ms,
            turns_begun as f64 / window,
            data,
            &records,
            server,
            host,
        ))
    }

    async fn wait_until_ready(&self, shared: &Shared, calls: usize) {
        let deadline = Instant::now() + Duration::from_secs(30);
        let settled = || {
            let data = shared.data.borrow();
            data.ready + data.errors.connect + data.errors.disconnect >= calls
        };
        while !settled() && Instant::now() < deadline {
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn reading(&self, mock_pid: i32) -> Reading {
        Reading {
            cpus: Cpus::read(),
            server: self.args.pid.map(usage).unwrap_or_default(),
            mock: usage(mock_pid),
            load: usage(std::process::id() as i32),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn evaluate(
        &self,
        calls: usize,
        period_ms: u64,
        turns_per_s: f64,
        data: Data,
        records: &[MockRecord],
        server: Server,
        mut host: Host,
    ) -> Step {
        host.load_lag_ms = Dist::of(data.lag_ms);
        let mut by_id: HashMap<&str, &MockRecord> = HashMap::new();
        for record in records {
            by_id.entry(&record.id).or_insert(record);
        }
        let sentence_ms =
            (self.args.first_sentence_tokens.saturating_sub(1) * self.args.itd_ms) as f64;
        let split = |turns: &[&Turn]| {
            let (mut total, mut inbound, mut outbound) = (vec![], vec![], vec![]);
            for turn in turns.iter().filter(|t| t.first != 0) {
                let Some(record) = by_id.get(turn.id.as_str()).filter(|r| r.first_token != 0)
                else {
                    continue;
                };
                let took = signed_ms(turn.first, turn.sent);
                total.push(took - signed_ms(record.first_token, record.received) - sentence_ms);
                inbound.push(signed_ms(record.received, turn.sent));
                outbound.push(signed_ms(turn.first, record.first_token) - sentence_ms);
            }
            (Dist::of(total), Dist::of(inbound), Dist::of(outbound))
        };
        let (newer, fresh): (Vec<&Turn>, Vec<&Turn>) =
            data.turns.iter().partition(|t| t.interrupts.is_some());
        let (overhead_ms, inbound_ms, outbound_ms) = split(&fresh);
        let barge = barge(&newer, &by_id, split(&newer).0);
        let unmatched_turns = data
            .turns
            .iter()
            .filter(|t| !by_id.contains_key(t.id.as_str()))
            .count();
        let errors = data.errors;
        let share = errors.total() as f64 / (data.turns.len() + calls) as f64;
        let ok = share <= self.args.max_errors
            && overhead_ms.count > 0
            && overhead_ms.p99 <= self.args.limit_ms
            && barge.overhead_ms.p99 <= self.args.limit_ms;
        Step {
            calls,
            period_ms,
            turns: data.turns.len(),
            turns_per_s: round(turns_per_s),
            overhead_ms,
            inbound_ms,
            outbound_ms,
            jitter_ms: Dist::of(data.jitter_ms),
            barge,
            connect_ms: Dist::of(data.connect_ms),
            greeting_ms: Dist::of(data.greeting_ms),
            pings_lost: data.pings_sent - data.ping_ms.len(),
            ping_ms: Dist::of(data.ping_ms),
            errors,
            error_samples: data.samples,
            unmatched_turns,
            extra_requests: (records.len() + unmatched_turns).saturating_sub(data.turns.len()),
            server,
            host,
            ok,
        }
    }
}

fn barge(newer: &[&Turn], by_id: &HashMap<&str, &MockRecord>, overhead_ms: Dist) -> Barge {
    let (mut stale, mut after_new, mut cancel_ms, mut wasted) = (vec![], vec![], vec![], vec![]);
    let mut known = 0usize;
    for turn in newer {
        let Some(old) = &turn.interrupts else {
            continue;
        };
        stale.push(old.stale as f64);
        after_new.push(old.stale_after_new as f64);
        let Some(record) = by_id.get(old.id.as_str()) else {
            continue;
        };
        known += 1;
        wasted.push(record.tokens.saturating_sub(old.frames_before) as f64);
        if record.outcome == "cancelled" {
            cancel_ms.push(signed_ms(record.ended, turn.sent));
        }
    }
    Barge {
        count: newer.len(),
        overhead_ms,
        stale_frames: Dist::of(stale),
        stale_after_new: Dist::of(after_new),
        cancelled_pct: round(100.0 * cancel_ms.len() as f64 / known.max(1) as f64),
        cancel_ms: Dist::of(cancel_ms),
        wasted_tokens: Dist::of(wasted),
    }
}

struct Reading {
    cpus: Cpus,
    server: Usage,
    mock: Usage,
    load: Usage,
}

fn host(before: &Reading, after: &Reading, window: f64) -> Host {
    let cpus = after.cpus.since(&before.cpus);
    let percent = |s: f64| round(100.0 * s / window);
    let spent =
        |f: fn(&Reading) -> Usage| (f(after).cpu_ns.saturating_sub(f(before).cpu_ns)) as f64 / 1e9;
    let (server, mock, load) = (spent(|r| r.server), spent(|r| r.mock), spent(|r| r.load));
    let busy: f64 = cpus.iter().map(|c| c.0).sum();
    Host {
        busy_pct: cpus.iter().map(|c| percent(c.0)).collect(),
        steal_pct: cpus.iter().map(|c| percent(c.1)).collect(),
        foreign_pct: percent((busy - server - mock - load).max(0.0)),
        mock_cpu_pct: percent(mock),
        load_cpu_pct: percent(load),
        ..Host::default()
    }
}

fn period_ms(args: &Args, calls: usize) -> u64 {
    (args.secs * 1000 * calls as u64 / MIN_TURNS)
        .max(MIN_PERIOD_MS)
        .min(args.period_ms)
}

fn signed_ms(later: u64, earlier: u64) -> f64 {
    (later as i64 - earlier as i64) as f64 / 1e6
}

fn mb(kb: u64) -> f64 {
    round(kb as f64 / 1024.0)
}
