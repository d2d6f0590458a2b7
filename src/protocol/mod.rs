//! The wire formats: frames to domain values and back, pure.
pub mod retell;
