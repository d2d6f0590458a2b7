//! The embedded database: a private Postgres cluster that lives and ends with the process that started it.
//!
//! Nothing here is used when `DATABASE_URL` is set. Otherwise one process at a time *owns* the cluster under
//! `home`: it holds the owner lock, `postgres` is its child, and it is reached by a unix socket only. A server
//! insists on owning it; a command that finds an owner is its guest, and the owner waits for its guests before
//! it stops the cluster.

mod account;
mod binaries;
mod cluster;
mod error;
mod layout;
mod lock;
mod process;
mod ready;
mod standing;
mod start;

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

pub use error::PostgresError;
pub use standing::{Standing, standing};
pub use start::start;

use lock::Guest;
use process::Process;

/// Name of the cluster's superuser, and of the database that [`start`] makes when it is missing.
pub const NAME: &str = "aura";

/// The file in which a running Postgres writes down its process id.
fn postmaster_pid(data: &Path) -> PathBuf {
    data.join("postmaster.pid")
}

/// Where the cluster lives and what runs it; read from the environment by the caller.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Aura's directory (`AURA_HOME`): the data, the log, the locks, and the binaries unless `bin` says where.
    pub home: PathBuf,
    /// `AURA_PG_BIN`: a directory with `postgres` and `initdb` and pgvector installed (or an unpacked wheel).
    pub bin: Option<PathBuf>,
    /// `AURA_PG_USER`: the account that runs Postgres when we are root. Unset: `postgres`, else `nobody`.
    pub user: Option<String>,
    /// Where a short socket directory may be made when `home` is too deep (`XDG_RUNTIME_DIR`, or `/tmp`).
    pub runtime: Option<PathBuf>,
}

/// What the process that asks for the cluster is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `aura serve`: owns the cluster, and refuses when another server does.
    Server,
    /// `aura ask`, `aura ingest` …: uses the running cluster, and starts it for itself when none runs.
    Command,
}

/// A cluster that accepts connections. End it with [`Cluster::stop`]; a dropped one is asked to stop, too, and
/// the owner lock stays held until it has.
#[derive(Debug)]
pub struct Cluster {
    socket: PathBuf,
    hold: Hold,
}

#[derive(Debug)]
enum Hold {
    Owner { process: Process, guests: lock::Guests, role: Role },
    Guest { _lock: Guest },
}

impl Cluster {
    /// How to connect: the socket's directory, user and database `aura`, no password (the directory is private).
    pub fn config(&self) -> tokio_postgres::Config {
        ready::config(&self.socket, NAME)
    }

    /// Whether this process started the cluster (and will stop it).
    pub fn owned(&self) -> bool {
        matches!(self.hold, Hold::Owner { .. })
    }

    /// Process id of the `postgres` that we started; `None` for a guest.
    pub fn pid(&self) -> Option<u32> {
        match &self.hold {
            Hold::Owner { process, .. } => Some(process.pid()),
            Hold::Guest { .. } => None,
        }
    }

    /// Resolves when our `postgres` has ended, whoever ended it. Never for a guest: its connections tell it.
    pub async fn died(&mut self) -> ExitStatus {
        match &mut self.hold {
            Hold::Owner { process, .. } => process.exited().await,
            Hold::Guest { .. } => std::future::pending().await,
        }
    }

    /// Ends the use of the cluster; the pool must be closed before. The owner waits for running commands (a
    /// server two seconds, a command until they are done), then sends SIGINT, and SIGQUIT after ten seconds.
    ///
    /// # Errors
    /// [`PostgresError::Stop`] when the process outlived both signals.
    pub async fn stop(self) -> Result<(), PostgresError> {
        let Hold::Owner { mut process, mut guests, role } = self.hold else { return Ok(()) };
        let patience = match role {
            Role::Server => Duration::from_secs(2),
            Role::Command => Duration::MAX,
        };
        // Held until the process is gone: a command that arrives meanwhile waits and then starts its own.
        if !process.has_exited() && !guests.leave(patience).await? {
            tracing::warn!("stopping the embedded Postgres although commands still use it");
        }
        process.stop().await
    }
}
