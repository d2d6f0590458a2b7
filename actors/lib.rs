//! Who carries it into the world: actors, sockets, SQL, HTTP.
pub mod embed;
pub mod ingest;
pub mod llm;
pub mod prompt_files;
pub mod reembed;
pub mod store;
