//! One server process on one database, one journal and one address, started as often as it is ended.
use crate::folder::Folder;
use crate::home::{program, weights};
use crate::repository;
use crate::service::prepared;
use aura_actors::secret::Secret;
use aura_actors::vault::Vault;
use rustix::process::{Pid, Signal, kill_process};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long a test waits for what must come, before it fails.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Signs webhooks.
pub const KEY: &str = "key_crash_0123";

/// The place where a server lives; its processes come and go.
pub struct Place {
    /// Its database.
    pub database: crate::database::Database,
    /// Where it listens, always.
    pub address: SocketAddr,
    home: Folder,
    url: String,
    more: Vec<(&'static str, String)>,
}

impl Place {
    /// A place with an ingested base.
    pub async fn new() -> Self {
        let (database, url) = prepared().await;
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = free.local_addr().expect("bound");
        Self { database, address, home: Folder::new(), url, more: Vec::new() }
    }

    /// With a variable of the environment.
    pub fn set(mut self, name: &'static str, value: impl ToString) -> Self {
        self.more.push((name, value.to_string()));
        self
    }

    /// The folder of its journal.
    pub fn journal(&self) -> PathBuf {
        self.home.path().join("journal")
    }

    /// The vault of its servers, once one has started: by `AURA_KEY`, or by the key of its home.
    pub fn vault(&self) -> Vault {
        let key = self.more.iter().find(|(name, _)| *name == "AURA_KEY");
        let key = key.map(|(_, key)| Secret::new(key.clone()));
        Vault::open(key.as_ref(), self.home.path()).expect("a vault")
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// Runs a command of this place to its end, with this to read: its code and what it said.
    pub fn run(&self, args: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        drop(child.stdin.take().expect("a pipe").write_all(input.as_bytes())); // it may not want to read
        let said = child.wait_with_output().expect("it ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (said.status.code(), text(said.stdout), text(said.stderr))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args).env_clear().current_dir(repository(""));
        for name in ["PATH", "HOME", "TMPDIR", "AURA_TEST_RUN"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let path = |path: &Path| path.display().to_string();
        command.envs([
            ("AURA_HOME", path(self.home.path())),
            ("AURA_JOURNAL", path(&self.journal())),
            ("AURA_E5_WEIGHTS", path(&weights())),
            ("AURA_E5_THREADS", "1".to_owned()),
            ("AURA_MANUALS", path(&repository("manuals"))),
            ("AURA_PROMPTS", path(&repository("prompts"))),
            ("AURA_LISTEN", self.address.to_string()),
            ("AURA_WORKERS", "1".to_owned()),
            ("DATABASE_URL", self.url.clone()),
            ("RETELL_API_KEY", KEY.to_owned()),
            ("RUST_LOG", "warn".to_owned()),
        ]);
        command.envs(self.more.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts it; it isn't ready yet.
    pub fn spawn(&self) -> Process {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.home.path().join("log"));
        let mut command = self.command(&["serve"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.expect("a log")).spawn();
        Process(child.expect("the program starts"))
    }

    /// Starts it and waits until it is ready.
    pub async fn start(&self) -> Process {
        let mut process = self.spawn();
        let ready = async {
            loop {
                if let Some((200, _)) =
                    exchange(self.address, "GET /readyz HTTP/1.1\r\nhost: aura\r\n\r\n").await
                {
                    return;
                }
                assert!(process.0.try_wait().expect("a child").is_none(), "it ended: {}", self.log());
                sleep(Duration::from_millis(20)).await;
            }
        };
        let ready = timeout(PATIENCE, ready).await;
        assert!(ready.is_ok(), "it never was ready: {}", self.log());
        process
    }
}

/// A running server; killed when it is dropped.
pub struct Process(Child);

impl Process {
    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("it takes the signal");
    }

    /// Ends it as a power cut would, and answers the moment before.
    pub fn kill(mut self) -> Instant {
        let before = Instant::now();
        self.0.kill().expect("a child");
        self.0.wait().expect("a child");
        before
    }

    /// Waits for its own end.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = async {
            loop {
                if let Some(status) = self.0.try_wait().expect("a child") {
                    return status;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, ended).await.expect("it never ended")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// One request over a connection of its own: status and body, or nothing where the server isn't there.
pub async fn exchange(address: SocketAddr, request: &str) -> Option<(u16, String)> {
    let work = async {
        let mut socket = TcpStream::connect(address).await.ok()?;
        socket.write_all(request.as_bytes()).await.ok()?;
        let mut bytes = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let status = head.split(' ').nth(1)?.parse().ok()?;
                let length = head.lines().find_map(|line| {
                    line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
                });
                if body.len() >= length.unwrap_or(0) {
                    return Some((status, body.to_owned()));
                }
            }
            if socket.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
    };
    timeout(Duration::from_secs(10), work).await.ok().flatten()
}
