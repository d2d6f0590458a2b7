//! The base that serving and commands stand on: Postgres (embedded or not), migrated and seeded.
use crate::config::{Config, Database};
use crate::embed::Embedder;
use crate::journal::{AppendError, CallLine, Entry, EventLog, Fact, Identified};
use crate::postgres::{self, Cluster, PostgresError, Role};
use crate::prompt_files::{self, PromptFileError};
use crate::rag::Stores;
use crate::store::{
    ActRow, CallbackRow, EventRow, Facts, IdentityRow, LineRow, PromptVersion, SettingRow, Store,
    StoreConfig, StoreError,
};
use async_trait::async_trait;
use aura::channel::Channel;
use aura::equipment::{Catalogue, Model};
use aura::event::{Event, Kind};
use aura::prompt::Prompt;
use aura::retrieval::{CANDIDATE_LIMIT, Candidate, Filter, LessonCandidate};
use aura::settings::{GLOBAL, KNOWLEDGE_THRESHOLD, SEEDED_KNOWLEDGE_THRESHOLD, Snapshot};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use tracing::{info, warn};

/// Where prompts are seeded from unless `AURA_PROMPTS` says otherwise.
const PROMPTS: &str = "prompts";

/// Why the base can't be had.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// The embedded server.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The prompts' folder.
    #[error(transparent)]
    Prompts(#[from] PromptFileError),
}

/// The database and, where it is ours, its server.
pub struct Base {
    /// Every SQL statement.
    pub store: Arc<Store>,
    cluster: Option<Cluster>,
}

impl Base {
    /// Connects (starting the embedded server where none runs), migrates and seeds.
    pub async fn open(config: &Config, role: Role) -> Result<Self, BaseError> {
        let (store_config, cluster) = reach(config, role).await?;
        let prepared = async {
            let store = Store::connect(store_config).await?;
            store.migrate().await?;
            seed(&store, config, role).await?;
            Ok::<_, BaseError>(store)
        };
        Self::hold(prepared.await, cluster).await
    }

    /// Connects as a command does, and changes nothing in the base: no migration, no seed.
    pub async fn look(config: &Config) -> Result<Self, BaseError> {
        let (store_config, cluster) = reach(config, Role::Command).await?;
        let connected = Store::connect(store_config).await;
        Self::hold(connected.map_err(BaseError::from), cluster).await
    }

    /// A store with the server it needs; without the one, the other is stopped.
    async fn hold(store: Result<Store, BaseError>, cluster: Option<Cluster>) -> Result<Self, BaseError> {
        match store {
            Ok(store) => Ok(Self { store: Arc::new(store), cluster }),
            Err(error) => {
                if let Some(cluster) = cluster {
                    cluster.stop().await?;
                }
                Err(error)
            }
        }
    }

    /// Closes the pool, then the server if it is ours.
    pub async fn close(self) -> Result<(), BaseError> {
        self.store.close();
        match self.cluster {
            Some(cluster) => Ok(cluster.stop().await?),
            None => Ok(()),
        }
    }
}

/// How the database is reached, with its server where that is embedded.
async fn reach(config: &Config, role: Role) -> Result<(StoreConfig, Option<Cluster>), BaseError> {
    match &config.database {
        Database::Url(url) => Ok((StoreConfig::parse(url.expose())?, None)),
        Database::Embedded => {
            let cluster = postgres::start(&config.cluster_settings(), role).await?;
            Ok((StoreConfig::cluster(cluster.config()), Some(cluster)))
        }
    }
}

/// The global threshold (DECISIONS 1) and the prompts' record (E14); what is there already stays.
async fn seed(store: &Store, config: &Config, role: Role) -> Result<(), BaseError> {
    store.seed_setting(KNOWLEDGE_THRESHOLD.name, GLOBAL, &json!(SEEDED_KNOWLEDGE_THRESHOLD)).await?;
    let default = Path::new(PROMPTS);
    let folder = config.prompts.as_deref().unwrap_or(default);
    if role == Role::Command && config.prompts.is_none() && !default.exists() {
        return Ok(()); // a command away from the folder works with what is stored
    }
    let files = prompt_files::read(folder)?;
    let seeded = store.seed_prompts(&files).await?;
    for version in seeded.activated {
        info!(%version, "prompt activated");
    }
    for warning in seeded.warnings {
        warn!("{warning}");
    }
    Ok(())
}

/// Compares the whole map of manuals with the table, warns of each missing file by name (R6) and answers them.
pub async fn check_map(store: &Store, catalogue: &Catalogue) -> Result<Vec<(Model, String)>, StoreError> {
    let present = store.files().await?.into_keys().collect();
    let missing = catalogue.missing_sources(&present);
    for (model, source) in &missing {
        warn!(%model, %source, "the map names a manual that isn't ingested: its questions can't be answered");
    }
    Ok(missing)
}

/// Refuses a base whose vectors another model measured (DECISIONS 2).
pub async fn check_model(store: &Store, embedder: &dyn Embedder) -> Result<(), StoreError> {
    store.check_embedding_model(embedder.model(), embedder.dims()).await
}

