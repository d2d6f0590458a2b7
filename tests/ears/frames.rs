//! Frames as no document has them: odd, huge, in pieces, after the end.
use crate::call::{begun, heard, hearing, intact, over, until};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Layout, Pace, Talk};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::json;

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

#[actix_rt::test]
async fn fault_51_samples_that_are_cut_in_two_arrive_whole() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = Talk::new(8000).at_once("Se oye entrecortado", "Repita, por favor").pause(1.0);
    for (call, layout, sizes) in [
        ("impar", Layout::Mono, vec![321, 319]),
        ("estéreo", Layout::Stereo, vec![642]),
        ("migas", Layout::Stereo, vec![1, 3, 641, 2, 1277]),
    ] {
        let ch = if layout == Layout::Mono { 1 } else { 2 };
        let mut fork = Dial::drachtio(&running.door(&format!("/audio-fork?rate=8000&ch={ch}")))
            .layout(layout)
            .pace(Pace::Times(4.0))
            .connect()
            .await
            .unwrap();
        fork.json(&json!({"callId": call})).await;
        let bytes = fork.pcm(&talk.inbound, &talk.outbound);
        fork.send_cut(&bytes, &sizes).await;
        let both = [(Patient, "Se oye entrecortado"), (Agent, "Repita, por favor")];
        let call = aura::ears::call_id(call).unwrap();
        heard(&running, call.as_str(), &both[..ch]).await;
        fork.stop(HANG_UP).await;
        over(&running, call.as_str()).await;
    }
    assert_eq!(intact(&deepgram).await.len(), 3);
}

#[actix_rt::test]
async fn fault_52_a_frame_may_hold_seconds() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    for (call, seconds) in [("dos-segundos", 2), ("cinco-segundos", 5)] {
        let url = running.door(&format!("/audio-fork?rate=16000&ch=2&call={call}"));
        let fork = Dial::drachtio(&url).rate(16_000).connect().await.unwrap();
        let mut talk = Talk::new(16_000).inbound("El enlace se quedó sin red").pause(0.5);
        talk.inbound.resize(16_000 * seconds, 0);
        let bytes = fork.pcm(&talk.inbound, &[]);
        assert_eq!(bytes.len(), 64_000 * seconds);
        assert!(fork.socket.binary(&bytes).await);
        heard(&running, call, &[(Patient, "El enlace se quedó sin red")]).await;
        // And the next frames are as usual.
        let more = Talk::new(16_000).inbound("Ya volvió").pause(1.0);
        for frame in fork.pcm(&more.inbound, &[]).chunks(1_280) {
            fork.socket.binary(frame).await;
        }
        fork.stop(HANG_UP).await;
        over(&running, call).await;
        heard(&running, call, &[(Patient, "El enlace se quedó sin red"), (Patient, "Ya volvió")]).await;
    }
    assert_eq!(intact(&deepgram).await.len(), 2);
}

#[actix_rt::test]
async fn a_message_may_come_in_fragments_and_no_larger_one_than_half_a_megabyte() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = Talk::new(8000).inbound("En pedazos").pause(1.0);
    let bytes: Vec<u8> = talk.inbound.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let url = running.door("/audio-fork?rate=8000&ch=1&call=pedazos");
    let mut raw = Dial::drachtio(&url).connect_raw().await.unwrap();
    let parts: Vec<&[u8]> = bytes.chunks(1_001).collect();
    assert!(raw.fragmented(&parts).await);
    heard(&running, "pedazos", &[(Patient, "En pedazos")]).await;
    // Too large: only its socket is closed, and the call waits for it to come back.
    raw.binary(&vec![0; 700_000]).await;
    assert!(matches!(raw.closed().await, None | Some(1002 | 1009)));
    until(&running, "pedazos", "the peer is lost", |news| news.contains(&News::Lost)).await;
    let fork = Dial::drachtio(&url).layout(Layout::Mono).connect().await.unwrap();
    fork.json(&json!({"leg": "patient"})).await;
    fork.stop(HANG_UP).await;
    over(&running, "pedazos").await;
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn fault_58_a_peer_may_send_on_after_our_close() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=cierre");
    let mut old = Dial::drachtio(&url).connect_raw().await.unwrap();
    old.binary(&[0; 640]).await;
    until(&running, "cierre", "it begins", |news| !news.is_empty()).await;
    let mut new = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    new.send_audio(&[0; 160], &[0; 160]).await;
    assert_eq!(old.closed().await, Some(1008));
    let talk = Talk::new(8000).inbound("Sigo en la línea").pause(1.0);
    // It doesn't mind the close, until nobody reads any more.
    let deaf = async {
        let mut sent = 0;
        while sent < 4_000 && old.binary(&[0x55; 640]).await {
            sent += 1;
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(deaf, new.send_audio(&talk.inbound, &talk.outbound));
    heard(&running, "cierre", &[(Patient, "Sigo en la línea")]).await;
    // A fork that is to end may go on too: we close, as the module never does.
    let mut ending = Dial::drachtio(&url).connect_raw().await.unwrap();
    ending.binary(&[0; 640]).await;
    ending.binary(&[]).await;
    for _ in 0..50 {
        ending.binary(&[0x55; 640]).await;
    }
    assert_eq!(ending.closed().await, Some(1000));
    ending.reset();
    over(&running, "cierre").await;
    assert_eq!(begun(&running, "cierre").await, 1);
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn fault_58_a_peer_may_say_goodbye_and_send_on() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=1&call=adios");
    let mut raw = Dial::drachtio(&url).connect_raw().await.unwrap();
    let talk = Talk::new(8000).inbound("Gracias, adiós").pause(0.2);
    for frame in talk.inbound.chunks(160) {
        raw.binary(&frame.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>()).await;
    }
    raw.close(1000).await;
    for _ in 0..50 {
        raw.binary(&[0x55; 320]).await;
    }
    raw.text(r#"{"event":"dtmf","dtmf":"1"}"#).await;
    over(&running, "adios").await;
    heard(&running, "adios", &[(Patient, "Gracias, adiós")]).await;
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn fault_54_keys_disturb_nothing() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2");
    let mut fork = Dial::jambonz(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    fork.dtmf('9', 120).await; // before it is known which call it is
    fork.json(&json!({"callSid": "teclas", "sampleRate": 8000, "mixType": "stereo"})).await;
    let talk = Talk::new(8000).at_once("Mi número de cliente es", "Márquelo, por favor").pause(1.0);
    let (first, rest) = talk.inbound.split_at(1_600);
    fork.send_audio(first, &talk.outbound[..1_600]).await;
    for digit in ['1', '1', '#'] {
        fork.dtmf(digit, 40).await;
    }
    fork.send_audio(rest, &talk.outbound[1_600..]).await;
    let lines = [(Patient, "Mi número de cliente es"), (Agent, "Márquelo, por favor")];
    heard(&running, "teclas", &lines).await;
    fork.stop(HANG_UP).await;
    over(&running, "teclas").await;
    let connections = intact(&deepgram).await;
    assert_eq!(connections[0].channels[0].samples, talk.inbound.len() as u64);
}
