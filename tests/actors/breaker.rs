//! The circuit breaker alone: when it opens, whom it lets through, how it closes.
use aura::generation::{Failure, FailureKind};
use aura_actors::breaker::{Breaker, COOL_DOWN, FAILURES, LONGEST_COOL_DOWN, Open, State, WINDOW};
use std::sync::Barrier;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::advance;

const MOMENT: Duration = Duration::from_millis(1);

fn state(breaker: &Breaker) -> State {
    breaker.state().0
}

/// So many failures at once.
#[track_caller]
fn fail(breaker: &Breaker, times: usize) {
    for _ in 0..times {
        breaker.admit().expect("it is asked").failed();
    }
}

fn open() -> Breaker {
    let breaker = Breaker::new("stub");
    fail(&breaker, FAILURES);
    assert_eq!(state(&breaker), State::Open);
    breaker
}

/// The first failure now, the last one after `span`.
async fn spread(span: Duration) -> Breaker {
    let breaker = Breaker::new("stub");
    let gaps = u32::try_from(FAILURES - 1).unwrap();
    fail(&breaker, 1);
    for _ in 0..gaps {
        advance(span / gaps).await;
        fail(&breaker, 1);
    }
    breaker
}

#[tokio::test(start_paused = true)]
async fn it_opens_after_five_failures_in_thirty_seconds() {
    assert_eq!((FAILURES, WINDOW), (5, Duration::from_secs(30)));
    let breaker = Breaker::new("stub");
    fail(&breaker, FAILURES - 1);
    assert_eq!(state(&breaker), State::Closed, "four are no outage");
    breaker.check().unwrap();
    assert_eq!(state(&spread(WINDOW).await), State::Open);
}

#[tokio::test(start_paused = true)]
async fn it_stays_closed_after_five_failures_in_thirty_one_seconds() {
    let breaker = spread(WINDOW + Duration::from_secs(1)).await;
    assert_eq!(state(&breaker), State::Closed);
    fail(&breaker, 1);
    assert_eq!(state(&breaker), State::Open, "the last five fell within thirty");
}

#[tokio::test(start_paused = true)]
async fn a_success_between_failures_keeps_it_closed() {
    let breaker = Breaker::new("stub");
    for _ in 0..20 {
        fail(&breaker, FAILURES - 1);
        breaker.admit().unwrap().succeeded();
    }
    assert_eq!(state(&breaker), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_counts_as_neither() {
    let breaker = Breaker::new("stub");
    fail(&breaker, FAILURES - 1);
    for _ in 0..100 {
        drop(breaker.admit().unwrap());
    }
    assert_eq!(state(&breaker), State::Closed, "it is no failure");
    fail(&breaker, 1);
    assert_eq!(state(&breaker), State::Open, "nor did it undo one");
}

#[tokio::test(start_paused = true)]
async fn an_open_one_refuses_with_the_same_words_all_through_the_outage() {
    let breaker = open();
    let first: Open = breaker.admit().expect_err("it is open");
    assert_eq!(breaker.check(), Err(first.clone()));
    let failure = Failure::from(first.clone());
    assert_eq!((failure.kind, &failure.detail), (FailureKind::Unavailable, &first.to_string()));
    assert!(failure.detail.starts_with("stub unavailable") && failure.detail.contains("circuit breaker"));
    let runs = failure.detail.split(|letter: char| !letter.is_ascii_digit());
    assert!(runs.into_iter().all(|run| run.len() <= 4), "no long number: {}", failure.detail);
    for _ in 0..4 {
        advance(LONGEST_COOL_DOWN).await;
        let probe = breaker.admit().expect("a probe");
        assert_eq!(breaker.admit().expect_err("half-open").to_string(), failure.detail);
        probe.failed();
        assert_eq!(breaker.admit().expect_err("open again").to_string(), failure.detail);
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_cool_down_exactly_one_of_many_is_let_through() {
    let breaker = open();
    advance(COOL_DOWN - MOMENT).await;
    assert!(breaker.admit().is_err(), "not before");
    advance(MOMENT).await;
    breaker.check().expect("asking whether takes no place");
    let (runtime, start) = (Handle::current(), Barrier::new(8));
    // Each thread sees this test's clock; what was admitted is held until all have asked.
    let admitted = std::thread::scope(|scope| {
        let ask = || {
            let _clock = runtime.enter();
            start.wait();
            (0..200).filter_map(|_| breaker.admit().ok()).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!((admitted.len(), state(&breaker)), (1, State::HalfOpen));
    admitted.into_iter().for_each(|probe| probe.succeeded());
    assert_eq!((state(&breaker), breaker.state().1), (State::Closed, None));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_probe_leaves_its_place_to_the_next() {
    let breaker = open();
    advance(COOL_DOWN).await;
    for _ in 0..3 {
        let probe = breaker.admit().expect("a probe");
        assert!(breaker.admit().is_err(), "one at a time");
        let hung_up = tokio::spawn(async move {
            std::future::pending::<()>().await;
            probe.succeeded();
        });
        tokio::task::yield_now().await;
        hung_up.abort();
        assert!(hung_up.await.unwrap_err().is_cancelled());
        assert_eq!(state(&breaker), State::HalfOpen, "neither closed nor open again");
    }
    breaker.admit().expect("the place is free").succeeded();
    assert_eq!(state(&breaker), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn the_cool_down_doubles_up_to_a_minute_and_begins_anew_after_a_success() {
    let breaker = open();
    for seconds in [5, 10, 20, 40, 60, 60] {
        advance(Duration::from_secs(seconds) - MOMENT).await;
        assert!(breaker.admit().is_err(), "not before {seconds} s");
        advance(MOMENT).await;
        breaker.admit().expect("a probe").failed();
        assert_eq!(state(&breaker), State::Open, "one failed probe is enough");
    }
    advance(LONGEST_COOL_DOWN).await;
    breaker.admit().expect("a probe").succeeded();
    fail(&breaker, FAILURES - 1);
    assert_eq!(state(&breaker), State::Closed, "the old failures are forgotten");
    fail(&breaker, 1);
    advance(COOL_DOWN).await;
    breaker.check().expect("five seconds again");
}

#[tokio::test(start_paused = true)]
async fn what_began_before_the_outage_says_nothing_of_it() {
    let breaker = Breaker::new("stub");
    let mut early: Vec<_> = (0..4).map(|_| breaker.admit().unwrap()).collect();
    fail(&breaker, FAILURES);
    early.pop().unwrap().succeeded();
    assert_eq!(state(&breaker), State::Open);
    advance(COOL_DOWN).await;
    let probe = breaker.admit().expect("a probe");
    early.pop().unwrap().failed();
    early.pop().unwrap().answering();
    drop(early);
    assert_eq!(state(&breaker), State::HalfOpen);
    assert!(breaker.admit().is_err(), "the probe's place is still its own");
    probe.succeeded();
    assert_eq!(state(&breaker), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_begins_to_answer_closes_it_and_may_still_fail() {
    let breaker = open();
    advance(COOL_DOWN).await;
    let mut probe = breaker.admit().expect("a probe");
    probe.answering();
    assert_eq!(state(&breaker), State::Closed);
    probe.failed();
    fail(&breaker, FAILURES - 2);
    assert_eq!(state(&breaker), State::Closed, "that was one failure of five");
    fail(&breaker, 1);
    assert_eq!(state(&breaker), State::Open);
}