/// The settings' rows as a snapshot; rows that don't fit are left out and named.
pub fn snapshot(rows: &[SettingRow]) -> Snapshot {
    let (snapshot, refused) = Snapshot::new(rows.iter().cloned());
    for error in refused {
        warn!(%error, "a stored setting is passed over; its default holds");
    }
    snapshot
}

/// Prompts by key (the active version) and by `key@version` (each).
pub fn prompts(versions: &[PromptVersion]) -> crate::calls::Prompts {
    let mut prompts = crate::calls::Prompts::new();
    for version in versions {
        let (key, number, body) = (version.key.clone(), version.version.clone(), version.body.clone());
        let prompt = Arc::new(Prompt { key, version: number, body });
        prompts.insert(format!("{}@{}", version.key, version.version), Arc::clone(&prompt));
        if version.active {
            prompts.insert(version.key.clone(), prompt);
        }
    }
    prompts
}

/// A channel without a prompt can't answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no active prompt '{0}': seed it from the prompts' folder (AURA_PROMPTS) or `aura prompts activate` it"
)]
pub struct NoPrompt(pub &'static str);

/// Whether a channel has its prompt.
pub fn require_prompt(prompts: &crate::calls::Prompts, channel: Channel) -> Result<(), NoPrompt> {
    let key = channel.profile().prompt_key;
    if prompts.contains_key(key) { Ok(()) } else { Err(NoPrompt(key)) }
}

/// Follows a watch of rows with what they mean, for as long as anybody listens.
pub fn derive<R, T>(mut rows: watch::Receiver<R>, meaning: fn(&R) -> T) -> watch::Receiver<Arc<T>>
where
    R: Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    let first = meaning(&rows.borrow_and_update());
    let (sender, receiver) = watch::channel(Arc::new(first));
    tokio::spawn(async move {
        while rows.changed().await.is_ok() {
            let next = Arc::new(meaning(&rows.borrow_and_update()));
            if sender.send(next).is_err() {
                return;
            }
        }
    });
    receiver
}

#[async_trait]
impl Stores for Store {
    async fn nearest(
        &self,
        vector: &[f32],
        model: &str,
        filter: Option<&Filter>,
    ) -> (Result<Vec<Candidate>, StoreError>, Result<Vec<LessonCandidate>, StoreError>) {
        self.search_both(vector, model, filter, CANDIDATE_LIMIT).await
    }
}

#[async_trait]
impl EventLog for Store {
    async fn append(&self, entries: &[Entry]) -> Result<(), AppendError> {
        let mut facts = Facts::default();
        for entry in entries {
            match &entry.fact {
                Fact::Event(event) => facts.add_event(entry, event),
                Fact::Line(line) => facts.lines.push(line_row(entry, line)),
                Fact::Act(act) => facts.acts.push(ActRow { id: entry.id, at: entry.at, act: act.clone() }),
                Fact::Identified(identified) => facts.identities.push(identity_row(entry, identified)),
            }
        }
        self.insert_facts(&facts).await.map(drop).map_err(|error| match error {
            StoreError::Refused(why) => AppendError::Refused(why),
            error => AppendError::Away(error.to_string()),
        })
    }
}

impl Facts {
    fn add_event(&mut self, entry: &Entry, event: &Event) {
        let mut row = EventRow {
            id: entry.id,
            call_id: event.call.to_string(),
            kind: event.kind.as_str().to_owned(),
            source: event.source.to_string(),
            turn: (event.turn.0 > 0).then_some(event.turn.0),
            agent_id: event.agent.as_ref().map(|agent| agent.0.clone()),
            at: entry.at,
            payload: event.payload.clone(),
        };
        if event.kind == Kind::CallbackRequested {
            // A telephone is kept where it is needed, and nowhere else.
            let phone = row.payload.as_object_mut().and_then(|payload| payload.remove("phone"));
            let text = |key: &str| row.payload.get(key).and_then(Value::as_str).map(str::to_owned);
            self.callbacks.push(CallbackRow {
                id: row.id,
                call_id: row.call_id.clone(),
                source: row.source.clone(),
                reason: text("reason").unwrap_or_default(),
                question: text("question"),
                phone: phone.as_ref().and_then(Value::as_str).map(str::to_owned),
                at: row.at,
            });
        }
        self.events.push(row);
    }
}

fn line_row(entry: &Entry, line: &CallLine) -> LineRow {
    LineRow {
        id: entry.id,
        call_id: line.call.to_string(),
        source: line.source.to_string(),
        seq: i64::try_from(line.seq).unwrap_or(i64::MAX),
        turn: (line.line.turn.0 > 0).then_some(line.line.turn.0),
        what: line.line.what.clone(),
        at: entry.at,
        detail: line.line.detail.clone(),
    }
}

fn identity_row(entry: &Entry, identified: &Identified) -> IdentityRow {
    let Identified { call, patient, source, state, sealed } = identified.clone();
    IdentityRow { call_id: call.to_string(), patient, source, state, sealed, at: entry.at }
}
