//! Brings the segments to the database: in order, once, as soon as it is there.
use super::segment::{self, Reader};
use super::writer::Position;
use super::{AppendError, Entry, EventLog};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::{error, warn};

/// How long a fact waits for company.
const GATHER: Duration = Duration::from_millis(100);
/// Entries in one statement.
const BATCH: usize = 256;
/// Between two tries while the database is away.
const RETRY: [Duration; 4] =
    [Duration::from_millis(200), Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
/// Remembers across processes what the database has.
const CURSOR: &str = "cursor";

pub(super) struct Shipper {
    folder: PathBuf,
    log: Arc<dyn EventLog>,
    written: watch::Receiver<Position>,
    shipped: watch::Sender<Position>,
    place: Position,
    failures: usize,
}

impl Shipper {
    pub fn new(
        folder: PathBuf,
        log: Arc<dyn EventLog>,
        written: watch::Receiver<Position>,
    ) -> (Self, watch::Receiver<Position>) {
        let newest = written.borrow().segment;
        let (segment, offset) = read_cursor(&folder, newest);
        let place = Position { segment, offset, entries: 0, pinned: 0 };
        let (shipped, receiver) = watch::channel(place);
        let shipper = Self { folder, log, written, shipped, place, failures: 0 };
        // One that wasn't believed must not come to look right later.
        shipper.saved();
        (shipper, receiver)
    }

    /// Runs until the writer is gone and everything it wrote was tried.
    pub async fn run(mut self) {
        loop {
            // Before the read: a segment that grows and ends in between is read once more.
            let written = *self.written.borrow_and_update();
            match self.batch().await {
                Ok((entries, offset)) if !entries.is_empty() => {
                    let whole = entries.len() == BATCH;
                    if !self.ship(&entries, offset).await && self.written.has_changed().is_err() {
                        return; // the process goes down without the database
                    }
                    if !whole {
                        tokio::time::sleep(GATHER).await;
                    }
                }
                Ok(_) if self.place.segment < written.segment => self.next_segment(),
                Ok(_) => {
                    self.delete_old(written.pinned);
                    if self.written.changed().await.is_err() {
                        return;
                    }
                    tokio::time::sleep(GATHER).await;
                }
                Err(error) => {
                    warn!(%error, "the journal can't be read; trying again");
                    tokio::time::sleep(RETRY[RETRY.len() - 1]).await;
                }
            }
        }
    }

    fn next_segment(&mut self) {
        self.place.segment += 1;
        self.place.offset = 0;
        self.saved();
    }

    /// The next entries and where they end.
    async fn batch(&mut self) -> io::Result<(Vec<Entry>, u64)> {
        let (folder, place) = (self.folder.clone(), self.place);
        let read = tokio::task::spawn_blocking(move || read_batch(&folder, place));
        read.await.map_err(io::Error::other)?
    }

    /// Sends a batch; false where the database is away.
    async fn ship(&mut self, entries: &[Entry], offset: u64) -> bool {
        let sent = match self.log.append(entries).await {
            Err(AppendError::Refused(why)) => {
                warn!(%why, "the database refuses a batch: its facts are tried one by one");
                self.one_by_one(entries).await
            }
            sent => sent,
        };
        match sent {
            Ok(()) => self.shipped(entries.len(), offset),
            Err(why) => {
                self.wait(&why.to_string()).await;
                return false;
            }
        }
        true
    }

    /// What the database refuses would stop all that follows: it is set aside, by name.
    async fn one_by_one(&mut self, entries: &[Entry]) -> Result<(), AppendError> {
        for entry in entries {
            match self.log.append(std::slice::from_ref(entry)).await {
                Err(AppendError::Refused(why)) => {
                    metrics::counter!("aura_journal_rejected_total").increment(1);
                    error!(id = %entry.id, %why, "the database refuses a fact; it is set aside");
                    self.keep_aside(entry);
                }
                // The whole batch is tried again: what is there already counts once.
                sent => sent?,
            }
        }
        Ok(())
    }

    async fn wait(&mut self, why: &str) {
        let waiting = self.written.borrow().entries.saturating_sub(self.place.entries);
        if self.failures == 0 {
            warn!(waiting, %why, "facts wait on disk for the database");
        }
        let pause = RETRY[self.failures.min(RETRY.len() - 1)];
        self.failures += 1;
        self.gauge();
        tokio::time::sleep(pause).await;
    }

    fn shipped(&mut self, count: usize, offset: u64) {
        if std::mem::take(&mut self.failures) > 0 {
            warn!("the database takes facts again");
        }
        self.place.offset = offset;
        self.place.entries += count as u64;
        metrics::counter!("aura_journal_written_total").increment(count as u64);
        self.saved();
    }

    fn saved(&self) {
        let line = format!("{} {}\n", self.place.segment, self.place.offset);
        let (new, kept) = (self.folder.join("cursor.new"), self.folder.join(CURSOR));
        if let Err(error) = fs::write(&new, line).and_then(|()| fs::rename(&new, &kept)) {
            warn!(%error, "the journal's cursor can't be written: facts may be sent again, and count once");
        }
        self.gauge();
        self.shipped.send_replace(self.place);
    }

    fn gauge(&self) {
        let waiting = self.written.borrow().entries.saturating_sub(self.place.entries);
        metrics::gauge!("aura_journal_waiting").set(waiting as f64);
    }

    /// Segments that the database has and no live call needs.
    fn delete_old(&self, pinned: u64) {
        for segment in segment::list(&self.folder).unwrap_or_default() {
            if segment < self.place.segment.min(pinned) {
                drop(fs::remove_file(segment::path(&self.folder, segment)));
            }
        }
    }

    fn keep_aside(&self, entry: &Entry) {
        let file = self.folder.join(format!("rejected-{}.json", entry.id));
        let text = serde_json::to_vec(entry).map_err(io::Error::other);
        if let Err(error) = text.and_then(|text| fs::write(&file, text)) {
            error!(%error, file = %file.display(), "a rejected fact could not be set aside");
        }
    }
}

fn read_batch(folder: &Path, place: Position) -> io::Result<(Vec<Entry>, u64)> {
    let mut entries = Vec::new();
    let Some(mut reader) = Reader::open(folder, place.segment, place.offset)? else {
        return Ok((entries, place.offset));
    };
    while entries.len() < BATCH
        && let Some(entry) = reader.next()?
    {
        entries.push(entry);
    }
    Ok((entries, reader.offset))
}

/// What the database has, as far as is known; a lost cursor only means that facts are sent again. One that
/// isn't before the `newest` segment, which is still empty, is of other segments than these.
fn read_cursor(folder: &Path, newest: u64) -> (u64, u64) {
    let text = fs::read_to_string(folder.join(CURSOR)).unwrap_or_default();
    let mut numbers = text.split_whitespace().map_while(|number| number.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(segment), Some(offset)) if segment < newest => (segment, offset),
        _ => (segment::list(folder).unwrap_or_default().first().copied().unwrap_or(0), 0),
    }
}
