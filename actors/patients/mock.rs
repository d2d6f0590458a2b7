//! Patients that are made up, from a file: for working without the patients' system (R11).
use super::PatientLookup;
use super::models::{Raw, halves};
use async_trait::async_trait;
use aura::equipment::Catalogue;
use aura::ids::Dni;
use aura::patient::{Answer, Context, Device, Devices};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The roster that ships with Aura.
const SAMPLE: &str = include_str!("roster.toml");

/// Why a roster can't be used. It names the patient's place in the file, never the document.
#[derive(Debug, thiserror::Error)]
#[error("the roster {} (AURA_ROSTER) can't be used: {why}; actors/patients/roster.toml shows the format", file.display())]
pub struct RosterError {
    /// Which file.
    pub file: PathBuf,
    /// Why.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Roster {
    #[serde(default)]
    patient: Vec<Patient>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Patient {
    dni: String,
    #[serde(default)]
    device: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    name: String,
    model: Option<String>,
    brand: Option<String>,
    sku: Option<String>,
    category: Option<String>,
}

/// The roster in memory.
pub struct Mock(BTreeMap<Dni, (Context, Devices)>);

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mock({} patients)", self.0.len())
    }
}

impl Mock {
    /// Reads a file, or the sample that ships with Aura.
    pub fn open(file: Option<&Path>, catalogue: &Catalogue) -> Result<Self, RosterError> {
        let Some(file) = file else { return Self::parse(SAMPLE, Path::new("sample"), catalogue) };
        let read = std::fs::read_to_string(file);
        let text = read.map_err(|why| RosterError { file: file.to_owned(), why: why.to_string() })?;
        Self::parse(&text, file, catalogue)
    }

    /// How many patients.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn parse(text: &str, file: &Path, catalogue: &Catalogue) -> Result<Self, RosterError> {
        let refuse = |why: String| RosterError { file: file.to_owned(), why };
        // Of toml's own message only where: the rest quotes what stands there.
        let roster: Roster = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].lines().count().max(1));
            refuse(format!("line {line}: a field is missing, unknown or of another kind, or it is no TOML"))
        })?;
        let mut patients = BTreeMap::new();
        for (n, Patient { dni, device }) in roster.patient.into_iter().enumerate() {
            let dni = Dni::parse(&dni).map_err(|why| refuse(format!("patient {}: {why}", n + 1)))?;
            let halves = halves(device.into_iter().map(raw).collect(), catalogue);
            if patients.insert(dni, halves).is_some() {
                return Err(refuse(format!("patient {}: the document stands there twice", n + 1)));
            }
        }
        Ok(Self(patients))
    }
}

fn raw(listed: Listed) -> Raw {
    let Listed { name, model, brand, sku, category } = listed;
    Raw { device: Device { name, brand, sku, category }, model }
}

#[async_trait]
impl PatientLookup for Mock {
    fn name(&self) -> &'static str {
        "mock"
    }

    async fn by_dni(&self, dni: Dni) -> Answer {
        match self.0.get(&dni) {
            Some((context, devices)) => Answer::Found(context.clone(), devices.clone()),
            None => Answer::NotFound,
        }
    }
}
