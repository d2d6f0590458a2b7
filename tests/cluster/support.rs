//! What the cluster tests share: a home of their own, the binaries, and a helper process that can be killed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use aura_actors::postgres::{Cluster, Role, Settings, start};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_postgres::{Client, NoTls};

/// Set for a helper: the home whose cluster it shall own.
const HELPER: &str = "AURA_TEST_CLUSTER_HELPER";

/// A directory for one test, removed at its end.
pub struct Home(PathBuf);

impl Home {
    pub fn new(name: &str) -> Self {
        let base = std::env::var_os("AURA_TEST_HOME").map_or_else(std::env::temp_dir, PathBuf::from);
        let dir = base.join(format!("aura-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn settings(&self) -> Settings {
        let user = std::env::var("AURA_PG_USER").ok();
        Settings { home: self.0.clone(), bin: Some(binaries()), user, runtime: Some(self.0.clone()) }
    }

    pub async fn start(&self, role: Role) -> Cluster {
        start(&self.settings(), role).await.unwrap()
    }

    /// The process id that Postgres wrote down.
    pub fn postmaster(&self) -> u32 {
        let file = std::fs::read_to_string(self.0.join("db/data/postmaster.pid")).unwrap();
        file.lines().next().unwrap().parse().unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `AURA_PG_BIN`, else what set-up unpacked below `AURA_HOME` or `.aura`.
fn binaries() -> PathBuf {
    if let Some(dir) = std::env::var_os("AURA_PG_BIN") {
        return dir.into();
    }
    let home = std::env::var_os("AURA_HOME").map(PathBuf::from);
    let home = home.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".aura"));
    let dir = home.join("pg");
    assert!(dir.is_dir(), "no Postgres binaries in {}: run deploy/test, it fetches them", dir.display());
    dir
}

pub async fn connect(cluster: &Cluster) -> Client {
    let (client, connection) = cluster.config().connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

pub fn kill(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Waits until `done` holds; a bound, not a measurement.
pub async fn until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..600 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came to pass: {what}");
}

/// This test program once more, as a server that owns the cluster in `home`; returns when that is up.
pub async fn server_process(home: &Home) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["support::helper", "--exact", "--ignored", "--nocapture"]).env(HELPER, home.path());
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.ends_with("the cluster is up") {
            return child;
        }
    }
    panic!("the helper ended before its cluster was up");
}

/// Not a test: the program that `server_process` runs.
#[tokio::test]
#[ignore = "other tests run it, as a process that they can kill"]
async fn helper() {
    let path = std::env::var_os(HELPER).expect("the home to serve");
    let settings = Settings {
        home: path.into(),
        bin: Some(binaries()),
        user: std::env::var("AURA_PG_USER").ok(),
        runtime: Some(std::env::temp_dir()),
    };
    let _cluster = start(&settings, Role::Server).await.unwrap();
    println!("\nthe cluster is up");
    std::future::pending::<()>().await;
}
