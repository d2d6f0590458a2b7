//! `aura call`: plays a script and prints what came of it.
use super::{CallerError, ForkReport, Live, Playing, Report, Scripted, Sitting, Voice, play, play_fork};
use serde::Serialize;
use serde_json::json;
use std::fmt::Display;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// Plays a scripted call against a running service: Retell's, or one that a PBX forks.
#[derive(Clone, Debug, clap::Args)]
pub struct CallArgs {
    /// The script (YAML).
    pub file: PathBuf,
    /// Where to dial, by default this machine's server. Retell's URL gets the call's id appended, a PBX's
    /// `?rate=8000&ch=2&call=<id>`.
    #[arg(long)]
    pub url: Option<String>,
    /// Print one JSON object instead of a transcript.
    #[arg(long)]
    pub json: bool,
    /// How many times faster than life a forked call is played.
    #[arg(long, default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// How the lines of a forked call are spoken.
    #[arg(long, value_enum, default_value_t)]
    pub voice: Voice,
}

/// Where this machine's server is dialled.
#[derive(Clone, Debug)]
pub struct OwnDoors {
    /// By Retell.
    pub retell: String,
    /// By a PBX.
    pub audio_fork: String,
    /// By an operator, and the token that they show; where there is none, nobody sits at the desk.
    pub desk: Option<Sitting>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (0.1..=1_000.0).contains(speed));
    speed.ok_or_else(|| "expected a number from 0.1 to 1000".to_owned())
}

/// Plays, prints to standard output, and fails unless all was as expected.
pub async fn run(args: &CallArgs, own: &OwnDoors) -> ExitCode {
    match Scripted::load(&args.file) {
        Ok(Scripted::Retell(script)) => {
            let played = play(&script, args.url.as_deref().unwrap_or(&own.retell)).await;
            show(args.json, &played, Report::problems)
        }
        Ok(Scripted::AudioFork(script)) => {
            let url = args.url.as_deref().unwrap_or(&own.audio_fork);
            let desk = own.desk.clone();
            let playing = Playing { speed: args.speed, voice: args.voice, desk, ..Playing::default() };
            let terminal = stdout().is_terminal();
            let mut live = if args.json { Live::off() } else { Live::new(stdout(), terminal) };
            let played = play_fork(&script, url, &playing, &mut live).await;
            if !args.json {
                println!();
            }
            show(args.json, &played, ForkReport::problems)
        }
        Err(error) => show(args.json, &Err(error.into()), Report::problems),
    }
}

fn show<R: Serialize + Display>(
    json: bool,
    played: &Result<R, CallerError<R>>,
    problems: fn(&R) -> Vec<String>,
) -> ExitCode {
    let (report, error) = match played {
        Ok(report) => (Some(report), None),
        Err(error @ CallerError::BrokenOff { so_far, .. }) => (Some(so_far.as_ref()), Some(error)),
        Err(error) => (None, Some(error)),
    };
    let problems = report.map(problems);
    let passed = error.is_none() && problems.as_ref().is_some_and(Vec::is_empty);
    if json {
        let object = json!({
            "passed": passed,
            "problems": problems.unwrap_or_default(),
            "error": error.map(ToString::to_string),
            "call": report,
        });
        println!("{object}");
    } else {
        report.iter().for_each(|report| print!("{report}"));
        error.iter().for_each(|error| eprintln!("✗ {error}"));
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
