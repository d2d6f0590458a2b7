//! A searcher whose embedder or database stalls, fails or refuses: what that costs the next turns.
use crate::neighbours::{Mood, Neighbour, ear};
use actix::prelude::*;
use aura::call::Input;
use aura::generation::{Failure, FailureKind};
use aura::ids::TurnId;
use aura::retrieval::{Found, Search};
use aura_actors::breaker::{Breakers, COOL_DOWN, FAILURES, State};
use aura_actors::rag::{CancellationToken, Of, RagActor, Retrieve};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, advance, pause, sleep};
use tracing::Span;

const WELL: Mood = Mood::Well(Duration::from_millis(5));

/// A searcher with its two neighbours.
struct Desk {
    embedder: Arc<Neighbour>,
    database: Arc<Neighbour>,
    permits: Arc<Semaphore>,
    breakers: Breakers,
    searcher: Addr<RagActor>,
}

impl Desk {
    fn new(embedder: Mood, database: Mood) -> Self {
        pause();
        let [embedder, database] = [embedder, database].map(|mood| Arc::new(Neighbour::new(mood)));
        let (permits, breakers) = (Arc::new(Semaphore::new(8)), Breakers::default());
        let (e, d, p) = (embedder.clone(), database.clone(), permits.clone());
        let searcher = RagActor::new(e, d, p, breakers.clone()).start();
        Self { embedder, database, permits, breakers, searcher }
    }

    /// One turn's search to its end.
    async fn search(&self) -> Result<Found, Failure> {
        let (reply, mut told) = ear();
        self.searcher.do_send(retrieve(CancellationToken::new(), reply));
        match told.recv().await.expect("an answer") {
            Input::Retrieved { found, .. } => found,
            other => panic!("a search was answered with {other:?}"),
        }
    }

    /// A search that its caller gives up after so long.
    async fn give_up(&self, after: Duration) {
        let (reply, mut told) = ear();
        let cancel = CancellationToken::new();
        self.searcher.do_send(retrieve(cancel.clone(), reply));
        sleep(after).await;
        cancel.cancel();
        sleep(Duration::from_millis(1)).await;
        assert!(told.try_recv().is_err(), "nobody is told of a search that was given up");
    }

    /// Fails five times, and then tells of the sixth.
    async fn outage(&self) -> Failure {
        for n in 1..=FAILURES {
            let failure = self.search().await.unwrap_err();
            assert_ne!(failure.kind, FailureKind::Unavailable, "failure {n}");
        }
        self.search().await.unwrap_err()
    }

    fn states(&self) -> (State, State) {
        (self.breakers.embedder.state().0, self.breakers.database.state().0)
    }
}

fn retrieve(cancel: CancellationToken, reply: Recipient<aura_actors::call::Happened>) -> Retrieve {
    let search = Search { text: "me marca H08".to_owned(), filter: None };
    let within = Duration::from_millis(1800);
    Retrieve { of: Of::Turn(TurnId(1)), search, within, cancel, reply, span: Span::none() }
}

#[actix_rt::test]
async fn a_stalled_embedder_costs_five_turns_and_no_more() {
    let desk = Desk::new(Mood::Mute, WELL);
    let refused = desk.outage().await;
    assert_eq!(refused.kind, FailureKind::Unavailable);
    assert!(refused.detail.contains("embedder unavailable"), "{}", refused.detail);
    let before = Instant::now();
    for _ in 0..20 {
        assert_eq!(desk.search().await.unwrap_err(), refused, "the same words in each turn");
    }
    assert_eq!(before.elapsed(), Duration::ZERO, "virtual time: nobody waited");
    assert_eq!((desk.embedder.asked(), desk.database.asked()), (FAILURES, 0));
    assert_eq!(desk.states(), (State::Open, State::Closed));
    desk.embedder.turns(WELL);
    advance(COOL_DOWN).await;
    desk.search().await.expect("the probe goes through and works");
    assert_eq!(desk.states(), (State::Closed, State::Closed));
}

