//! The real service for a test: its own database, a free port, and recorders where it talks to people.
#[path = "recorded.rs"]
mod recorded;

pub use recorded::Recorded;

use crate::database::Database;
use crate::folder::Folder;
use actix::prelude::*;
use aura_actors::base::Base;
use aura_actors::config::Config;
use aura_actors::embed::{self, Embedder};
use aura_actors::ingest::{IngestOptions, ingest};
use aura_actors::journal::Flush;
use aura_actors::postgres::Role;
use aura_actors::service::{Parts, Service, StartError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_postgres::{Client, NoTls};

/// How long a test waits for what must come, before it fails.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Services at once: the model shares a small machine's cores.
const SERVICES: usize = 3;

/// What a test decides.
#[derive(Default)]
pub struct Options {
    variables: BTreeMap<String, String>,
    settings: Vec<(&'static str, Value)>,
    parts: Parts,
    empty: bool,
    few: bool,
}

impl Options {
    /// With a variable of the environment.
    pub fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.variables.insert(name.to_owned(), value.to_string());
        self
    }

    /// With a setting (scope `global`) that is there before the start.
    pub fn setting(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.settings.push((key, value.into()));
        self
    }

    /// With the model of an OpenAI-compatible server.
    pub fn llm(self, base_url: String) -> Self {
        self.set("OPENAI_BASE_URL", base_url).set("AURA_LLM", "openai").set("AURA_EMBEDDER", "local")
    }

    /// With an embedder of the test's own.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.parts.embedder = Some(embedder);
        self
    }

    /// With a base of one folder of manuals, which is made in less time: for tests that search nothing.
    #[allow(dead_code)]
    pub fn few_manuals(mut self) -> Self {
        self.few = true;
        self
    }

    /// Without the prepared database and embedder: the service opens what the variables name.
    pub fn bare(mut self) -> Self {
        self.empty = true;
        self
    }
}

/// One line of the event log.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// E.g. `knowledge_queried`.
    pub kind: String,
    /// The turn, if it is of one.
    pub turn: Option<i32>,
    /// The channel.
    pub source: String,
    /// The fact.
    pub payload: Value,
}

/// A running service.
pub struct Running {
    /// Taken by [`Running::stop`].
    pub service: Option<Service>,
    /// Its database.
    pub database: Database,
    /// What its desk was told.
    pub desk: Recorded,
    address: std::net::SocketAddr,
    client: Client,
    variables: BTreeMap<String, String>,
    journal: Folder,
    _permit: OwnedSemaphorePermit,
}

impl Running {
    /// Starts one on a copy of the ingested base.
    pub async fn start(options: Options) -> Self {
        match Self::try_start(options).await {
            Ok(running) => running,
            Err(error) => panic!("the service did not start: {error}"),
        }
    }

    /// Starts one, or says why it doesn't.
    pub async fn try_start(options: Options) -> Result<Self, StartError> {
        let permits = SERVICE_PERMITS.get_or_init(|| Arc::new(Semaphore::new(SERVICES)));
        let permit = Arc::clone(permits).acquire_owned().await.expect("never closed");
        let Options { variables, settings, mut parts, empty, few } = options;
        let database = Database::empty().await;
        if !empty {
            copy(if few { small_template().await } else { template().await }, &database).await;
            parts.embedder.get_or_insert_with(embedder);
        }
        let client = database.client().await;
        for (key, value) in &settings {
            set_setting(&client, key, value).await;
        }
        let desk = Recorded::default();
        parts.desk.get_or_insert_with(|| recorded::Recorder(desk.clone()).start().recipient());
        let journal = Folder::new();
        let config = config(&variables, &address_of(&client, database.name()).await, journal.path());
        let service = Service::start(&config, parts).await?;
        let address = service.address;
        let service = Some(service);
        Ok(Self { service, database, desk, address, client, variables, journal, _permit: permit })
    }

    /// Starts it again on what it left, after [`Running::stop`].
    pub async fn again(&mut self) {
        let mut parts = Parts { embedder: Some(embedder()), ..Parts::default() };
        parts.desk = Some(recorded::Recorder(self.desk.clone()).start().recipient());
        let database = address_of(&self.client, self.database.name()).await;
        let config = config(&self.variables, &database, self.journal.path());
        let service = Service::start(&config, parts).await.expect("it starts again");
        self.address = service.address;
        self.service = Some(service);
    }

