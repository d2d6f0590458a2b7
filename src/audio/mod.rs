//! Samples: from a PBX's bytes, and from one rate to another.
mod codec;
mod resample;

pub use codec::{Decoder, Samples};
pub use resample::Resampler;

use std::ops::RangeInclusive;

/// Sample rates that are understood, a second.
pub const RATES: RangeInclusive<u32> = 8_000..=192_000;

/// All telephony and sound-card rates are multiples of this; a resampler of others would need blocks of
/// a second.
const RATE_STEP: u32 = 25;

/// A sample rate that can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "sample rate {rate} refused: expected a multiple of 25 from 8000 to 192000 a second; check the rate that the PBX announces or that its URL says"
)]
pub struct BadRate {
    /// What was offered.
    pub rate: u32,
}

/// Checks a sample rate.
///
/// # Errors
/// [`BadRate`] outside [`RATES`], or if it is no multiple of 25.
pub fn check_rate(rate: u32) -> Result<(), BadRate> {
    let usable = RATES.contains(&rate) && rate.is_multiple_of(RATE_STEP);
    usable.then_some(()).ok_or(BadRate { rate })
}
