//! Whose words they are: legs that are swapped, doubled or forked twice.
use crate::call::{begun, gaps, heard, hearing, intact, over, until};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::fork::jambonz_metadata;
use crate::telephony::pbx::{Dial, Layout, Pace, Talk};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::json;
use std::f64::consts::TAU;
use std::time::Duration;

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

#[actix_rt::test]
async fn fault_62_a_call_that_we_make_still_has_the_patient_on_the_forked_leg() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = Talk::new(8000).inbound("Hola, ¿quién habla?").pause(1.2).outbound("Le llamo por su equipo");
    let talk = talk.pause(1.0);
    for (call, leg, lines) in [
        ("saliente", None, [(Patient, "Hola, ¿quién habla?"), (Agent, "Le llamo por su equipo")]),
        ("operador", Some("operator"), [(Agent, "Hola, ¿quién habla?"), (Patient, "Le llamo por su equipo")]),
    ] {
        let url = running.door("/audio-fork");
        let mut fork = Dial::jambonz(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
        let mut metadata =
            jambonz_metadata(call, "outbound", "+541144445555", "+541166667777", 8000, "stereo");
        if let Some(leg) = leg {
            metadata["leg"] = json!(leg);
        }
        fork.json(&metadata).await;
        fork.send_audio(&talk.inbound, &talk.outbound).await;
        heard(&running, call, &lines).await;
        fork.stop(HANG_UP).await;
        over(&running, call).await;
    }
    intact(&deepgram).await;
}

/// Two seconds and more of a voice: a buzz that swells and fades.
fn voice(seconds: f64) -> Vec<i16> {
    let sample = |n: usize| {
        let at = n as f64 / 8_000.0;
        let buzz = (1..12).map(|harmonic| (TAU * 140.0 * f64::from(harmonic) * at).sin()).sum::<f64>() / 12.0;
        (6_000.0 * buzz * (TAU * 3.0 * at).sin()) as i16
    };
    (0..(seconds * 8_000.0) as usize).map(sample).collect()
}

#[actix_rt::test]
async fn fault_62_the_same_sound_on_both_channels_is_told_and_heard_once() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=gemelos");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    let voice = voice(3.5);
    fork.send_audio(&voice, &voice).await;
    until(&running, "gemelos", "it is told", |news| news.contains(&News::OneVoice)).await;
    let talk = Talk::new(8000).pause(0.5).inbound("¿Me escucha alguien?").pause(1.0);
    fork.send_audio(&talk.inbound, &talk.inbound).await;
    heard(&running, "gemelos", &[(Patient, "¿Me escucha alguien?")]).await;
    fork.stop(HANG_UP).await;
    over(&running, "gemelos").await;
    heard(&running, "gemelos", &[(Patient, "¿Me escucha alguien?")]).await;
    let told = running.desk.of("gemelos").iter().filter(|news| **news == News::OneVoice).count();
    assert_eq!(told, 1);
}

#[actix_rt::test]
async fn fault_50_the_newest_fork_of_a_track_carries_it() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=dos-veces");
    let dial = || Dial::drachtio(&url).pace(Pace::RealTime);
    let first = Talk::new(8000).inbound("Todavía con el primero").pause(0.4);
    let second = Talk::new(8000).pause(0.2).inbound("y ahora con el segundo").pause(1.0);
    let (mut old, mut new) = (dial().connect().await.unwrap(), dial().connect().await.unwrap());
    old.send_audio(&first.inbound, &first.outbound).await;
    // From here both send the same: it is heard once.
    let both = async {
        tokio::join!(
            old.send_audio(&second.inbound, &second.outbound),
            new.send_audio(&second.inbound, &second.outbound),
        )
    };
    let (_, sent) = both.await;
    assert!(sent);
    assert_eq!(old.socket.closed().await, Some(1008));
    heard(&running, "dos-veces", &[(Patient, "Todavía con el primero"), (Patient, "y ahora con el segundo")])
        .await;
    assert_eq!((begun(&running, "dos-veces").await, running.live_calls()), (1, 1));
    let news = running.desk.of("dos-veces");
    assert!(!news.contains(&News::Lost), "it was carried all the time");
    assert_eq!(gaps(&running, "dos-veces"), []);
    new.stop(HANG_UP).await;
    over(&running, "dos-veces").await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn fault_50_many_forks_at_once_leave_one() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=1&call=carrera");
    let fork = || async {
        let mut fork = Dial::drachtio(&url).layout(Layout::Mono).connect().await.unwrap();
        fork.send_audio(&[0; 320], &[]).await;
        fork
    };
    let forks = futures_util::future::join_all((0..8).map(|_| fork())).await;
    let closed = || forks.iter().filter(|fork| fork.socket.seen().len() > 1).count();
    while closed() < 7 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(closed(), 7, "the last one stays");
    let news = running.desk.of("carrera");
    assert_eq!(news.iter().filter(|news| **news == News::Opened).count(), 1);
    for fork in &forks {
        fork.stop(HANG_UP).await;
    }
    over(&running, "carrera").await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}
