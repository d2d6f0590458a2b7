//! `aura doctor`: looks at everything that Aura stands on, says what it found and what to do. It changes nothing.
//!
//! Beside a running server it uses the server's database; alone it starts the embedded one for as long as it
//! looks, as every command does.
mod base;
pub mod machine;
mod models;
mod patients;
mod port;
mod recogniser;
mod report;

pub use base::clock;
pub use report::{Check, Report, Verdict};

use crate::config::{Config, ConfigError};

/// Makes every check. Each is bounded in time, and one that fails leaves the others to be made.
pub async fn examine(config: &Config) -> Report {
    let mut report = Report::default();
    report.add(machine::configuration(config));
    report.extend(machine::home(config));
    report.add(machine::descriptors(machine::descriptor_limit(), config.max_calls));
    report.add(machine::secret(config));
    report.add(port::check(config).await);
    report.add(machine::leftovers(config));
    let (check, embedder) = models::embedder(config).await;
    report.add(check);
    report.add(models::model(config).await);
    report.add(recogniser::check(config).await);
    report.add(patients::check(config).await);
    report.extend(base::examine(config, embedder.as_deref()).await);
    report
}

/// What can be said where the configuration itself isn't understood.
pub fn unconfigured(error: &ConfigError) -> Report {
    let mut report = Report::default();
    let advice = format!("set {} right (README, Configuration); nothing else could be looked at", error.name);
    report.add(Check::failure("configuration", error.to_string(), advice));
    report
}
