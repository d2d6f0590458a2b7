//! The domain by itself: plain values in, plain values out; no clock, no socket.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod chat_completions;
mod embeddings;
mod equipment;
mod manual;
mod mask;
mod noise;
mod retell;
mod speech;
mod sse;
mod words;
