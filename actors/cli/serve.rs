//! `aura serve`: the service until it is told to end.
use super::Outcome;
use crate::config::Config;
use crate::journal::Sync;
use crate::service::{Parts, Service};
use crate::telemetry;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

/// How long a second signal waits for what was accepted to be on disk.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) fn run(config: &Config) -> Outcome {
    telemetry::name_panics();
    actix::System::new().block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let started = tokio::select! {
            started = Service::start(config, Parts::default()) => started?,
            _ = terminate.recv() => return Ok(ExitCode::SUCCESS),
            _ = interrupt.recv() => return Ok(ExitCode::SUCCESS),
        };
        invite(config, &started).await;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        info!("draining; a second signal ends at once");
        let journal = started.journal();
        tokio::select! {
            stopped = started.stop() => return stopped.map(|()| ExitCode::SUCCESS).map_err(Into::into),
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if tokio::time::timeout(LAST_WORDS, journal.send(Sync)).await.is_err() {
            warn!("the journal could not be synced before the end");
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The first start of a service without accounts shows the set-up link, on the terminal alone: a log would keep
/// it.
async fn invite(config: &Config, started: &Service) {
    match started.accounts().first_setup_link().await {
        Ok(Some(path)) => {
            let console = config.console(started.address);
            eprintln!(
                "\nNo account yet. Make the first administrator within 24 h (shown once; `aura user setup` makes another link):\n\n    {console}{path}\n"
            );
        }
        Ok(None) => {}
        Err(error) => warn!(%error, "no set-up link could be made; `aura user setup` makes one"),
    }
}
