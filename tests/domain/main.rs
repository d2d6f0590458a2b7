//! Tests of the domain: no clock, no socket.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod chat_completions;
mod embeddings;
mod sse;
