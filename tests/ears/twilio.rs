//! Twilio's media streams.
use crate::call::{heard, hearing, intact, over, said, until};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Pace, Talk, Twilio};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};

#[actix_rt::test]
async fn both_tracks_are_heard_and_stop_is_the_end() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram).set("AURA_FORK_TOKENS", "secreto")).await;
    let url = running.door("/twilio-media/secreto");
    let mut twilio = Twilio::connect(&url, "CA1", Pace::Times(4.0)).await.unwrap();
    twilio.start(&[("extension", "204")]).await;
    let talk = Talk::new(8000).inbound("Hola, me marca un error").pause(1.2).outbound("¿Qué equipo es?");
    twilio.dtmf('1').await;
    twilio.send_audio(&talk.inbound, &talk.outbound).await;
    twilio.mark("saludo").await;
    // The last words are still on their way to the recogniser.
    assert_eq!(twilio.stop().await, Some(1000));
    over(&running, "CA1").await;
    heard(&running, "CA1", &[(Patient, "Hola, me marca un error"), (Agent, "¿Qué equipo es?")]).await;
    assert_eq!(running.last("CA1", "call_ended", 1).await["reason"], "hung_up");
    let connections = intact(&deepgram).await;
    let samples: Vec<u64> = connections[0].channels.iter().map(|channel| channel.samples).collect();
    assert_eq!(samples, [talk.inbound.len() as u64; 2], "the tracks stay beside each other");
}

#[actix_rt::test]
async fn a_parameter_says_that_it_is_the_operators_leg() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/twilio-media");
    let mut twilio = Twilio::connect(&url, "CA2", Pace::Times(4.0)).await.unwrap();
    twilio.start(&[("leg", "operator"), ("call", "de-la-central-7")]).await;
    let talk = Talk::new(8000).inbound("Buenas tardes, ¿qué pasa?").pause(1.2).outbound("Me pita").pause(1.0);
    twilio.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "de-la-central-7", &[(Agent, "Buenas tardes, ¿qué pasa?"), (Patient, "Me pita")]).await;
    assert_eq!(twilio.stop().await, Some(1000));
    over(&running, "de-la-central-7").await;
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn where_nothing_is_said_the_setting_says_whose_leg_it_is() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram).setting("twilio.patient", "outbound")).await;
    let mut twilio = Twilio::connect(&running.door("/twilio-media"), "CA3", Pace::Times(4.0)).await.unwrap();
    twilio.start(&[]).await;
    let talk = Talk::new(8000).outbound("Se me apagó el equipo").pause(1.0);
    twilio.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "CA3", &[(Patient, "Se me apagó el equipo")]).await;
    // It never says stop: the network ends it, and the call waits for it to come back.
    twilio.socket.abort().await;
    until(&running, "CA3", "the peer is lost", |news| news.contains(&News::Lost)).await;
    assert_eq!(said(&running, "CA3").len(), 1);
}
