//! Homes for the program under test: one with all manuals and a server, shared by all tests, and small ones.
use crate::repository;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Seconds after which a command counts as hung.
const PATIENCE: &str = "180";
/// Variables that a command inherits; all others would make it another test on another machine.
const KEPT: [&str; 5] = ["PATH", "HOME", "TMPDIR", "AURA_PG_USER", "AURA_TEST_RUN"];

/// The program: `AURA_BIN`, else what a debug build left.
pub fn program() -> PathBuf {
    let built = || repository("target/debug/aura");
    let program = std::env::var_os("AURA_BIN").map_or_else(built, PathBuf::from);
    assert!(
        program.is_file(),
        "{} isn't there: run deploy/test, or `cargo build -p aura-actors --bin aura`",
        program.display()
    );
    program
}

/// Where set-up put binaries and weights.
fn set_up() -> PathBuf {
    std::env::var_os("AURA_HOME").map_or_else(|| repository(".aura"), PathBuf::from)
}

/// The local model's file, as set-up left it.
pub fn weights() -> PathBuf {
    let file = std::env::var_os("AURA_E5_WEIGHTS");
    let file = file.map_or_else(|| set_up().join("e5/e5-small-q4.bin"), PathBuf::from);
    assert!(file.is_file(), "{} isn't there: run deploy/test, which fetches it", file.display());
    file
}

fn postgres() -> PathBuf {
    let dir = std::env::var_os("AURA_PG_BIN").map_or_else(|| set_up().join("pg"), PathBuf::from);
    assert!(dir.is_dir(), "no Postgres binaries in {}: run deploy/test, it fetches them", dir.display());
    dir
}

/// A data directory with a cluster of its own; removed with the test.
pub struct Home {
    path: PathBuf,
    shared: bool,
}

/// What a command said.
pub struct Said {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let out = String::from_utf8(output.stdout).expect("UTF-8 on standard output");
        let err = String::from_utf8(output.stderr).expect("UTF-8 on standard error");
        Self { out, err, code: output.status.code() }
    }
}

impl Said {
    /// Standard output of a command that went well.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, Some(0), "it failed: {}", self.err);
        self.out
    }

    /// The message of a command that refused: code 1, one message, no panic, nothing of these parts missing.
    #[track_caller]
    pub fn refused(self, parts: &[&str]) -> String {
        let Self { out, err, code } = self;
        assert_eq!(code, Some(1), "expected a refusal; it said {out:?} and {err:?}");
        assert!(!err.contains("panicked"), "{err}");
        for part in parts {
            assert!(err.contains(part), "{part:?} is missing in: {err}");
        }
        err
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.good()).expect("one JSON object")
    }
}

impl Home {
    /// An empty one.
    pub fn new(name: &str) -> Self {
        let base = std::env::var_os("AURA_TEST_HOME").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = base.join(format!("aura-cli-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a directory");
        open_to_all(&path);
        Self { path, shared: false }
    }

    /// One with a few rows about a device and some about no device.
    pub fn small(name: &str) -> Self {
        let home = Self::new(name);
        let m50 = "# Concentrador SysMed M50\n\n## Tabla de Errores y Alarmas\n\n### Código en Pantalla: H08\n\
                   Un pitido con el código H08 señala una falla del M50. Apáguelo, espere y enciéndalo una vez.\n";
        home.write("manuals/concentradores electricos/m50_sysmedm50.md", m50);
        home.manual("cap/recarga.md", &[("Cómo pedir la recarga", "Se pide por esta misma línea.")]);
        home.run(&["ingest", &home.folder()]).good();
        home
    }

    /// The one with every manual of the repository, and a server that keeps its cluster up.
    pub fn whole() -> &'static Self {
        // A start that failed once isn't tried again for each test.
        static WHOLE: OnceLock<Result<(Home, Child), String>> = OnceLock::new();
        match WHOLE.get_or_init(serve_whole) {
            Ok((home, _)) => home,
            Err(why) => panic!("{why}"),
        }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder of manuals inside it.
    pub fn folder(&self) -> String {
        self.path.join("manuals").to_str().expect("UTF-8").to_owned()
    }

    /// Writes a manual into that folder: rows below one section.
    pub fn manual(&self, source: &str, rows: &[(&str, &str)]) {
        let rows: String = rows.iter().map(|(row, text)| format!("### {row}\n{text}\n\n")).collect();
        self.write(&format!("manuals/{source}"), format!("# Manual de prueba\n\n## Alarmas\n\n{rows}"));
    }

    /// Writes a file, and the folders above it; answers its path.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().expect("below the home")).expect("folders");
        fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// A command that works in this home. It is ended when it hangs.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", PATIENCE]).arg(program()).args(args);
        self.surround(&mut command);
        command
    }

