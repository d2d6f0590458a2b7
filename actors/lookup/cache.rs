//! What is known of patients while their system is away: models alone (R13), and never after it said that it
//! doesn't know the document (R12).
use crate::store::{Store, StoreError};
use crate::vault::Vault;
use async_trait::async_trait;
use aura::equipment::Model;
use aura::ids::Dni;
use aura::patient::{Cause, Context};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tracing::warn;

/// Where it is kept, by a keyed hash of the document.
#[async_trait]
pub trait PatientCache: Send + Sync {
    /// Keeps models in place of what was known before.
    async fn keep(&self, patient: &str, models: &BTreeSet<Model>, source: &str) -> Result<(), StoreError>;
    /// What this source last found.
    async fn known(&self, patient: &str, source: &str) -> Result<Option<BTreeSet<Model>>, StoreError>;
    /// Deletes it.
    async fn forget(&self, patient: &str) -> Result<(), StoreError>;
}

#[async_trait]
impl PatientCache for Store {
    async fn keep(&self, patient: &str, models: &BTreeSet<Model>, source: &str) -> Result<(), StoreError> {
        self.keep_patient(patient, models, source).await
    }

    async fn known(&self, patient: &str, source: &str) -> Result<Option<BTreeSet<Model>>, StoreError> {
        self.known_patient(patient, source).await
    }

    async fn forget(&self, patient: &str) -> Result<(), StoreError> {
        self.forget_patient(patient).await.map(drop)
    }
}

/// Rows that couldn't be deleted and are remembered; past them nothing of the cache is believed.
const MOST_GONE: usize = 10_000;
/// How many of them are tried again at a time.
const SWEEP: usize = 8;

/// The cache of one source.
pub(super) struct Cache {
    behind: Arc<dyn PatientCache>,
    vault: Vault,
    source: &'static str,
    limit: Duration,
    /// Whose row should be gone and isn't yet, since the database didn't do it.
    gone: RefCell<BTreeSet<String>>,
}

impl Cache {
    pub(super) fn new(
        behind: Arc<dyn PatientCache>,
        vault: Vault,
        source: &'static str,
        limit: Duration,
    ) -> Self {
        Self { behind, vault, source, limit, gone: RefCell::default() }
    }

    /// Keeps what was found.
    pub(super) async fn keep(&self, dni: Dni, context: &Context) {
        let patient = self.vault.patient(dni);
        if self.done(self.behind.keep(&patient, &context.models, self.source)).await.is_some() {
            self.gone.borrow_mut().remove(&patient);
            self.sweep().await;
        }
    }

    /// Deletes what was found once; until the database has done so, it isn't read either.
    pub(super) async fn forget(&self, dni: Dni) {
        let patient = self.vault.patient(dni);
        self.gone.borrow_mut().insert(patient.clone());
        if self.done(self.behind.forget(&patient)).await.is_some() {
            self.gone.borrow_mut().remove(&patient);
            self.sweep().await;
        }
    }

    /// What is known, for an outage; nothing where there is no system at all.
    pub(super) async fn recall(&self, dni: Dni, cause: Cause) -> Option<Context> {
        let patient = self.vault.patient(dni);
        let trusted = {
            let gone = self.gone.borrow();
            gone.len() < MOST_GONE && !gone.contains(&patient)
        };
        if cause == Cause::Disabled || !trusted {
            return None;
        }
        let models = self.done(self.behind.known(&patient, self.source)).await??;
        Some(Context { models })
    }

    async fn sweep(&self) {
        let some: Vec<String> = self.gone.borrow().iter().take(SWEEP).cloned().collect();
        for patient in some {
            if self.done(self.behind.forget(&patient)).await.is_none() {
                return;
            }
            self.gone.borrow_mut().remove(&patient);
        }
    }

    /// What the database did, in time.
    async fn done<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
        match timeout(self.limit, work).await {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                warn!(%error, "the cache of patients isn't there");
                None
            }
            Err(_) => {
                warn!("the cache of patients took too long");
                None
            }
        }
    }
}
