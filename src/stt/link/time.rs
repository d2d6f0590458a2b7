//! Frames and time, without rounding twice.
use std::time::Duration;

const NANOS: u128 = 1_000_000_000;

/// How many frames so much time is, to the nearest.
pub(super) fn frames(time: Duration, rate: u32) -> u64 {
    let frames = (time.as_nanos() * u128::from(rate) + NANOS / 2) / NANOS;
    u64::try_from(frames).unwrap_or(u64::MAX)
}

/// How long so many frames are.
pub(super) fn duration(frames: u64, rate: u32) -> Duration {
    let nanos = u128::from(frames) * NANOS / u128::from(rate.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
