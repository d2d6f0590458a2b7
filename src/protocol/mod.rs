//! The wire formats: frames to domain values and back, pure.
<<<<<<< HEAD
pub mod chat_completions;
pub mod embeddings;
pub mod provider_error;
pub mod sse;
=======
pub mod retell;
>>>>>>> retell
