//! Draining under load: no call is cut, and each goes on with the process that comes after.
use crate::plain::dial;
use crate::retell::{Caller, Line};
use crate::service::{Options, PATIENCE, Running};
use crate::support::openai::{Answer, StandIn, Step, delta, finish, frames, usage};
use futures_util::future::join_all;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Calls that are answered while the server is told to end.
const BUSY: usize = 20;

/// An answer whose second half comes a while after the first.
fn slow() -> Answer {
    let rest = frames(&[delta("Y termino."), finish("stop"), usage(5, 4), "[DONE]".into()]);
    Answer::stream(frames(&[delta("Empiezo. ")]))
        .then(Step::Pause(Duration::from_millis(1500)))
        .then(Step::Bytes(rest.into()))
}

fn name(n: usize) -> String {
    format!("busy_{n}")
}

/// A caller who is in the middle of an answer.
async fn begun(running: &Running, n: usize) -> (Caller, u64) {
    let mut caller = Caller::dial(running, &name(n)).await;
    let asked = caller.ask("no sé").await;
    assert_eq!(caller.line.piece(asked).await.trim(), "Empiezo.");
    (caller, asked)
}

#[actix_rt::test]
async fn drain_no_call_is_cut_within_the_drain_time_and_each_goes_on_after_the_restart() {
    let model = StandIn::responding(|n, _| if n < BUSY { slow() } else { Answer::spoken(&["Sigo."]) }).await;
    let mut running = Running::start(Options::default().llm(model.base_url())).await;
    let mut callers = join_all((0..BUSY).map(|n| begun(&running, n))).await;
    let finishing = join_all(callers.iter_mut().map(|(caller, asked)| async {
        let rest = caller.line.answer(*asked).await;
        assert_eq!(rest.text(), "Y termino.", "nobody is cut");
        caller.heard("Empiezo. Y termino.");
        let code = caller.line.closed().await;
        assert!(code.is_some_and(|code| code != 1000), "Retell redials on {code:?}");
    }));
    tokio::join!(running.stop(), finishing);
    running.again().await;
    let going_on = callers.iter_mut().enumerate().map(|(n, (caller, _))| {
        let running = &running;
        async move {
            caller.redial(running, &name(n)).await;
            assert_eq!(caller.line.settle().await, [] as [Value; 0], "no second greeting");
            assert_eq!(caller.say("no sé").await.text(), "Sigo.");
        }
    });
    join_all(going_on).await;
    for n in 0..BUSY {
        let facts = running.facts_with(&name(n), "suggestion_generated", 2).await;
        let count = |kind: &str| facts.iter().filter(|fact| fact.kind == kind).count();
        let ends = (count("turn_aborted"), count("turn_failed"), count("suggestion_generated"));
        assert_eq!(ends, (0, 0, 2), "{facts:#?}");
        assert_eq!((count("call_started"), count("call_rebuilt")), (1, 1), "{facts:#?}");
    }
}

/// Peers redial at once: a process that drains must not take them on only to drop them.
#[actix_rt::test]
async fn drain_who_is_let_go_of_is_not_taken_on_again_by_the_process_that_drains() {
    let model = StandIn::responding(|_, _| slow()).await;
    let mut running = Running::start(Options::default().llm(model.base_url())).await;
    let mut idle = Caller::dial(&running, "idle").await;
    let (mut busy, asked) = begun(&running, 0).await;
    let address = running.address();
    let talk = async {
        assert!(idle.line.closed().await.is_some_and(|code| code != 1000));
        for call in ["idle", "busy_0", "new"] {
            let refused = dial(address, &format!("/llm-websocket/{call}"), &[]).await;
            assert_eq!(refused.status, 503, "{call}: {refused:?}");
            assert!(refused.problem().contains("draining"), "{refused:?}");
            assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
        }
        assert_eq!(busy.line.answer(asked).await.text(), "Y termino.");
    };
    tokio::join!(running.stop(), talk);
    running.again().await;
    idle.redial(&running, "idle").await;
    assert_eq!(idle.line.settle().await, [] as [Value; 0], "no second greeting");
}

/// A call that nobody redials is ended by the process that comes after, and its journal let go of.
#[actix_rt::test]
async fn d24_two_restarts_in_a_row_keep_the_call() {
    let mut running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "twice").await;
    assert!(caller.say("El M50 me marca error H08 desde hoy").await.text().contains("H08"));
    for _ in 0..2 {
        running.stop().await;
        running.again().await;
    }
    caller.redial(&running, "twice").await;
    assert_eq!(caller.line.settle().await, [] as [Value; 0], "no second greeting");
    caller.say("¿y después qué hago con el equipo?").await;
    let last = running.last("twice", "knowledge_queried", 2).await;
    assert_eq!(last["reason"], "locked", "{last}");
}

/// The caller's side of a switch that is turned while the process is away.
#[actix_rt::test]
async fn d24_a_call_of_the_last_process_comes_back_though_the_channel_is_off_now() {
    let mut running = Running::start(Options::default()).await;
    let mut caller = Caller::dial(&running, "kept").await;
    caller.say("no sé").await;
    running.stop().await;
    running.set("retell.mode", "off").await;
    running.again().await;
    caller.redial(&running, "kept").await;
    assert!(caller.say("¿hola?").await.complete);
    let refused = async {
        while dial(running.address(), "/llm-websocket/other", &[]).await.status != 503 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, refused).await.expect("new calls are refused");
    Line::dial(&running, "kept").await.settle().await;
}
