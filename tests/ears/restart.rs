//! A process that goes down lets its forks go, and the next one knows the call.
use crate::call::{begun, heard, hearing, intact, lines, over};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Fork, Pace, Talk};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};

async fn dial(running: &Running, call: &str) -> Fork {
    let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}&leg=operator"));
    Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap()
}

#[actix_rt::test]
async fn a_call_goes_on_in_the_next_process() {
    let deepgram = Deepgram::start("clave").await;
    let mut running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "sigue").await;
    let talk =
        Talk::new(8000).inbound("Buenas, ¿qué le pasa?").pause(0.8).outbound("Me pita el equipo").pause(0.8);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    let before = [(Agent, "Buenas, ¿qué le pasa?"), (Patient, "Me pita el equipo")];
    heard(&running, "sigue", &before).await;
    let indexes = running.desk.of("sigue").iter().filter_map(index).max().unwrap();
    running.stop().await;
    assert_eq!(fork.socket.closed().await, Some(1012), "the switch is to dial again");
    running.again().await;
    let mut fork = dial(&running, "sigue").await;
    let talk = Talk::new(8000).pause(0.2).outbound("Le decía que pita").pause(1.0);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "sigue", &[before[0], before[1], (Patient, "Le decía que pita")]).await;
    let news = running.desk.of("sigue");
    let later = news.iter().filter_map(index).max().unwrap();
    assert!(later > indexes, "a new line is a new line: {news:#?}");
    let lines = lines(&running, "sigue");
    assert!(lines[1].at_ms < lines[2].at_ms, "{lines:#?}");
    let facts = running.facts_with("sigue", "call_rebuilt", 1).await;
    assert_eq!(facts.iter().filter(|fact| fact.kind == "call_rebuilt").count(), 1);
    assert_eq!(begun(&running, "sigue").await, 1);
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    over(&running, "sigue").await;
    let connections = deepgram.until("two", |all| all.len() == 2).await;
    assert_eq!(connections.len(), 2, "one in each process");
    intact(&deepgram).await;
}

fn index(news: &News) -> Option<usize> {
    if let News::Heard { index, .. } = news { Some(*index) } else { None }
}
