//! FreeSWITCH's forks, of each make: how they tell of a call, and what is heard of it.
use crate::call::{begun, calls, heard, hearing, intact, over, said, until};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::fork::jambonz_metadata;
use crate::telephony::pbx::{Dial, Layout, Pace, Talk};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::json;

fn talk(rate: u32) -> Talk {
    Talk::new(rate)
        .pause(0.2)
        .inbound("Hola, tengo un concentrador")
        .pause(1.0)
        .outbound("Buenos días, ¿qué le marca?")
        .pause(1.0)
}

const TALK: [(aura::transcript::Speaker, &str); 2] =
    [(Patient, "Hola, tengo un concentrador"), (Agent, "Buenos días, ¿qué le marca?")];

#[actix_rt::test]
async fn drachtio_glues_what_it_had_to_hold_back() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    let metadata = json!({"callId": "pegada", "leg": "patient", "from": "+541144445555"});
    let dtmf = json!({"event": "dtmf", "dtmf": "5", "duration": 1280});
    fork.glued(&[metadata, dtmf.clone(), json!({"event": "bridged", "extension": "204"})]).await;
    let talk = talk(8000);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "pegada", &TALK).await;
    // What can't be read is passed over, and what comes after it isn't.
    fork.socket.text("[1,2").await;
    fork.glued(&[dtmf, json!({"event": "hangup"})]).await;
    over(&running, "pegada").await;
    assert_eq!(fork.socket.closed().await, Some(1000));
    assert_eq!(running.last("pegada", "call_ended", 1).await["reason"], "hung_up");
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn fault_48_metadata_may_come_late_or_never() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = talk(8000);
    // The URL says how to read it, and nobody says which call it is.
    let nameless = running.door("/audio-fork?rate=8000&ch=2");
    let mut never = Dial::drachtio(&nameless).pace(Pace::RealTime).connect().await.unwrap();
    let mut late = Dial::drachtio(&nameless).pace(Pace::RealTime).connect().await.unwrap();
    // The id comes within two seconds: all that was said before is of that call.
    let mut soon = Dial::drachtio(&nameless).pace(Pace::RealTime).connect().await.unwrap();
    let told_late = async {
        late.send_audio(&talk.inbound, &talk.outbound).await;
        late.json(&json!({"callId": "tarde", "leg": "operator"})).await;
    };
    let told_soon = async {
        soon.send_audio(&talk.inbound[..8000], &talk.outbound[..8000]).await;
        soon.json(&json!({"callSid": "pronto"})).await;
        soon.send_audio(&talk.inbound[8000..], &talk.outbound[8000..]).await;
    };
    tokio::join!(never.send_audio(&talk.inbound, &talk.outbound), told_late, told_soon);
    heard(&running, "pronto", &TALK).await;
    let all = calls(&running, 3).await;
    let spare: Vec<&String> = all.iter().filter(|call| call.starts_with("fork-")).collect();
    assert_eq!((all.len(), spare.len()), (3, 2), "{all:?}");
    // Whose leg it was is believed late too: both lines change their speaker.
    let swapped = [(Agent, TALK[0].1), (Patient, TALK[1].1)];
    for expected in [&TALK, &swapped] {
        let as_expected = |call: &&String| {
            said(&running, call).iter().map(|(who, text)| (*who, text.as_str())).eq(*expected)
        };
        let mut waits = 0;
        while !spare.iter().any(&as_expected) {
            assert!(
                waits < 1500,
                "{expected:?} isn't among {:?}",
                spare.iter().map(|call| said(&running, call))
            );
            waits += 1;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
    for fork in [&never, &late, &soon] {
        fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    }
    assert_eq!(intact(&deepgram).await.len(), 3);
}

#[actix_rt::test]
async fn two_mono_forks_of_jambonz_are_one_call() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = talk(8000);
    let url = running.door("/audio-fork");
    let dial = || Dial::jambonz(&url).layout(Layout::Mono).pace(Pace::Times(2.0));
    let (mut patient, mut operator) = (dial().connect().await.unwrap(), dial().connect().await.unwrap());
    let metadata = |leg: &str, direction: &str| {
        let mut metadata = jambonz_metadata("doble", direction, "+541144445555", "204", 8000, "mono");
        metadata["leg"] = json!(leg);
        metadata
    };
    patient.json(&metadata("patient", "inbound")).await;
    operator.json(&metadata("operator", "outbound")).await;
    tokio::join!(patient.send_audio(&talk.inbound, &[]), operator.send_audio(&talk.outbound, &[]));
    heard(&running, "doble", &TALK).await;
    assert_eq!((begun(&running, "doble").await, running.live_calls()), (1, 1));
    // One leg may go before the other: the call is over when both have.
    operator.stop(None).await;
    let more = Talk::new(8000).inbound("¿Sigue ahí?").pause(1.0);
    patient.send_audio(&more.inbound, &[]).await;
    heard(&running, "doble", &[TALK[0], TALK[1], (Patient, "¿Sigue ahí?")]).await;
    assert!(!running.desk.of("doble").contains(&News::Closed));
    patient.stop(None).await;
    over(&running, "doble").await;
    let connections = intact(&deepgram).await;
    assert_eq!(connections.len(), 1, "both legs are heard beside each other");
    assert_eq!(connections[0].channels.len(), 2);
}

#[actix_rt::test]
async fn mod_audio_stream_sends_wide_band() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = talk(16_000);
    let url = running.door("/audio-fork?rate=16k&ch=stereo&call=ancha");
    let dial = Dial::audio_stream(&url).rate(16_000).block_ms(100).pace(Pace::Times(4.0));
    let mut fork = dial.connect().await.unwrap();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "ancha", &TALK).await;
    fork.stop(None).await;
    over(&running, "ancha").await;
    let connections = intact(&deepgram).await;
    assert_eq!(connections[0].one("sample_rate"), Some("16000"));
    assert_eq!(connections[0].one("multichannel"), Some("true"));
}

#[actix_rt::test]
async fn a_mixed_fork_is_refused_as_nobody_could_be_told_apart() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = talk(8000);
    let dial = |url: &str| Dial::jambonz(&running.door(url)).layout(Layout::Mixed);
    let mut told = dial("/audio-fork?rate=8000&ch=mixed&call=mezcla").connect().await.unwrap();
    told.send_audio(&talk.inbound, &talk.outbound).await;
    assert_eq!(told.socket.closed().await, Some(1008));
    assert!(running.desk.of("mezcla").is_empty());
    // It is learnt once the call has begun.
    let mut later = dial("/audio-fork?rate=8000&call=mezcla-2").connect().await.unwrap();
    later.send_audio(&[0; 160], &[0; 160]).await;
    until(&running, "mezcla-2", "it begins", |news| news.contains(&News::Opened)).await;
    later.json(&json!({"callSid": "mezcla-2", "mixType": "mixed"})).await;
    later.send_audio(&talk.inbound, &talk.outbound).await;
    assert_eq!(later.socket.closed().await, Some(1008));
    over(&running, "mezcla-2").await;
    assert_eq!(said(&running, "mezcla-2"), []);
}
