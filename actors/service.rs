//! Starts everything in order and drains it in reverse. The only room that wires actors together.
use crate::base::{self, Base, BaseError};
use crate::call::Wires;
use crate::calls::{Blueprint, Calls};
use crate::config::{CatalogueError, Config};
use crate::desk::{Desk, Tell};
use crate::embed::{self, Embedder};
use crate::ingest::{self, IngestError, IngestOptions};
use crate::journal::{Flush, Journal};
use crate::llm::{self, Llm, LlmActor};
use crate::postgres::Role;
use crate::rag::{RagActor, RagPool};
use crate::telemetry;
use crate::web::health::Health;
use crate::web::retell::Door;
use crate::{store::StoreError, web};
use actix::prelude::*;
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web as actix_data};
use aura::equipment::Catalogue;
use aura::settings::Snapshot;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::{info, warn};

/// Searchers in the pool.
const SEARCHERS: usize = 4;
/// How long calls may finish their turn when draining.
const DRAIN: Duration = Duration::from_secs(5);
/// How long facts may take to be written when draining.
const LAST_FACTS: Duration = Duration::from_secs(10);

/// Why the service can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// Its content.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The map of models and manuals.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The embedder.
    #[error("the embedder can't start: {0}")]
    Embedder(#[from] embed::OpenError),
    /// The responder.
    #[error("the language model can't be used: {0}")]
    Llm(#[from] llm::OpenError),
    /// The first ingest.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The metrics.
    #[error("metrics can't be set up: {0}")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// No prompt.
    #[error("no active prompt '{0}': seed it from the prompts' folder or `aura prompts activate` it")]
    NoPrompt(&'static str),
    /// The address.
    #[error("{address} can't be listened on ({why}); set AURA_LISTEN to a free address")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        why: std::io::Error,
    },
}

/// Parts that tests replace: each with the real thing behind another port.
#[derive(Default)]
pub struct Parts {
    /// Instead of the configured embedder.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Instead of the configured responder.
    pub llm: Option<Arc<dyn Llm>>,
    /// Instead of the desk.
    pub desk: Option<Recipient<Tell>>,
}

/// The running service.
pub struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    calls: Arc<Calls>,
    health: actix_data::Data<Health>,
    server: ServerHandle,
    journal: Addr<Journal>,
    base: Base,
}

impl Service {
    /// Starts everything that `config` names; ready when it returns.
    pub async fn start(config: &Config, parts: Parts) -> Result<Self, StartError> {
        let metrics = telemetry::start_metrics()?;
        let embedder = match parts.embedder {
            Some(embedder) => embedder,
            None => embed::open(config)?,
        };
        let llm = match parts.llm {
            Some(llm) => llm,
            None => llm::open(config)?,
        };
        let base = Base::open(config, Role::Server).await?;
        let catalogue = config.open_catalogue()?;
        prepare(config, &base, embedder.as_ref(), catalogue).await?;
        let journal = Journal::new(base.store.clone()).start();
        let wires = Wires {
            rag: searchers(config, &embedder, &base).recipient(),
            llm: LlmActor::new(llm.clone(), config.llm_permits).start().recipient(),
            desk: parts.desk.unwrap_or_else(|| Desk.start().recipient()),
            journal: journal.clone().recipient(),
        };
        let settings = base::derive(base.store.watch_settings().await?, |rows| base::snapshot(rows));
        let prompts = base::derive(base.store.watch_prompts().await?, |rows| base::active(rows));
        for channel in aura::channel::Channel::ALL {
            let key = channel.profile().prompt_key;
            if !prompts.borrow().contains_key(key) {
                return Err(StartError::NoPrompt(key));
            }
        }
        let responder = format!("{}/{}", llm.name(), llm.model());
        info!(%responder, embedder = embedder.name(), model = embedder.model(), "wired");
        let calls = Calls::new(Blueprint {
            catalogue,
            scale: embedder.scale(),
            responder,
            wires,
            settings,
            prompts,
            max_calls: config.max_calls,
        });
        let health = actix_data::Data::new(Health {
            ready: AtomicBool::new(false),
            store: base.store.clone(),
            metrics,
        });
        let (server, address) = listen(config, &calls, &health)?;
        health.ready.store(true, Ordering::Relaxed);
        info!(%address, "ready");
        Ok(Self { address, calls, health, server, journal, base })
    }

    /// How many calls are live.
    pub fn live_calls(&self) -> usize {
        self.calls.live()
    }

    /// Readiness off, no new calls, each call finishes its turn and lets its peer redial, facts are
    /// written, then the database stops.
    pub async fn stop(self) -> Result<(), BaseError> {
        self.health.ready.store(false, Ordering::Relaxed);
        self.calls.drain();
        let drained = async {
            while self.calls.sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(DRAIN, drained).await.is_err() {
            warn!("some calls were still speaking when the drain time ended; their peers redial");
        }
        self.server.stop(false).await;
        match tokio::time::timeout(LAST_FACTS, self.journal.send(Flush)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => {
                warn!("not all facts could be written before the stop; see aura_journal_waiting")
            }
        }
        self.base.close().await
    }
}

/// Everything that must be true of the database before the first call.
async fn prepare(
    config: &Config,
    base: &Base,
    embedder: &dyn Embedder,
    catalogue: &Catalogue,
) -> Result<(), StartError> {
    base::check_model(&base.store, embedder).await?;
    if base.store.files().await?.is_empty() {
        info!(folder = %config.manuals.display(), "the base is empty: ingesting");
        let report = ingest::ingest(&base.store, embedder, &config.manuals, IngestOptions::default()).await?;
        info!("{report}");
    }
    base.store.settle_plan().await?;
    base::check_map(&base.store, catalogue).await?;
    Ok(())
}

fn searchers(config: &Config, embedder: &Arc<dyn Embedder>, base: &Base) -> Addr<RagPool> {
    let permits = Arc::new(Semaphore::new(config.rag_permits));
    let searcher = || {
        let stores = base.store.clone();
        RagActor::new(Arc::clone(embedder), stores, Arc::clone(&permits)).start().recipient()
    };
    RagPool::new(std::iter::repeat_with(searcher).take(SEARCHERS).collect()).start()
}

fn listen(
    config: &Config,
    calls: &Arc<Calls>,
    health: &actix_data::Data<Health>,
) -> Result<(ServerHandle, SocketAddr), StartError> {
    let door = actix_data::Data::new(Door {
        secrets: config.retell_secrets.clone(),
        allow: config.retell_allow.clone(),
        trust_forwarded: config.trust_forwarded,
    });
    let calls = actix_data::Data::from(Arc::clone(calls));
    let health = health.clone();
    let refused = |why| StartError::Listen { address: config.listen, why };
    let server = HttpServer::new(move || {
        App::new()
            .app_data(calls.clone())
            .app_data(health.clone())
            .app_data(door.clone())
            .configure(web::health::routes)
            .configure(web::retell::routes)
    })
    .disable_signals()
    .workers(config.workers)
    .tcp_nodelay(true) // a sentence never waits for the last one's acknowledgement
    .bind(config.listen)
    .map_err(refused)?;
    let address = server.addrs().first().copied().unwrap_or(config.listen);
    let server = server.run();
    let handle = server.handle();
    actix_rt::spawn(server);
    Ok((handle, address))
}

/// The settings in force, for commands that need them once.
pub async fn settings_now(base: &Base) -> Result<Snapshot, StoreError> {
    Ok(base::snapshot(&base.store.settings().await?))
}
