//! The scripted caller.
