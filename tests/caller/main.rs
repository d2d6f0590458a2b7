//! The scripted caller, against an agent on a real socket: it must notice whatever Retell would trip over.
// A test of IO does IO: what the root forbids is forbidden to the domain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]
mod agent;
mod command;
mod door;
mod fork;
mod fork_spoken;
mod scripts;
// Of what tests share, each uses its part.
#[allow(unused_imports, dead_code)]
#[path = "../support/tones.rs"]
mod tones;

use agent::{Agent, Fault};
use aura_actors::caller::{CallerError, Report, Script, Trouble, play};
use serde_json::{Value, json};

/// Waits long enough for the busiest machine: for calls in which nothing stays out.
const PATIENT: &str = "deadline_ms: 20000\necho_ms: 20000";
/// For calls that end by waiting in vain.
const HASTY: &str = "deadline_ms: 1000\necho_ms: 20000";

/// Plays these steps against an agent with this fault.
async fn played(fault: Fault, patience: &str, steps: &str) -> (Agent, Result<Report, CallerError>) {
    let agent = Agent::start(fault).await;
    let script = Script::parse(&format!("name: prueba\ncall_id: c-1\n{patience}\n{steps}")).unwrap();
    let outcome = play(&script, &agent.url).await;
    (agent, outcome)
}

const ASKS: &str = "steps: [{say: tengo un M50 que marca H08}]";
const BARGES: &str = "steps: [{say: cuénteme despacio}, {barge_in: {after_frames: 1, say: no no el H08}}]";

async fn report(fault: Fault, steps: &str) -> Report {
    played(fault, PATIENT, steps).await.1.unwrap()
}

/// What the caller wrote down against an agent that breaks one rule.
async fn breaches(fault: Fault, steps: &str) -> Vec<String> {
    let report = report(fault, steps).await;
    assert!(!report.passed());
    report.breaches
}

async fn trouble(fault: Fault, patience: &str, steps: &str) -> (Trouble, Report) {
    match played(fault, patience, steps).await.1 {
        Err(CallerError::BrokenOff { trouble, so_far }) => (trouble, *so_far),
        other => panic!("expected a call that breaks off, got {other:?}"),
    }
}

#[tokio::test]
async fn a_well_behaved_agent_passes() {
    let steps = "
begin: {contains: [AYUDARLE], frames_at_least: 1}
steps:
  - say: tengo un M50 que marca H08
    expect: {contains: [apague, h08], contains_any: [nada, espere], not_contains: [error], frames_at_least: 2, end_call: false}
  - silence:
    expect: {frames_at_least: 1}
  - update_only: mm
  - say: gracias chau
    expect: {end_call: true}
  - hang_up:
";
    let (agent, outcome) = played(Fault::Nothing, PATIENT, steps).await;
    let report = outcome.unwrap();
    assert!(report.passed(), "{:?}", report.problems());
    assert!(report.ended_by_agent);
    assert_eq!(agent.paths(), ["/secreto/llm/c-1?x=1"]);
    let ids: Vec<_> = report.exchanges.iter().filter_map(|e| e.response_id).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    let frames: Vec<Value> =
        report.frame_texts().iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(frames[0]["response_type"], "config");
    let said: Vec<_> = frames[1..]
        .iter()
        .map(|f| (f["response_id"].as_u64().unwrap(), f["content"].as_str().unwrap()))
        .collect();
    let one_answer = ["Apague el M50 ", "y espere: «H08». ", ""];
    let mut expected = vec![(0, "Hola, ¿en qué puedo ayudarle?")];
    expected.extend([1, 2].into_iter().flat_map(|id| one_answer.map(|text| (id, text))));
    expected.push((3, "Hasta luego."));
    assert_eq!(said, expected);
}

