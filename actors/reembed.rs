//! `aura reembed`: another model's vectors beside the old ones, then one switch (DECISIONS 2).
use crate::embed::{Embedder, Purpose};
use crate::ingest::{BATCH, embed};
use crate::store::{Pending, Store, StoreError};
use aura::manual;
use std::fmt;

/// What a lesson's complaint is embedded as: it is compared with another patient's words, like with like.
pub const LESSON_PURPOSE: Purpose = Purpose::Query;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReembedReport {
    /// Rows of manuals that this run embedded; fewer than there are where an earlier run broke off.
    pub manual_rows: usize,
    /// Lessons that this run embedded.
    pub lessons: usize,
    /// Whether the base moved to the model; `false`: it was there already.
    pub switched: bool,
}

impl fmt::Display for ReembedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manual_rows, lessons, switched } = self;
        let moved =
            if *switched { "the base now uses this model" } else { "the base used this model already" };
        write!(f, "{manual_rows} rows and {lessons} lessons embedded; {moved}")
    }
}

/// Why it stopped. The base still answers with its former model; what was embedded is kept for the next run.
#[derive(Debug, thiserror::Error)]
pub enum ReembedError {
    /// The embedder failed.
    #[error("embedding failed: {0}; run `aura reembed` again, it goes on where it stopped")]
    Embed(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Embeds every row and lesson with `embedder` and switches the base to it, all at once.
pub async fn reembed(store: &Store, embedder: &dyn Embedder) -> Result<ReembedReport, ReembedError> {
    let _lock = store.lock_writer().await?;
    let mut report = ReembedReport::default();
    let (model, dims) = (embedder.model(), embedder.dims());
    if store.embedding_state().await?.is_some_and(|state| state.model == model && state.dims == dims) {
        return Ok(report);
    }
    let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
    loop {
        let pending = store.pending_reembedding(model, limit).await?;
        if !pending.is_empty() {
            stage(store, embedder, &pending, &mut report).await?;
        } else if store.switch_model(model, dims).await? {
            report.switched = true;
            return Ok(report);
        }
        // Else a lesson came in between the last look and the switch: it is pending now.
    }
}

async fn stage(
    store: &Store,
    embedder: &dyn Embedder,
    pending: &[Pending],
    report: &mut ReembedReport,
) -> Result<(), ReembedError> {
    let (mut passages, mut complaints) = (Vec::new(), Vec::new());
    for one in pending {
        match one {
            Pending::Manual(_, chunk) => passages.push(manual::passage(chunk)),
            Pending::Lesson(_, complaint) => complaints.push(complaint.clone()),
        }
    }
    report.manual_rows += passages.len();
    report.lessons += complaints.len();
    let mut vectors = Vec::with_capacity(pending.len());
    // Manuals come before lessons in a batch, and never both: the order of `pending` is kept.
    for (purpose, texts) in [(Purpose::Passage, passages), (LESSON_PURPOSE, complaints)] {
        if !texts.is_empty() {
            vectors.extend(embed(embedder, purpose, texts).await.map_err(ReembedError::Embed)?);
        }
    }
    store.stage(embedder.model(), pending, vectors).await?;
    Ok(())
}