#[actix_rt::test]
async fn a_stalled_database_costs_five_turns_and_then_nothing_is_embedded_for_it() {
    let desk = Desk::new(WELL, Mood::Mute);
    let refused = desk.outage().await;
    assert_eq!(refused.kind, FailureKind::Unavailable);
    assert!(refused.detail.contains("database unavailable"), "{}", refused.detail);
    desk.search().await.unwrap_err();
    assert_eq!((desk.embedder.asked(), desk.database.asked()), (FAILURES, FAILURES));
    assert_eq!(desk.states(), (State::Closed, State::Open));
}

#[actix_rt::test]
async fn while_one_search_probes_the_others_are_refused() {
    let desk = Desk::new(Mood::Fails, WELL);
    desk.outage().await;
    desk.embedder.turns(Mood::Well(Duration::from_millis(500)));
    advance(COOL_DOWN).await;
    let asked = desk.embedder.asked();
    let ends = futures_util::future::join_all((0..6).map(|_| desk.search())).await;
    assert_eq!(ends.iter().filter(|end| end.is_ok()).count(), 1, "{ends:?}");
    assert_eq!(desk.embedder.asked(), asked + 1);
    assert!(desk.search().await.is_ok(), "closed for all");
}

#[actix_rt::test]
async fn callers_who_give_up_open_nothing_and_free_their_permits() {
    let desk = Desk::new(Mood::Mute, Mood::Mute);
    for _ in 0..20 {
        desk.give_up(Duration::from_millis(300)).await;
    }
    assert_eq!(desk.states(), (State::Closed, State::Closed));
    assert_eq!(desk.permits.available_permits(), 8);
    desk.embedder.turns(WELL);
    for _ in 0..20 {
        desk.give_up(Duration::from_millis(300)).await;
    }
    assert_eq!(desk.states(), (State::Closed, State::Closed));
}

#[actix_rt::test]
async fn a_probe_that_is_given_up_leaves_its_place() {
    let desk = Desk::new(Mood::Fails, WELL);
    desk.outage().await;
    desk.embedder.turns(Mood::Mute);
    advance(COOL_DOWN).await;
    desk.give_up(Duration::from_millis(300)).await;
    assert_eq!(desk.states().0, State::HalfOpen);
    desk.embedder.turns(WELL);
    desk.search().await.expect("the next one probes");
    assert_eq!(desk.states().0, State::Closed);
}

/// Twenty times each, embedder first: still closed.
async fn opens_nothing(mood: Mood) {
    let desk = Desk::new(mood, WELL);
    for _ in 0..20 {
        assert_ne!(desk.search().await.unwrap_err().kind, FailureKind::Unavailable);
    }
    desk.embedder.turns(WELL);
    desk.database.turns(mood);
    for _ in 0..20 {
        assert_ne!(desk.search().await.unwrap_err().kind, FailureKind::Unavailable);
    }
    assert_eq!(desk.states(), (State::Closed, State::Closed));
}

#[actix_rt::test]
async fn our_own_full_queue_opens_nothing() {
    opens_nothing(Mood::Busy).await;
}

#[actix_rt::test]
async fn requests_that_are_wrong_open_nothing() {
    opens_nothing(Mood::Refuses).await;
}

#[actix_rt::test]
async fn a_slow_embedder_is_not_blamed_on_the_database() {
    let slow = Mood::Well(Duration::from_millis(1500));
    let desk = Desk::new(slow, Mood::Well(Duration::from_millis(400)));
    for _ in 0..20 {
        assert_eq!(desk.search().await.unwrap_err().kind, FailureKind::Timeout);
    }
    assert_eq!(desk.states(), (State::Closed, State::Closed));
}

#[actix_rt::test]
async fn i7_past_the_permits_a_search_is_refused_at_once() {
    let desk = Desk::new(Mood::Mute, WELL);
    let (reply, _told) = ear();
    for _ in 0..8 {
        desk.searcher.do_send(retrieve(CancellationToken::new(), reply.clone()));
    }
    let before = Instant::now();
    let failure = desk.search().await.unwrap_err();
    assert_eq!((failure.kind, before.elapsed()), (FailureKind::Busy, Duration::ZERO));
    assert!(failure.detail.contains("AURA_RAG_PERMITS"));
}
