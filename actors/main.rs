//! The command line of Aura.
fn main() {}
