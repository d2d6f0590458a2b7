//! Who carries it into the world: actors, sockets, SQL, HTTP.
pub mod embed;
pub mod llm;
pub mod openai;
pub mod secret;
