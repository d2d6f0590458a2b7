//! The look-up's actor on a paused clock: one request a document, again while it helps, the cache behind it.
use crate::patients::{Shelf, Step, System, patient};
use actix::prelude::*;
use aura::ids::{CallId, Dni};
use aura::patient::{Answer, Cause, Context as Known, Devices, Found, Outage};
use aura_actors::breaker::{Breaker, COOL_DOWN, FAILURES, State};
use aura_actors::lookup::{Equipment, Limits, LookUp, LookedUp, PatientLookupActor};
use aura_actors::secret::Secret;
use aura_actors::vault::Vault;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, advance, pause, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// The actor, the system and the cache around it.
struct Rig {
    system: Arc<System>,
    shelf: Arc<Shelf>,
    breaker: Breaker,
    actor: Addr<PatientLookupActor>,
}

impl Rig {
    fn new(limits: Limits) -> Self {
        pause();
        let (system, shelf) = (Arc::new(System::default()), Arc::new(Shelf::default()));
        let breaker = Breaker::new("patients");
        let vault = Vault::open(Some(&Secret::new("k".repeat(32))), Path::new("unused")).unwrap();
        let actor =
            PatientLookupActor::new(system.clone(), shelf.clone(), vault, breaker.clone(), limits).start();
        Self { system, shelf, breaker, actor }
    }

    fn ask(&self, call: &str, ask: u32, document: &str) -> Heard {
        let (told, answers) = unbounded_channel();
        let (shown, panel) = unbounded_channel();
        let ear = Ear { told, shown }.start();
        self.actor.do_send(LookUp {
            call: CallId::parse(call).unwrap(),
            ask,
            dni: Dni::parse(document).unwrap(),
            reply: ear.clone().recipient(),
            desk: ear.clone().recipient(),
        });
        Heard { answers, panel, ear }
    }

    /// A question to its last word.
    async fn last(&self, document: &str) -> Found {
        self.ask("alone", 1, document).last().await
    }
}

/// A call and its panel.
struct Heard {
    answers: UnboundedReceiver<LookedUp>,
    panel: UnboundedReceiver<Equipment>,
    ear: Addr<Ear>,
}

impl Heard {
    async fn next(&mut self) -> Found {
        self.answers.recv().await.expect("an answer").found
    }

    async fn last(&mut self) -> Found {
        loop {
            match self.next().await {
                Found::Unavailable { outage: Outage { retrying: true, .. }, .. } => {}
                last => return last,
            }
        }
    }

    fn nothing_more(&mut self) {
        assert!(self.answers.try_recv().is_err() && self.panel.try_recv().is_err());
    }
}

struct Ear {
    told: UnboundedSender<LookedUp>,
    shown: UnboundedSender<Equipment>,
}

#[derive(Message)]
#[rtype(result = "()")]
struct HangUp;

impl Actor for Ear {
    type Context = Context<Self>;
}

impl Handler<LookedUp> for Ear {
    type Result = ();

    fn handle(&mut self, said: LookedUp, _: &mut Self::Context) {
        drop(self.told.send(said));
    }
}

impl Handler<Equipment> for Ear {
    type Result = ();

    fn handle(&mut self, said: Equipment, _: &mut Self::Context) {
        drop(self.shown.send(said));
    }
}

impl Handler<HangUp> for Ear {
    type Result = ();

