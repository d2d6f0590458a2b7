//! The domain's tests: values in, values out.
mod manual;
