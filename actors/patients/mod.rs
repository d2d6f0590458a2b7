//! The port to the patients' system (R11): a document in, one of three answers out. The only file that names
//! its adapters.
pub mod disabled;
pub mod mock;
mod models;
pub mod oxitesa;

use crate::config::Patients;
use crate::openai::{CONNECT, Http, SettingsError};
use async_trait::async_trait;
use aura::equipment::Catalogue;
use aura::ids::Dni;
use aura::patient::Answer;
use disabled::Disabled;
use mock::{Mock, RosterError};
use oxitesa::Oxitesa;
use std::sync::Arc;
use std::time::Duration;

/// Which system is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The customer's own.
    Oxitesa,
    /// Patients that are made up, from a file.
    Mock,
    /// None: only where somebody chose so.
    Disabled,
}

/// The line to add for another system, beside its arm in [`open`].
const PROVIDERS: [(&str, Provider); 3] =
    [("oxitesa", Provider::Oxitesa), ("mock", Provider::Mock), ("disabled", Provider::Disabled)];

impl Provider {
    /// By the name in `PATIENT_LOOKUP_PROVIDER`; nothing else is guessed.
    pub fn parse(name: &str) -> Option<Self> {
        PROVIDERS.iter().find(|(known, _)| *known == name).map(|(_, provider)| *provider)
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        PROVIDERS.iter().find(|(_, provider)| *provider == self).map_or("", |(name, _)| name)
    }

    /// All names, for a message.
    pub fn names() -> String {
        let names: Vec<&str> = PROVIDERS.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    }
}

/// Who knows which equipment a patient was handed out.
#[async_trait]
pub trait PatientLookup: Send + Sync {
    /// The adapter's name: the `source` on the panel (R14), so that invented patients show as such.
    fn name(&self) -> &'static str;

    /// Asks once, within the adapter's own deadline (R12).
    async fn by_dni(&self, dni: Dni) -> Answer;

    /// For how much longer the system has asked to be left alone; asked before that, an adapter answers
    /// `throttled` by itself.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }
}

/// Why the patients' system can't be used as it is configured. Never holds the secret.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address or the client.
    #[error("OXITESA_URL: {0}")]
    Address(#[source] SettingsError),
    /// The secret can't be sent.
    #[error("OXITESA_SECRET holds a character that no header can carry; copy it again")]
    Secret,
    /// The file of invented patients.
    #[error(transparent)]
    Roster(#[from] RosterError),
}

/// The system that the configuration names.
pub fn open(config: &Patients, catalogue: &'static Catalogue) -> Result<Arc<dyn PatientLookup>, OpenError> {
    Ok(match config.provider {
        Provider::Oxitesa => {
            let http = Http::new(CONNECT).map_err(OpenError::Address)?;
            Arc::new(Oxitesa::new(&http, &config.oxitesa_url, &config.oxitesa_secret, catalogue)?)
        }
        Provider::Mock => Arc::new(Mock::open(config.roster.as_deref(), catalogue)?),
        Provider::Disabled => Arc::new(Disabled),
    })
}
