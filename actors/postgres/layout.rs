//! Which file of the cluster lies where, and who may enter.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::account::Account;
use super::{PostgresError, Settings};

/// What `sockaddr_un` holds, less its final zero.
const SOCKET_PATH_MAX: usize = 107;
/// A log longer than this is set aside at the next start; one old log is kept.
const LOG_MAX: u64 = 4 << 20;

/// The places below `AURA_HOME`.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// `AURA_HOME`, absolute.
    pub home: PathBuf,
    /// The cluster's own room; it and all in it belong to the account that runs Postgres.
    pub room: PathBuf,
    /// The data directory.
    pub data: PathBuf,
    /// Where `initdb` works, renamed to `data` when it is whole.
    pub fresh: PathBuf,
    /// The directory of the socket, 0700.
    pub socket: PathBuf,
    /// What Postgres writes to its standard error.
    pub log: PathBuf,
}

impl Layout {
    /// Decides the places; makes nothing yet.
    pub fn new(settings: &Settings, account: &Account) -> Result<Self, PostgresError> {
        let home = std::path::absolute(&settings.home).map_err(PostgresError::io("find", &settings.home))?;
        let room = home.join("db");
        Ok(Self {
            socket: socket_dir(&home, settings.runtime.as_deref(), account)?,
            data: data_below(&home),
            fresh: room.join("data.new"),
            log: home.join("postgres.log"),
            room,
            home,
        })
    }

    /// Makes the directories and gives those that Postgres writes to its account.
    pub fn make(&self, account: &Account) -> Result<(), PostgresError> {
        fs::create_dir_all(&self.home).map_err(PostgresError::io("make", &self.home))?;
        for dir in [&self.room, &self.socket] {
            private_dir(dir, account)?;
        }
        Ok(())
    }

    /// Opens the log to append to, after setting a long one aside.
    pub fn open_log(&self) -> Result<File, PostgresError> {
        if self.log.metadata().is_ok_and(|meta| meta.len() > LOG_MAX) {
            let old = self.log.with_extension("log.1");
            fs::rename(&self.log, &old).map_err(PostgresError::io("rename", &self.log))?;
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600);
        options.open(&self.log).map_err(PostgresError::io("write", &self.log))
    }
}

/// The data directory of the cluster below `home`.
pub(super) fn data_below(home: &Path) -> PathBuf {
    home.join("db").join("data")
}

/// `home/run`; when that is too deep, a directory named after `home` in the runtime directory.
fn socket_dir(home: &Path, runtime: Option<&Path>, account: &Account) -> Result<PathBuf, PostgresError> {
    let near = home.join("run");
    if fits(&near) {
        return Ok(near);
    }
    // Root's own runtime directory is closed to the account that Postgres runs as.
    let runtime = match account {
        Account::Lower { .. } => Some(Path::new("/run")),
        Account::Own { .. } => runtime,
    };
    let digest = Sha256::digest(home.as_os_str().as_bytes());
    let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let far = runtime.map(|dir| dir.join(format!("aura-{name}")));
    far.filter(|dir| fits(dir)).ok_or_else(|| PostgresError::SocketPath { path: socket_file(&near) })
}

fn socket_file(dir: &Path) -> PathBuf {
    dir.join(".s.PGSQL.5432")
}

/// Postgres reads `-k` as a list, so a comma or a quote would break it.
fn fits(dir: &Path) -> bool {
    let path = socket_file(dir);
    let bytes = path.as_os_str().as_bytes();
    bytes.len() <= SOCKET_PATH_MAX && !bytes.iter().any(|byte| matches!(byte, b',' | b'"'))
}

/// A 0700 directory of the account's. One that somebody else put there is refused, not taken over.
fn private_dir(dir: &Path, account: &Account) -> Result<(), PostgresError> {
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let meta = dir.symlink_metadata().map_err(PostgresError::io("look at", dir))?;
            let ours = rustix::process::geteuid().as_raw();
            if !meta.is_dir() || (meta.uid() != account.uid() && meta.uid() != ours) {
                let account = account.name().to_owned();
                return Err(PostgresError::Owner { data: dir.to_path_buf(), found: meta.uid(), account });
            }
            let mode = fs::Permissions::from_mode(0o700);
            fs::set_permissions(dir, mode).map_err(PostgresError::io("close", dir))?;
        }
        Err(error) => return Err(PostgresError::io("make", dir)(error)),
    }
    account.own(dir)
}
