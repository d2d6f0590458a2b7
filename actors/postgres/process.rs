//! The `postgres` process: spawned by a thread that lives as long as it does, signalled, and waited for.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::PostgresError;
use super::lock::Owner;

/// How long a fast shutdown may take, and after it an immediate one.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running `postgres`. Dropped, it is asked to stop; its thread keeps the owner lock until it has.
#[derive(Debug)]
pub(super) struct Process {
    pid: u32,
    // By descriptor, not by number: a number may already belong to somebody else.
    handle: OwnedFd,
    exit: watch::Receiver<Option<ExitStatus>>,
}

impl Process {
    /// Spawns it from a thread of its own: the parent-death signal is bound to the thread, not to the process.
    pub async fn spawn(command: Command, owner: Arc<Owner>) -> io::Result<Self> {
        let (started, start) = oneshot::channel();
        let (exited, exit) = watch::channel(None);
        std::thread::Builder::new()
            .name("postgres".to_owned())
            .spawn(move || keep(command, started, &exited, owner))?;
        let lost = |_| io::Error::other("the thread that keeps Postgres ended early");
        let (pid, handle) = start.await.map_err(lost)??;
        Ok(Self { pid, handle, exit })
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn has_exited(&self) -> bool {
        self.exit.borrow().is_some()
    }

    /// Resolves when it has ended (and, if we kept it until then, the owner lock is free).
    pub async fn exited(&mut self) -> ExitStatus {
        match self.exit.wait_for(Option::is_some).await {
            Ok(status) => status.unwrap_or_default(),
            // The thread sends before it ends, so only a panic in it gets here.
            Err(_) => ExitStatus::default(),
        }
    }

    /// SIGINT (fast shutdown), after ten seconds SIGQUIT (immediate), after ten more an error.
    pub async fn stop(&mut self) -> Result<(), PostgresError> {
        for signal in [Signal::INT, Signal::QUIT] {
            self.signal(signal);
            if timeout(PATIENCE, self.exited()).await.is_ok() {
                return Ok(());
            }
        }
        Err(PostgresError::Stop { pid: self.pid })
    }

    fn signal(&self, signal: Signal) {
        if !self.has_exited() {
            // Fails only when it has ended, and then there is nobody to tell.
            let _ = pidfd_send_signal(&self.handle, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::INT);
    }
}

type Started = oneshot::Sender<io::Result<(u32, OwnedFd)>>;

fn keep(
    mut command: Command,
    started: Started,
    exited: &watch::Sender<Option<ExitStatus>>,
    owner: Arc<Owner>,
) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return drop(started.send(Err(error))),
    };
    let pid = child.id();
    let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(rustix::io::Errno::SRCH);
    match raw.and_then(|raw| pidfd_open(raw, PidfdFlags::empty())) {
        Ok(handle) => {
            // Nobody listens any more: the handle is dropped without a signal, so send it here.
            if let Err(Ok((_, handle))) = started.send(Ok((pid, handle))) {
                let _ = pidfd_send_signal(&handle, Signal::INT);
            }
        }
        Err(error) => {
            let _ = child.kill();
            let _ = started.send(Err(error.into()));
        }
    }
    let status = child.wait().unwrap_or_default();
    drop(owner);
    exited.send_replace(Some(status));
}
