//! How acts are chained: each carries the hash of all before it, so that one changed byte shows.
