//! The data directory: made whole or not at all, refused when another version wrote it, freed of what a kill left.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

use super::account::Account;
use super::binaries::Binaries;
use super::layout::Layout;
use super::{NAME, PostgresError, error, lock};

/// How long an orphan has to end after SIGINT, and again after SIGQUIT.
const ORPHAN: Duration = Duration::from_secs(10);

/// Checks the data directory, and makes it when there is none. Blocks.
pub(super) fn ensure(layout: &Layout, account: &Account, binaries: &Binaries) -> Result<(), PostgresError> {
    let expected = binaries.major(account)?;
    if !layout.data.exists() {
        return init(layout, account, binaries);
    }
    let data = layout.data.clone();
    let meta = data.metadata().map_err(PostgresError::io("look at", &data))?;
    let Ok(found) = fs::read_to_string(data.join("PG_VERSION")) else {
        return Err(PostgresError::NotData { data });
    };
    let found = found.trim().to_owned();
    if found != expected {
        return Err(PostgresError::OtherVersion { data, found, bin: binaries.dir.clone(), expected });
    }
    if meta.uid() != account.uid() {
        return Err(PostgresError::Owner { data, found: meta.uid(), account: account.name().to_owned() });
    }
    Ok(())
}

fn init(layout: &Layout, account: &Account, binaries: &Binaries) -> Result<(), PostgresError> {
    tracing::info!(data = %layout.data.display(), "making a new Postgres cluster");
    if layout.fresh.exists() {
        // A start that was killed in the middle left it.
        fs::remove_dir_all(&layout.fresh).map_err(PostgresError::io("remove", &layout.fresh))?;
    }
    let output = account
        .command(&binaries.initdb())?
        .current_dir(&layout.room)
        .arg("-D")
        .arg(&layout.fresh)
        .args(["-U", NAME, "--auth-local=trust", "--auth-host=reject", "-E", "UTF8", "--locale=C.UTF-8"])
        .output()
        .map_err(PostgresError::io("run", &binaries.initdb()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let data = layout.data.clone();
        return Err(PostgresError::Init { data, hint: error::hint(&said), tail: error::tail(&said) });
    }
    fs::rename(&layout.fresh, &layout.data).map_err(PostgresError::io("rename", &layout.fresh))
}

/// Clears what a killed owner left: ends a Postgres that outlived it, and removes lock files whose process id
/// belongs to a stranger or a zombie by now (Postgres would take that process for itself, and refuse). To be
/// called with the owner lock held.
pub(super) async fn clear(layout: &Layout) -> Result<(), PostgresError> {
    let pid_file = super::postmaster_pid(&layout.data);
    let recorded = recorded(&pid_file);
    if let Some(pid) = recorded.filter(|pid| runs_in(*pid, &layout.data)) {
        end(pid, &layout.data).await?;
    } else if let Some(pid) = recorded.filter(|pid| alive(*pid)) {
        tracing::warn!(pid, "removing a stale postmaster.pid: its number is another program's now");
        remove(&pid_file)?;
    }
    // The directory is ours alone and nothing runs on it: no need to ask whose this is.
    remove(&layout.socket.join(".s.PGSQL.5432.lock"))
}

async fn end(pid: u32, data: &Path) -> Result<(), PostgresError> {
    tracing::warn!(pid, "stopping a Postgres that lost its owner");
    for signal in [Signal::INT, Signal::QUIT] {
        if let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            // It may have ended by itself meanwhile; the loop below sees that.
            let _ = kill_process(raw, signal);
        }
        let start = Instant::now();
        while start.elapsed() < ORPHAN {
            if !runs_in(pid, data) {
                return Ok(());
            }
            sleep(lock::POLL).await;
        }
    }
    Err(PostgresError::Stop { pid })
}

fn remove(file: &Path) -> Result<(), PostgresError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(PostgresError::io("remove", file)(error))
        }
        _ => Ok(()),
    }
}

/// The process id in such a file, if there is one.
pub(super) fn recorded(pid_file: &Path) -> Option<u32> {
    fs::read_to_string(pid_file).ok()?.lines().next()?.trim().parse().ok()
}

fn alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Whether the process works in `data`, as every process of a Postgres does with its data directory. A zombie
/// does not: its link is gone.
pub(super) fn runs_in(pid: u32, data: &Path) -> bool {
    let cwd = fs::read_link(format!("/proc/{pid}/cwd"));
    cwd.is_ok_and(|cwd| data.canonicalize().is_ok_and(|data| cwd == data))
}
