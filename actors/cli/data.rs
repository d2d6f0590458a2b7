//! Commands that read and change what is stored: manuals, settings, prompts.
use super::{Outcome, Tools, by, with_base};
use crate::config::Config;
use crate::ingest::{self, IngestOptions};
use aura::channel::Channel;
use aura::settings::{self, GLOBAL, REGISTRY, Setting};
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `aura ingest`.
#[derive(clap::Args)]
pub(super) struct IngestArgs {
    /// The folder of the manuals.
    dir: PathBuf,
    /// Remove files even if more than a tenth of the base goes.
    #[arg(long)]
    prune: bool,
    /// Show the difference, write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// `aura settings …`
#[derive(clap::Subcommand)]
pub(super) enum SettingsCommand {
    /// Show a setting, or all of them.
    Get {
        /// E.g. rag.knowledgeThreshold.
        key: Option<String>,
        /// Only this scope's row: global or a channel.
        #[arg(long)]
        scope: Option<String>,
    },
    /// Change a setting.
    Set {
        /// E.g. rag.knowledgeThreshold.
        key: String,
        /// The value; numbers and true/false as such, anything else as text.
        #[arg(allow_negative_numbers = true)]
        value: String,
        /// global or a channel.
        #[arg(long, default_value = GLOBAL)]
        scope: String,
    },
    /// Remove a row, so that the next wider one holds again.
    Unset {
        /// E.g. rag.knowledgeThreshold.
        key: String,
        /// global or a channel.
        #[arg(long, default_value = GLOBAL)]
        scope: String,
    },
}

/// `aura prompts …`
#[derive(clap::Subcommand)]
pub(super) enum PromptsCommand {
    /// List all versions; the active ones are marked.
    List,
    /// Make a version the active one.
    Activate {
        /// E.g. agent_identity.
        key: String,
        /// E.g. 1.0.0.
        version: String,
    },
}

pub(super) async fn ingest(config: &Config, args: IngestArgs) -> Outcome {
    with_base(config, async |tools| {
        let embedder = tools.embedder().await?;
        let options = IngestOptions { prune: args.prune, dry_run: args.dry_run };
        let report = ingest::ingest(&tools.store, embedder.as_ref(), &args.dir, options).await?;
        print!("{report}");
        Ok(if report.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
    .await
}

pub(super) async fn reembed(config: &Config) -> Outcome {
    with_base(config, async |tools| {
        let embedder = crate::embed::open(&tools.config)?;
        let report = crate::reembed::reembed(&tools.store, embedder.as_ref()).await?;
        println!("{report}");
        Ok(ExitCode::SUCCESS)
    })
    .await
}

pub(super) async fn settings(config: &Config, command: SettingsCommand) -> Outcome {
    with_base(config, async |tools| match command {
        SettingsCommand::Get { key, scope } => get(&tools, key, scope).await,
        SettingsCommand::Set { key, value, scope } => {
            let setting = settings::find(&key)?;
            let value = read_value(setting, &value);
            setting.check(&scope, &value)?;
            tools.store.change_setting(&key, &scope, Some(&value), &by()).await?;
            println!("{key} [{scope}] = {value}");
            Ok(ExitCode::SUCCESS)
        }
        SettingsCommand::Unset { key, scope } => {
            settings::find(&key)?.check_scope(&scope)?;
            let former = tools.store.change_setting(&key, &scope, None, &by()).await?;
            println!("{key} [{scope}] {}", if former.is_some() { "unset" } else { "had no row" });
            Ok(ExitCode::SUCCESS)
        }
    })
    .await
}

/// What was typed, in the setting's own kind: a text setting takes `42` as text.
fn read_value(setting: &Setting, typed: &str) -> Value {
    if matches!(setting.default, settings::Fallback::Text(_)) {
        return Value::String(typed.to_owned());
    }
    serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_owned()))
}

async fn get(tools: &Arc<Tools>, key: Option<String>, scope: Option<String>) -> Outcome {
    let wanted: Vec<&Setting> = match &key {
        Some(key) => vec![settings::find(key)?],
        None => REGISTRY.to_vec(),
    };
    let rows = tools.store.settings().await?;
    for setting in wanted {
        // Of all settings, only those that may have the scope; of one by name, a wrong scope is an error.
        match scope.as_deref().map_or(Ok(()), |scope| setting.check_scope(scope)) {
            Err(error) if key.is_some() || Channel::parse(scope.as_deref().unwrap_or_default()).is_none() => {
                return Err(error.into());
            }
            Err(_) => continue,
            Ok(()) => {}
        }
        let rows = rows.iter().filter(|(key, ..)| *key == setting.name);
        let rows: Vec<_> = rows.filter(|(_, of, _)| scope.as_ref().is_none_or(|scope| scope == of)).collect();
        for (_, scope, value) in &rows {
            println!("{} [{}] = {}", setting.name, scope, value);
        }
        if rows.is_empty() {
            println!("{} (default {}): {}; {}", setting.name, setting.default, setting.kind, setting.about);
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn prompts(config: &Config, command: PromptsCommand) -> Outcome {
    with_base(config, async |tools| {
        match command {
            PromptsCommand::List => {
                for version in tools.store.prompts().await? {
                    let mark = if version.active { "*" } else { " " };
                    println!("{mark} {} {} {}", version.key, version.version, &version.sha256[..12]);
                }
            }
            PromptsCommand::Activate { key, version } => {
                tools.store.activate_prompt(&key, &version, &by()).await?;
                println!("{key} {version} is active for calls that start from now on");
            }
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}
