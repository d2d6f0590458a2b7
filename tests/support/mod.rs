//! What tests stand on: other people's servers, played by the book and against it.
pub mod openai;
pub mod oxitesa;
