//! Drives many concurrent calls of the Retell custom-LLM websocket protocol against one
//! server and reports what a caller would notice: turn overhead, jitter, barge-in.

mod call;
mod http;
mod procfs;
mod report;
mod script;
mod step;
mod summary;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use serde::Serialize;

#[derive(Parser)]
#[command(about = "Load generator for the Retell custom-LLM websocket protocol")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ramp up calls against one server and write a JSON report.
    Run(Box<Args>),
    /// Print the reports of one or more runs as one Markdown table.
    Table {
        /// JSON reports written by `run`.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
}

/// When to send `call_details`.
#[derive(Clone, Copy, ValueEnum, Serialize, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum CallDetails {
    /// When the server's config asks for it, as Retell does.
    Auto,
    /// Right after connecting.
    Always,
    Never,
}

/// How closely to check an answer against what the mock said.
#[derive(Clone, Copy, ValueEnum, Serialize, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// The right number of words, the turn's own id at the end.
    Full,
    /// The turn's own id at the end.
    Tail,
    /// Something was said.
    Some,
}

#[derive(clap::Args, Serialize, Clone, Debug)]
pub struct Args {
    /// Name of the server in the report.
    #[arg(long)]
    pub label: String,
    /// Websocket address; {call_id} is replaced. Only loopback hosts are accepted.
    #[arg(long, default_value = "ws://127.0.0.1:8080/llm-websocket/{call_id}")]
    pub url: String,
    /// host:port of mockllm.
    #[arg(long, default_value = "127.0.0.1:9100")]
    pub mock: String,
    /// Process of the server, its descendants included, to account memory and CPU for.
    #[arg(long)]
    pub pid: Option<i32>,
    /// Where to write the JSON report.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Numbers of concurrent calls to try, in order.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,10,50,100,200,500,1000,2000"
    )]
    pub steps: Vec<usize>,
    /// After the first step that fails, try this many more by halving the interval.
    #[arg(long, default_value_t = 0)]
    pub refine: usize,
    /// Seconds during which turns are begun in each step.
    #[arg(long, default_value_t = 20)]
    pub secs: u64,
    /// Milliseconds from the start of one turn of a call to the next. Small steps use less,
    /// so that each has some 60 turns.
    #[arg(long, default_value_t = 5000)]
    pub period_ms: u64,
    /// Partial transcripts (update_only) before each turn.
    #[arg(long, default_value_t = 4)]
    pub partials: usize,
    /// Milliseconds between partial transcripts.
    #[arg(long, default_value_t = 150)]
    pub partial_gap_ms: u64,
    /// Share of turns in which the caller speaks again while the answer streams.
    #[arg(long, default_value_t = 0.3)]
    pub barge: f64,
    /// Content frames of the old answer after which the caller speaks again; with 0 it
    /// does so half way through the mock's time to first token.
    #[arg(long, default_value_t = 8)]
    pub barge_after: usize,
    /// Milliseconds between ping_pong messages of a call; 0 sends none.
    #[arg(long, default_value_t = 2000)]
    pub ping_ms: u64,
    /// New calls per second while a step connects; 0 spreads them over ten seconds.
    #[arg(long, default_value_t = 0)]
    pub connect_rate: u64,
    /// Milliseconds after which a turn has failed.
    #[arg(long, default_value_t = 10_000)]
    pub turn_timeout_ms: u64,
    #[arg(long, value_enum, default_value = "auto")]
    pub call_details: CallDetails,
    #[arg(long, value_enum, default_value = "full")]
    pub verify: Verify,
    /// A step fails when the 99th percentile of turn overhead is above this.
    #[arg(long, default_value_t = 500.0)]
    pub limit_ms: f64,
    /// A step fails when more than this share of turns and calls fails.
    #[arg(long, default_value_t = 0.001)]
    pub max_errors: f64,
    /// The mock's time to first token, set at the start.
    #[arg(long, default_value_t = 50)]
    pub ttft_ms: u64,
    /// The mock's delay between tokens, set at the start.
    #[arg(long, default_value_t = 10)]
    pub itd_ms: u64,
    /// The mock's tokens per answer, set at the start.
    #[arg(long, default_value_t = 40)]
    pub tokens: usize,
    /// Tokens of the answer's first sentence, for a server that releases whole sentences: the
    /// mock's time from the first token to the last of these is not the server's overhead.
    #[arg(long, default_value_t = 1)]
    pub first_sentence_tokens: u64,
    /// Times to repeat a step during which the hypervisor took a CPU away for more than 2 %
    /// of the time; the last try counts.
    #[arg(long, default_value_t = 2)]
    pub retries: usize,
    /// Calls of a warm-up step that is not reported; 0 for none. Memory per call is counted
    /// from the end of the warm-up.
    #[arg(long, default_value_t = 5)]
    pub warmup: usize,
}

impl Args {
    /// The host and port of the websocket address.
    fn host(&self) -> Result<&str, String> {
        let rest = self
            .url
            .strip_prefix("ws://")
            .ok_or("the url must start with ws://")?;
        Ok(rest.split('/').next().unwrap_or(rest))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::Table { reports } => {
            let runs: Result<Vec<_>, _> = reports.iter().map(|p| report::Run::load(p)).collect();
            print!("{}", report::table(&runs?));
            Ok(())
        }
        Command::Run(args) => {
            procfs::raise_file_limit();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            tokio::task::LocalSet::new().block_on(&runtime, run(*args))
        }
    }
}

async fn run(args: Args) -> Result<(), Box<dyn std::error::Error>> {
    let target = http::loopback(args.host()?).await?;
    let mock = http::loopback(&args.mock).await?;
    http::post(
        mock,
        "/config",
        &format!(
            r#"{{"ttft_ms":{},"itd_ms":{},"tokens":{}}}"#,
            args.ttft_ms, args.itd_ms, args.tokens
        ),
    )
    .await?;
    let rss_kb = || args.pid.map(procfs::usage).unwrap_or_default().rss_kb;
    let mut run = report::Run::new(&args, rss_kb());
    let mut bench = step::Bench {
        args: &args,
        target,
        mock,
        base_rss_kb: run.rss_idle_kb,
        run_id: procfs::mono_ns(),
        begun: Default::default(),
    };

    if args.warmup > 0 {
        eprintln!("{}: warm-up with {} calls", args.label, args.warmup);
        bench.step(args.warmup).await?;
        // What the first calls load once and for all is no cost of each call.
        bench.base_rss_kb = rss_kb();
        run.rss_warm_kb = bench.base_rss_kb;
    }
    let (mut good, mut bad) = (0, None);
    for &n in &args.steps {
        let result = bench.quiet_step(n).await?;
        eprint!("{}", report::progress(&args.label, &result));
        let ok = result.ok;
        run.push(result, &args)?;
        if !ok {
            bad = Some(n);
            break;
        }
        good = n;
    }
    for _ in 0..args.refine {
        let Some(limit) = bad else { break };
        let n = (good + limit) / 2;
        if n == good {
            break;
        }
        let result = bench.quiet_step(n).await?;
        eprint!("{}", report::progress(&args.label, &result));
        if result.ok {
            good = n;
        } else {
            bad = Some(n);
        }
        run.push(result, &args)?;
    }
    print!("{}", report::table(&[run]));
    Ok(())
}
