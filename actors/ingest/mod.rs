//! `aura ingest`: makes the base of manuals say what a folder says, and no more than that.
mod folder;
mod report;

pub use report::{Change, FileReport, IngestReport, Refusal};

use crate::embed::{EmbedError, Embedder, Purpose};
use crate::store::{FileRow, NewRow, Store, StoreError};
use aura::manual::{self, Manual};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Texts per request to the embedder.
pub(crate) const BATCH: usize = 16;
/// Tries before a busy embedder counts as a failure; the pauses between them add up to about 6 s.
const TRIES: u32 = 6;

/// What `aura ingest` may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IngestOptions {
    /// Remove even more than a tenth of the base.
    pub prune: bool,
    /// Show the difference, write nothing.
    pub dry_run: bool,
}

/// Why an ingest stopped. Files that were in by then stay in; running it again goes on.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The folder can't be read.
    #[error("folder {} not readable: {why}; name the folder of the manuals, e.g. `aura ingest manuals`", folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The embedder failed, or answered with nonsense.
    #[error("embedding {source_name}: {why}")]
    Embed {
        /// The file whose rows were being embedded.
        source_name: String,
        /// What failed.
        why: String,
    },
    /// The database failed, or holds another model's vectors.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Brings the base in line with `dir`: one transaction per file, only what changed is embedded.
///
/// Files that vanished are removed; where more than a tenth of the base's rows would go, nothing is removed
/// without `prune` (and files that lost rows stay as they were), while the rest goes in. A broken file is named and
/// keeps its former rows. Two ingests at once run one after the other.
pub async fn ingest(
    store: &Store,
    embedder: &dyn Embedder,
    dir: &Path,
    options: IngestOptions,
) -> Result<IngestReport, IngestError> {
    let files = folder::read(dir)
        .map_err(|error| IngestError::Folder { folder: dir.to_owned(), why: error.to_string() })?;
    // A dry run writes nothing, so it needn't wait for one who does.
    let _lock = if options.dry_run { None } else { Some(store.lock_writer().await?) };
    store.check_embedding_model(embedder.model(), embedder.dims()).await?;
    let known = store.files().await?;
    let mut plan = Difference::of(files, &known);
    plan.guard(options.prune);
    if !options.dry_run {
        for manual in plan.due() {
            put(store, embedder, manual).await?;
        }
        store.remove_files(&plan.removals()).await?;
        store.settle_plan().await?;
    }
    Ok(plan.into_report(options.dry_run))
}

/// One file that was found or is known.
struct Entry {
    change: Change,
    manual: Option<Manual>,
    notes: Vec<String>,
    /// Rows in the base before.
    before: usize,
    /// Rows after this run.
    after: usize,
}

/// Folder against base, before anything is written.
struct Difference {
    entries: BTreeMap<String, Entry>,
    refusal: Option<Refusal>,
    base: usize,
}

impl Difference {
    fn of(files: Vec<folder::Found>, known: &BTreeMap<String, FileRow>) -> Self {
        let mut entries = BTreeMap::new();
        for file in files {
            let entry = Entry::found(file.outcome, known.get(&file.source));
            entries.insert(file.source, entry);
        }
        for (source, row) in known {
            entries.entry(source.clone()).or_insert_with(|| Entry {
                change: Change::Gone,
                manual: None,
                notes: Vec::new(),
                before: row.chunks,
                after: 0,
            });
        }
        Self { entries, refusal: None, base: known.values().map(|row| row.chunks).sum() }
    }

    /// The tenth rule: holds back whatever would shrink the base too much.
    fn guard(&mut self, prune: bool) {
        let going: usize = self.entries.values().map(Entry::lost).sum();
        if prune || going * 10 <= self.base {
            return;
        }
        self.refusal = Some(Refusal { going, base: self.base });
        for entry in self.entries.values_mut().filter(|entry| entry.lost() > 0) {
            entry.change = Change::Kept;
            entry.after = entry.before;
        }
    }

