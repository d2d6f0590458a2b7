//! Environment to typed configuration: the only room that reads variables. What isn't understood
//! refuses to start, by name.
#![allow(clippy::disallowed_methods)] // this is the room that reads the environment
mod accounts;
mod ears;
mod extractor;
mod patients;

use crate::postgres;
use crate::secret::Secret;
use crate::telemetry::LogFormat;
use aura::equipment::Catalogue;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

pub use ears::{Deepgram, Ears, SttChoice};
pub use extractor::Extractor;
pub use patients::Patients;

/// A variable that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}='{value}' can't be used: expected {expected}")]
pub struct ConfigError {
    /// The variable.
    pub name: &'static str,
    /// What it holds (never a secret).
    pub value: String,
    /// What it should hold.
    pub expected: String,
}

/// A catalogue that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the catalogue {} (AURA_CATALOGUE) can't be used: {why}; src/equipment/catalogue.toml shows the format", file.display())]
pub struct CatalogueError {
    /// Which file.
    pub file: PathBuf,
    /// Why.
    pub why: String,
}

/// Which embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedderChoice {
    /// multilingual-e5-small in this process.
    Local,
    /// An OpenAI-compatible server.
    OpenAi,
}

/// Which responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlmChoice {
    /// Quotes the manuals; no model.
    Local,
    /// An OpenAI-compatible server.
    OpenAi,
}

/// The OpenAI-compatible server's address and models.
#[derive(Clone, Debug)]
pub struct OpenAi {
    /// `OPENAI_BASE_URL`, default `https://api.openai.com/v1`.
    pub base_url: String,
    /// `OPENAI_API_KEY`; a local server may need none.
    pub api_key: Option<Secret>,
    /// `OPENAI_MODEL`.
    pub model: String,
    /// `OPENAI_EMBEDDING_MODEL`.
    pub embedding_model: String,
    /// `OPENAI_EMBEDDING_DIMS`: needed for models whose length isn't known.
    pub embedding_dims: Option<usize>,
}

/// Where Postgres is.
#[derive(Clone, Debug)]
pub enum Database {
    /// `DATABASE_URL`.
    Url(Secret),
    /// The embedded cluster below [`Config::home`].
    Embedded,
}

/// Everything that is decided before the start.
#[derive(Clone, Debug)]
pub struct Config {
    /// `AURA_HOME`: downloads, weights, the embedded cluster.
    pub home: PathBuf,
    /// `AURA_LISTEN`, default `127.0.0.1:8080`.
    pub listen: SocketAddr,
    /// `DATABASE_URL`, else embedded.
    pub database: Database,
    /// `AURA_PG_BIN`: a directory with `postgres` and `initdb`.
    pub pg_bin: Option<PathBuf>,
    /// `AURA_PG_USER`: who runs the embedded server when Aura is root.
    pub pg_user: Option<String>,
    /// `AURA_EMBEDDER`: `local` or `openai`.
    pub embedder: EmbedderChoice,
    /// `AURA_E5_WEIGHTS`: the local model's file.
    pub e5_weights: PathBuf,
    /// `AURA_E5_THREADS`: threads of the local embedder.
    pub e5_threads: NonZeroUsize,
    /// `AURA_LLM`: `local` or `openai`.
    pub llm: LlmChoice,
    /// The OpenAI-compatible server.
    pub openai: OpenAi,
    /// `RETELL_SECRET`: the path's secret; two, separated by a comma, while one is rotated.
    pub retell_secrets: Vec<Secret>,
    /// `RETELL_API_KEY`: the key that signs Retell's webhooks; two, separated by a comma, while one is
    /// rotated. Without one webhooks are refused.
    pub retell_api_keys: Vec<Secret>,
    /// `RETELL_ALLOW_IPS`: addresses or networks that may dial; empty is all.
    pub retell_allow: Vec<IpNet>,
    /// `AURA_TRUST_FORWARDED`: whether `X-Forwarded-For`'s last address is the peer's.
    pub trust_forwarded: bool,
    /// `AURA_KEY`: the master key of [`crate::vault`]; unset, it is the file `key` below [`Config::home`].
    pub key: Option<Secret>,
    /// `AURA_ORIGINS`: origins that browsers may come from beside the service's own, in lower case; the first is
    /// the address in printed links.
    pub origins: Vec<String>,
    /// `AURA_DESK_TOKEN`: an operator's token for `aura desk`, which else asks for a password.
    pub desk_token: Option<Secret>,
    /// Forked calls.
    pub ears: Ears,
    /// The patients' system.
    pub patients: Patients,
    /// The second reader of documents, if there is one.
    pub extractor: Option<Extractor>,
    /// `AURA_JOURNAL`: the folder of the journal, default `journal` below [`Config::home`].
    pub journal: PathBuf,
    /// `AURA_JOURNAL_MAX_MB`: what it may grow to while the database is away.
    pub journal_max_mb: usize,
    /// `AURA_MAX_CALLS`: the cap of live calls.
    pub max_calls: usize,
    /// `AURA_RAG_PERMITS`: searches at once.
    pub rag_permits: usize,
    /// `AURA_LLM_PERMITS`: answers at once.
    pub llm_permits: usize,
    /// `AURA_MANUALS`: the folder that is ingested into an empty base.
    pub manuals: PathBuf,
    /// `AURA_CATALOGUE`: a catalogue of the deployment's own equipment.
    pub catalogue: Option<PathBuf>,
    /// `AURA_PROMPTS`: the folder that prompts are seeded from, default `prompts`. Commands do without.
    pub prompts: Option<PathBuf>,
    /// `AURA_LOG`: `pretty` or `json`.
    pub log_format: LogFormat,
    /// `RUST_LOG`; each command has its own default.
    pub log_filter: Option<String>,
    /// `XDG_RUNTIME_DIR`: where a short socket directory may be made.
    pub runtime_dir: Option<PathBuf>,
    /// `AURA_WORKERS`: threads that carry sockets and calls.
    pub workers: usize,
}

