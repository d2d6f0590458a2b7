//! `aura patient`: what is kept of somebody, given out or erased.
use super::{Outcome, by, with_base};
use crate::config::Config;
use crate::store::Erasure;
use crate::vault::Vault;
use aura::ids::Dni;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `aura patient …`
#[derive(clap::Subcommand)]
pub(super) enum PatientCommand {
    /// Print all that is kept of a patient as one JSON document; that it was printed goes on record.
    Export {
        /// The document; - reads it from standard input, where neither the shell's history nor `ps` sees it.
        #[arg(long, value_name = "DNI", allow_hyphen_values = true)]
        dni: String,
        /// Write it here, readable by its owner alone, instead of to standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Erase all that is kept of a patient, for good. Refused while one of their calls is live.
    Erase {
        /// The document; - reads it from standard input, where neither the shell's history nor `ps` sees it.
        #[arg(long, value_name = "DNI", allow_hyphen_values = true)]
        dni: String,
        /// It can't be undone: say that it is meant.
        #[arg(long)]
        yes: bool,
    },
}

pub(super) async fn run(config: &Config, command: PatientCommand) -> Outcome {
    match command {
        PatientCommand::Export { dni, out } => export(config, &dni, out.as_deref()).await,
        PatientCommand::Erase { dni, yes } => erase(config, &dni, yes).await,
    }
}

/// By what the patient of a document is recognised. `-` reads the document from standard input.
pub(super) fn hash(config: &Config, given: &str) -> Result<String, Box<dyn std::error::Error>> {
    let text = match given {
        "-" => {
            let mut text = String::new();
            io::stdin().take(1024).read_to_string(&mut text)?;
            text
        }
        plain => {
            eprintln!(
                "note: the shell's history and `ps` show this document; `-` reads it from standard input"
            );
            plain.to_owned()
        }
    };
    let dni = Dni::parse(&text)?;
    // A key that is made now recognises nobody: better to say so than to find nothing.
    let key = config.home.join("key");
    if config.key.is_none() && !key.exists() {
        return Err(format!(
            "there is no key in {}: without the key of the server that kept the calls nobody is recognised; \
             set AURA_HOME or AURA_KEY to that server's",
            key.display()
        )
        .into());
    }
    Ok(Vault::open(config.key.as_ref(), &config.home)?.patient(dni))
}

async fn export(config: &Config, dni: &str, out: Option<&Path>) -> Outcome {
    let patient = hash(config, dni)?;
    let mut file = out.map(new_file).transpose()?;
    let done = with_base(config, async |tools| {
        let whole = tools.store.export_patient(&patient, &by()).await?;
        let text = format!("{whole:#}\n");
        match &mut file {
            Some(file) => file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?,
            None => io::stdout().write_all(text.as_bytes())?,
        }
        Ok(ExitCode::SUCCESS)
    })
    .await;
    if let (Err(_), Some(path)) = (&done, out) {
        drop(std::fs::remove_file(path)); // half a document isn't one
    }
    done
}

/// A file that wasn't there, for its owner alone.
fn new_file(path: &Path) -> Result<std::fs::File, String> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    opened.map_err(|why| {
        format!("{} can't be written ({why}); name a file that isn't there yet", path.display())
    })
}

async fn erase(config: &Config, dni: &str, yes: bool) -> Outcome {
    if !yes {
        return Err(
            "this erases transcripts, facts, call backs, lessons and the cache of a patient for good; \
                    export first if they are asked for, and say --yes"
                .into(),
        );
    }
    let patient = hash(config, dni)?;
    with_base(config, async |tools| match tools.store.erase_patient(&patient, &by()).await? {
        Erasure::Done(erased) => {
            println!(
                "erased: {} calls, {} lines, {} facts, {} call backs, {} lessons, {} rows of the cache",
                erased.calls, erased.lines, erased.events, erased.callbacks, erased.lessons, erased.cache
            );
            if erased.identities + erased.cache == 0 {
                println!("no call and no row of the cache was known under this document (patient {patient})");
            }
            Ok(ExitCode::SUCCESS)
        }
        Erasure::Live(calls) => Err(format!(
            "live, or heard of in the last 15 minutes: {}; nothing was erased, try again when they have ended",
            calls.join(", ")
        )
        .into()),
    })
    .await
}
