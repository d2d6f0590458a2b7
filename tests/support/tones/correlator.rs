//! How much of a window's energy is in which tone.
use super::{BAUD, TONES, hertz};
use std::f64::consts::TAU;

/// A sample above this is sound.
const LOUD: u16 = 400;

/// The sixteen tones at one sample rate.
pub struct Correlator {
    /// Samples of a symbol.
    pub window: usize,
    tones: Vec<Vec<(f32, f32)>>,
}

impl Correlator {
    /// For this many samples a second.
    pub fn new(rate: u32) -> Self {
        let window = (f64::from(rate) / BAUD) as usize;
        let wave = |symbol| {
            let step = TAU * hertz(symbol) / f64::from(rate);
            (0..window).map(|n| (step * n as f64).sin_cos()).map(|(s, c)| (s as f32, c as f32)).collect()
        };
        Self { window, tones: (0..TONES).map(wave).collect() }
    }

    /// The share of a window's energy that is in this tone: 1 where nothing else is.
    pub fn share(&self, samples: &[i16], symbol: usize) -> f32 {
        let samples = &samples[..self.window];
        let (mut sine, mut cosine, mut energy) = (0.0, 0.0, f32::EPSILON);
        for (&sample, (s, c)) in samples.iter().zip(&self.tones[symbol]) {
            let sample = f32::from(sample);
            sine += sample * s;
            cosine += sample * c;
            energy += sample * sample;
        }
        (sine * sine + cosine * cosine) * 2.0 / self.window as f32 / energy
    }

    /// The strongest tone, and its share.
    pub fn strongest(&self, samples: &[i16]) -> (usize, f32) {
        let shares = (0..TONES).map(|symbol| (symbol, self.share(samples, symbol)));
        shares.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }
}

/// Whether there is sound.
pub fn loud(samples: &[i16]) -> bool {
    samples.iter().any(|sample| sample.unsigned_abs() > LOUD)
}
