//! Starts everything in order and drains it in reverse. The only room that wires actors together.
mod desks;
mod error;

pub use error::StartError;

use crate::accounts::Accounts;
use crate::base::{self, Base, BaseError};
use crate::breaker::{Breaker, Breakers};
use crate::calls::{Blueprint, Calls, Near, Shared};
use crate::capture::{self, CaptureActor, Extractor};
use crate::config::Config;
use crate::desk::{Desk, Plug, Serve, Tell};
use crate::embed::{self, Embedder};
use crate::forks::Forks;
use crate::ingest::{self, IngestOptions};
use crate::journal::{self, Close, Flush, Journal, Opened};
use crate::llm::{self, Llm, LlmActor};
use crate::lookup::{Limits, PatientLookupActor};
use crate::patients::{self, PatientLookup};
use crate::postgres::Role;
use crate::rag::{RagActor, RagPool};
use crate::retention::{self, Retention};
use crate::stt::{self, Stt};
use crate::summary::SummaryActor;
use crate::telemetry;
use crate::vault::Vault;
use crate::web::desk::acts;
use crate::web::fork::ForkDoors;
use crate::web::guard::Gate;
use crate::web::health::Health;
use crate::web::origin::Origins;
use crate::web::peers::Peers;
use crate::web::retell::Door;
use crate::web::retell_webhook::Hook;
use crate::{audiosocket, web};
use actix::prelude::*;
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web as actix_data};
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::protocol::desk::Farewell;
use jiff::Timestamp;
use metrics_exporter_prometheus::PrometheusHandle;
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
/// How long operators' sockets may take to say goodbye.
const GOODBYE: Duration = Duration::from_millis(100);
/// How long facts may take to be written when draining.
const LAST_FACTS: Duration = Duration::from_secs(10);

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
    /// Where it takes AudioSocket in, if it does.
    pub audiosocket: Option<SocketAddr>,
    wired: Wired,
    base: Base,
}

/// What runs on the base.
struct Wired {
    calls: Arc<Calls>,
    accounts: Arc<Accounts>,
    desk: Recipient<Serve>,
    health: actix_data::Data<Health>,
    server: ServerHandle,
    journal: Addr<Journal>,
    retention: Addr<Retention>,
    audiosocket: Option<audiosocket::AudioSocketPort>,
}

/// What was decided before the base was opened.
struct Tools {
    embedder: Arc<dyn Embedder>,
    llm: Arc<dyn Llm>,
    stt: Arc<dyn Stt>,
    catalogue: &'static Catalogue,
    metrics: PrometheusHandle,
    desk: Option<Recipient<Tell>>,
    journal: Opened,
    vault: Vault,
    patients: Arc<dyn PatientLookup>,
    extractor: Option<Arc<dyn Extractor>>,
}

impl Service {
    /// Starts everything that `config` names; ready when it returns. A start that fails leaves nothing running.
    pub async fn start(config: &Config, parts: Parts) -> Result<Self, StartError> {
        let catalogue = config.open_catalogue()?;
        let tools = Tools {
            stt: stt::open(config, catalogue)?,
            patients: patients::open(&config.patients, catalogue)?,
            extractor: config.extractor.as_ref().map(capture::open).transpose()?,
            metrics: telemetry::start_metrics()?,
            embedder: parts.embedder.map_or_else(|| embed::open(config), Ok)?,
            llm: parts.llm.map_or_else(|| llm::open(config), Ok)?,
            catalogue,
            desk: parts.desk,
            journal: journal::open(&config.journal)?,
            vault: Vault::open(config.key.as_ref(), &config.home)?,
        };
        let base = Base::open(config, Role::Server).await?;
        match wire(config, tools, &base).await {
            Ok((wired, address)) => {
                let audiosocket = wired.audiosocket.as_ref().map(|port| port.address);
                Ok(Self { address, audiosocket, wired, base })
            }
            Err(error) => {
                if let Err(error) = base.close().await {
                    warn!(%error, "the database could not be closed");
                }
                Err(error)
            }
        }
    }

    /// How many calls are live.
    pub fn live_calls(&self) -> usize {
        self.wired.calls.live()
    }

    /// Who there is.
    pub fn accounts(&self) -> Arc<Accounts> {
        Arc::clone(&self.wired.accounts)
    }

    /// The journal, for whoever must end without draining.
    pub fn journal(&self) -> Addr<Journal> {
        self.wired.journal.clone()
    }