impl Config {
    /// Reads the environment of this process.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::read(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// Reads variables from `get`: the environment, or a test's.
    pub fn read(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let home = get("AURA_HOME").map_or_else(|| default_home(get), PathBuf::from);
        let api_key = get("OPENAI_API_KEY").map(Secret::new);
        let base_url = get("OPENAI_BASE_URL");
        let remote = api_key.is_some() || base_url.is_some();
        let parse = Parse { get };
        let listen: SocketAddr =
            parse.or("AURA_LISTEN", "127.0.0.1:8080", "an address such as 127.0.0.1:8080")?;
        let retell_secrets = secrets(&get("RETELL_SECRET").unwrap_or_default());
        if retell_secrets.is_empty() && !listen.ip().is_loopback() {
            return Err(ConfigError {
                name: "RETELL_SECRET",
                value: String::new(),
                expected: format!(
                    "a secret for the websocket's path, since AURA_LISTEN={listen} can be reached from outside"
                ),
            });
        }
        Ok(Self {
            listen,
            database: get("DATABASE_URL").map_or(Database::Embedded, |url| Database::Url(Secret::new(url))),
            pg_bin: get("AURA_PG_BIN").map(PathBuf::from),
            pg_user: get("AURA_PG_USER"),
            embedder: parse.choice("AURA_EMBEDDER", remote, EmbedderChoice::Local, EmbedderChoice::OpenAi)?,
            e5_weights: get("AURA_E5_WEIGHTS").map_or_else(|| home.join("e5/e5-small-q4.bin"), PathBuf::from),
            e5_threads: parse.or(
                "AURA_E5_THREADS",
                &default_threads().to_string(),
                "a number of threads from 1",
            )?,
            llm: parse.choice("AURA_LLM", remote, LlmChoice::Local, LlmChoice::OpenAi)?,
            openai: parse.openai(api_key, base_url)?,
            retell_secrets,
            retell_api_keys: secrets(&get("RETELL_API_KEY").unwrap_or_default()),
            retell_allow: networks("RETELL_ALLOW_IPS", &get("RETELL_ALLOW_IPS").unwrap_or_default())?,
            key: get("AURA_KEY").map(Secret::new),
            origins: accounts::origins(&get("AURA_ORIGINS").unwrap_or_default())?,
            desk_token: get("AURA_DESK_TOKEN").map(Secret::new),
            ears: Ears::read(&parse, listen)?,
            patients: Patients::read(&parse, listen)?,
            extractor: Extractor::read(&parse)?,
            trust_forwarded: parse.or("AURA_TRUST_FORWARDED", "false", "true or false")?,
            journal: get("AURA_JOURNAL").map_or_else(|| home.join("journal"), PathBuf::from),
            journal_max_mb: parse.number("AURA_JOURNAL_MAX_MB", 2048, 16..=1_000_000)?,
            max_calls: parse.number("AURA_MAX_CALLS", 2000, 1..=100_000)?,
            rag_permits: parse.number("AURA_RAG_PERMITS", 64, 1..=10_000)?,
            llm_permits: parse.number("AURA_LLM_PERMITS", 2000, 1..=100_000)?,
            manuals: get("AURA_MANUALS").map_or_else(|| PathBuf::from("manuals"), PathBuf::from),
            catalogue: get("AURA_CATALOGUE").map(PathBuf::from),
            prompts: get("AURA_PROMPTS").map(PathBuf::from),
            log_format: match get("AURA_LOG").as_deref() {
                None | Some("pretty") => LogFormat::Pretty,
                Some("json") => LogFormat::Json,
                Some(other) => return Err(bad("AURA_LOG", other, "pretty or json")),
            },
            log_filter: get("RUST_LOG"),
            workers: parse.number("AURA_WORKERS", default_threads(), 1..=256)?,
            runtime_dir: get("XDG_RUNTIME_DIR").map(PathBuf::from),
            home,
        })
    }
}

