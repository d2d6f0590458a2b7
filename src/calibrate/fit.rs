//! Fits a model's scale: the logistic in its cosine at which 0.5 is as likely right as wrong (DECISIONS 1).
use super::Trial;
use crate::equipment::Catalogue;
use crate::retrieval::decide::Outcome;
use crate::retrieval::score::Scale;

/// One observation: the nearest row's cosine, and whether what would be injected is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Raw cosine.
    pub cosine: f64,
    /// Whether it answers.
    pub right: bool,
}

/// A weak pull of the slope towards zero, so that a set that separates perfectly still has a finite fit.
const RIDGE: f64 = 1e-4;
/// Newton's steps; it converges in far fewer.
const STEPS: usize = 100;

/// What the trials show: each that would inject something if every row passed.
pub fn observe(trials: &[Trial<'_>], catalogue: &Catalogue) -> Vec<Observation> {
    trials
        .iter()
        .filter_map(|trial| {
            let decision = trial.decide(f32::NEG_INFINITY, Scale::Identity, catalogue)?;
            let Outcome::Hit(rows) = &decision.outcome else { return None };
            let right = trial.query.accepts(&super::Place::of(&rows.first()?.chunk));
            Some(Observation { cosine: f64::from(decision.best?.cosine), right })
        })
        .collect()
}

/// The fit by Newton's method on centred cosines; `None` where both outcomes aren't there.
pub fn logistic(observations: &[Observation]) -> Option<Scale> {
    let n = observations.len() as f64;
    let rights = observations.iter().filter(|o| o.right).count();
    if rights == 0 || rights == observations.len() {
        return None;
    }
    let mean = observations.iter().map(|o| o.cosine).sum::<f64>() / n;
    let (mut slope, mut level) = (0.0_f64, 0.0_f64);
    for _ in 0..STEPS {
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, -RIDGE * slope, 0.0, 0.0, RIDGE);
        for o in observations {
            let x = o.cosine - mean;
            let p = 1.0 / (1.0 + (-(slope * x + level)).exp());
            let (error, weight) = (f64::from(u8::from(o.right)) - p, p * (1.0 - p));
            g0 += error;
            g1 += error * x;
            h00 += weight;
            h01 += weight * x;
            h11 += weight * x * x;
        }
        let determinant = h00 * h11 - h01 * h01;
        if determinant.abs() < 1e-18 {
            break;
        }
        let (d0, d1) = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
        level += d0;
        slope += d1;
        if d0.abs() < 1e-10 && d1.abs() < 1e-8 {
            break;
        }
    }
    (slope > 0.0).then_some(Scale::Logistic { slope, intercept: level - slope * mean })
}
