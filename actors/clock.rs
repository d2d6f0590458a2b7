//! The runtime's clock, for whoever feeds a machine without IO: a test that pauses it governs them all.
use std::time::Instant;

/// Now, by the runtime's clock.
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
