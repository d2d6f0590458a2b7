//! Going down in order: turns are finished, peers redial elsewhere, facts are kept.
use crate::plain::{dial, get};
use crate::retell::Caller;
use crate::service::{Options, Running};
use crate::support::openai::{Answer, StandIn, Step, delta, finish, frames, usage};
use std::time::Duration;

/// An answer whose second half comes a while after the first.
fn slow() -> Answer {
    Answer::stream(frames(&[delta("Empiezo. ")])).then(Step::Pause(Duration::from_millis(1500))).then(
        Step::Bytes(frames(&[delta("Y termino."), finish("stop"), usage(5, 4), "[DONE]".into()]).into()),
    )
}

#[actix_rt::test]
async fn stop_a_turn_is_finished_and_the_peer_told_to_redial() {
    let model = StandIn::start(vec![slow()]).await;
    let mut running = Running::start(Options::default().llm(model.base_url())).await;
    let mut idle = Caller::dial(&running, "idle").await;
    let mut busy = Caller::dial(&running, "busy").await;
    let asked = busy.ask("no sé").await;
    assert_eq!(busy.line.piece(asked).await.trim(), "Empiezo.");
    let address = running.address();
    let talk = async {
        // The idle one is let go at once, which shows that draining has begun.
        let code = idle.line.closed().await;
        assert!(code.is_some_and(|code| code != 1000), "Retell redials on {code:?}");
        let refused = dial(address, "/llm-websocket/late", &[]).await;
        assert_eq!(refused.status, 503);
        assert!(refused.problem().contains("draining"), "{refused:?}");
        assert_eq!(get(address, "/readyz", &[]).await.status, 503);
        let rest = busy.line.answer(asked).await;
        assert_eq!(rest.text(), "Y termino.");
        let code = busy.line.closed().await;
        assert!(code.is_some_and(|code| code != 1000), "Retell redials on {code:?}");
    };
    tokio::join!(running.stop(), talk);
    // Nobody writes any more: what is there now was flushed.
    let facts = running.facts("busy").await;
    let said =
        facts.iter().find(|fact| fact.kind == "suggestion_generated").expect("the last answer is kept");
    assert_eq!(said.payload["text"], "Empiezo. Y termino.");
    assert_eq!(said.payload["completionTokens"], 4);
    assert!(facts.iter().any(|fact| fact.kind == "call_started"));
    assert!(running.facts("idle").await.iter().any(|fact| fact.kind == "call_started"));
}
