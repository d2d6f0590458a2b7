//! Who runs Postgres, and how its programs are launched so that none outlives us.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::PostgresError;

/// The account that Postgres runs as: our own, unless we are root.
#[derive(Debug, Clone)]
pub(super) enum Account {
    /// We are an ordinary user.
    Own {
        /// Our uid.
        uid: u32,
        /// It, as text.
        name: String,
    },
    /// We are root and step down.
    Lower {
        /// Its uid, not 0.
        uid: u32,
        /// Its primary group.
        gid: u32,
        /// Its name.
        name: String,
    },
}

impl Account {
    /// Our own account; for root the one that `wanted` names, else `postgres`, else `nobody`.
    pub fn choose(wanted: Option<&str>) -> Result<Self, PostgresError> {
        let uid = rustix::process::geteuid();
        if !uid.is_root() {
            let uid = uid.as_raw();
            return Ok(Self::Own { uid, name: format!("uid {uid}") });
        }
        let names = wanted.map_or_else(|| vec!["postgres", "nobody"], |name| vec![name]);
        let found = names.iter().find_map(|name| lookup(name));
        found.ok_or_else(|| PostgresError::NoAccount { name: names.join(" or ") })
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Own { name, .. } | Self::Lower { name, .. } => name,
        }
    }

    pub fn uid(&self) -> u32 {
        match self {
            Self::Own { uid, .. } | Self::Lower { uid, .. } => *uid,
        }
    }

    /// Gives a directory of ours to the account; nothing to do when it has it.
    pub fn own(&self, path: &Path) -> Result<(), PostgresError> {
        let Self::Lower { uid, gid, .. } = self else { return Ok(()) };
        let meta = path.metadata().map_err(PostgresError::io("look at", path))?;
        if meta.uid() == *uid && meta.gid() == *gid {
            return Ok(());
        }
        chown(path, Some(*uid), Some(*gid)).map_err(PostgresError::io("give away", path))
    }

    /// The program through `setpriv`: SIGINT when the *thread* that spawns it dies, our own account left behind
    /// if we are root, an empty environment, its own process group, no input.
    pub fn command(&self, program: &Path) -> Result<Command, PostgresError> {
        let setpriv = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/sbin/setpriv", "/sbin/setpriv"];
        let setpriv = setpriv.iter().find(|path| Path::new(path).exists()).ok_or(PostgresError::NoSetpriv)?;
        let mut command = Command::new(setpriv);
        if let Self::Lower { uid, gid, .. } = self {
            let (uid, gid) = (uid.to_string(), gid.to_string());
            command.args(["--reuid", &uid, "--regid", &gid, "--clear-groups", "--inh-caps=-all"]);
        }
        // setpriv sets the signal after it has changed its ids, which would clear it.
        command.args(["--pdeathsig", "INT", "--"]).arg(program);
        command.env_clear().envs([("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")]);
        command.process_group(0).stdin(Stdio::null());
        Ok(command)
    }
}

/// An account by name through the system's own directory; `None` for unknown ones and for root.
fn lookup(name: &str) -> Option<Account> {
    let output = Command::new("getent").arg("passwd").arg(name).stdin(Stdio::null()).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut fields = line.trim_end().split(':');
    let name = fields.next()?.to_owned();
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    (uid != 0 && output.status.success()).then_some(Account::Lower { uid, gid, name })
}