    fn surround(&self, command: &mut Command) {
        command.env_clear().current_dir(repository("")).stdin(Stdio::null());
        for name in KEPT {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.env("AURA_HOME", &self.path).env("AURA_PG_BIN", postgres());
        command.env("AURA_E5_WEIGHTS", weights()).env("AURA_LISTEN", "127.0.0.1:0");
        command.env("AURA_MANUALS", self.folder());
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Said {
        self.command(args).output().expect("the program runs").into()
    }

    /// Runs a command to its end with these variables.
    pub fn run_with(&self, env: &[(&str, &str)], args: &[&str]) -> Said {
        self.command(args).envs(env.iter().copied()).output().expect("the program runs").into()
    }

    /// `aura serve`, ready.
    pub fn serve(&self) -> Server {
        let log = fs::File::create(self.path.join("serve.log")).expect("a log");
        let mut command = Command::new(program());
        self.surround(command.arg("serve"));
        let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("the program starts");
        let mut server = Server { child };
        self.ready(&mut server.child).expect("a server");
        server
    }

    fn ready(&self, child: &mut Child) -> Result<(), String> {
        let log = || fs::read_to_string(self.path.join("serve.log")).unwrap_or_default();
        for _ in 0..6000 {
            if log().lines().any(|line| line.contains("ready") && line.contains("address")) {
                return Ok(());
            }
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("the server never was ready: {}", log()))
    }

    /// Whether nothing of a cluster is left running.
    pub fn is_down(&self) -> bool {
        !self.path.join("db/data/postmaster.pid").exists()
    }

    /// The process id that Postgres wrote down.
    pub fn postmaster(&self) -> u32 {
        let file = fs::read_to_string(self.path.join("db/data/postmaster.pid")).expect("a running cluster");
        file.lines().next().and_then(|line| line.parse().ok()).expect("a process id")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !self.shared {
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

/// A running server; told to end when it is dropped, and waited for.
pub struct Server {
    child: Child,
}

impl Server {
    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end after somebody killed it.
    pub fn reap(&mut self) {
        self.child.wait().expect("a child");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill("TERM", self.child.id());
            drop(self.child.wait());
        }
    }
}

/// Sends a signal.
pub fn kill(signal: &str, pid: u32) {
    let number = match signal {
        "TERM" => Signal::TERM,
        "KILL" => Signal::KILL,
        "STOP" => Signal::STOP,
        other => panic!("no test sends SIG{other}"),
    };
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(process, number).unwrap_or_else(|error| panic!("process {pid} got no SIG{signal}: {error}"));
}

/// A shell holds the server: when the pipe from this program closes, it ends the server and removes the home.
fn serve_whole() -> Result<(Home, Child), String> {
    let mut home = Home::new("whole");
    home.shared = true;
    let script = r#"
        exec 3<&0
        "$AURA" serve </dev/null 2>"$AURA_HOME/serve.log" &
        server=$!
        (read -r _ <&3; kill $server) &
        wait $server && rm -rf "$AURA_HOME"
    "#;
    let mut shell = Command::new("sh");
    home.surround(shell.args(["-c", script]));
    shell.env("AURA", program()).env("AURA_MANUALS", repository("manuals"));
    let shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = shell.spawn().expect("a shell");
    home.ready(&mut child)?;
    Ok((home, child))
}

/// Where root runs the tests, Postgres runs as another account.
fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}
