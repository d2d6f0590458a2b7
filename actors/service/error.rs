//! Why the service can't start, by what it stands on.
use crate::base::{BaseError, NoPrompt};
use crate::config::CatalogueError;
use crate::ingest::IngestError;
use crate::store::StoreError;
use crate::vault::VaultError;
use crate::{capture, embed, journal, llm, patients, stt};
use std::net::SocketAddr;

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
    /// The recogniser.
    #[error("forked calls can't be heard: {0}")]
    Stt(#[from] stt::OpenError),
    /// The patients' system.
    #[error("patients can't be looked up: {0}")]
    Patients(#[from] patients::OpenError),
    /// The second reader of documents.
    #[error("documents can't be read a second time: {0}")]
    Extractor(#[from] capture::OpenError),
    /// The first ingest.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// The metrics.
    #[error("metrics can't be set up: {0}")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::OpenError),
    /// The keys.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// No prompt.
    #[error(transparent)]
    NoPrompt(#[from] NoPrompt),
    /// The address.
    #[error("{address} can't be listened on ({why}); set {name} to a free address")]
    Listen {
        /// The variable that names it.
        name: &'static str,
        /// Which.
        address: SocketAddr,
        /// What the system said.
        why: std::io::Error,
    },
}
