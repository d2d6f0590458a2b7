//! Where the database is: DATABASE_URL read, with what libpq knows and tokio-postgres doesn't.
use super::{HNSW_BOUND, StoreError};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::config::{Host, SslMode};

/// How to reach the database, and the two bounds that tests lower.
#[derive(Clone)]
pub struct StoreConfig {
    pg: tokio_postgres::Config,
    /// The certificates to trust instead of the system's (`sslrootcert`).
    pub(super) root_cert: Option<PathBuf>,
    /// Connections of the pool, at least 2: a turn uses two at once (R1). Default 16.
    pub pool_size: usize,
    /// From how many rows an index is searched instead of all rows. Default [`HNSW_BOUND`].
    pub hnsw_bound: u64,
}

impl StoreConfig {
    /// Reads an address: a URL (`postgres://user@host/db?sslmode=verify-full`) or `key=value` pairs.
    ///
    /// Beside what tokio-postgres knows: `sslmode=verify-ca|verify-full`, `sslrootcert=FILE`. A certificate is
    /// always verified where TLS is used. Without `sslmode`, TLS is used if the server of another machine offers it.
    pub fn parse(address: &str) -> Result<Self, StoreError> {
        let (address, root_cert) = rewrite(address)?;
        let mut pg: tokio_postgres::Config = address
            .parse()
            .map_err(|error: tokio_postgres::Error| StoreError::Config(super::error::chain(&error)))?;
        if pg.get_ssl_mode() == SslMode::Prefer && pg.get_hosts().iter().all(is_local) {
            pg.ssl_mode(SslMode::Disable);
        }
        Ok(Self::new(pg, root_cert))
    }

    /// A cluster on this machine, by the directory of its unix socket.
    pub fn socket(directory: &std::path::Path, user: &str, database: &str) -> Self {
        let mut pg = tokio_postgres::Config::new();
        pg.host_path(directory).user(user).dbname(database).ssl_mode(SslMode::Disable);
        Self::new(pg, None)
    }

    /// A cluster on this machine, by the way it says to connect.
    pub fn cluster(mut pg: tokio_postgres::Config) -> Self {
        pg.ssl_mode(SslMode::Disable);
        Self::new(pg, None)
    }

    /// The same server, another database.
    #[must_use]
    pub fn with_database(mut self, name: &str) -> Self {
        self.pg.dbname(name);
        self
    }

    fn new(mut pg: tokio_postgres::Config, root_cert: Option<PathBuf>) -> Self {
        pg.connect_timeout(Duration::from_secs(2))
            .tcp_user_timeout(Duration::from_secs(10))
            .keepalives_idle(Duration::from_secs(30));
        if pg.get_application_name().is_none() {
            pg.application_name("aura");
        }
        Self { pg, root_cert, pool_size: 16, hnsw_bound: HNSW_BOUND }
    }

    pub(super) fn pg(&self) -> &tokio_postgres::Config {
        &self.pg
    }

    /// Host and database, without user and password.
    pub(super) fn shown(&self) -> String {
        let hosts: Vec<String> = self
            .pg
            .get_hosts()
            .iter()
            .map(|host| match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(path) => path.display().to_string(),
            })
            .collect();
        format!("{}/{}", hosts.join(","), self.pg.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreConfig({})", self.shown())
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
    }
}

/// Takes out of an address what tokio-postgres would refuse.
fn rewrite(address: &str) -> Result<(String, Option<PathBuf>), StoreError> {
    let address = address.trim();
    if address.is_empty() {
        return Err(StoreError::Config("it is empty; expected postgres://user@host/database".to_owned()));
    }
    let url = address.starts_with("postgres://") || address.starts_with("postgresql://");
    let (head, pairs, joint) = match (url, address.split_once('?')) {
        (true, Some((head, query))) => (head, query.split('&').collect::<Vec<_>>(), "&"),
        (true, None) => return Ok((address.to_owned(), None)),
        (false, _) => ("", address.split_whitespace().collect(), " "),
    };
    let mut kept = Vec::new();
    let mut root_cert = None;
    for pair in pairs {
        match pair.split_once('=') {
            Some(("sslrootcert", file)) => root_cert = Some(PathBuf::from(file.replace("%2F", "/"))),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require".to_owned()),
            Some(("sslmode", "allow")) => kept.push("sslmode=prefer".to_owned()),
            _ => kept.push(pair.to_owned()),
        }
    }
    let rest = kept.join(joint);
    let address = if url { format!("{head}?{rest}") } else { rest };
    Ok((address, root_cert))
}
