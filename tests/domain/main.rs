//! The domain by itself: plain values in, plain values out.

mod equipment;
mod mask;
mod noise;
mod words;
