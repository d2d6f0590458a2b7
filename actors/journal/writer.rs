//! The one thread that writes segments: frames as they come, synced in groups.
use super::segment;
use super::{Entry, Fact};
use aura::call::trace::{ENDED, MEMORY};
use aura::ids::CallId;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::future::Future;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use tracing::{error, warn};

/// Within how long what was recorded is synced (DECISIONS 23 allows 100 ms).
pub const SYNC: Duration = Duration::from_millis(50);
/// Batches that wait for the thread at most (I7).
const QUEUE: usize = 16_384;
/// Bytes in a segment before the next begins.
const SEGMENT: u64 = 8 * 1024 * 1024;
/// Batches written in one go.
const GROUP: usize = 1024;
/// Between two tries while the disk refuses.
const RETRY: Duration = Duration::from_millis(500);

/// A fact that isn't kept. The caller tells whoever waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// The thread doesn't keep up.
    #[error("the journal's queue is full: the disk doesn't keep up; see aura_journal_waiting")]
    Busy,
    /// The disk refuses.
    #[error("the journal's disk refuses to write; see the log and free some space")]
    Disk,
    /// The bound is reached.
    #[error("the journal has reached AURA_JOURNAL_MAX_MB while the database is away; bring it back")]
    Full,
    /// The fact has no written form.
    #[error("the fact can't be written as JSON")]
    Unwritable,
    /// The process is going down.
    #[error("the journal has stopped")]
    Stopped,
}

/// How far the segments reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Which segment.
    pub segment: u64,
    /// Its length.
    pub offset: u64,
    /// Entries written by this process.
    pub entries: u64,
    /// The oldest segment that a live call needs to be rebuilt.
    pub pinned: u64,
}

impl Position {
    /// Its order.
    pub fn place(&self) -> (u64, u64) {
        (self.segment, self.offset)
    }
}

type Waiter = oneshot::Sender<Result<Position, NotKept>>;

/// Entries to write, and who waits until they, and all before them, are on disk.
struct Command {
    entries: Vec<Entry>,
    waiter: Option<Waiter>,
    /// Whether the next segment begins after them.
    rotate: bool,
}

/// The thread's handle. Dropped, the thread syncs and ends.
pub(super) struct Writer {
    commands: SyncSender<Command>,
    position: watch::Receiver<Position>,
    thread: JoinHandle<()>,
}

impl Writer {
    /// Starts the thread on a new segment `first`. `live` are calls of earlier segments that may come back.
    /// The folder's `lock` is freed when the thread has ended.
    pub fn start(
        folder: &Path,
        lock: File,
        first: u64,
        live: HashMap<CallId, u64>,
        most: u64,
    ) -> io::Result<Self> {
        let file = create(folder, first)?;
        let (commands, queue) = sync_channel(QUEUE);
        let pinned = live.values().copied().min().unwrap_or(first);
        let (published, position) =
            watch::channel(Position { segment: first, offset: 0, entries: 0, pinned });
        let place = *position.borrow();
        let thread = Thread {
            folder: folder.to_owned(),
            file,
            place,
            live,
            most,
            older: size_of_all(folder),
            measured: None,
            published,
            buffer: Vec::new(),
            unsynced: None,
            waiting: Vec::new(),
            failing: false,
        };
        let run = move || {
            thread.run(&queue);
            drop(lock);
        };
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(run)?;
        Ok(Self { commands, position, thread })
    }

    /// Ends the thread once everything is on disk; joins it.
    pub fn close(self) {
        let Self { commands, thread, .. } = self;
        drop(commands);
        if thread.join().is_err() {
            error!("the journal's thread panicked");
        }
    }

    pub fn position(&self) -> watch::Receiver<Position> {
        self.position.clone()
    }

    /// Hands entries to the thread; never waits.
    pub fn keep(&self, entries: Vec<Entry>) -> Result<(), NotKept> {
        self.commands.try_send(Command { entries, waiter: None, rotate: false }).map_err(refused)
    }

    /// Begins a new segment, unless the present one is empty; never waits.
    pub fn rotate(&self) -> Result<(), NotKept> {
        let command = Command { entries: Vec::new(), waiter: None, rotate: true };
        self.commands.try_send(command).map_err(refused)
    }

    /// Hands entries to the thread; resolves once they and all before them are on disk.
    pub fn sync(&self, entries: Vec<Entry>) -> impl Future<Output = Result<Position, NotKept>> + use<> {
        let (sender, receiver) = oneshot::channel();
        let command = Command { entries, waiter: Some(sender), rotate: false };
        let sent = self.commands.try_send(command).map_err(refused);
        async move {
            sent?;
            receiver.await.unwrap_or(Err(NotKept::Stopped))
        }
    }
}

fn refused(error: TrySendError<Command>) -> NotKept {
    match error {
        TrySendError::Full(_) => NotKept::Busy,
        TrySendError::Disconnected(_) => NotKept::Stopped,
    }
}

fn create(folder: &Path, segment: u64) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(segment::path(folder, segment))?;
    // The name must survive too.
    File::open(folder)?.sync_all()?;
    Ok(file)
}

fn size_of_all(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).into_iter().flatten().flatten();
    sizes.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

