//! From a model's raw cosine to the scale that thresholds speak (DECISIONS 1).
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// How one embedding model's cosine becomes a score, 0 to 1, never falling as the cosine rises.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scale {
    /// The cosine as it is: OpenAI's models, on which the thresholds were measured.
    Identity,
    /// `1 / (1 + exp(-(slope * cosine + intercept)))`: 0.5 is as likely right as wrong.
    Logistic {
        /// Steepness; positive.
        slope: f64,
        /// Where 0.5 lies.
        intercept: f64,
    },
}

impl Scale {
    /// The score of a raw cosine.
    pub fn score(self, cosine: f32) -> f32 {
        match self {
            Self::Identity => cosine,
            Self::Logistic { slope, intercept } => {
                (1.0 / (1.0 + (-(slope * f64::from(cosine) + intercept)).exp())) as f32
            }
        }
    }
}

/// A measure as it is written down: six decimals, without the noise of its binary form.
pub fn written(measure: f32) -> f64 {
    (f64::from(measure) * 1e6).round() / 1e6
}

/// The reviewed constants, with where they come from.
static SCALES: LazyLock<Vec<Fitted>> = LazyLock::new(|| {
    let table: Result<Table, _> = toml::from_str(include_str!("scales.toml"));
    table.map(|table| table.scale).unwrap_or_default()
});

#[derive(Deserialize)]
struct Table {
    scale: Vec<Fitted>,
}

/// One model's fitted constants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Fitted {
    /// The embedding model.
    pub model: String,
    /// Steepness.
    pub slope: f64,
    /// Where 0.5 lies.
    pub intercept: f64,
    /// When it was fitted.
    pub date: String,
    /// On what.
    pub corpus: String,
    /// On how many labelled queries.
    pub n: usize,
}

/// All fitted constants.
pub fn fitted() -> &'static [Fitted] {
    &SCALES
}

impl Scale {
    /// The scale of a model: its fitted constants, else the identity.
    pub fn of_model(model: &str) -> Self {
        match fitted().iter().find(|fitted| fitted.model == model) {
            Some(fitted) => Self::Logistic { slope: fitted.slope, intercept: fitted.intercept },
            None => Self::Identity,
        }
    }
}
