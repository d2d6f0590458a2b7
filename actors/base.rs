//! The base that serving and commands stand on: Postgres (embedded or not), migrated and seeded.
use crate::config::{Config, Database};
use crate::embed::Embedder;
use crate::journal::{Entry, EventLog};
use crate::postgres::{self, Cluster, PostgresError, Role};
use crate::prompt_files::{self, PromptFileError};
use crate::rag::Stores;
use crate::store::{EventRow, PromptVersion, SettingRow, Store, StoreConfig, StoreError};
use async_trait::async_trait;
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::prompt::Prompt;
use aura::retrieval::{CANDIDATE_LIMIT, Candidate, Filter, LessonCandidate};
use aura::settings::{GLOBAL, KNOWLEDGE_THRESHOLD, SEEDED_KNOWLEDGE_THRESHOLD, Snapshot};
use serde_json::json;
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
        let (store_config, cluster) = match &config.database {
            Database::Url(url) => (StoreConfig::parse(url.expose())?, None),
            Database::Embedded => {
                let cluster = postgres::start(&config.cluster_settings(), role).await?;
                (StoreConfig::cluster(cluster.config()), Some(cluster))
            }
        };
        let prepared = async {
            let store = Store::connect(store_config).await?;
            store.migrate().await?;
            seed(&store, config, role).await?;
            Ok::<_, BaseError>(store)
        };
        match prepared.await {
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

/// Compares the whole map of manuals with the table and warns of each missing file by name (R6).
pub async fn check_map(store: &Store, catalogue: &Catalogue) -> Result<(), StoreError> {
    let present = store.files().await?.into_keys().collect();
    for (model, source) in catalogue.missing_sources(&present) {
        warn!(%model, %source, "the map names a manual that isn't ingested: its questions can't be answered");
    }
    Ok(())
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

/// The active prompts by key.
pub fn active(versions: &[PromptVersion]) -> crate::calls::Prompts {
    let active = versions.iter().filter(|version| version.active);
    active
        .map(|version| {
            let (key, number, body) = (version.key.clone(), version.version.clone(), version.body.clone());
            (version.key.clone(), Arc::new(Prompt { key, version: number, body }))
        })
        .collect()
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
    ) -> (Result<Vec<Candidate>, String>, Result<Vec<LessonCandidate>, String>) {
        let (manuals, lessons) = self.search_both(vector, model, filter, CANDIDATE_LIMIT).await;
        (manuals.map_err(|error| error.to_string()), lessons.map_err(|error| error.to_string()))
    }
}

#[async_trait]
impl EventLog for Store {
    async fn append(&self, entries: &[Entry]) -> Result<(), String> {
        let rows: Vec<EventRow> = entries.iter().map(row).collect();
        self.insert_events(&rows).await.map(drop).map_err(|error| error.to_string())
    }
}

fn row(entry: &Entry) -> EventRow {
    let event = &entry.event;
    EventRow {
        id: entry.id,
        call_id: event.call.to_string(),
        kind: event.kind.as_str().to_owned(),
        source: event.source.to_string(),
        turn: (event.turn.0 > 0).then_some(event.turn.0),
        agent_id: event.agent.as_ref().map(|agent| agent.0.clone()),
        at: entry.at,
        payload: event.payload.clone(),
    }
}
