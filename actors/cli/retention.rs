//! `aura retention`: the nightly job, by hand.
use super::{Outcome, by, with_base};
use crate::base;
use crate::config::Config;
use crate::retention::{self, Sweep};
use jiff::Timestamp;
use std::process::ExitCode;

/// `aura retention …`
#[derive(clap::Subcommand)]
pub(super) enum RetentionCommand {
    /// Delete what is older than its setting allows (retention.*), as every night.
    Run {
        /// Only count it.
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) async fn run(config: &Config, RetentionCommand::Run { dry_run }: RetentionCommand) -> Outcome {
    with_base(config, async |tools| {
        let settings = base::snapshot(&tools.store.settings().await?);
        let limits = retention::limits(&settings, Timestamp::now());
        if dry_run {
            println!("would be deleted: {}", retention::count(&tools.store, &limits).await?);
            return Ok(ExitCode::SUCCESS);
        }
        match tools.store.sweep(&limits, &by()).await? {
            Some(swept) => println!("deleted: {swept}"),
            None => return Err("another process deletes by age at this moment; it does the same work".into()),
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}
