//! Threads of their own for embedding, so that no call's arbiter ever computes; queries go before passages.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::cache::Cache;
use super::{E5, Text, WeightsError};

/// How big a pool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Threads; each may hold 9 MB of activations.
    pub threads: NonZeroUsize,
    /// Requests that may wait, queries and passages each; one more is refused.
    pub queue: usize,
    /// Vectors remembered; 0 remembers none.
    pub cache: usize,
}

impl Default for PoolSettings {
    /// A thread per core, 64 waiting, 4096 remembered (about 8 MB).
    fn default() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { threads, queue: 64, cache: 4096 }
    }
}

/// Why texts weren't embedded.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PoolError {
    /// The queue is full.
    #[error(
        "the embedding queue is full: {0} requests are waiting; try again later, or give it more threads"
    )]
    Busy(usize),
    /// The model failed on this request alone.
    #[error("embedding a text panicked; the pool goes on with the next, the panic is in the log")]
    Panicked,
    /// The pool is ending.
    #[error("the embedding pool has stopped; expected it to live as long as its callers")]
    Stopped,
    /// The system gave no thread.
    #[error("an embedding thread can't be started ({0}); check the limit on threads")]
    Thread(Arc<std::io::Error>),
    /// The weights are unusable.
    #[error(transparent)]
    Weights(Arc<WeightsError>),
}

/// Turns one text into its vector; what the threads run.
type Work = dyn Fn(Text, &str) -> Result<Vec<f32>, WeightsError> + Send + Sync;
type Answer = Result<Vec<Vec<f32>>, PoolError>;

/// One caller's texts, as far as they are done.
struct Job {
    kind: Text,
    texts: VecDeque<String>,
    done: Vec<Vec<f32>>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct Waiting {
    queries: VecDeque<Job>,
    passages: VecDeque<Job>,
    ended: bool,
}

struct Shared {
    work: Box<Work>,
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    cache: Mutex<Cache>,
}

/// A pool of embedding threads; dropping it ends them after the text each is at.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    queue: usize,
}

impl Pool {
    /// Starts the threads over a model.
    pub fn start(model: Arc<E5>, settings: PoolSettings) -> Result<Self, PoolError> {
        Self::start_with(move |kind, text| model.embed(kind, text), settings)
    }

    /// Starts the threads over anything that embeds.
    pub fn start_with<W>(work: W, settings: PoolSettings) -> Result<Self, PoolError>
    where
        W: Fn(Text, &str) -> Result<Vec<f32>, WeightsError> + Send + Sync + 'static,
    {
        let shared = Arc::new(Shared {
            work: Box::new(work),
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            cache: Mutex::new(Cache::new(settings.cache)),
        });
        let mut pool = Self { shared, threads: Vec::new(), queue: settings.queue };
        for number in 0..settings.threads.get() {
            let shared = Arc::clone(&pool.shared);
            let thread = std::thread::Builder::new().name(format!("embed-{number}"));
            let thread =
                thread.spawn(move || shared.run()).map_err(|error| PoolError::Thread(error.into()))?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// The vectors of `texts`, in their order, 384 components each. Refuses at once when the queue is full; a caller
    /// that drops the future costs at most the text being worked on.
    pub async fn embed(&self, kind: Text, texts: Vec<String>) -> Answer {
        if let Some(known) = lock(&self.shared.cache).all(kind, &texts) {
            return Ok(known);
        }
        let (answer, vectors) = oneshot::channel();
        let job = Job { kind, done: Vec::with_capacity(texts.len()), texts: texts.into(), answer };
        self.admit(job)?;
        vectors.await.unwrap_or(Err(PoolError::Stopped))
    }

    fn admit(&self, job: Job) -> Result<(), PoolError> {
        let mut waiting = lock(&self.shared.waiting);
        let queue = waiting.queue(job.kind);
        queue.retain(|job| !job.answer.is_closed());
        if queue.len() >= self.queue {
            return Err(PoolError::Busy(queue.len()));
        }
        queue.push_back(job);
        drop(waiting);
        self.shared.arrived.notify_one();
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.waiting).ended = true;
        self.shared.arrived.notify_all();
        for thread in self.threads.drain(..) {
            // A thread can't have panicked: the work is caught. If it did, it has ended all the same.
            let _ended = thread.join();
        }
    }
}

impl Waiting {
    fn queue(&mut self, kind: Text) -> &mut VecDeque<Job> {
        match kind {
            Text::Query => &mut self.queries,
            Text::Passage => &mut self.passages,
        }
    }
}

impl Shared {
    /// One text at a time: a long batch of passages lets a query in between.
    fn run(&self) {
        while let Some(job) = self.next() {
            let kind = job.kind;
            if let Some(job) = self.step(job) {
                lock(&self.waiting).queue(kind).push_front(job);
            }
        }
    }

    /// The next job, waiting for one; none when the pool ends.
    fn next(&self) -> Option<Job> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.ended {
                return None;
            }
            if let Some(job) = waiting.queries.pop_front().or_else(|| waiting.passages.pop_front()) {
                return Some(job);
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does a job's next text; gives the job back while texts are left.
    fn step(&self, mut job: Job) -> Option<Job> {
        if job.answer.is_closed() {
            return None;
        }
        if let Some(text) = job.texts.pop_front() {
            match self.vector(job.kind, text) {
                Ok(vector) => job.done.push(vector),
                Err(error) => {
                    // Nobody listening any more is no failure.
                    let _listened = job.answer.send(Err(error));
                    return None;
                }
            }
        }
        if !job.texts.is_empty() {
            return Some(job);
        }
        let _listened = job.answer.send(Ok(job.done));
        None
    }

    fn vector(&self, kind: Text, text: String) -> Result<Vec<f32>, PoolError> {
        if let Some(known) = lock(&self.cache).get(kind, &text) {
            return Ok(known.to_vec());
        }
        let work = AssertUnwindSafe(|| (self.work)(kind, &text));
        let vector = catch_unwind(work).map_err(|_| PoolError::Panicked)?;
        let vector = vector.map_err(|error| PoolError::Weights(error.into()))?;
        lock(&self.cache).put(kind, text, vector.as_slice().into());
        Ok(vector)
    }
}

/// What these locks guard is whole between statements, so a panic elsewhere doesn't spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