    fn handle(&mut self, _: HangUp, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

/// The paused clock's time since then, a timer's rounding aside.
fn about(begun: Instant, time: Duration) -> bool {
    begun.elapsed() >= time && begun.elapsed() < time + Duration::from_millis(50)
}

const ONE: &str = "23456789";
const OTHER: &str = "5123456";

fn known(models: &[&str]) -> Known {
    let Answer::Found(context, _) = patient(models) else { unreachable!() };
    context
}

fn away(cause: Cause, cached: Option<Known>, retrying: bool) -> Found {
    Found::Unavailable { outage: Outage { cause, retrying }, cached }
}

#[actix_rt::test]
async fn calls_that_want_the_same_document_share_one_request() {
    let rig = Rig::new(Limits::default());
    rig.system.will([Step::After(SECOND, patient(&["M50"]))]);
    let mut calls: Vec<Heard> = (0..50_u32).map(|n| rig.ask(&format!("call-{n}"), n, ONE)).collect();
    for (n, call) in calls.iter_mut().enumerate() {
        let said = call.answers.recv().await.unwrap();
        assert_eq!(
            (said.ask, &said.found, said.source),
            (n as u32, &Found::Found(known(&["M50"])), "scripted")
        );
        let shown = call.panel.recv().await.unwrap();
        assert_eq!(
            (shown.ask, shown.source, shown.call.as_str()),
            (n as u32, "scripted", &*format!("call-{n}"))
        );
        let devices: Option<Devices> = shown.devices;
        assert_eq!(devices.unwrap().reveal(&crate::oxitesa::disclosure())[0].name, "Equipo M50");
        call.nothing_more();
    }
    assert_eq!(rig.system.asked(), 1);
    rig.system.will([Step::Now(Answer::NotFound), Step::Now(patient(&["M50"]))]);
    assert_eq!(rig.last(OTHER).await, Found::NotFound);
    assert_eq!(rig.last(ONE).await, Found::Found(known(&["M50"])));
    assert_eq!(rig.system.asked(), 3, "another document, and another time, are other requests");
}

#[actix_rt::test]
async fn r12_while_it_is_asked_again_the_call_knows_and_hears_the_end() {
    let rig = Rig::new(Limits::default());
    rig.system.will([
        Step::Now(Answer::Unavailable(Cause::Failing)),
        Step::Now(Answer::Unavailable(Cause::Timeout)),
        Step::Now(patient(&["M50"])),
    ]);
    let begun = Instant::now();
    let mut call = rig.ask("one", 1, ONE);
    assert_eq!(call.next().await, away(Cause::Failing, None, true));
    assert!(about(begun, Duration::ZERO), "at once");
    let mut second = rig.ask("two", 9, ONE);
    assert_eq!(second.next().await, away(Cause::Failing, None, true), "who joins hears of it at once");
    assert_eq!(call.next().await, Found::Found(known(&["M50"])));
    assert_eq!(second.next().await, Found::Found(known(&["M50"])));
    // 0.5 s and 1 s, each less a quarter at most.
    let waited = begun.elapsed();
    assert!(waited > Duration::from_millis(1100) && waited <= Duration::from_millis(1510), "{waited:?}");
    assert_eq!(rig.system.asked(), 3);
    call.panel.recv().await.unwrap();
    call.nothing_more();
}

#[actix_rt::test]
async fn it_gives_up_after_six_requests() {
    let rig = Rig::new(Limits::default());
    rig.system.always(Answer::Unavailable(Cause::Throttled));
    let mut call = rig.ask("one", 1, ONE);
    assert_eq!(call.next().await, away(Cause::Throttled, None, true));
    assert_eq!(call.next().await, away(Cause::Throttled, None, false), "one word at the end, none between");
    assert_eq!(rig.system.asked(), 6);
    assert_eq!(rig.breaker.state().0, State::Closed, "it answers: no outage");
}

#[actix_rt::test]
async fn what_no_retry_helps_is_said_at_once() {
    let rig = Rig::new(Limits::default());
    for (n, cause) in [Cause::Disabled, Cause::Unauthorised, Cause::Malformed].into_iter().enumerate() {
        rig.system.always(Answer::Unavailable(cause));
        assert_eq!(rig.ask("one", 1, ONE).next().await, away(cause, None, false));
        sleep(60 * SECOND).await;
        assert_eq!(rig.system.asked(), n + 1);
    }
}

#[actix_rt::test]
async fn a_pause_that_the_system_asks_for_is_kept() {
    let rig = Rig::new(Limits::default());
    rig.system.will([Step::Now(Answer::Unavailable(Cause::Throttled)), Step::Now(Answer::NotFound)]);
    rig.system.wants_quiet(20 * SECOND);
    let begun = Instant::now();
    assert_eq!(rig.last(ONE).await, Found::NotFound);
    let waited = begun.elapsed();
    assert!(waited >= 20 * SECOND && waited <= 21 * SECOND, "{waited:?}");
    rig.system.always(Answer::Unavailable(Cause::Throttled));
    rig.system.wants_quiet(61 * SECOND);
    assert_eq!(
        rig.ask("one", 2, ONE).next().await,
        away(Cause::Throttled, None, false),
        "too long to wait for"
    );
}

#[actix_rt::test]
async fn r12_an_outage_is_backed_up_by_models_and_says_that_it_has_no_detail() {
    let rig = Rig::new(Limits::default());
    rig.system.will([Step::Now(patient(&["CP501", "Zen-O Lite"]))]);
    rig.last(ONE).await;
    rig.system.always(Answer::Unavailable(Cause::Unreachable));
    let mut call = rig.ask("two", 4, ONE);
    let cached = Some(known(&["CP501", "Zen-O Lite"]));
    assert_eq!(call.next().await, away(Cause::Unreachable, cached.clone(), true));
    let shown = call.panel.recv().await.unwrap();
    assert_eq!((shown.ask, shown.devices), (4, None), "models are known, devices aren't (R13)");
    assert_eq!(call.last().await, away(Cause::Unreachable, cached, false));
    let mut other = rig.ask("three", 1, OTHER);
    assert!(matches!(other.last().await, Found::Unavailable { cached: None, .. }), "another patient");
    other.nothing_more();
    let keys = rig.shelf.keys();
    assert!(keys.len() == 1 && keys[0].len() == 32 && !keys[0].contains(ONE), "{keys:?}");
}

#[actix_rt::test]
async fn r12_after_not_found_nothing_stale_is_served_even_if_the_row_could_not_be_deleted() {
    let rig = Rig::new(Limits::default());
    for broken in [false, true] {
        rig.system.will([Step::Now(patient(&["M50"])), Step::Now(Answer::NotFound)]);
        rig.last(ONE).await;
        sleep(SECOND).await;
        assert!(!rig.shelf.keys().is_empty());
        rig.shelf.breaks(broken);
        assert_eq!(rig.last(ONE).await, Found::NotFound);
        sleep(SECOND).await;
        rig.shelf.breaks(false);
        assert_eq!(rig.shelf.keys().len(), usize::from(broken));
        rig.system.always(Answer::Unavailable(Cause::Unauthorised));
        assert_eq!(rig.last(ONE).await, away(Cause::Unauthorised, None, false));
        rig.system.always(patient(&["7F-5"]));
        rig.last(OTHER).await;
        sleep(SECOND).await;
        assert_eq!(rig.shelf.keys().len(), 1, "the next write deletes what was left over");
        rig.system.always(Answer::NotFound);
        rig.last(OTHER).await;
        sleep(SECOND).await;
    }
}

#[actix_rt::test]
async fn a_cache_that_hangs_or_fails_delays_nobody_for_long() {
    let rig = Rig::new(Limits::default());
    rig.shelf.hangs();
    rig.system.will([Step::Now(patient(&["M50"])), Step::Now(Answer::Unavailable(Cause::Malformed))]);
    let begun = Instant::now();
    assert_eq!(rig.last(ONE).await, Found::Found(known(&["M50"])));
    assert!(about(begun, Duration::ZERO), "the call hears before the cache does");
    let begun = Instant::now();
    assert_eq!(rig.last(OTHER).await, away(Cause::Malformed, None, false));
    assert!(about(begun, SECOND), "a second for the cache, no more: {:?}", begun.elapsed());
}

#[actix_rt::test]
async fn a_system_that_keeps_failing_is_left_alone_and_probed() {
    let rig = Rig::new(Limits { tries: 1, ..Limits::default() });
    rig.system.always(Answer::Unavailable(Cause::Timeout));
    for _ in 0..FAILURES {
        assert_eq!(rig.last(ONE).await, away(Cause::Timeout, None, false));
    }
    let mut call = rig.ask("late", 1, ONE);
    assert_eq!(call.next().await, away(Cause::LeftAlone, None, true), "it will be asked again");
    assert_eq!(rig.system.asked(), FAILURES);
    rig.system.always(patient(&["M50"]));
    let begun = Instant::now();
    assert_eq!(call.next().await, Found::Found(known(&["M50"])));
    assert!(begun.elapsed() >= COOL_DOWN - SECOND, "{:?}", begun.elapsed());
    assert_eq!((rig.system.asked(), rig.breaker.state().0), (FAILURES + 1, State::Closed));
}

#[actix_rt::test]
async fn a_call_that_ended_costs_no_more_requests() {
    let rig = Rig::new(Limits::default());
    rig.system.always(Answer::Unavailable(Cause::Failing));
    let mut call = rig.ask("one", 1, ONE);
    call.next().await;
    call.ear.send(HangUp).await.unwrap();
    sleep(60 * SECOND).await;
    assert_eq!(rig.system.asked(), 1);
    rig.system.will([Step::Now(Answer::NotFound)]);
    assert_eq!(rig.last(ONE).await, Found::NotFound, "the document is free for the next");
}

/// A document that was misheard is of no interest once the right one is known, and its answer never comes.
#[actix_rt::test]
async fn i3_a_newer_question_of_a_call_puts_an_end_to_the_older() {
    let rig = Rig::new(Limits::default());
    rig.system.will([Step::After(2 * SECOND, patient(&["M50"])), Step::After(SECOND, Answer::NotFound)]);
    let mut old = rig.ask("one", 1, ONE);
    sleep(SECOND / 2).await;
    let mut new = rig.ask("one", 2, OTHER);
    assert_eq!(new.next().await, Found::NotFound);
    sleep(60 * SECOND).await;
    old.nothing_more();
    assert_eq!(rig.system.asked(), 2);
}

/// Who asks while the last answer is being written down is answered by a request of its own, after it.
#[actix_rt::test]
async fn the_newest_answer_wins_in_the_cache_too() {
    let rig = Rig::new(Limits::default());
    rig.shelf.slow(SECOND / 2);
    rig.system.will([
        Step::Now(patient(&["M50"])),
        Step::Now(Answer::NotFound),
        Step::Now(Answer::Unavailable(Cause::Unauthorised)),
    ]);
    let (mut one, mut two) = (rig.ask("one", 1, ONE), None);
    assert_eq!(one.next().await, Found::Found(known(&["M50"])));
    let two = two.insert(rig.ask("two", 1, ONE));
    assert_eq!(two.next().await, Found::NotFound);
    assert_eq!(rig.ask("three", 1, ONE).next().await, away(Cause::Unauthorised, None, false));
}

#[actix_rt::test]
async fn i7_permits_bound_the_requests_and_documents_bound_the_queue() {
    let rig = Rig::new(Limits { permits: 2, documents: 5, ..Limits::default() });
    rig.system.always_after(SECOND, Answer::NotFound);
    let document = |n: usize| (20_000_000 + n).to_string();
    let mut calls: Vec<Heard> = (0..6).map(|n| rig.ask(&format!("c{n}"), 1, &document(n))).collect();
    assert_eq!(calls[5].next().await, away(Cause::LeftAlone, None, false), "the sixth is refused at once");
    let begun = Instant::now();
    for call in &mut calls[..5] {
        assert_eq!(call.next().await, Found::NotFound);
    }
    assert!(about(begun, 3 * SECOND), "two at a time");
    assert_eq!((rig.system.at_once(), rig.system.asked()), (2, 5));
    assert_eq!(rig.ask("c6", 1, &document(6)).next().await, Found::NotFound);
}

#[actix_rt::test]
async fn an_adapter_that_hangs_or_panics_is_an_outage() {
    let rig = Rig::new(Limits { tries: 1, ..Limits::default() });
    rig.system.will([Step::Hangs, Step::Panics, Step::Now(Answer::NotFound)]);
    assert_eq!(rig.last(ONE).await, away(Cause::Timeout, None, false));
    assert_eq!(rig.last(ONE).await, away(Cause::Malformed, None, false));
    advance(SECOND).await;
    assert_eq!(rig.last(ONE).await, Found::NotFound);
}