    /// Sets a variable for the next start.
    #[allow(dead_code)]
    pub fn change(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Waits until the database has everything that was recorded.
    pub async fn flush(&self) {
        let journal = self.service.as_ref().expect("it runs").journal();
        timeout(PATIENCE, journal.send(Flush)).await.expect("in time").expect("a journal");
    }

    /// Where its journal is.
    pub fn journal(&self) -> &Path {
        self.journal.path()
    }

    /// Host and port.
    pub fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// The address as Retell's dashboard would hold it.
    pub fn url(&self) -> String {
        format!("ws://{}/llm-websocket", self.address)
    }

    /// The address of a fork's door.
    #[allow(dead_code)]
    pub fn door(&self, path: &str) -> String {
        format!("ws://{}{path}", self.address)
    }

    /// Where AudioSocket is taken in.
    #[allow(dead_code)]
    pub fn audiosocket(&self) -> std::net::SocketAddr {
        self.service.as_ref().and_then(|service| service.audiosocket).expect("it listens")
    }

    /// Calls that are live.
    pub fn live_calls(&self) -> usize {
        self.service.as_ref().map_or(0, Service::live_calls)
    }

    /// Stops it in order.
    pub async fn stop(&mut self) {
        let service = self.service.take().expect("it was running");
        service.stop().await.expect("it stops");
    }

    /// Changes a setting, as `aura settings set` of another process would.
    pub async fn set(&self, key: &str, value: impl Into<Value>) {
        set_setting(&self.client, key, &value.into()).await;
    }

    /// A connection of the test's own.
    pub fn sql(&self) -> &Client {
        &self.client
    }

    /// The base as another process would open it.
    pub async fn base(&self) -> Base {
        let database = address_of(&self.client, self.database.name()).await;
        let config = config(&BTreeMap::new(), &database, self.journal.path());
        Base::open(&config, Role::Server).await.expect("the base opens")
    }

    /// Refuses new connections and ends those that are open, or takes new ones again: an outage and its end.
    pub async fn close_database(&self, closed: bool) {
        let sql = format!("ALTER DATABASE {} ALLOW_CONNECTIONS {}", self.database.name(), !closed);
        let admin = connect(&address_of(&self.client, "postgres").await).await;
        admin.batch_execute(&sql).await.expect("the database's owner may");
        if closed {
            self.cut_connections().await;
        }
    }

    /// Ends every connection but the test's own; answers how many there were.
    pub async fn cut_connections(&self) -> i64 {
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        self.client.query_one(sql, &[]).await.expect("the test's own connection").get(0)
    }

    /// The call's facts so far, in order.
    pub async fn facts(&self, call: &str) -> Vec<Fact> {
        let sql = "SELECT kind, turn, source, payload FROM event_log WHERE call_id = $1 ORDER BY at, id";
        let rows = self.client.query(sql, &[&call]).await.expect("the event log");
        let fact = |row: &tokio_postgres::Row| Fact {
            kind: row.get(0),
            turn: row.get(1),
            source: row.get(2),
            payload: row.get(3),
        };
        rows.iter().map(fact).collect()
    }

    /// The call's facts, once there are so many of this kind.
    pub async fn facts_with(&self, call: &str, kind: &str, count: usize) -> Vec<Fact> {
        let enough = async {
            loop {
                let facts = self.facts(call).await;
                if facts.iter().filter(|fact| fact.kind == kind).count() >= count {
                    return facts;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        match timeout(PATIENCE, enough).await {
            Ok(facts) => facts,
            Err(_) => panic!("{count} facts '{kind}' never came; there are {:#?}", self.facts(call).await),
        }
    }

    /// The last fact of this kind, once there are so many.
    pub async fn last(&self, call: &str, kind: &str, count: usize) -> Value {
        let facts = self.facts_with(call, kind, count).await;
        facts.into_iter().rfind(|fact| fact.kind == kind).expect("at least one").payload
    }
}

static SERVICE_PERMITS: OnceLock<Arc<Semaphore>> = OnceLock::new();
static TEMPLATE: OnceCell<Database> = OnceCell::const_new();
static SMALL_TEMPLATE: OnceCell<Database> = OnceCell::const_new();
static EMBEDDER: OnceLock<Arc<dyn Embedder>> = OnceLock::new();

/// The real local model; one for the whole program.
pub fn embedder() -> Arc<dyn Embedder> {
    let open = || {
        embed::open(&config(&BTreeMap::new(), "unused", Path::new("unused")))
            .expect("the model's weights: run deploy/test")
    };
    Arc::clone(EMBEDDER.get_or_init(open))
}

/// The configuration that these variables make; what they leave out is never the developer's own.
pub fn config(variables: &BTreeMap<String, String>, database: &str, journal: &Path) -> Config {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_program = |name: &str| std::env::var(name).ok();
    let home = of_program("AURA_HOME").map_or_else(|| root.join(".aura"), PathBuf::from);
    let shown = |path: PathBuf| Some(path.display().to_string());
    let get = |name: &str| {
        variables.get(name).cloned().or_else(|| match name {
            "AURA_HOME" => shown(home.clone()),
            "AURA_JOURNAL" => shown(journal.to_owned()),
            "AURA_E5_WEIGHTS" => of_program(name),
            "AURA_MANUALS" => shown(root.join("manuals")),
            "AURA_PROMPTS" => shown(root.join("prompts")),
            "DATABASE_URL" => Some(database.to_owned()),
            "AURA_LISTEN" => Some("127.0.0.1:0".to_owned()),
            "AURA_KEY" => Some("una clave de prueba, larga como debe ser".to_owned()),
            "AURA_WORKERS" => Some("1".to_owned()),
            _ => None,
        })
    };
    Config::read(&get).expect("a configuration")
}

/// A database that is migrated, seeded and ingested; nobody is connected to it.
async fn template() -> &'static Database {
    TEMPLATE.get_or_init(|| ingested("")).await
}

/// The same with one folder's manuals only.
async fn small_template() -> &'static Database {
    SMALL_TEMPLATE.get_or_init(|| ingested("cap")).await
}

async fn ingested(folder: &str) -> Database {
    let database = Database::empty().await;
    let client = database.client().await;
    let config = config(&BTreeMap::new(), &address_of(&client, database.name()).await, Path::new("unused"));
    let base = Base::open(&config, Role::Server).await.expect("the base opens");
    let manuals = config.manuals.join(folder);
    let report = ingest(&base.store, &*embedder(), &manuals, IngestOptions::default()).await;
    report.expect("the manuals are ingested");
    base.close().await.expect("the base closes");
    database
}

/// A copy of the ingested base for a process of a test's own, and how that reaches it.
#[allow(dead_code)]
pub async fn prepared() -> (Database, String) {
    let database = Database::empty().await;
    copy(template().await, &database).await;
    let client = database.client().await;
    let address = address_of(&client, database.name()).await;
    (database, address)
}

/// Makes `database` a copy of `template`.
async fn copy(template: &Database, database: &Database) {
    let (from, to) = (template.name(), database.name());
    let client = database.client().await;
    let postgres = address_of(&client, "postgres").await;
    drop(client);
    let admin = connect(&postgres).await;
    // Whoever made the template may still be hanging up.
    let sql = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = $1";
    admin.query_one(sql, &[&from]).await.expect("connections end");
    admin.batch_execute(&format!("DROP DATABASE {to} WITH (FORCE)")).await.expect("an empty one is dropped");
    let sql = format!("CREATE DATABASE {to} TEMPLATE {from}");
    admin.batch_execute(&sql).await.expect("the template is copied");
}

/// How another database of the server that `client` is connected to is reached.
async fn address_of(client: &Client, name: &str) -> String {
    if let Ok(address) = std::env::var("AURA_TEST_DATABASE_URL") {
        let mut config: tokio_postgres::Config = address.parse().expect("the address parses");
        config.dbname(name);
        return keywords(&config);
    }
    let sql = "SELECT split_part(current_setting('unix_socket_directories'), ',', 1), current_user::text";
    let row = client.query_one(sql, &[]).await.expect("the server's settings");
    let (directory, user): (String, String) = (row.get(0), row.get(1));
    format!("host={directory} user={user} dbname={name}")
}

/// A configuration as the `key=value` pairs that it was read from.
fn keywords(config: &tokio_postgres::Config) -> String {
    use tokio_postgres::config::Host;
    let mut pairs = Vec::new();
    for host in config.get_hosts() {
        pairs.push(match host {
            Host::Tcp(name) => format!("host={name}"),
            Host::Unix(path) => format!("host={}", path.display()),
        });
    }
    pairs.extend(config.get_ports().iter().map(|port| format!("port={port}")));
    pairs.extend(config.get_user().map(|user| format!("user={user}")));
    pairs.extend(config.get_password().map(|it| format!("password={}", String::from_utf8_lossy(it))));
    pairs.extend(config.get_dbname().map(|name| format!("dbname={name}")));
    pairs.join(" ")
}

async fn connect(address: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.expect("the server answers");
    tokio::spawn(connection);
    client
}

async fn set_setting(client: &Client, key: &str, value: &Value) {
    // An empty base has no table yet; only a prepared one can be set up beforehand.
    let sql = "INSERT INTO app_settings (key, scope, value) VALUES ($1, 'global', $2)
               ON CONFLICT (key, scope) DO UPDATE SET value = $2";
    client.execute(sql, &[&key, value]).await.expect("the setting is stored");
}
