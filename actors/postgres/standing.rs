//! How the cluster stands, seen from outside: nothing is started, ended or removed.

use std::path::{Path, PathBuf};

use super::layout::data_below;
use super::lock::{self, Note};
use super::{cluster, postmaster_pid};

/// What is to be seen below `AURA_HOME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// There never was a cluster.
    Absent,
    /// It isn't running.
    Stopped,
    /// A process owns it.
    Running {
        /// Which, as it says itself; 0 while it begins.
        pid: u32,
    },
    /// Nobody owns it, and a process id was left that isn't its Postgres'.
    Stale {
        /// The file that holds it.
        file: PathBuf,
    },
    /// Nobody owns it, and its Postgres runs all the same.
    Orphan {
        /// Its process id.
        pid: u32,
    },
}

/// Looks at the cluster below `home`.
pub fn standing(home: &Path) -> Standing {
    let data = data_below(home);
    if lock::is_owned(home) {
        return Standing::Running { pid: Note::read(home).map_or(0, |note| note.pid) };
    }
    if !data.exists() {
        return Standing::Absent;
    }
    let file = postmaster_pid(&data);
    match cluster::recorded(&file) {
        Some(pid) if cluster::runs_in(pid, &data) => Standing::Orphan { pid },
        _ if file.exists() => Standing::Stale { file },
        _ => Standing::Stopped,
    }
}
