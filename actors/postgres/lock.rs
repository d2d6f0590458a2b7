//! Who owns the cluster and who is its guest: two lock files, freed by the kernel however a process ends.
//!
//! `owner.lock` is held alone by the process whose child Postgres is, from before the start until that child has
//! ended; it says who that is and where the socket lies. `guests.lock` is shared by commands that use the
//! cluster of another; the owner takes it alone before it stops.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{PostgresError, Role};

/// How often a lock that is taken is tried again.
pub(super) const POLL: Duration = Duration::from_millis(50);

/// The right to run the cluster.
#[derive(Debug)]
pub(super) struct Owner {
    _file: File,
}

/// What an owner wrote about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// Server or command.
    pub role: Role,
    /// Its process id, as seen in its own namespace.
    pub pid: u32,
    /// Where its socket lies.
    pub socket: PathBuf,
}

impl Owner {
    /// The lock, with a note for the others; `None` when another process has it.
    pub fn try_take(home: &Path, role: Role, socket: &Path) -> Result<Option<Self>, PostgresError> {
        let path = home.join("owner.lock");
        let mut file = open(&path)?;
        if !granted(file.try_lock(), &path)? {
            return Ok(None);
        }
        let role = match role {
            Role::Server => "server",
            Role::Command => "command",
        };
        let mut note = format!("{role} {}\n", std::process::id()).into_bytes();
        note.extend_from_slice(socket.as_os_str().as_bytes());
        note.push(b'\n');
        let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&note));
        written.map_err(PostgresError::io("write", &path))?;
        Ok(Some(Self { _file: file }))
    }
}

impl Note {
    /// What the present owner (or, for a moment, the last one) wrote; `None` while it is being written.
    pub fn read(home: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(home.join("owner.lock")).ok()?.take(8192).read_to_end(&mut bytes).ok()?;
        let bytes = bytes.strip_suffix(b"\n")?;
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (role, pid) = std::str::from_utf8(&bytes[..line]).ok()?.split_once(' ')?;
        let role = match role {
            "server" => Role::Server,
            "command" => Role::Command,
            _ => return None,
        };
        let socket = std::ffi::OsString::from_vec(bytes[line + 1..].to_vec());
        Some(Self { role, pid: pid.parse().ok()?, socket: socket.into() })
    }
}

/// Whether some process owns the cluster. Taken for an instant where nobody does; whoever wants it tries again.
pub(super) fn is_owned(home: &Path) -> bool {
    let Ok(file) = File::open(home.join("owner.lock")) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// The right to use the cluster of another process, until dropped.
#[derive(Debug)]
pub(super) struct Guest {
    _file: File,
}

impl Guest {
    /// A place among the guests; `None` while the owner stops the cluster.
    pub fn try_take(home: &Path) -> Result<Option<Self>, PostgresError> {
        let path = home.join("guests.lock");
        let file = open(&path)?;
        Ok(granted(file.try_lock_shared(), &path)?.then_some(Self { _file: file }))
    }
}

/// The owner's view of the guests.
#[derive(Debug)]
pub(super) struct Guests {
    file: File,
    path: PathBuf,
}

impl Guests {
    pub fn new(home: &Path) -> Result<Self, PostgresError> {
        let path = home.join("guests.lock");
        Ok(Self { file: open(&path)?, path })
    }

    /// Waits until there are none, and lets none in any more; `false` when `patience` ran out first.
    pub async fn leave(&mut self, patience: Duration) -> Result<bool, PostgresError> {
        let start = Instant::now();
        loop {
            if granted(self.file.try_lock(), &self.path)? {
                return Ok(true);
            }
            if start.elapsed() >= patience {
                return Ok(false);
            }
            sleep(POLL).await;
        }
    }
}

fn open(path: &Path) -> Result<File, PostgresError> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    file.map_err(PostgresError::io("open", path))
}

fn granted(tried: Result<(), TryLockError>, path: &Path) -> Result<bool, PostgresError> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(PostgresError::io("lock", path)(error)),
    }
}
