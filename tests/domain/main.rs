//! The domain by itself: plain values in, plain values out.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod catalogue;
mod equipment;
mod mask;
mod noise;
mod words;
