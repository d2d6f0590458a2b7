//! `aura simulate`: whole calls by repeatable chance, on all cores, until an invariant doesn't hold.
use super::Outcome as Done;
use aura::simulation::{Outcome, simulate};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Arguments of `aura simulate`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// How many seeds, one call each.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// One seed alone.
    #[arg(long, conflicts_with_all = ["seeds", "from"])]
    seed: Option<u64>,
    /// Print all that happens in that call.
    #[arg(long, requires = "seed")]
    trace: bool,
}

/// So many seeds between two lines of progress.
const PROGRESS: u64 = 10_000;

/// Runs the seeds; exit code 1 if an invariant didn't hold.
pub(super) fn run(args: &Args) -> Done {
    let start = Instant::now();
    if let Some(seed) = args.seed {
        return Ok(show(&simulate(seed, start), args.trace));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let work = Work {
        start,
        next: AtomicU64::new(args.from),
        end: args.from.saturating_add(args.seeds),
        stop: AtomicBool::new(false),
    };
    let shares = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| work.share())).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| PANICKED)).collect::<Result<Vec<_>, _>>()
    })?;
    let mut total = Share::default();
    shares.into_iter().for_each(|share| total.add(share));
    total.print();
    Ok(total.first.map_or(ExitCode::SUCCESS, |outcome| show(&outcome, false)))
}

const PANICKED: &str =
    "a simulated call panicked: its message stands above; run `aura simulate --from N` to find its seed";

struct Work {
    start: Instant,
    next: AtomicU64,
    end: u64,
    stop: AtomicBool,
}

impl Work {
    /// Takes seeds until there are none, or one of them failed.
    fn share(&self) -> Share {
        let mut share = Share::default();
        while !self.stop.load(Ordering::Relaxed) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.end {
                break;
            }
            let outcome = simulate(seed, self.start);
            if outcome.violation.is_some() {
                self.stop.store(true, Ordering::Relaxed);
            }
            share.take(outcome);
            if (seed + 1).is_multiple_of(PROGRESS) {
                eprintln!("seed {} …", seed + 1);
            }
        }
        share
    }
}

/// What came of some calls.
#[derive(Default)]
struct Share {
    calls: u64,
    steps: u64,
    counts: BTreeMap<String, u64>,
    first: Option<Outcome>,
}

impl Share {
    fn take(&mut self, mut outcome: Outcome) {
        let counts = std::mem::take(&mut outcome.counts);
        let (steps, first) = (outcome.steps, outcome.violation.is_some().then_some(outcome));
        self.add(Self { calls: 1, steps, counts, first });
    }

    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.steps += other.steps;
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        let earlier = |known: &Outcome| other.first.as_ref().is_some_and(|first| first.seed < known.seed);
        if self.first.as_ref().is_none_or(earlier) && other.first.is_some() {
            self.first = other.first;
        }
    }

    fn print(&self) {
        println!("{} calls, {} inputs", self.calls, self.steps);
        for (name, count) in &self.counts {
            println!("{count:>10}  {name}");
        }
    }
}

fn show(outcome: &Outcome, all: bool) -> ExitCode {
    if all {
        outcome.trace.iter().for_each(|line| println!("{line}"));
    }
    let Some(violation) = &outcome.violation else {
        println!("seed {}: {} inputs, digest {}", outcome.seed, outcome.steps, outcome.digest());
        return ExitCode::SUCCESS;
    };
    if !all {
        violation.tail.iter().for_each(|line| println!("{line}"));
    }
    println!(
        "seed {}, input {}: {} doesn't hold: {}\nsee it whole: aura simulate --seed {} --trace",
        outcome.seed, violation.step, violation.invariant, violation.detail, outcome.seed
    );
    ExitCode::FAILURE
}
