//! The command itself: which kind of call it plays, and what it exits with.
use crate::ASKS;
use crate::agent::{Agent, Fault};
use crate::door::{Door, Manner};
use aura_actors::caller::{CallArgs, OwnDoors, Voice, run};
use std::path::Path;
use std::process::ExitCode;

/// The command succeeds only if all was as expected.
#[tokio::test]
async fn the_command_fails_when_the_call_does() {
    let file = |kind: &str| std::env::temp_dir().join(format!("aura-{kind}-{}.yaml", std::process::id()));
    let (call, fork, none) = (file("call"), file("fork"), file("none"));
    std::fs::write(&call, format!("name: prueba\n{ASKS}")).unwrap();
    std::fs::write(&fork, "name: prueba\nchannel: audio_fork\nsteps: [{patient: hola}]").unwrap();
    let nowhere =
        OwnDoors { retell: "ws://127.0.0.1:1".into(), audio_fork: "ws://127.0.0.1:1".into(), desk: None };
    let command = async |file: &Path, url: Option<String>, json: bool| {
        let args = CallArgs { file: file.to_owned(), url, json, speed: 1_000.0, voice: Voice::Text };
        format!("{:?}", run(&args, &nowhere).await)
    };
    let agent = async |fault| Some(Agent::start(fault).await.url);
    let door = async |manner| Some(Door::open(manner).await.url);
    let outcomes = [
        command(&call, agent(Fault::Nothing).await, false).await,
        command(&call, agent(Fault::Nothing).await, true).await,
        command(&fork, door(Manner::Good).await, false).await,
        command(&fork, door(Manner::Good).await, true).await,
        command(&call, agent(Fault::CompletesTwice).await, false).await,
        command(&call, agent(Fault::Binary).await, true).await,
        command(&fork, door(Manner::Binary).await, false).await,
        command(&fork, door(Manner::PicksNone).await, true).await,
        command(&fork, None, false).await,
        command(&none, None, false).await,
    ];
    [call, fork].iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let (good, bad) = (format!("{:?}", ExitCode::SUCCESS), format!("{:?}", ExitCode::FAILURE));
    assert_eq!(outcomes[..4], [&good, &good, &good, &good].map(Clone::clone));
    assert_eq!(outcomes[4..], [&bad, &bad, &bad, &bad, &bad, &bad].map(Clone::clone));
}
