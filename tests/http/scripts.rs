//! The calls of `tests/calls`, as `aura call` plays them, against the service as it comes.
use crate::service::{Options, Running};
use aura_actors::caller::{Report, Script, play};
use std::path::Path;

async fn passes(script: &str) -> (Running, Report) {
    let running = Running::start(Options::default()).await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls").join(script);
    let script = Script::load(&file).unwrap();
    let report = play(&script, &running.url()).await.unwrap();
    assert!(report.passed(), "{report}\n{:#?}", report.problems());
    (running, report)
}

#[actix_rt::test]
async fn e11_the_call_of_the_readme_is_answered_from_the_right_row() {
    let (running, report) = passes("m50_h08.yaml").await;
    let queried = running.facts_with(&report.call_id, "knowledge_queried", 3).await;
    let first = &queried.iter().find(|fact| fact.kind == "knowledge_queried").unwrap().payload;
    assert_eq!(first["hit"], true, "{first}");
    assert_eq!(first["bestSource"], "concentradores electricos/m50_sysmedm50.md");
    assert!(report.ended_by_agent);
}

#[actix_rt::test]
async fn e4_a_patient_who_interrupts_hears_nothing_more_of_the_old_answer() {
    let (running, report) = passes("barge_in.yaml").await;
    // Local answers are whole at once: what was interrupted is either aborted or was complete.
    let facts = running.facts_with(&report.call_id, "suggestion_generated", 1).await;
    let ended = |kind: &str| facts.iter().filter(|fact| fact.kind == kind).count();
    assert!(ended("suggestion_generated") + ended("turn_aborted") >= 1, "{facts:#?}");
}

#[actix_rt::test]
async fn fault_10_a_broken_line_greets_nobody_twice() {
    let (_running, report) = passes("redial.yaml").await;
    assert_eq!(report.sockets, 3);
    let greetings = report.exchanges.iter().filter(|exchange| exchange.response_id == Some(0)).count();
    assert_eq!(greetings, 1);
}

#[actix_rt::test]
async fn s6_an_unknown_device_is_asked_for_before_anything_technical() {
    let (running, report) = passes("unknown_equipment.yaml").await;
    let facts = running.facts_with(&report.call_id, "knowledge_queried", 2).await;
    let reasons: Vec<_> = facts.iter().filter(|fact| fact.kind == "knowledge_queried").collect();
    assert_eq!(reasons[0].payload["reason"], "ask");
    assert_eq!(reasons[1].payload["reason"], "answered_ask");
}

#[actix_rt::test]
async fn e11_a_silent_patient_is_nudged_each_time() {
    let (running, report) = passes("silence.yaml").await;
    let facts = running.facts_with(&report.call_id, "knowledge_queried", 3).await;
    let nudges = facts.iter().filter(|fact| fact.payload["reason"] == "reminder").count();
    assert_eq!(nudges, 2, "{facts:#?}");
}
