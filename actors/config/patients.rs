//! What is configured of the patients' system: who is asked, where, with which secret.
use super::{ConfigError, Parse, bad};
use crate::patients::Provider;
use crate::secret::Secret;
use std::net::SocketAddr;
use std::path::PathBuf;

/// All of it.
#[derive(Clone, Debug)]
pub struct Patients {
    /// `PATIENT_LOOKUP_PROVIDER`; unset follows what is configured, and never turns the look-up off (R11).
    pub provider: Provider,
    /// `OXITESA_URL`: the base below which `/v1/aura/patient-lookup` is; there whenever it is the provider.
    pub oxitesa_url: String,
    /// `OXITESA_SECRET`: the shared secret; there whenever it is the provider.
    pub oxitesa_secret: Secret,
    /// `AURA_ROSTER`: the file of the patients that are made up; unset is the sample that ships with Aura.
    pub roster: Option<PathBuf>,
}

impl Patients {
    pub(super) fn read(parse: &Parse<'_>, listen: SocketAddr) -> Result<Self, ConfigError> {
        let get = parse.get;
        let patients = Self {
            provider: provider(get, listen)?,
            oxitesa_url: get("OXITESA_URL").unwrap_or_default(),
            oxitesa_secret: Secret::new(get("OXITESA_SECRET").unwrap_or_default()),
            roster: get("AURA_ROSTER").map(PathBuf::from),
        };
        patients.check()?;
        Ok(patients)
    }

    fn check(&self) -> Result<(), ConfigError> {
        if self.provider != Provider::Oxitesa {
            return Ok(());
        }
        let missing = |name, expected: &str| Err(bad(name, "", expected));
        if self.oxitesa_url.trim().is_empty() {
            return missing("OXITESA_URL", "the system's address, since it is the provider of patients");
        }
        if self.oxitesa_secret.expose().is_empty() {
            return missing("OXITESA_SECRET", "the secret that OXITESA_URL shares with Aura");
        }
        Ok(())
    }
}

fn provider(get: &dyn Fn(&str) -> Option<String>, listen: SocketAddr) -> Result<Provider, ConfigError> {
    let name = "PATIENT_LOOKUP_PROVIDER";
    match get(name) {
        Some(chosen) => Provider::parse(&chosen).ok_or_else(|| bad(name, &chosen, &Provider::names())),
        None if get("OXITESA_URL").is_some() => Ok(Provider::Oxitesa),
        None if listen.ip().is_loopback() => Ok(Provider::Mock),
        None => Err(ConfigError {
            name,
            value: String::new(),
            expected: format!(
                "a choice of {}, since AURA_LISTEN={listen} can be reached from outside and OXITESA_URL isn't set",
                Provider::names()
            ),
        }),
    }
}
