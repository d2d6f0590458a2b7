//! Never mute, from a call to its dependencies: each stalls in turn, and the caller hears something by 2 s and
//! by 4 s of the clock that the test holds.
use crate::neighbours::{Mood, Neighbour};
use crate::stage::{Ports, Stage};
use actix::prelude::*;
use aura::call::Closing;
use aura::event::Kind;
use aura::phrases::{FILLER, HOLDING_BOT, HOLDING_BOT_AGAIN};
use aura_actors::breaker::{Breakers, State};
use aura_actors::call::Speech;
use aura_actors::llm::LlmActor;
use aura_actors::rag::{RagActor, RagPool};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

const QUESTION: &str = "tengo un concentrador M50 que me marca error H08";
/// A turn, and what comes late of it.
const TURN: Duration = Duration::from_secs(5);
const WELL: Mood = Mood::Well(Duration::from_millis(20));

/// The neighbours of a call, behind real searchers and a real model's actor.
struct Around {
    embedder: Arc<Neighbour>,
    database: Arc<Neighbour>,
    model: Arc<Neighbour>,
    breakers: Breakers,
}

impl Around {
    fn new(embedder: Mood, database: Mood, model: Mood) -> Self {
        let [embedder, database, model] =
            [embedder, database, model].map(|mood| Arc::new(Neighbour::new(mood)));
        Self { embedder, database, model, breakers: Breakers::default() }
    }

    fn ports(&self) -> Ports {
        let permits = Arc::new(Semaphore::new(8));
        let searcher = || {
            let (embedder, database) = (self.embedder.clone(), self.database.clone());
            let searcher = RagActor::new(embedder, database, Arc::clone(&permits), self.breakers.clone());
            searcher.start().recipient()
        };
        let pool = RagPool::new(std::iter::repeat_with(searcher).take(2).collect()).start();
        let llm = LlmActor::new(self.model.clone(), Arc::new(Semaphore::new(8)), self.breakers.model.clone())
            .start();
        Ports { rag: pool.recipient(), llm: llm.recipient() }
    }
}

/// What was said in a turn, each with its millisecond after the question, and when it was closed.
#[derive(Debug)]
struct Heard {
    said: Vec<(u128, String)>,
    closed: (u128, Closing),
}

impl Heard {
    /// Something by 2 s, and by 4 s either the answer's own words or the channel's sentence: with its close.
    #[track_caller]
    fn holds(&self) {
        let by = |ms: u128| self.said.iter().filter(|(at, _)| *at <= ms).count();
        assert!(by(2000) >= 1, "something by 2 s: {self:?}");
        let words = self.said.iter().any(|(at, text)| *at <= 4000 && text != FILLER.es);
        assert!(words && self.closed.0 <= 4000, "an end by 4 s: {self:?}");
        assert!(self.said.iter().filter(|(_, text)| text == FILLER.es).count() <= 1, "{self:?}");
    }
}

async fn turn(stage: &mut Stage, text: &str) -> Heard {
    let asked = Instant::now();
    let reply = stage.ask(text).await;
    let (mut said, mut closed) = (Vec::new(), None);
    for (at, speech) in stage.listen(asked + TURN).await {
        match speech {
            Speech::Say { reply: of, text } => {
                assert_eq!(of.0, reply);
                assert!(closed.is_none(), "'{text}' after the end");
                said.push((at, text));
            }
            Speech::Close { reply: of, then } => {
                assert_eq!((of.0, &closed), (reply, &None), "closed once");
                closed = Some((at, then));
            }
            other => panic!("{other:?}"),
        }
    }
    Heard { said, closed: closed.expect("every answer is closed") }
}

fn at(ms: u128, text: &str) -> (u128, String) {
    (ms, text.to_owned())
}

#[actix_rt::test]
async fn s3_a_database_that_never_answers_costs_a_filler_at_most() {
    let around = Around::new(WELL, Mood::Mute, Mood::Well(Duration::from_millis(300)));
    let mut stage = Stage::with("database", &[], Some(around.ports())).await;
    let heard = turn(&mut stage, QUESTION).await;
    heard.holds();
    assert_eq!(heard.said, [at(2000, FILLER.es), at(2100, "Hola.")]);
    let queried = &stage.events_of(Kind::KnowledgeQueried).await[0].payload;
    assert_eq!(queried["reason"], "search_failed");
    assert!(queried["error"].as_str().is_some_and(|why| why.contains("database")), "{queried}");
}

