//! `aura doctor`: what Aura stands on, looked at and said; exit code 1 where something fails.
use super::Outcome;
use crate::config::{Config, ConfigError};
use crate::doctor::{self, Report, Verdict};
use std::process::ExitCode;

/// Arguments of `aura doctor`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, args: Args) -> Outcome {
    Ok(tell(&doctor::examine(config).await, &args))
}

/// The report where the variables can't be understood.
pub(super) fn unconfigured(error: &ConfigError, args: &Args) -> ExitCode {
    tell(&doctor::unconfigured(error), args)
}

fn tell(report: &Report, args: &Args) -> ExitCode {
    match args.json {
        true => println!("{}", report.to_json()),
        false => println!("{report}"),
    }
    if report.verdict() == Verdict::Failure { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
