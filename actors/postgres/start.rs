//! How a process comes to have the cluster: as its owner, or as a guest of the one that owns it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::account::Account;
use super::binaries::Binaries;
use super::layout::Layout;
use super::lock::{self, Guest, Guests, Note, Owner};
use super::process::Process;
use super::{Cluster, Hold, PostgresError, Role, Settings, cluster, error, ready};

/// A server's word that it runs is believed after this long: a note may be a dead owner's, for a moment.
const SECOND_LOOK: Duration = Duration::from_secs(2);
/// How long to wait for another process to start, or to let go.
const OTHERS: Duration = Duration::from_secs(60);
/// How long a start may fail on what a kill left behind (pid file, shared memory) and be tried again.
const LEFTOVERS: Duration = Duration::from_secs(10);
/// How long recovery after a crash may take.
const RECOVERY: Duration = Duration::from_secs(120);

/// Starts the cluster below `settings.home`, or (a command only) joins the one that runs there. The first start
/// makes it. Returns when the database `aura` accepts connections.
///
/// # Errors
/// Every [`PostgresError`]; each says what to do.
pub async fn start(settings: &Settings, role: Role) -> Result<Cluster, PostgresError> {
    let account = Account::choose(settings.user.as_deref())?;
    let layout = Layout::new(settings, &account)?;
    std::fs::create_dir_all(&layout.home).map_err(PostgresError::io("make", &layout.home))?;
    let begun = Instant::now();
    loop {
        if let Some(owner) = Owner::try_take(&layout.home, role, &layout.socket)? {
            let binaries = Binaries::find(settings)?;
            return own(layout, account, binaries, Arc::new(owner), role).await;
        }
        let note = Note::read(&layout.home);
        if role == Role::Command
            && let Some(cluster) = join(&layout.home, note.as_ref()).await?
        {
            return Ok(cluster);
        }
        give_up(&layout.home, role, note.as_ref(), begun.elapsed())?;
        sleep(lock::POLL).await;
    }
}

fn give_up(home: &Path, role: Role, note: Option<&Note>, waited: Duration) -> Result<(), PostgresError> {
    let pid = note.map_or(0, |note| note.pid);
    let home = home.to_path_buf();
    if role == Role::Server && waited > SECOND_LOOK && note.is_some_and(|note| note.role == Role::Server) {
        return Err(PostgresError::AlreadyServed { home, pid });
    }
    if waited > OTHERS {
        return Err(PostgresError::Busy { home, pid, waited: waited.as_secs() });
    }
    Ok(())
}

/// One attempt to be the guest of a running owner; `None` when it isn't ready, or is about to stop.
async fn join(home: &Path, note: Option<&Note>) -> Result<Option<Cluster>, PostgresError> {
    let (Some(note), Some(guest)) = (note, Guest::try_take(home)?) else { return Ok(None) };
    if ready::answers(&note.socket).await.is_err() {
        return Ok(None);
    }
    tracing::debug!(owner = note.pid, "using the running Postgres");
    Ok(Some(Cluster { socket: note.socket.clone(), hold: Hold::Guest { _lock: guest } }))
}

async fn own(
    layout: Layout,
    account: Account,
    binaries: Binaries,
    owner: Arc<Owner>,
    role: Role,
) -> Result<Cluster, PostgresError> {
    let guests = Guests::new(&layout.home)?;
    let (layout, account, binaries) = prepare(layout, account, binaries).await?;
    cluster::clear(&layout).await?;
    let begun = Instant::now();
    loop {
        let command = server(&layout, &account, &binaries)?;
        let log_from = layout.log.metadata().map_or(0, |meta| meta.len());
        let failed = PostgresError::io("run", &binaries.postgres());
        let mut process = Process::spawn(command, owner.clone()).await.map_err(failed)?;
        match wait(&mut process, &layout, log_from).await {
            Ok(()) => {
                tracing::info!(pid = process.pid(), data = %layout.data.display(), "Postgres is up");
                return Ok(Cluster { socket: layout.socket, hold: Hold::Owner { process, guests, role } });
            }
            Err(PostgresError::Start { tail, .. }) if leftover(&tail) && begun.elapsed() < LEFTOVERS => {
                tracing::debug!(tail, "Postgres met what a killed one left; trying again");
                sleep(lock::POLL * 4).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The blocking part: directories, version, and initdb at the first start.
async fn prepare(
    layout: Layout,
    account: Account,
    binaries: Binaries,
) -> Result<(Layout, Account, Binaries), PostgresError> {
    let home = layout.home.clone();
    let work = tokio::task::spawn_blocking(move || {
        layout.make(&account)?;
        cluster::ensure(&layout, &account, &binaries)?;
        Ok((layout, account, binaries))
    });
    work.await.map_err(|error| PostgresError::io("prepare", &home)(std::io::Error::other(error)))?
}

fn server(layout: &Layout, account: &Account, binaries: &Binaries) -> Result<Command, PostgresError> {
    let log = layout.open_log()?;
    let copy = log.try_clone().map_err(PostgresError::io("write", &layout.log))?;
    let mut command = account.command(&binaries.postgres())?;
    command.current_dir(&layout.room).stdout(copy).stderr(log);
    command.arg("-D").arg(&layout.data).arg("-k").arg(&layout.socket);
    // The last three keep what a statement carries (a patient's words) out of the log.
    for option in [
        "listen_addresses=",
        "port=5432",
        "unix_socket_permissions=0700",
        "logging_collector=off",
        "log_destination=stderr",
        "log_checkpoints=off",
        "log_statement=none",
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
    ] {
        command.args(["-c", option]);
    }
    Ok(command)
}

/// Until Aura's database is there, or the process has ended, or it takes too long.
async fn wait(process: &mut Process, layout: &Layout, log_from: u64) -> Result<(), PostgresError> {
    let begun = Instant::now();
    let how = loop {
        if process.has_exited() {
            break format!("it ended: {}", process.exited().await);
        }
        match ready::ensure_database(&layout.socket).await {
            Ok(done) => return done,
            Err(error) if begun.elapsed() > RECOVERY => {
                break format!("no answer in {} s: {error}", RECOVERY.as_secs());
            }
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    };
    let said = log_since(&layout.log, log_from).unwrap_or_default();
    Err(PostgresError::Start {
        how,
        hint: error::hint(&said),
        log: layout.log.clone(),
        tail: error::tail(&said),
    })
}

fn log_since(path: &Path, from: u64) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(64 << 10).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn leftover(log: &str) -> bool {
    ["postmaster.pid", "shared memory block", "lock file"].iter().any(|words| log.contains(words))
}
