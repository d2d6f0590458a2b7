//! The model's actor while its model stalls, fails or refuses.
use crate::neighbours::{Mood, Neighbour, ear};
use actix::prelude::*;
use aura::call::Input;
use aura::generation::{FailureKind, Grounding, Request};
use aura::ids::TurnId;
use aura_actors::breaker::{Breaker, COOL_DOWN, FAILURES, State};
use aura_actors::call::Happened;
use aura_actors::llm::{Generate, LlmActor};
use aura_actors::rag::CancellationToken;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, advance, pause, sleep};
use tracing::Span;

/// The actor with its model and two permits.
struct Desk {
    model: Arc<Neighbour>,
    breaker: Breaker,
    actor: Addr<LlmActor>,
}

impl Desk {
    fn new(mood: Mood) -> Self {
        pause();
        let (model, breaker) = (Arc::new(Neighbour::new(mood)), Breaker::new("model"));
        let actor = LlmActor::new(model.clone(), Arc::new(Semaphore::new(2)), breaker.clone()).start();
        Self { model, breaker, actor }
    }

    /// One answer to its end: its last word.
    async fn ask(&self) -> Input {
        let (reply, mut told) = ear();
        self.actor.do_send(generate(CancellationToken::new(), reply));
        loop {
            match told.recv().await.expect("an end") {
                Input::Delta { .. } => {}
                end => return end,
            }
        }
    }

    /// An answer that is cancelled after so long.
    async fn cut(&self, after: Duration) {
        let (reply, _told) = ear();
        let cancel = CancellationToken::new();
        self.actor.do_send(generate(cancel.clone(), reply));
        sleep(after).await;
        cancel.cancel();
        sleep(Duration::from_millis(1)).await;
    }

    fn state(&self) -> State {
        self.breaker.state().0
    }
}

fn generate(cancel: CancellationToken, reply: Recipient<Happened>) -> Generate {
    let request = Request {
        messages: Vec::new(),
        max_tokens: 10,
        grounding: Grounding::Nothing,
        holding: "Un momento.",
        cache_key: "k".to_owned(),
    };
    Generate { turn: TurnId(1), request: Box::new(request), cancel, reply, span: Span::none() }
}

fn kind(end: &Input) -> Option<FailureKind> {
    match end {
        Input::Failed { failure, .. } => Some(failure.kind),
        _ => None,
    }
}

#[actix_rt::test]
async fn a_failing_model_costs_five_turns_and_no_more() {
    let desk = Desk::new(Mood::Fails);
    for _ in 0..FAILURES {
        assert_eq!(kind(&desk.ask().await), Some(FailureKind::Upstream));
    }
    for _ in 0..20 {
        assert_eq!(kind(&desk.ask().await), Some(FailureKind::Unavailable));
    }
    assert_eq!(desk.model.asked(), FAILURES);
    desk.model.turns(Mood::Well(Duration::from_millis(300)));
    advance(COOL_DOWN).await;
    assert!(matches!(desk.ask().await, Input::Finished { .. }));
    assert_eq!(desk.state(), State::Closed);
}

#[actix_rt::test]
async fn a_probe_that_speaks_closes_it_even_if_it_is_interrupted_then() {
    let desk = Desk::new(Mood::Fails);
    for _ in 0..FAILURES {
        desk.ask().await;
    }
    desk.model.turns(Mood::Well(Duration::from_millis(300)));
    advance(COOL_DOWN).await;
    desk.cut(Duration::from_millis(100)).await;
    assert_eq!(desk.state(), State::HalfOpen, "interrupted before its first word");
    desk.cut(Duration::from_millis(400)).await;
    assert_eq!(desk.state(), State::Closed);
}

/// A call gives up on a mute model before its own deadline does: that must count all the same.
#[actix_rt::test]
async fn a_model_that_is_mute_for_seconds_has_failed_whoever_ends_it() {
    let desk = Desk::new(Mood::Mute);
    for _ in 0..20 {
        desk.cut(Duration::from_millis(1500)).await;
    }
    assert_eq!(desk.state(), State::Closed, "a caller who interrupts early says nothing of the model");
    for _ in 0..FAILURES {
        desk.cut(Duration::from_secs(4)).await;
    }
    assert_eq!(desk.state(), State::Open);
}

#[actix_rt::test]
async fn a_request_that_is_wrong_opens_nothing() {
    let desk = Desk::new(Mood::Refuses);
    for _ in 0..20 {
        assert_eq!(kind(&desk.ask().await), Some(FailureKind::Upstream));
    }
    assert_eq!(desk.state(), State::Closed);
}

#[actix_rt::test]
async fn i7_past_the_permits_an_answer_is_refused_at_once_and_counts_for_nothing() {
    let desk = Desk::new(Mood::Mute);
    let (reply, _told) = ear();
    for _ in 0..2 {
        desk.actor.do_send(generate(CancellationToken::new(), reply.clone()));
    }
    let before = Instant::now();
    for _ in 0..20 {
        assert_eq!(kind(&desk.ask().await), Some(FailureKind::Busy));
    }
    assert_eq!((before.elapsed(), desk.state()), (Duration::ZERO, State::Closed));
}

/// A call that panicked cancels nothing: its answer ends at the next piece, and its permit is free again.
#[actix_rt::test]
async fn i7_an_answer_that_nobody_hears_gives_its_permit_back() {
    let desk = Desk::new(Mood::Well(Duration::from_millis(300)));
    for _ in 0..2 {
        let gone = Gone.start();
        desk.actor.do_send(generate(CancellationToken::new(), gone.clone().recipient()));
        sleep(Duration::from_millis(1)).await;
        gone.send(Leave).await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
    assert!(matches!(desk.ask().await, Input::Finished { .. }));
}

struct Gone;

#[derive(Message)]
#[rtype(result = "()")]
struct Leave;

impl Actor for Gone {
    type Context = Context<Self>;
}

impl Handler<Happened> for Gone {
    type Result = ();

    fn handle(&mut self, _: Happened, _: &mut Self::Context) {}
}

impl Handler<Leave> for Gone {
    type Result = ();

    fn handle(&mut self, _: Leave, ctx: &mut Self::Context) {
        ctx.stop();
    }
}