    fn due(&self) -> impl Iterator<Item = &Manual> {
        let due = self.entries.values().filter(|entry| matches!(entry.change, Change::New | Change::Changed));
        due.filter_map(|entry| entry.manual.as_ref())
    }

    fn removals(&self) -> Vec<String> {
        let gone = self.entries.iter().filter(|(_, entry)| entry.change == Change::Gone);
        gone.map(|(source, _)| source.clone()).collect()
    }

    fn into_report(self, dry_run: bool) -> IngestReport {
        let file = |(source, entry): (String, Entry)| FileReport {
            source,
            change: entry.change,
            before: entry.before,
            after: entry.after,
            notes: entry.notes,
        };
        IngestReport { dry_run, files: self.entries.into_iter().map(file).collect(), refusal: self.refusal }
    }
}

impl Entry {
    fn found(outcome: Result<Manual, String>, known: Option<&FileRow>) -> Self {
        let before = known.map_or(0, |row| row.chunks);
        match outcome {
            Err(why) => {
                Self { change: Change::Broken(why), manual: None, notes: Vec::new(), before, after: before }
            }
            Ok(manual) => {
                let change = match known {
                    None => Change::New,
                    Some(row) if row.content_hash == manual.content_hash() => Change::Unchanged,
                    Some(_) => Change::Changed,
                };
                let after = manual.chunks.len();
                Self { change, notes: manual.notes.clone(), manual: Some(manual), before, after }
            }
        }
    }

    fn lost(&self) -> usize {
        self.before.saturating_sub(self.after)
    }
}

/// Embeds what is new in one file and writes the file.
async fn put(store: &Store, embedder: &dyn Embedder, manual: &Manual) -> Result<(), IngestError> {
    let stored: HashSet<String> = store.rows_of(&manual.source).await?.into_iter().collect();
    let category = manual.category.as_deref();
    let mut rows: Vec<NewRow> = manual
        .chunks
        .iter()
        .map(|chunk| NewRow {
            chunk: chunk.clone(),
            category: manual.category.clone(),
            content_hash: manual::chunk_hash(chunk, category),
            vector: None,
        })
        .collect();
    let mut fresh: Vec<&mut NewRow> =
        rows.iter_mut().filter(|row| !stored.contains(&row.content_hash)).collect();
    for batch in fresh.chunks_mut(BATCH) {
        let texts = batch.iter().map(|row| manual::passage(&row.chunk)).collect();
        let vectors = embed(embedder, Purpose::Passage, texts)
            .await
            .map_err(|why| IngestError::Embed { source_name: manual.source.clone(), why })?;
        for (row, vector) in batch.iter_mut().zip(vectors) {
            row.vector = Some(vector);
        }
    }
    let (hash, dims) = (manual.content_hash(), embedder.dims());
    store.replace_file(&manual.source, &hash, &rows, embedder.model(), dims).await?;
    Ok(())
}

/// Embeds, waiting while the embedder is busy with calls, and believes no vector that can't be one.
pub(crate) async fn embed(
    embedder: &dyn Embedder,
    purpose: Purpose,
    texts: Vec<String>,
) -> Result<Vec<Vec<f32>>, String> {
    let wanted = texts.len();
    let mut pause = Duration::from_millis(100);
    let mut tries = 1;
    let vectors = loop {
        match embedder.embed(purpose, texts.clone()).await {
            Ok(vectors) => break vectors,
            Err(EmbedError::Busy(_)) if tries < TRIES => {
                tokio::time::sleep(pause).await;
                pause *= 2;
                tries += 1;
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    if vectors.len() != wanted {
        return Err(format!("the embedder answered {} vectors for {wanted} texts", vectors.len()));
    }
    for vector in &vectors {
        let length: f32 = vector.iter().map(|part| part * part).sum();
        if vector.len() != embedder.dims() || !length.is_finite() || length <= 0.0 {
            let dims = embedder.dims();
            return Err(format!("the embedder answered no vector of {dims} finite numbers, not all zero"));
        }
    }
    Ok(vectors)
}
