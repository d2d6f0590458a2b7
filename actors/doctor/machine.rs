//! The machine under Aura: its folder, disk and limits, and what an earlier process left behind.
use super::Check;
use crate::config::{Config, Database, EmbedderChoice, LlmChoice};
use crate::postgres::{Standing, standing};
use crate::secret::Secret;
use rustix::fs::{Access, access, statvfs};
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

/// Free bytes below which the database soon can't write.
const LITTLE: u64 = 2_000_000_000;
/// Free bytes below which it may not even start.
const NOTHING: u64 = 200_000_000;
/// A socket, its peer at the model and two spare: descriptors that a call may use.
const PER_CALL: u64 = 4;
/// Characters of a secret that can't be guessed, and how many different ones.
const SECRET_CHARS: usize = 16;
const SECRET_VARIETY: usize = 8;

/// What is configured, without its secrets.
pub(super) fn configuration(config: &Config) -> Check {
    let embedder = match config.embedder {
        EmbedderChoice::Local => "local",
        EmbedderChoice::OpenAi => "openai",
    };
    let model = match config.llm {
        LlmChoice::Local => "local",
        LlmChoice::OpenAi => "openai",
    };
    let database = match config.database {
        Database::Url(_) => "DATABASE_URL",
        Database::Embedded => "embedded",
    };
    let (listen, home) = (config.listen, config.home.display());
    let found = format!(
        "embedder {embedder}, model {model}, database {database}, AURA_LISTEN {listen}, AURA_HOME {home}"
    );
    match config.open_catalogue() {
        Ok(_) => Check::ok("configuration", found),
        Err(error) => Check::failure("configuration", error.to_string(), "mend the catalogue's file"),
    }
}

/// The folder and the disk below it.
pub(super) fn home(config: &Config) -> Vec<Check> {
    let home = &config.home;
    if !home.is_dir() {
        let found = format!("{} (AURA_HOME) is no folder", home.display());
        return vec![Check::failure(
            "home",
            found,
            "run deploy/up, which makes and fills it, or set AURA_HOME",
        )];
    }
    let writable = match access(home, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Check::ok("home", format!("{} is writable", home.display())),
        Err(error) => {
            let found = format!("{} (AURA_HOME) is not writable: {error}", home.display());
            Check::failure("home", found, "give it to the account that runs aura, or mount it writable")
        }
    };
    let disk = match statvfs(home.as_path()) {
        Ok(stat) => disk(home, stat.f_bavail.saturating_mul(stat.f_frsize)),
        Err(error) => {
            let found = format!("the free space of {} can't be read: {error}", home.display());
            Check::warning("disk", found, "look at it with df")
        }
    };
    vec![writable, disk]
}

/// Judges free bytes: a warning below 2 GB, a failure below 200 MB.
pub fn disk(place: &Path, free: u64) -> Check {
    let found = format!("{:.1} GB free at {}", free as f64 / 1e9, place.display());
    let advice = "make room or move AURA_HOME: a full disk stops the database";
    match free {
        NOTHING.. if free >= LITTLE => Check::ok("disk", found),
        NOTHING.. => Check::warning("disk", found, advice),
        _ => Check::failure("disk", found, advice),
    }
}

/// How many files this process may open; none is no limit.
pub(super) fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Judges the limit: a warning below four a call of `AURA_MAX_CALLS`.
pub fn descriptors(limit: Option<u64>, max_calls: usize) -> Check {
    let wanted = PER_CALL.saturating_mul(u64::try_from(max_calls).unwrap_or(u64::MAX));
    let Some(limit) = limit else { return Check::ok("descriptors", "no limit on open files") };
    let found = format!("{limit} open files are allowed in this shell, for AURA_MAX_CALLS={max_calls}");
    if limit >= wanted {
        return Check::ok("descriptors", found);
    }
    let advice = format!(
        "allow {wanted}: `ulimit -n {wanted}`, LimitNOFILE={wanted} in the unit; or lower AURA_MAX_CALLS"
    );
    Check::warning("descriptors", found, advice)
}

/// Whether the path's secret can be guessed, where strangers can try.
pub(super) fn secret(config: &Config) -> Check {
    secrets(&config.retell_secrets, config.listen)
}

/// Judges the secrets; their text stays here.
pub fn secrets(secrets: &[Secret], listen: SocketAddr) -> Check {
    if listen.ip().is_loopback() {
        return Check::ok("secret", format!("{listen} can't be reached from outside"));
    }
    let weak = |secret: &Secret| {
        let letters: BTreeSet<char> = secret.expose().chars().collect();
        secret.expose().chars().count() < SECRET_CHARS || letters.len() < SECRET_VARIETY
    };
    let count = secrets.iter().filter(|secret| weak(secret)).count();
    if count == 0 && !secrets.is_empty() {
        return Check::ok("secret", "RETELL_SECRET is long enough");
    }
    let found =
        format!("{count} of {} secrets in RETELL_SECRET can be guessed, and {listen} is open", secrets.len());
    let advice = format!(
        "take {SECRET_CHARS} random characters or more, e.g. `openssl rand -hex 16`, and enter them at Retell"
    );
    Check::failure("secret", found, advice)
}

/// What a process that was killed left of the embedded database.
pub(super) fn leftovers(config: &Config) -> Check {
    if matches!(config.database, Database::Url(_)) {
        return Check::ok("leftovers", "no embedded database, nothing to be left of it");
    }
    match standing(&config.home) {
        Standing::Absent | Standing::Stopped => {
            Check::ok("leftovers", "no lock and no process of an earlier aura")
        }
        Standing::Running { pid } => Check::ok("leftovers", format!("the database is run by process {pid}")),
        Standing::Stale { file } => Check::warning(
            "leftovers",
            format!("{} is of a Postgres that was killed", file.display()),
            "nothing: the next start recovers the data and takes the file away",
        ),
        Standing::Orphan { pid } => Check::warning(
            "leftovers",
            format!("Postgres (process {pid}) runs although the aura that started it is gone"),
            "start aura: it ends the orphan first and recovers the data",
        ),
    }
}
