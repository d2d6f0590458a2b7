//! Texts become vectors here: the models that do it.

pub mod e5;