    /// Readiness off, no new calls, each call finishes its turn and lets its peer redial, facts are
    /// written, then the database stops.
    pub async fn stop(mut self) -> Result<(), BaseError> {
        self.wired.health.ready.store(false, Ordering::Relaxed);
        drop(self.wired.audiosocket.take());
        self.wired.retention.do_send(retention::Stop);
        self.wired.calls.drain();
        let drained = async {
            while self.wired.calls.sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(DRAIN, drained).await.is_err() {
            warn!("some calls were still speaking when the drain time ended; their peers redial");
        }
        // After the calls: their last words are still told.
        if self.wired.desk.send(Serve::Close(Farewell::Restart)).await.is_ok() {
            tokio::time::sleep(GOODBYE).await;
        }
        self.wired.server.stop(false).await;
        match tokio::time::timeout(LAST_FACTS, self.wired.journal.send(Flush)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => {
                warn!(
                    "not all facts reached the database before the stop; they are on disk for the next start"
                )
            }
        }
        if self.wired.journal.send(Close).await.is_err() {
            warn!("the journal had already stopped");
        }
        self.base.close().await
    }
}

/// Wires the actors and opens the doors.
async fn wire(config: &Config, tools: Tools, base: &Base) -> Result<(Wired, SocketAddr), StartError> {
    let Tools { embedder, llm, stt, patients, extractor, catalogue, metrics, desk, mut journal, vault } =
        tools;
    prepare(config, base, embedder.as_ref(), catalogue).await?;
    aura::red_flag::ready(); // lest the first line of the first call waits for it
    let recalled = std::mem::take(&mut journal.recalled);
    let most = config.journal_max_mb as u64 * 1024 * 1024;
    let journal = Journal::start(journal, base.store.clone(), most)?;
    let breakers = Breakers::default();
    let settings = base::derive(base.store.watch_settings().await?, |rows| base::snapshot(rows));
    let desk = desks::open(base, &settings, &breakers, desk);
    let permits = Arc::new(Semaphore::new(config.llm_permits));
    let model = Model { llm: Arc::clone(&llm), permits, breaker: breakers.model.clone() };
    let wires = Shared {
        rag: searchers(config, &embedder, base, &breakers).recipient(),
        desk: desk.clone().recipient(),
        journal: journal.clone().recipient(),
        lookup: look_ups(patients, base, &vault, &breakers).recipient(),
        equipment: desk.clone().recipient(),
        reader: extractor.map(|extractor| CaptureActor::new(extractor).start().recipient()),
        summary: model.summaries(&journal, &desk).recipient(),
        vault: vault.clone(),
    };
    let prompts = base::derive(base.store.watch_prompts().await?, |rows| base::prompts(rows));
    for channel in Channel::ALL {
        base::require_prompt(&prompts.borrow(), channel)?;
    }
    let responder = format!("{}/{}", llm.name(), llm.model());
    info!(%responder, embedder = embedder.name(), model = embedder.model(), recogniser = stt.name(), "wired");
    let (scale, max_calls) = (embedder.scale(), config.max_calls);
    let live = settings.clone();
    let (rotate, wall) = (journal.clone().recipient(), Arc::new(Timestamp::now));
    let retention = Retention::new(base.store.clone(), settings.clone(), rotate, wall).start();
    let calls = Calls::new(Blueprint { catalogue, scale, responder, wires, settings, prompts, max_calls });
    calls.recall(recalled);
    desks::claim(&desk, &calls);
    let forks = Forks::new(Arc::clone(&calls), stt, live);
    let (ready, store) = (AtomicBool::new(false), base.store.clone());
    let health = actix_data::Data::new(Health { ready, store, metrics, breakers });
    let audiosocket =
        audiosocket::listen(&config.ears, &forks, model.near()).await.map_err(|why| StartError::Listen {
            name: "AURA_AUDIOSOCKET_LISTEN",
            address: config.ears.audiosocket.unwrap_or(config.listen),
            why,
        })?;
    let acts = desks::acts(base, vault, &journal, &desk, (&calls, &forks));
    let (accounts, serve) = (Arc::clone(&acts.accounts), acts.serve.clone());
    let (server, address) = listen(config, acts, &health, &journal, model)?;
    health.ready.store(true, Ordering::Relaxed);
    info!(%address, "ready");
    Ok((Wired { calls, accounts, desk: serve, health, server, journal, retention, audiosocket }, address))
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

fn searchers(
    config: &Config,
    embedder: &Arc<dyn Embedder>,
    base: &Base,
    breakers: &Breakers,
) -> Addr<RagPool> {
    let permits = Arc::new(Semaphore::new(config.rag_permits));
    let searcher = || {
        let stores = base.store.clone();
        let (permits, breakers) = (Arc::clone(&permits), breakers.clone());
        RagActor::new(Arc::clone(embedder), stores, permits, breakers).start().recipient()
    };
    RagPool::new(std::iter::repeat_with(searcher).take(SEARCHERS).collect()).start()
}

/// Who asks the patients' system.
fn look_ups(
    patients: Arc<dyn PatientLookup>,
    base: &Base,
    vault: &Vault,
    breakers: &Breakers,
) -> Addr<PatientLookupActor> {
    let (cache, breaker) = (base.store.clone(), breakers.patients.clone());
    PatientLookupActor::new(patients, cache, vault.clone(), breaker, Limits::default()).start()
}

/// The language model, for an actor on each arbiter that carries calls.
#[derive(Clone)]
struct Model {
    llm: Arc<dyn Llm>,
    permits: Arc<Semaphore>,
    breaker: Breaker,
}

impl Model {
    /// Starts the actor on this arbiter.
    fn near(&self) -> Near {
        let Self { llm, permits, breaker } = self.clone();
        Near { llm: LlmActor::new(llm, permits, breaker).start().recipient() }
    }
}

impl Model {
    /// Who words summaries, under the permits and the breaker that calls have.
    fn summaries(&self, journal: &Addr<Journal>, desk: &Addr<Desk>) -> Addr<SummaryActor> {
        let Self { llm, permits, breaker } = self.clone();
        let (journal, desk) = (journal.clone().recipient(), desk.clone().recipient());
        SummaryActor::new(llm, permits, breaker, journal, desk).start()
    }
}

fn listen(
    config: &Config,
    rooms: acts::Tools,
    health: &actix_data::Data<Health>,
    journal: &Addr<Journal>,
    model: Model,
) -> Result<(ServerHandle, SocketAddr), StartError> {
    let peers = Peers { allow: config.retell_allow.clone(), trust_forwarded: config.trust_forwarded };
    let door = Door { secrets: config.retell_secrets.clone(), peers: peers.clone() };
    let door = actix_data::Data::new(door);
    let hook = Hook { keys: config.retell_api_keys.clone(), peers, journal: journal.clone().recipient() };
    let hook = actix_data::Data::new(hook);
    let doors = ForkDoors {
        tokens: config.ears.tokens.clone(),
        open: config.ears.open,
        peers: Peers { allow: Vec::new(), trust_forwarded: config.trust_forwarded },
        asterisk_pings: config.ears.asterisk_pings,
    };
    let doors = actix_data::Data::new(doors);
    let gate = actix_data::Data::new(Gate {
        accounts: Arc::clone(&rooms.accounts),
        origins: Origins { allowed: config.origins.clone() },
        peers: Peers { allow: Vec::new(), trust_forwarded: config.trust_forwarded },
        loopback: config.listen.ip().is_loopback(),
    });
    let desks = actix_data::Data::new(rooms.desks.clone());
    let calls = actix_data::Data::from(Arc::clone(&rooms.calls));
    let forks = actix_data::Data::from(Arc::clone(&rooms.forks));
    let rooms = actix_data::Data::new(rooms);
    let health = health.clone();
    let refused = |why| StartError::Listen { name: "AURA_LISTEN", address: config.listen, why };
    let server = HttpServer::new(move || {
        App::new()
            .app_data(calls.clone())
            .app_data(health.clone())
            .app_data(door.clone())
            .app_data(hook.clone())
            .app_data(doors.clone())
            .app_data(gate.clone())
            .app_data(desks.clone())
            .app_data(forks.clone())
            .app_data(rooms.clone())
            .app_data(actix_data::Data::new(model.near()))
            .configure(web::health::routes)
            .configure(web::session::routes)
            .configure(web::setup::routes)
            .configure(web::calls::routes)
            .configure(web::desk::routes)
            .configure(web::retell::routes)
            .configure(web::retell_webhook::routes)
            .configure(web::fork::routes)
    })
    .on_connect(Plug::keep)
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