impl Config {
    /// Where the embedded cluster lives and what runs it.
    pub fn cluster_settings(&self) -> postgres::Settings {
        postgres::Settings {
            home: self.home.clone(),
            bin: self.pg_bin.clone(),
            user: self.pg_user.clone(),
            runtime: self.runtime_dir.clone(),
        }
    }

    /// The catalogue that ships with Aura, or the deployment's own, validated. Lives as long as the process.
    pub fn open_catalogue(&self) -> Result<&'static Catalogue, CatalogueError> {
        let Some(file) = &self.catalogue else { return Ok(Catalogue::builtin()) };
        let text = std::fs::read_to_string(file)
            .map_err(|why| CatalogueError { file: file.clone(), why: why.to_string() })?;
        let catalogue = Catalogue::parse(&text)
            .map_err(|why| CatalogueError { file: file.clone(), why: why.to_string() })?;
        Ok(Box::leak(Box::new(catalogue)))
    }

    /// The address in links that people open: the first of [`Config::origins`], else the listener's.
    pub fn console(&self, listening: SocketAddr) -> String {
        self.origins.first().cloned().unwrap_or_else(|| format!("http://{listening}"))
    }

    /// The address at which this machine reaches its own server.
    pub fn dial(&self) -> SocketAddr {
        let loopback = IpAddr::from([127, 0, 0, 1]);
        let ip = if self.listen.ip().is_unspecified() { loopback } else { self.listen.ip() };
        SocketAddr::new(ip, self.listen.port())
    }
}

/// `/var/lib/aura` for root, whose home is closed to the database's user; else the user's data folder.
/// `deploy/lib.sh` computes the same.
fn default_home(get: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/var/lib/aura");
    }
    let data = get("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| get("HOME").map(|home| PathBuf::from(home).join(".local/share")));
    data.unwrap_or_else(std::env::temp_dir).join("aura")
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn bad(name: &'static str, value: &str, expected: &str) -> ConfigError {
    ConfigError { name, value: value.to_owned(), expected: expected.to_owned() }
}

fn secrets(list: &str) -> Vec<Secret> {
    list.split(',').map(str::trim).filter(|s| !s.is_empty()).map(Secret::new).collect()
}

fn networks(name: &'static str, list: &str) -> Result<Vec<IpNet>, ConfigError> {
    let parse =
        |text: &str| text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    list.split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| parse(text).ok_or_else(|| bad(name, text, "addresses or networks, comma-separated")))
        .collect()
}

struct Parse<'a> {
    get: &'a dyn Fn(&str) -> Option<String>,
}

impl Parse<'_> {
    fn or<T: FromStr>(&self, name: &'static str, default: &str, expected: &str) -> Result<T, ConfigError> {
        let value = (self.get)(name).unwrap_or_else(|| default.to_owned());
        value.parse().map_err(|_| bad(name, &value, expected))
    }

    fn number(
        &self,
        name: &'static str,
        default: usize,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, ConfigError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let number = self.or(name, &default.to_string(), &expected)?;
        if range.contains(&number) { Ok(number) } else { Err(bad(name, &number.to_string(), &expected)) }
    }

    fn openai(&self, api_key: Option<Secret>, base_url: Option<String>) -> Result<OpenAi, ConfigError> {
        let or = |name: &str, default: &str| (self.get)(name).unwrap_or_else(|| default.to_owned());
        Ok(OpenAi {
            base_url: base_url.unwrap_or_else(|| "https://api.openai.com/v1".to_owned()),
            api_key,
            model: or("OPENAI_MODEL", "gpt-4.1-mini"),
            embedding_model: or("OPENAI_EMBEDDING_MODEL", "text-embedding-3-small"),
            embedding_dims: match (self.get)("OPENAI_EMBEDDING_DIMS") {
                Some(_) => Some(self.number("OPENAI_EMBEDDING_DIMS", 0, 1..=16_000)?),
                None => None,
            },
        })
    }

    /// `local` or `openai`; unset follows whether an OpenAI-compatible server is configured.
    fn choice<T>(&self, name: &'static str, remote: bool, local: T, openai: T) -> Result<T, ConfigError> {
        match (self.get)(name).as_deref() {
            Some("local") => Ok(local),
            Some("openai") => Ok(openai),
            Some(other) => Err(bad(name, other, "local or openai")),
            None if remote => Ok(openai),
            None => Ok(local),
        }
    }
}
