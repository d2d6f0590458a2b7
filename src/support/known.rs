//! Rows that were read before: a manual has few, and each is read once, not once a turn.
use super::evidence::Evidence;
use crate::equipment::Catalogue;
use crate::retrieval::Chunk;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Texts that are kept at most; past it all are read anew.
const MOST: usize = 1024;

static KNOWN: LazyLock<Mutex<HashMap<u64, Arc<Evidence>>>> = LazyLock::new(Mutex::default);

/// A manual's row.
pub(super) fn row(row: &Chunk, catalogue: &'static Catalogue) -> Arc<Evidence> {
    let text = (&row.source, &row.title, &row.section, &row.row, &row.content);
    known(text, catalogue, || Evidence::of_row(row, catalogue))
}

/// A supervisor's lesson.
pub(super) fn lesson(lesson: &str, catalogue: &'static Catalogue) -> Arc<Evidence> {
    known(lesson, catalogue, || Evidence::of(lesson.lines(), catalogue))
}

fn known(text: impl Hash, catalogue: &'static Catalogue, read: impl FnOnce() -> Evidence) -> Arc<Evidence> {
    let mut hasher = DefaultHasher::new();
    (text, std::ptr::from_ref(catalogue) as usize).hash(&mut hasher);
    let key = hasher.finish();
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(evidence) = lock().get(&key) {
        return Arc::clone(evidence);
    }
    // Read outside the lock: nobody waits for a row that isn't theirs.
    let evidence = Arc::new(read());
    let mut known = lock();
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(key, Arc::clone(&evidence));
    evidence
}
