//! `aura serve`: the service until it is told to end.
use super::Outcome;
use crate::config::Config;
use crate::service::{Parts, Service};
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

pub(super) fn run(config: &Config) -> Outcome {
    actix::System::new().block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let started = tokio::select! {
            started = Service::start(config, Parts::default()) => started?,
            _ = terminate.recv() => return Ok(ExitCode::SUCCESS),
            _ = interrupt.recv() => return Ok(ExitCode::SUCCESS),
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        info!("draining; a second signal ends at once");
        tokio::select! {
            stopped = started.stop() => stopped?,
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(ExitCode::SUCCESS)
    })
}
