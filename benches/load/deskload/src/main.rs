//! One call that many desks watch, many other live calls, and the model: what a desk's load costs the suggestion.
//!
//! Each round the patient of the measured call says a line; the generator knows when the line left, when the model's
//! first and fourth piece left, and when each desk was told.
mod calls;
mod desks;
mod model;

use clap::Parser;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::LocalSet;

/// What is played.
#[derive(Parser, Clone, Debug)]
pub struct Args {
    /// The server, e.g. 127.0.0.1:8080.
    #[arg(long)]
    pub server: String,
    /// A desk's bearer token.
    #[arg(long)]
    pub token: String,
    /// Where the model listens; the server's OPENAI_BASE_URL without its path.
    #[arg(long)]
    pub model: String,
    /// Desks that watch the measured call.
    #[arg(long, default_value_t = 50)]
    pub watchers: usize,
    /// Other live calls; in each somebody speaks all the time.
    #[arg(long, default_value_t = 200)]
    pub calls: usize,
    /// Rounds that are measured, one every 1.5 s.
    #[arg(long, default_value_t = 20)]
    pub rounds: usize,
    /// The server's process, for its memory and CPU time.
    #[arg(long)]
    pub pid: Option<u32>,
}

/// When things of each round happened.
#[derive(Default)]
pub struct Times {
    /// The line left.
    pub said: Vec<Option<Instant>>,
    /// The model's first piece left.
    pub first: Vec<Option<Instant>>,
    /// Its fourth, with which a partial is due.
    pub fourth: Vec<Option<Instant>>,
    /// Each desk was told the line.
    pub line: Vec<Vec<Instant>>,
    /// Each desk was shown the first of the suggestion.
    pub partial: Vec<Vec<Instant>>,
}

/// Shared by all parts, on one thread.
pub type Shared = Rc<RefCell<Times>>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args = Args::parse();
    let report = LocalSet::new().run_until(play(args)).await;
    println!("{report}");
    if report["clean"] != json!(true) {
        std::process::exit(1);
    }
}

async fn play(args: Args) -> Value {
    let rounds = args.rounds;
    let times = Rc::new(RefCell::new(Times {
        said: vec![None; rounds],
        first: vec![None; rounds],
        fourth: vec![None; rounds],
        line: vec![Vec::new(); rounds],
        partial: vec![Vec::new(); rounds],
    }));
    let listener = TcpListener::bind(&args.model).await.expect("the model's address is free");
    tokio::task::spawn_local(model::serve(listener, Rc::clone(&times)));
    for call in 0..args.calls {
        tokio::task::spawn_local(calls::talk(args.clone(), call));
    }
    let mut measured = calls::Fork::dial(&args.server, "measured").await.expect("the measured call");
    tokio::time::sleep(Duration::from_secs(2)).await;
    desks::open(&args, &times).await;
    let before = usage(args.pid);
    let began = Instant::now();
    for round in 0..rounds {
        times.borrow_mut().said[round] = Some(Instant::now());
        measured.says("patient", &calls::line_of(round), true).await.expect("the measured call is heard");
        tokio::time::sleep(Duration::from_millis(1500)).await;
    }
    let after = usage(args.pid);
    let secs = began.elapsed().as_secs_f64();
    let times = times.borrow();
    let (lag, lines) = spread(&times.said, &times.line);
    let (first, partials) = spread(&times.first, &times.partial);
    let (fourth, _) = spread(&times.fourth, &times.partial);
    let all = rounds * args.watchers;
    json!({
        "watchers": args.watchers, "calls": args.calls, "rounds": rounds,
        "line_ms": lag, "partial_after_first_token_ms": first, "partial_after_fourth_piece_ms": fourth,
        "told": { "lines": lines, "partials": partials, "of": all },
        "rss_kb": { "before": before.0, "after": after.0 }, "cpu": (after.1 - before.1) / secs,
        "clean": lines == all && partials == all,
    })
}

/// p50 and p99 of all desks' waits, in milliseconds, and how many there were.
fn spread(from: &[Option<Instant>], to: &[Vec<Instant>]) -> (Value, usize) {
    let waits = from.iter().zip(to).filter_map(|(from, to)| from.map(|from| (from, to)));
    let mut ms: Vec<f64> = waits
        .flat_map(|(from, to)| to.iter().map(move |to| to.saturating_duration_since(from).as_secs_f64() * 1e3))
        .collect();
    ms.sort_by(f64::total_cmp);
    let at = |part: f64| ms.get(((ms.len() as f64 - 1.0) * part).round() as usize).copied();
    (json!({ "p50": at(0.5), "p99": at(0.99), "all": ms }), ms.len())
}

/// Resident memory in kB, and CPU seconds so far.
fn usage(pid: Option<u32>) -> (u64, f64) {
    let Some(pid) = pid else { return (0, 0.0) };
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let rss = rss.and_then(|rest| rest.split_whitespace().next()).and_then(|kb| kb.parse().ok()).unwrap_or(0);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (rss, (ticks(11) + ticks(12)) / 100.0)
}
