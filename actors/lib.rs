//! Who carries it into the world: actors, sockets, SQL, HTTP.
pub mod caller;
pub mod embed;
pub mod llm;
