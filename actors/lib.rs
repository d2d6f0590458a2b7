//! Who carries it into the world: actors, sockets, SQL, HTTP.

pub mod embed;