/// The frames are Retell's: cumulative, growing, with words, and twice if the agent asked for tool calls.
#[tokio::test]
async fn the_caller_speaks_as_retell_does() {
    let steps = "
call_details: {variables: {patient_name: Ana}}
steps: [{say: tengo un M50 que marca H08}, {say: otra vez}]";
    let (agent, outcome) = played(Fault::Nothing, PATIENT, steps).await;
    assert!(outcome.unwrap().passed());
    let details = agent.frames("call_details");
    assert_eq!(details.len(), 1);
    assert_eq!(details[0]["call"]["retell_llm_dynamic_variables"], json!({"patient_name": "Ana"}));
    let partials: Vec<_> =
        agent.frames("update_only").iter().map(|f| f["transcript"].as_array().unwrap().clone()).collect();
    let first: Vec<_> = partials
        .iter()
        .filter(|t| t.len() == 2)
        .map(|t| t[1]["content"].as_str().unwrap().to_owned())
        .collect();
    let grown = ["tengo", "tengo un M50", "tengo un M50 que marca", "tengo un M50 que marca H08"];
    assert_eq!(first, grown);
    let asked = agent.frames("response_required");
    let roles: Vec<_> =
        asked[1]["transcript"].as_array().unwrap().iter().map(|t| t["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["agent", "user", "agent", "user"]);
    assert_eq!(asked[1]["transcript"][2]["content"], "Apague el M50 y espere: «H08». ");
    assert_eq!(asked[1]["transcript"], asked[1]["transcript_with_tool_calls"]);
    let word = &asked[0]["transcript"][1]["words"][5];
    assert_eq!(word["word"], "H08");
    assert!(word["start"].as_f64().unwrap() < word["end"].as_f64().unwrap());
}

#[tokio::test]
async fn fault_9_details_may_come_late_or_never() {
    let (agent, outcome) =
        played(Fault::Nothing, PATIENT, &format!("call_details: {{never: true}}\n{ASKS}")).await;
    assert!(outcome.unwrap().passed());
    assert!(agent.frames("call_details").is_empty());
    // The slow answer leaves the caller waiting long enough to send them.
    let late = "call_details: {after_ms: 50}\nsteps: [{say: cuénteme despacio}]";
    let (agent, outcome) = played(Fault::Nothing, HASTY, late).await;
    assert!(outcome.is_err());
    assert_eq!(agent.frames("call_details").len(), 1);
    let seen = agent.seen.lock().unwrap();
    let kind = |name: &str| seen.iter().position(|f| f["interaction_type"] == name).unwrap();
    assert!(kind("response_required") < kind("call_details"));
}

#[tokio::test]
async fn fault_2_a_barge_in_keeps_only_what_was_heard() {
    let (agent, outcome) = played(Fault::Nothing, PATIENT, BARGES).await;
    let report = outcome.unwrap();
    assert!(report.passed(), "{:?}", report.problems());
    assert!(!report.exchanges[1].complete);
    let asked = agent.frames("response_required");
    assert_eq!(asked[1]["transcript"][2]["content"], "Apague el M50 ");
    assert_eq!(asked[1]["transcript"].as_array().unwrap().len(), 4);
    let unheard = "steps: [{say: cuénteme despacio}, {barge_in: {say: no no el H08}}]";
    let (agent, outcome) = played(Fault::Nothing, PATIENT, unheard).await;
    assert!(outcome.unwrap().passed());
    assert_eq!(agent.frames("response_required")[1]["transcript"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn fault_2_an_old_id_after_the_newer_question_was_read_is_noticed() {
    let breaches = breaches(Fault::OldIdAfterRead, BARGES).await;
    assert_eq!(breaches, ["a piece of id 1 after the request for id 2 was read"]);
}

#[tokio::test]
async fn an_old_id_that_crossed_with_the_question_is_nobodys_fault() {
    let report = report(Fault::OldIdBeforeRead, BARGES).await;
    assert!(report.passed(), "{:?}", report.problems());
    assert_eq!(report.late, 1);
}

#[tokio::test]
async fn fault_4_an_answer_that_is_never_closed_is_noticed() {
    let (trouble, so_far) = trouble(Fault::NeverCompletes, HASTY, ASKS).await;
    assert!(
        matches!(&trouble, Trouble::Deadline { awaited, ms: 1000 } if awaited == "the content_complete of id 1")
    );
    assert_eq!(so_far.exchanges[1].text(), "Apague el M50 y espere: «H08». ");
}

#[tokio::test]
async fn an_answer_that_is_closed_twice_is_noticed() {
    assert_eq!(breaches(Fault::CompletesTwice, ASKS).await, ["a piece of id 1 after its content_complete"]);
}

#[tokio::test]
async fn an_id_that_nobody_asked_for_is_noticed() {
    let breaches = breaches(Fault::UnaskedId, ASKS).await;
    assert_eq!(breaches, ["a piece of id 2, which was never asked for (the newest is 1)"]);
}

#[tokio::test]
async fn wrong_types_are_noticed_since_retell_drops_them_silently() {
    let wrong = breaches(Fault::TextForFlag, ASKS).await;
    assert_eq!(wrong, ["a response of id 1 whose `content_complete` is neither true nor false"]);
    assert_eq!(breaches(Fault::NoTag, ASKS).await, ["a frame without a text `response_type`"]);
}

#[tokio::test]
async fn a_binary_or_corrupt_frame_ends_the_call() {
    let (binary, _) = trouble(Fault::Binary, PATIENT, ASKS).await;
    assert!(matches!(&binary, Trouble::Corrupt { what } if what == "a binary frame of 3 bytes"), "{binary}");
    let (corrupt, _) = trouble(Fault::NotJson, PATIENT, ASKS).await;
    assert!(matches!(&corrupt, Trouble::Corrupt { what } if what == "5 bytes that are no JSON"), "{corrupt}");
}

#[tokio::test]
async fn a_missing_or_late_config_is_noticed() {
    let (missing, so_far) = trouble(Fault::NeverConfigures, HASTY, ASKS).await;
    assert!(matches!(&missing, Trouble::Deadline { awaited, .. } if awaited == "the agent's config frame"));
    assert!(so_far.frames.is_empty());
    assert_eq!(breaches(Fault::GreetsBeforeConfig, ASKS).await, ["a frame before the config frame"]);
}

#[tokio::test]
async fn pings_go_out_and_their_echoes_are_checked() {
    let (agent, outcome) =
        played(Fault::Nothing, HASTY, "ping_ms: 30\nsteps: [{say: cuénteme despacio}]").await;
    assert!(outcome.is_err());
    let mut sent: Vec<_> =
        agent.frames("ping_pong").iter().map(|f| f["timestamp"].as_i64().unwrap()).collect();
    assert!(sent.len() > 3, "{sent:?}");
    assert!(sent.is_sorted());
    sent.dedup();
    assert_eq!(sent.len(), agent.frames("ping_pong").len());
    let (silent, _) = trouble(Fault::NeverEchoes, "echo_ms: 200", ASKS).await;
    assert!(matches!(silent, Trouble::NoEcho { ms: 200 }), "{silent}");
    let twice = breaches(Fault::EchoesTwice, ASKS).await;
    assert!(twice.iter().all(|b| b.starts_with("an echo of a ping that nobody sent")), "{twice:?}");
}

#[tokio::test]
async fn fault_10_a_redialled_call_keeps_its_id_and_is_not_greeted_again() {
    let steps = "steps: [{say: cuénteme despacio}, {drop_and_redial: {after_frames: 1}}, {say: el H08}, {drop_and_redial: }, {say: chau}]";
    let (agent, outcome) = played(Fault::Nothing, PATIENT, steps).await;
    let report = outcome.unwrap();
    assert!(report.passed(), "{:?}", report.problems());
    assert_eq!((report.sockets, report.ended_by_agent), (3, true));
    assert_eq!(agent.paths(), ["/secreto/llm/c-1?x=1"; 3]);
    let asked: Vec<_> = agent.frames("response_required").iter().map(|f| f["response_id"].clone()).collect();
    assert_eq!(asked, [1, 2, 3]);
    let twice = breaches(Fault::GreetsAgain, "steps: [{drop_and_redial: }, {say: el H08}]").await;
    assert_eq!(twice, ["a piece of id 0 after redialling: the caller is greeted twice"]);
}

#[tokio::test]
async fn a_socket_that_the_agent_closes_or_drops_is_told() {
    let (closed, _) = trouble(Fault::Hangs, PATIENT, ASKS).await;
    let said = closed.to_string();
    assert!(said.contains("1000 listo") && said.contains("the content_complete of id 1"), "{said}");
    let (dropped, _) = trouble(Fault::DropsLine, PATIENT, ASKS).await;
    assert!(matches!(&dropped, Trouble::Closed { how, .. } if !how.contains("1000")), "{dropped}");
}

#[tokio::test]
async fn failed_expectations_are_told_and_marked() {
    let steps = "
begin: {end_call: true}
steps:
  - say: tengo un M50 que marca H08
    expect: {contains: [apague, E43], contains_any: [x1, x2], not_contains: [ESPERE], frames_at_least: 3}
  - say: chau
    expect: {end_call: false}
  - say: ¿hola?
";
    let report = report(Fault::Nothing, steps).await;
    assert_eq!(
        report.problems(),
        [
            "answer 0: expected end_call true, got false",
            "answer 1: expected «E43» in it",
            "answer 1: expected no «ESPERE» in it",
            "answer 1: expected one of «x1», «x2» in it",
            "answer 1: expected 3 pieces or more, got 2",
            "answer 2: expected end_call false, got true",
            "answer 2: expected the call to go on with step 3, but the agent hung up",
        ]
    );
    let shown = report.to_string();
    assert!(shown.contains("Paciente              tengo un M50 que marca H08"), "{shown}");
    assert!(shown.contains("y espere: «H08».") && shown.contains("✗ expected «E43» in it"), "{shown}");
    assert!(shown.trim_end().ends_with("✗ problemas: 7"), "{shown}");
}

/// A secret in the path must not end up in an error.
#[tokio::test]
async fn nobody_at_the_address_is_told_without_the_path() {
    let script = Script::parse(ASKS.replace("steps", "name: x\nsteps").as_str()).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = play(&script, &format!("ws://{free}/secreto?k=1")).await.unwrap_err();
    assert!(matches!(error, CallerError::Dial { .. }));
    let said = error.to_string();
    assert!(said.contains(&free.to_string()) && !said.contains("secreto"), "{said}");
}
