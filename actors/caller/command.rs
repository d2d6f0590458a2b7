//! `aura call`: plays a script and prints what came of it.
use super::{CallerError, Report, Script, play};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Plays a scripted Retell call against a running service.
#[derive(Clone, Debug, clap::Args)]
pub struct CallArgs {
    /// The script (YAML).
    pub file: PathBuf,
    /// Where Retell would dial, the call's id being appended; by default this machine's server.
    #[arg(long)]
    pub url: Option<String>,
    /// Print one JSON object instead of a transcript.
    #[arg(long)]
    pub json: bool,
}

/// Plays, prints to standard output, and fails unless all was as expected.
pub async fn run(args: &CallArgs, own_server: &str) -> ExitCode {
    let url = args.url.as_deref().unwrap_or(own_server);
    let played = match Script::load(&args.file) {
        Ok(script) => play(&script, url).await,
        Err(error) => Err(error.into()),
    };
    let (report, error) = match &played {
        Ok(report) => (Some(report), None),
        Err(error @ CallerError::BrokenOff { so_far, .. }) => (Some(so_far.as_ref()), Some(error)),
        Err(error) => (None, Some(error)),
    };
    if args.json {
        print_json(report, error)
    } else {
        print_text(report, error)
    }
    let passed = error.is_none() && report.is_some_and(Report::passed);
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print_json(report: Option<&Report>, error: Option<&CallerError>) {
    let object = json!({
        "passed": error.is_none() && report.is_some_and(Report::passed),
        "problems": report.map(Report::problems).unwrap_or_default(),
        "error": error.map(ToString::to_string),
        "call": report,
    });
    println!("{object}");
}

fn print_text(report: Option<&Report>, error: Option<&CallerError>) {
    if let Some(report) = report {
        print!("{report}");
    }
    if let Some(error) = error {
        eprintln!("✗ {error}");
    }
}
