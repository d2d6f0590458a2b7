//! The wire formats: frames to domain values and back, pure.
pub mod chat_completions;
pub mod deepgram;
pub mod embeddings;
pub mod provider_error;
pub mod retell;
pub mod sse;
pub mod vosk;
