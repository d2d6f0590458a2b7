//! Forks many stereo calls in real time and plays Deepgram at the other end: every sample is numbered, so
//! whatever was dropped, doubled or swapped on the way is seen.
mod caller;
mod count;
mod sink;

use clap::Parser;
use count::Counts;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::{JoinSet, LocalSet};

/// What is played.
#[derive(Parser, Clone, Debug)]
pub struct Args {
    /// The server's door, e.g. ws://127.0.0.1:8080/audio-fork.
    #[arg(long)]
    pub url: String,
    /// Calls at once.
    #[arg(long, default_value_t = 200)]
    pub calls: u16,
    /// Seconds that each call lasts.
    #[arg(long, default_value_t = 30)]
    pub secs: u64,
    /// Where the recogniser listens; the server's DEEPGRAM_URL.
    #[arg(long)]
    pub sink: String,
    /// Seconds after which the recogniser stops reading; 0 for never.
    #[arg(long, default_value_t = 0)]
    pub stall_after: u64,
    /// For how long, in milliseconds.
    #[arg(long, default_value_t = 2000)]
    pub stall_ms: u64,
    /// The server's process, for its memory and CPU time.
    #[arg(long)]
    pub pid: Option<u32>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args = Args::parse();
    let report = LocalSet::new().run_until(play(args)).await;
    println!("{report}");
    if report["clean"] != json!(true) {
        std::process::exit(1);
    }
}

async fn play(args: Args) -> serde_json::Value {
    let counts = Arc::new(Counts::new(args.calls));
    let listener = TcpListener::bind(&args.sink).await.expect("the recogniser's address is free");
    let stall = (args.stall_after > 0).then(|| {
        // Calls are begun over one second.
        let from = Instant::now() + Duration::from_secs(1 + args.stall_after);
        (from, from + Duration::from_millis(args.stall_ms))
    });
    tokio::task::spawn_local(sink::serve(listener, Arc::clone(&counts), stall));
    let before = usage(args.pid);
    let mut calls = JoinSet::new();
    for call in 0..args.calls {
        let pause = Duration::from_secs(1).mul_f64(f64::from(call) / f64::from(args.calls));
        calls.spawn_local(caller::play(args.clone(), call, pause, Arc::clone(&counts)));
    }
    tokio::time::sleep(Duration::from_secs(1 + args.secs / 2)).await;
    let middle = usage(args.pid);
    while let Some(call) = calls.join_next().await {
        call.expect("a caller doesn't panic");
    }
    let end = usage(args.pid);
    // The server hands on what it still holds, and says goodbye to the recogniser.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let seconds = f64::from(args.calls) * args.secs as f64;
    let mut report = counts.report(stall);
    report["calls"] = json!(args.calls);
    report["secs"] = json!(args.secs);
    report["rss_kb"] = json!({ "before": before.0, "middle": middle.0, "end": end.0 });
    report["kb_a_call"] = json!((end.0.saturating_sub(before.0)) as f64 / f64::from(args.calls));
    report["cpu_ms_a_call_second"] = json!((end.1 - before.1) * 1000.0 / seconds);
    report
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