struct Thread {
    folder: PathBuf,
    file: File,
    place: Position,
    /// The segment in which each live call began.
    live: HashMap<CallId, u64>,
    most: u64,
    /// Bytes in segments before this one, as of the last rotation or measurement.
    older: u64,
    /// When a full journal was last measured.
    measured: Option<Instant>,
    published: watch::Sender<Position>,
    buffer: Vec<u8>,
    unsynced: Option<Instant>,
    waiting: Vec<Waiter>,
    failing: bool,
}

impl Thread {
    fn run(mut self, queue: &Receiver<Command>) {
        loop {
            let patience =
                self.unsynced.map_or(Duration::from_secs(3600), |since| SYNC.saturating_sub(since.elapsed()));
            match queue.recv_timeout(patience) {
                Ok(first) => {
                    self.take(first);
                    for command in queue.try_iter().take(GROUP) {
                        self.take(command);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.write();
                    self.sync();
                    return;
                }
            }
            self.write();
            if !self.waiting.is_empty() || self.unsynced.is_some_and(|since| since.elapsed() >= SYNC) {
                self.sync();
            }
        }
    }

    fn take(&mut self, Command { entries, waiter, rotate }: Command) {
        let kept: Result<(), NotKept> = entries.iter().try_for_each(|entry| self.add(entry));
        match (kept, waiter) {
            (Ok(()), Some(waiter)) => self.waiting.push(waiter),
            (Err(why), Some(waiter)) => _ = waiter.send(Err(why)),
            (Ok(()), None) => {}
            (Err(why), None) => error!(%why, "facts were refused"),
        }
        if rotate {
            segment::forget_aside(&self.folder);
            self.write();
            if self.place.offset > 0 {
                self.rotate();
            }
        }
    }

    fn add(&mut self, entry: &Entry) -> Result<(), NotKept> {
        if self.is_full() {
            self.make_room();
        }
        let full = self.is_full();
        if full || segment::frame(entry, &mut self.buffer).is_err() {
            metrics::counter!("aura_journal_refused_total").increment(1);
            return Err(if full { NotKept::Full } else { NotKept::Unwritable });
        }
        self.place.entries += 1;
        if let Fact::Line(line) = &entry.fact {
            match line.line.what.as_str() {
                MEMORY => _ = self.live.entry(line.call.clone()).or_insert(self.place.segment),
                ENDED => _ = self.live.remove(&line.call),
                _ => {}
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.older + self.place.offset + self.buffer.len() as u64 > self.most
    }

    /// A full journal begins a new segment, since only those before it are ever deleted, and looks now and
    /// then whether they were.
    fn make_room(&mut self) {
        if self.measured.is_some_and(|at| at.elapsed() < RETRY) {
            return;
        }
        self.measured = Some(Instant::now());
        self.write();
        match self.place.offset {
            0 => self.older = size_of_all(&self.folder),
            _ => self.rotate(),
        }
    }

    /// Writes what was taken; keeps trying while the disk refuses, as the queue fills behind it.
    fn write(&mut self) {
        while !self.buffer.is_empty() {
            match self.file.write_all(&self.buffer) {
                Ok(()) => {
                    self.place.offset += self.buffer.len() as u64;
                    self.buffer.clear();
                    self.unsynced.get_or_insert_with(Instant::now);
                    self.recovered();
                }
                Err(error) => {
                    self.refused_by_disk(&error);
                    // A torn frame would hide all that follows it.
                    drop(self.file.set_len(self.place.offset));
                    #[allow(clippy::disallowed_methods)] // this thread is the journal's own
                    std::thread::sleep(RETRY);
                }
            }
        }
        if self.place.offset >= SEGMENT {
            self.rotate();
        }
        self.publish();
    }

    fn publish(&mut self) {
        self.place.pinned = self.live.values().copied().min().unwrap_or(self.place.segment);
        let place = self.place;
        self.published.send_if_modified(|published| std::mem::replace(published, place) != place);
    }

    fn rotate(&mut self) {
        self.sync();
        match create(&self.folder, self.place.segment + 1) {
            Ok(file) => {
                self.file = file;
                self.place.segment += 1;
                self.place.offset = 0;
                self.older = size_of_all(&self.folder);
            }
            Err(error) => self.refused_by_disk(&error), // the old one goes on growing
        }
    }

    fn sync(&mut self) {
        let synced = match self.unsynced.take() {
            Some(_) => self.file.sync_data(),
            None => Ok(()),
        };
        match synced {
            Ok(()) => self.answer(Ok(self.place)),
            Err(error) => {
                self.unsynced = Some(Instant::now());
                self.refused_by_disk(&error);
            }
        }
    }

    fn answer(&mut self, answer: Result<Position, NotKept>) {
        for waiter in self.waiting.drain(..) {
            _ = waiter.send(answer);
        }
    }

    fn refused_by_disk(&mut self, error: &io::Error) {
        self.answer(Err(NotKept::Disk));
        metrics::gauge!("aura_journal_failing").set(1.0);
        if !std::mem::replace(&mut self.failing, true) {
            error!(%error, folder = %self.folder.display(), "the journal can't be written; facts wait in memory");
        }
    }

    fn recovered(&mut self) {
        if std::mem::replace(&mut self.failing, false) {
            metrics::gauge!("aura_journal_failing").set(0.0);
            warn!("the journal can be written again");
        }
    }
}
