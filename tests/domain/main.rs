//! The domain's tests: values in, values out.
// A fault in a helper is a failed test.
#![allow(clippy::expect_used)]

mod manual;
