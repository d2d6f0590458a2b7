//! The command line: one command a file; `aura serve` is the service, the rest work beside it or alone.
mod ask;
mod audit;
mod calibrate;
mod data;
mod desk;
mod doctor;
mod extract;
mod patient;
mod retention;
mod serve;
mod simulate;
mod user;

use crate::base::{Base, BaseError};
use crate::caller;
use crate::config::Config;
use crate::embed::{self, Embedder};
use crate::postgres::Role;
use crate::secret::Secret;
use crate::telemetry;
use clap::{Parser, Subcommand};
use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Parser)]
#[command(
    name = "aura",
    version,
    about = "Hears a support call about home oxygen and finds the right row of the right manual"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve calls until SIGTERM or Ctrl-C.
    Serve,
    /// Show what the engine makes of a turn: query, filter, candidates, block, messages.
    Ask(ask::Args),
    /// Show which document number is in what somebody says.
    Extract(extract::Args),
    /// Play a scripted call over a real websocket.
    Call(caller::CallArgs),
    /// Show the operators' desk in this terminal: live calls, what is said, what could be answered.
    Desk(desk::Args),
    /// Bring the base of manuals in line with a folder.
    Ingest(data::IngestArgs),
    /// Embed manuals and lessons anew after a change of embedder.
    Reembed,
    /// Read and change runtime settings; live in the next turn of every call.
    #[command(subcommand)]
    Settings(data::SettingsCommand),
    /// List prompt versions and activate one; live for calls that start after.
    #[command(subcommand)]
    Prompts(data::PromptsCommand),
    /// See whether the audit trail holds, and what is in it.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Give out or erase all that is kept of a patient.
    #[command(subcommand)]
    Patient(patient::PatientCommand),
    /// Delete what is over its age, as the server does every night.
    #[command(subcommand)]
    Retention(retention::RetentionCommand),
    /// Accounts: add, list, disable; passwords, tokens, the set-up link.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Look at everything that Aura stands on and say what to do; changes nothing.
    Doctor(doctor::Args),
    /// Measure retrieval on a labelled set, without and with the equipment filter (R31).
    Calibrate(calibrate::Args),
    /// Run whole calls by repeatable chance and hold each step against the invariants.
    Simulate(simulate::Args),
}

/// What a command ends with: the error's own words on standard error, and exit code 1.
pub(super) type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

/// Reads the arguments and runs the command.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let config = match Config::from_env() {
        Ok(config) => config,
        Err(error) => {
            return match cli.command {
                Command::Doctor(args) => doctor::unconfigured(&error, &args),
                _ => fail(&error),
            };
        }
    };
    telemetry::start_logs(config.log_format, &default_filter(&cli.command, &config));
    let done = match cli.command {
        Command::Serve => serve::run(&config),
        Command::Ask(args) => block_on(ask::run(&config, args)),
        Command::Extract(args) => extract::run(&args),
        Command::Call(args) => block_on(call(&config, args)),
        Command::Desk(args) => block_on(desk::run(&config, args)),
        Command::Ingest(args) => block_on(data::ingest(&config, args)),
        Command::Reembed => block_on(data::reembed(&config)),
        Command::Settings(command) => block_on(data::settings(&config, command)),
        Command::Prompts(command) => block_on(data::prompts(&config, command)),
        Command::Audit(command) => block_on(audit::run(&config, command)),
        Command::Patient(command) => block_on(patient::run(&config, command)),
        Command::Retention(command) => block_on(retention::run(&config, command)),
        Command::User(command) => block_on(user::run(&config, command)),
        Command::Doctor(args) => block_on(doctor::run(&config, args)),
        Command::Calibrate(args) => block_on(calibrate::run(&config, args)),
        Command::Simulate(args) => simulate::run(&args),
    };
    done.unwrap_or_else(|error| fail(&*error))
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("aura: {error}");
    ExitCode::FAILURE
}

/// Commands print their result; their logs are for when something is wrong.
fn default_filter(command: &Command, config: &Config) -> String {
    match (&config.log_filter, command) {
        (Some(filter), _) => filter.clone(),
        // What libraries say at info is of use to nobody who serves calls.
        (None, Command::Serve) => "warn,aura=info,aura_actors=info".to_owned(),
        // The screen is the operator's; where a panic was is said once it is given back.
        (None, Command::Desk(_)) => "off,aura_actors::telemetry=error".to_owned(),
        (None, _) => "warn".to_owned(),
    }
}

fn block_on(work: impl Future<Output = Outcome>) -> Outcome {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?.block_on(work)
}

/// Opens the base, lets `work` use it, and closes it whatever came of that.
pub(super) async fn with_base<T, F>(
    config: &Config,
    work: impl FnOnce(Arc<Tools>) -> F,
) -> Result<T, Box<dyn std::error::Error>>
where
    F: Future<Output = Result<T, Box<dyn std::error::Error>>>,
{
    let base = Base::open(config, Role::Command).await?;
    let tools = Arc::new(Tools { store: base.store.clone(), config: config.clone() });
    let done = work(tools).await;
    let closed: Result<(), BaseError> = base.close().await;
    let value = done?;
    closed?;
    Ok(value)
}

/// What a command works with.
pub(super) struct Tools {
    /// The database.
    pub store: Arc<crate::store::Store>,
    /// The configuration.
    pub config: Config,
}

impl Tools {
    /// The configured embedder, checked against the base (DECISIONS 2).
    pub async fn embedder(&self) -> Result<Arc<dyn Embedder>, Box<dyn std::error::Error>> {
        let embedder = embed::open(&self.config)?;
        crate::base::check_model(&self.store, embedder.as_ref()).await?;
        Ok(embedder)
    }
}

/// Who runs this command, for the audit trail: the account of the machine, which no variable can feign.
pub(super) fn by() -> String {
    let uid = rustix::process::getuid().as_raw().to_string();
    let asked = std::process::Command::new("getent").args(["passwd", &uid]).output();
    let answer = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let name = answer.split(':').next().filter(|name| !name.is_empty());
    name.map_or_else(|| format!("command:uid {uid}"), |name| format!("command:{name}"))
}

async fn call(config: &Config, args: caller::CallArgs) -> Outcome {
    let first = |secrets: &[Secret]| secrets.first().map(|secret| format!("/{}", secret.expose()));
    let (secret, token) = (first(&config.retell_secrets), first(&config.ears.tokens));
    let own = caller::OwnDoors {
        retell: format!("ws://{}/llm-websocket{}", config.dial(), secret.unwrap_or_default()),
        audio_fork: format!("ws://{}/audio-fork{}", config.dial(), token.unwrap_or_default()),
        desk: config
            .desk_token
            .clone()
            .map(|token| caller::Sitting { url: format!("ws://{}/desk", config.dial()), token }),
    };
    Ok(caller::run(&args, &own).await)
}