#[actix_rt::test]
async fn s3_an_embedder_that_never_answers_costs_a_filler_at_most() {
    let around = Around::new(Mood::Mute, WELL, Mood::Well(Duration::from_millis(300)));
    let mut stage = Stage::with("embedder", &[], Some(around.ports())).await;
    let heard = turn(&mut stage, QUESTION).await;
    heard.holds();
    assert_eq!(heard.said, [at(2000, FILLER.es), at(2100, "Hola.")]);
    let queried = &stage.events_of(Kind::KnowledgeQueried).await[0].payload;
    assert!(queried["error"].as_str().is_some_and(|why| why.contains("embedder")), "{queried}");
}

#[actix_rt::test]
async fn s3_a_model_that_never_answers_costs_the_answer_and_no_silence() {
    let around = Around::new(WELL, WELL, Mood::Mute);
    let mut stage = Stage::with("model", &[], Some(around.ports())).await;
    let heard = turn(&mut stage, QUESTION).await;
    heard.holds();
    assert_eq!(heard.said, [at(2000, FILLER.es), at(4000, HOLDING_BOT.es)]);
    assert_eq!(heard.closed, (4000, Closing::Stay));
    let failed = stage.events_of(Kind::TurnFailed).await;
    assert_eq!((failed.len(), &failed[0].payload["kind"]), (1, &json!("timeout")), "{failed:?}");
    assert_eq!(stage.events_of(Kind::CallbackRequested).await.len(), 1, "the call back is on the desk");
    // The upstream was let go of: it counts against its breaker, and turns after an outage cost nothing.
    for _ in 0..4 {
        turn(&mut stage, QUESTION).await.holds();
    }
    assert_eq!(around.breakers.model.state().0, State::Open);
    let heard = turn(&mut stage, QUESTION).await;
    assert_eq!(heard.said, [at(40, HOLDING_BOT_AGAIN.es)], "embedder and database took 20 ms each");
}

#[actix_rt::test]
async fn s3_with_everything_stalled_at_once_the_caller_still_hears_something_in_every_turn() {
    let around = Around::new(Mood::Mute, Mood::Mute, Mood::Mute);
    let mut stage = Stage::with("all", &[], Some(around.ports())).await;
    for round in 1..=8 {
        let heard = turn(&mut stage, &format!("{QUESTION}, van {round} veces")).await;
        heard.holds();
    }
    assert_eq!(stage.events_of(Kind::TurnFailed).await.len(), 8);
    assert_eq!(stage.events_of(Kind::KnowledgeQueried).await.len(), 8, "one for each turn (R28)");
    assert_eq!(stage.events_of(Kind::CallbackRequested).await.len(), 1);
}

/// Slow in both places, neither too slow by itself.
#[actix_rt::test]
async fn s3_slow_search_and_slow_model_together_keep_the_deadlines() {
    let slow = Mood::Well(Duration::from_millis(1500));
    let around = Around::new(slow, WELL, Mood::Well(Duration::from_millis(3000)));
    let mut stage = Stage::with("slow", &[], Some(around.ports())).await;
    let heard = turn(&mut stage, QUESTION).await;
    heard.holds();
    assert_eq!(heard.said, [at(2000, FILLER.es), at(4000, HOLDING_BOT.es)]);
    let late = stage.listen(Instant::now() + Duration::from_secs(30)).await;
    assert_eq!(late, [], "what the model says after that is nobody's answer (I3)");
}

#[actix_rt::test]
async fn s3_the_deadlines_are_settings() {
    let rows = [("answer.fillerAfterMs", json!(700)), ("answer.holdAfterMs", json!(1500))];
    let around = Around::new(WELL, WELL, Mood::Mute);
    let mut stage = Stage::with("settings", &rows, Some(around.ports())).await;
    let heard = turn(&mut stage, "no sé").await;
    assert_eq!(heard.said, [at(700, FILLER.es), at(1500, HOLDING_BOT.es)]);
}

#[actix_rt::test]
async fn s3_a_quick_answer_has_no_filler() {
    let around = Around::new(WELL, WELL, Mood::Well(Duration::from_millis(1900)));
    let mut stage = Stage::with("quick", &[], Some(around.ports())).await;
    let heard = turn(&mut stage, "no sé").await;
    assert_eq!(heard.said, [at(1900, "Hola.")]);
}
