//! From a model's raw cosine to the scale that thresholds speak (DECISIONS 1).
use serde::{Deserialize, Serialize};

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
