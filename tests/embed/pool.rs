//! The pool keeps its promises to callers that crowd it, leave it, or make it panic.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use aura_actors::embed::e5::pool::{Pool, PoolError, PoolSettings};
use aura_actors::embed::e5::{Text, WeightsError};

use crate::model;

fn settings(threads: usize, queue: usize, cache: usize) -> PoolSettings {
    PoolSettings { threads: NonZeroUsize::new(threads).expect("a thread"), queue, cache }
}

fn one(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

/// Work that waits at each text until the test lets it go on, and says which text it is at.
struct Gate {
    started: mpsc::Receiver<String>,
    go: mpsc::Sender<()>,
}

impl Gate {
    fn pool(settings: PoolSettings) -> (Self, Arc<Pool>) {
        let (start, started) = mpsc::channel();
        let (go, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        let work = move |_: Text, text: &str| -> Result<Vec<f32>, WeightsError> {
            start.send(text.to_owned()).expect("the test listens");
            wait.lock().expect("unpoisoned").recv().expect("the test answers");
            Ok(vec![1.0])
        };
        (Self { started, go }, Arc::new(Pool::start_with(work, settings).expect("threads")))
    }

    fn at(&self) -> String {
        self.started.recv_timeout(Duration::from_secs(30)).expect("a text was started")
    }

    fn pass(&self) {
        self.go.send(()).expect("the pool lives");
    }
}

#[tokio::test]
async fn answers_come_in_the_order_of_the_texts() {
    let pool = Pool::start(model(), settings(2, 8, 8)).expect("threads");
    let texts: Vec<String> =
        ["El M50 marca H08", "dice Low O2", "El M50 marca H08"].map(str::to_owned).into();
    let vectors = pool.embed(Text::Query, texts.clone()).await.expect("vectors");
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(*vector, model().embed(Text::Query, text).expect("a vector"));
    }
    assert!(pool.embed(Text::Passage, Vec::new()).await.expect("nothing").is_empty());
    let passage = pool.embed(Text::Passage, one("dice Low O2")).await.expect("a vector");
    assert_ne!(passage[0], vectors[1], "the cache keeps queries and passages apart");
}

#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let (gate, pool) = Gate::pool(settings(1, 1, 0));
    let embed = |text: &str| {
        let (pool, texts) = (Arc::clone(&pool), one(text));
        tokio::spawn(async move { pool.embed(Text::Query, texts).await })
    };
    let first = embed("a");
    tokio::task::yield_now().await;
    assert_eq!(gate.at(), "a");
    let second = embed("b");
    tokio::task::yield_now().await;
    let refused = pool.embed(Text::Query, one("c")).await;
    assert!(matches!(refused, Err(PoolError::Busy(1))), "{refused:?}");
    gate.pass();
    gate.pass();
    first.await.expect("no panic").expect("a vector");
    second.await.expect("no panic").expect("a vector");
}

#[tokio::test]
async fn a_caller_that_leaves_costs_nothing_more() {
    let (gate, pool) = Gate::pool(settings(1, 1, 0));
    let embed = |texts: &[&str]| {
        let (pool, texts) = (Arc::clone(&pool), texts.iter().map(|text| (*text).to_owned()).collect());
        tokio::spawn(async move { pool.embed(Text::Query, texts).await })
    };
    let running = embed(&["a1", "a2", "a3"]);
    tokio::task::yield_now().await;
    assert_eq!(gate.at(), "a1");
    let left = embed(&["b"]);
    tokio::task::yield_now().await;
    for task in [running, left] {
        task.abort();
        assert!(task.await.expect_err("aborted").is_cancelled());
    }
    // Its place in the queue is free again, and neither b nor what was left of a is begun.
    let stays = embed(&["c"]);
    tokio::task::yield_now().await;
    gate.pass();
    gate.pass();
    stays.await.expect("no panic").expect("a vector");
    assert_eq!(gate.at(), "c");
}

#[tokio::test]
async fn a_query_goes_before_the_rest_of_a_batch() {
    let (gate, pool) = Gate::pool(settings(1, 4, 0));
    let embed = |kind, texts: &[&str]| {
        let (pool, texts) = (Arc::clone(&pool), texts.iter().map(|text| (*text).to_owned()).collect());
        tokio::spawn(async move { pool.embed(kind, texts).await })
    };
    let batch = embed(Text::Passage, &["p1", "p2", "p3"]);
    tokio::task::yield_now().await;
    let mut order = vec![gate.at()];
    let query = embed(Text::Query, &["q"]);
    tokio::task::yield_now().await;
    for _ in 0..3 {
        gate.pass();
        order.push(gate.at());
    }
    gate.pass();
    assert_eq!(order, ["p1", "q", "p2", "p3"]);
    query.await.expect("no panic").expect("a vector");
    assert_eq!(batch.await.expect("no panic").expect("vectors").len(), 3);
}

#[tokio::test]
async fn a_panic_costs_one_request_and_no_thread() {
    let work = |_: Text, text: &str| -> Result<Vec<f32>, WeightsError> {
        assert!(!text.contains("boom"), "as the test asked");
        Ok(vec![1.0])
    };
    let pool = Pool::start_with(work, settings(1, 4, 4)).expect("a thread");
    for _ in 0..5 {
        let failed = pool.embed(Text::Query, one("boom")).await;
        assert!(matches!(failed, Err(PoolError::Panicked)), "{failed:?}");
        assert_eq!(pool.embed(Text::Query, one("fine")).await.expect("a vector"), [[1.0]]);
    }
}

#[tokio::test]
async fn recent_vectors_are_remembered_and_old_ones_forgotten() {
    let worked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&worked);
    let work = move |_: Text, _: &str| -> Result<Vec<f32>, WeightsError> {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(vec![1.0])
    };
    let pool = Pool::start_with(work, settings(1, 4, 4)).expect("a thread");
    for text in ["a", "a", "b", "a", "c", "a", "d", "a", "e", "a"] {
        pool.embed(Text::Query, one(text)).await.expect("a vector");
    }
    assert_eq!(worked.load(Ordering::SeqCst), 5, "a is asked for again and again, so it stays");
    pool.embed(Text::Query, one("b")).await.expect("a vector");
    assert_eq!(worked.load(Ordering::SeqCst), 6, "b is gone");
}

#[tokio::test]
async fn dropping_the_pool_ends_its_threads() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let work = move |_: Text, _: &str| -> Result<Vec<f32>, WeightsError> {
        let _here = &inside;
        Ok(vec![1.0])
    };
    let pool = Pool::start_with(work, settings(3, 4, 4)).expect("threads");
    pool.embed(Text::Query, one("a")).await.expect("a vector");
    assert_eq!(Arc::strong_count(&held), 2);
    drop(pool);
    assert_eq!(Arc::strong_count(&held), 1, "no thread holds the work any more");
}
