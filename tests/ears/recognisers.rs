//! Both legs of a call, heard by each recogniser.
use crate::call::{heard, until};
use crate::service::{Options, Running};
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Pace, Talk};
use crate::telephony::vosk::Vosk;
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::json;

#[actix_rt::test]
async fn deepgram_hears_both_legs_and_says_so_as_they_speak() {
    let deepgram = Deepgram::start("clave").await;
    let options = Options::default()
        .few_manuals()
        .set("DEEPGRAM_API_KEY", "clave")
        .set("DEEPGRAM_URL", deepgram.base_url());
    let running = Running::start(options).await;
    let talk = Talk::new(8000)
        .inbound("Hola, tengo un concentrador")
        .pause(0.8)
        .outbound("Buenos días, ¿qué le marca?")
        .pause(0.8)
        .inbound("Me marca hache cero ocho")
        .pause(1.5);
    let url = running.door("/audio-fork?rate=8000&ch=2");
    let mut fork = Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap();
    fork.json(&json!({"callId": "llamada-1", "leg": "patient"})).await;
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    let expected = [
        (Patient, "Hola, tengo un concentrador"),
        (Agent, "Buenos días, ¿qué le marca?"),
        (Patient, "Me marca hache cero ocho"),
    ];
    heard(&running, "llamada-1", &expected).await;
    let news = running.desk.of("llamada-1");
    let partial = |news: &News| matches!(news, News::Heard { place: Some(place), .. } if place.partial);
    assert!(news.iter().any(partial), "{news:#?}");
    fork.stop(None).await;
    until(&running, "llamada-1", "the call ends", |news| news.contains(&News::Closed)).await;
    let connections = deepgram.until("it hung up", |all| all.iter().all(|one| one.ended.is_some())).await;
    assert_eq!(connections.len(), 1);
    assert_eq!(connections[0].damaged(), 0);
    assert!(connections[0].close_stream);
}

#[actix_rt::test]
async fn vosk_hears_both_legs_on_a_socket_each() {
    let vosk = Vosk::start().await;
    let running = Running::start(Options::default().few_manuals().set("VOSK_URL", vosk.url())).await;
    let talk =
        Talk::new(8000).inbound("hola tengo un concentrador").pause(1.0).outbound("buenos dias").pause(1.5);
    let url = running.door("/audio-fork?rate=8000&ch=2&call=llamada-2");
    let mut fork = Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "llamada-2", &[(Patient, "hola tengo un concentrador"), (Agent, "buenos dias")]).await;
    fork.stop(None).await;
    until(&running, "llamada-2", "the call ends", |news| news.contains(&News::Closed)).await;
    assert_eq!(vosk.connections().len(), 2);
}
