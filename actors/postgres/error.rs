//! What can go wrong with the embedded Postgres, each said with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why the embedded Postgres is not to be had. Every message names the remedy; `DATABASE_URL` is always one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// No `postgres` and `initdb` where they were looked for.
    #[error(
        "no Postgres binaries in {}: expected `postgres` and `initdb`. Run deploy/up (it fetches them), point \
         AURA_PG_BIN to a directory that has them, or set DATABASE_URL", .looked.display()
    )]
    NoBinaries {
        /// The directory that was searched.
        looked: PathBuf,
    },
    /// A program could not be run, or said something that isn't a version.
    #[error(
        "cannot run {} as {account}: {said}. It must be a Linux program for this machine, and each directory \
         above it open to that account (AURA_HOME in a place like /var/lib/aura is)", .program.display()
    )]
    Run {
        /// The program.
        program: PathBuf,
        /// The account it was run as.
        account: String,
        /// Its own words, or the system's.
        said: String,
    },
    /// `setpriv` is missing.
    #[error("setpriv not found: expected it in the PATH (Debian package util-linux); or set DATABASE_URL")]
    NoSetpriv,
    /// We are root and no ordinary account may run Postgres.
    #[error(
        "Postgres refuses to run as root, and the account {name:?} does not exist or is root itself: set \
         AURA_PG_USER to an existing ordinary account (useradd --system NAME makes one)"
    )]
    NoAccount {
        /// The account that was asked for.
        name: String,
    },
    /// The data was written by another major version.
    #[error(
        "{} holds data of Postgres {found}, but the binaries in {} are Postgres {expected}: point AURA_PG_BIN to \
         Postgres {found}, or move the directory away and ingest the manuals anew (to keep the rest, dump it with \
         {found} and restore it with {expected})", .data.display(), .bin.display()
    )]
    OtherVersion {
        /// The data directory.
        data: PathBuf,
        /// Major version that wrote it.
        found: String,
        /// The binaries' directory.
        bin: PathBuf,
        /// Their major version.
        expected: String,
    },
    /// The data directory is something else, or half of one.
    #[error(
        "{} is not a Postgres data directory (it has no readable PG_VERSION): move it away and start again; a \
         new one is made", .data.display()
    )]
    NotData {
        /// The directory.
        data: PathBuf,
    },
    /// The data belongs to another account.
    #[error(
        "{} belongs to uid {found}, but Postgres would run as {account}: run as the account that made it, or give \
         it away with chown -R {account} {}", .data.display(), .data.display()
    )]
    Owner {
        /// The data directory.
        data: PathBuf,
        /// Its owner.
        found: u32,
        /// Who would run Postgres.
        account: String,
    },
    /// A unix socket's path must fit in 107 bytes.
    #[error(
        "the socket path {} is not usable: at most 107 bytes, no comma or quote, are allowed. Set AURA_HOME to a \
         shorter path, or XDG_RUNTIME_DIR to a short private directory", .path.display()
    )]
    SocketPath {
        /// The path.
        path: PathBuf,
    },
    /// Another server owns the cluster.
    #[error(
        "another aura server (process {pid}) already runs on {}: stop it first, or give this one its own AURA_HOME",
        .home.display()
    )]
    AlreadyServed {
        /// The contested directory.
        home: PathBuf,
        /// The other process, as it wrote itself down.
        pid: u32,
    },
    /// A command keeps the cluster, or another start never ends.
    #[error(
        "process {pid} has kept the database in {} busy for {waited} s: wait for it to end, or end it, and try again",
        .home.display()
    )]
    Busy {
        /// The contested directory.
        home: PathBuf,
        /// The owner, as it wrote itself down.
        pid: u32,
        /// Seconds waited.
        waited: u64,
    },
    /// `initdb` failed.
    #[error("initdb could not make {}: {hint}; its last words: {tail}", .data.display())]
    Init {
        /// The directory it was to make.
        data: PathBuf,
        /// What to do about it.
        hint: &'static str,
        /// The end of its output.
        tail: String,
    },
    /// `postgres` ended, or never answered, while it started.
    #[error("Postgres did not start ({how}): {hint}; the end of {}: {tail}", .log.display())]
    Start {
        /// Exit status, or that it never answered.
        how: String,
        /// What to do about it.
        hint: &'static str,
        /// Its log.
        log: PathBuf,
        /// The end of that log.
        tail: String,
    },
    /// It runs, but refused what we asked.
    #[error("the embedded Postgres refused {doing}: {said}; its log is in AURA_HOME/postgres.log")]
    Refused {
        /// What was asked.
        doing: &'static str,
        /// Its answer.
        said: String,
    },
    /// It did not stop.
    #[error(
        "Postgres (process {pid}) did not stop after SIGINT and SIGQUIT: look at its log, then kill -9 {pid}"
    )]
    Stop {
        /// Its process id.
        pid: u32,
    },
    /// A file or directory of ours could not be had.
    #[error("cannot {doing} {}: {source}; {}", .path.display(), io_hint(.source))]
    Io {
        /// A verb.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl PostgresError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PostgresError + use<> {
        let path = path.to_path_buf();
        move |source| PostgresError::Io { doing, path, source }
    }
}

fn io_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "expected to own it: run as the account that made AURA_HOME, or set AURA_HOME to a directory of yours"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: make room and try again"
        }
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only: set AURA_HOME to one that isn't",
        _ => "check AURA_HOME, its file system and its permissions",
    }
}

/// What to do about words that Postgres or initdb left in their output.
pub(super) fn hint(output: &str) -> &'static str {
    const FULL: &str = "the disk is full: make room and try again";
    const HINTS: [(&str, &str); 10] = [
        ("No space left on device", FULL),
        ("Check free disk space", FULL),
        ("Disk quota exceeded", FULL),
        ("invalid locale", "the locale C.UTF-8 is missing: install Debian's libc-bin 2.36 or newer"),
        (
            "Permission denied",
            "its account must reach AURA_HOME and the binaries: a place like /var/lib/aura is open to it",
        ),
        (
            "shared memory",
            "shared memory was refused: check that /dev/shm is mounted, and the limits of this container",
        ),
        ("cannot be run as root", "set AURA_PG_USER to an ordinary account"),
        ("Read-only file system", "the file system is read-only: set AURA_HOME to one that isn't"),
        (
            "error while loading shared libraries",
            "the binaries lack a library: glibc 2.28 or newer is needed, and their directory open to the account",
        ),
        ("postmaster.pid", "another postgres still uses this directory: stop it and try again"),
    ];
    let found = HINTS.iter().find(|(words, _)| output.contains(words));
    found.map_or("read its words, mend the cause and try again, or set DATABASE_URL", |(_, hint)| hint)
}

/// The last lines of an output, on one line, for an error message.
pub(super) fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(6)..].join(" | ")
}
