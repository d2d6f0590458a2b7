//! The wire formats: frames to domain values and back, pure.
pub mod asterisk;
pub mod audio_fork;
pub mod chat_completions;
pub mod custom_llm;
pub mod deepgram;
pub mod desk;
pub mod embeddings;
pub mod pbx;
pub mod provider_error;
pub mod retell;
pub mod sse;
pub mod twilio;
pub mod vosk;

mod unset;
