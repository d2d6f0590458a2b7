//! `aura desk`: signs an operator in and shows them the desk.
use super::Outcome;
use crate::config::Config;
use crate::console::{self, door::Door};
use crate::telemetry;
use aura::phrases::console::{ask, end};
use std::error::Error;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::process::ExitCode;

/// The longest name that is read, in bytes.
const LONGEST: u64 = 256;

/// Arguments of `aura desk`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The server's desk (ws or wss), by default this machine's.
    #[arg(long)]
    url: Option<String>,
    /// The telephone extension at which the operator sits: forked calls of that extension become theirs.
    #[arg(long)]
    extension: Option<String>,
    /// The account's name; asked for where neither it nor AURA_DESK_TOKEN is given.
    #[arg(long)]
    name: Option<String>,
}

pub(super) async fn run(config: &Config, args: Args) -> Outcome {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(end::NO_TERMINAL.es.into());
    }
    telemetry::name_panics();
    let mut door = Door::new(&args.url.unwrap_or_else(|| format!("ws://{}/desk", config.dial())))?;
    if door.is_open() {
        eprintln!("{}", end::OPEN.es);
    }
    match config.desk_token.clone() {
        Some(token) => door.with_token(token),
        None => sign_in(&mut door, args.name).await?,
    }
    let first = door.open().await?;
    match console::run(door, first, args.extension).await? {
        Some(farewell) => Err(farewell.into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

async fn sign_in(door: &mut Door, name: Option<String>) -> Result<(), Box<dyn Error>> {
    let name = match name {
        Some(name) => name,
        None => line(ask::NAME.es)?,
    };
    let password = rpassword::prompt_password(ask::PASSWORD.es)?;
    Ok(door.sign_in(&name, &password).await?)
}

fn line(question: &str) -> Result<String, Box<dyn Error>> {
    print!("{question}");
    stdout().flush()?;
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stdin().lock().take(LONGEST), &mut line)?;
    Ok(line.trim().to_owned())
}
