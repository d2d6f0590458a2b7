//! A real Asterisk through both of its doors: both legs of human Spanish arrive, and the hang-up. Run by
//! `deploy/test` where the PBX can be made; it takes about a minute.
use crate::call::until;
use crate::service::{Options, Running};
use crate::telephony::deepgram::{Connection, Deepgram};
use aura::event::News;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Runs `deploy/pbx` with these arguments; it must succeed.
async fn pbx(arguments: &[&str]) {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/pbx");
    let run =
        Command::new(program).args(arguments).stdin(Stdio::null()).output().await.expect("deploy/pbx runs");
    let words = String::from_utf8_lossy(&run.stderr).into_owned() + &String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "deploy/pbx {arguments:?}: {words}");
}

/// Sound was heard on both tracks: it is no coded speech, so the stand-in calls it damaged.
fn both_spoke(connection: &Connection) -> bool {
    connection.channels.len() == 2 && connection.channels.iter().all(|channel| !channel.heard.is_empty())
}

async fn both_legs_and_the_hang_up(running: &Running, deepgram: &Deepgram, call: &str) {
    until(running, call, "the call ends", |news| news.contains(&News::Closed)).await;
    let connections = deepgram.until("it hung up", |all| all.iter().all(|one| one.ended.is_some())).await;
    let heard: Vec<_> =
        connections.iter().map(|one| one.channels.iter().map(|c| c.samples).collect::<Vec<_>>()).collect();
    assert!(connections.iter().any(both_spoke), "both legs are heard: {heard:?}");
    // A call of 17 s: both tracks are as long as each other, silence standing in where Asterisk sends none.
    for samples in heard.iter().filter(|samples| samples.len() == 2) {
        assert_eq!(samples[0], samples[1], "the tracks stay beside each other");
    }
}

async fn service(deepgram: &Deepgram) -> Running {
    let options = Options::default()
        .set("DEEPGRAM_API_KEY", "clave")
        .set("DEEPGRAM_URL", deepgram.base_url())
        .set("AURA_FORK_TOKENS", "secreto")
        .set("AURA_AUDIOSOCKET_LISTEN", "127.0.0.1:0");
    Running::start(options).await
}

#[actix_rt::test]
#[ignore = "needs deploy/pbx up; deploy/test runs it"]
async fn asterisk_forks_both_legs_through_its_websocket() {
    let deepgram = Deepgram::start("clave").await;
    let running = service(&deepgram).await;
    let call = "5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a50";
    pbx(&["call", "websocket", "--to", &running.door("/asterisk/secreto"), "--call", call]).await;
    both_legs_and_the_hang_up(&running, &deepgram, call).await;
}

#[actix_rt::test]
#[ignore = "needs deploy/pbx up; deploy/test runs it"]
async fn asterisk_forks_both_legs_through_audiosocket_with_a_hold_between() {
    let deepgram = Deepgram::start("clave").await;
    let running = service(&deepgram).await;
    let call = "5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a60";
    let to = running.audiosocket().to_string();
    pbx(&["call", "audiosocket", "--to", &to, "--call", call, "--hold"]).await;
    both_legs_and_the_hang_up(&running, &deepgram, call).await;
}
