//! The domain's tests: values in, values out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod retell;
mod speech;
