//! The command line of Aura.
use std::process::ExitCode;

fn main() -> ExitCode {
    aura_actors::cli::run()
}
