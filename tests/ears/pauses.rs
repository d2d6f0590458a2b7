//! A fork that stands still for a while: paused, on hold, with another rate after it.
use crate::call::{gaps, heard, hearing, intact, lines, over, until};
use crate::service::Running;
use crate::telephony::deepgram::{Behaviour, Deepgram};
use crate::telephony::pbx::{Dial, Pace, Talk};
use aura::ears::Lack;
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

#[actix_rt::test]
async fn fault_42_fault_57_a_fork_that_pauses_keeps_its_recogniser_and_goes_on() {
    // One that is stricter than the real one, which waits for ten seconds.
    let strict = Behaviour { idle: Duration::from_secs(5), ..Behaviour::default() };
    let deepgram = Deepgram::behaving("clave", move |_| strict.clone()).await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=pausa");
    let mut fork = Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap();
    let before = Talk::new(8000).inbound("Un momento, por favor").pause(0.6);
    let after = Talk::new(8000).pause(0.4).inbound("Ya lo encontré").pause(1.6);
    fork.send_audio(&before.inbound, &before.outbound).await;
    sleep(Duration::from_secs(7)).await;
    fork.send_audio(&after.inbound, &after.outbound).await;
    heard(&running, "pausa", &[(Patient, "Un momento, por favor"), (Patient, "Ya lo encontré")]).await;
    fork.stop(HANG_UP).await;
    over(&running, "pausa").await;
    let told = gaps(&running, "pausa");
    let lines = lines(&running, "pausa");
    assert_eq!(told.len(), 1, "{told:?}");
    let gap = told[0];
    assert_eq!((gap.why, gap.track), (Lack::Paused, None));
    assert!(lines[0].at_ms < gap.from_ms && gap.to_ms - gap.from_ms > 6_000, "{gap:?} {lines:?}");
    assert!(gap.to_ms <= lines[1].at_ms, "what came later is behind the gap: {gap:?} {lines:?}");
    let connections = intact(&deepgram).await;
    assert_eq!(connections.len(), 1, "the recogniser never went");
    assert!(connections[0].keepalives >= 1 && connections[0].strange.is_empty());
}

#[actix_rt::test]
async fn fault_57_new_metadata_may_change_the_rate() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(2.0)).connect().await.unwrap();
    let metadata = |rate: u32| json!({"callId": "reinvite", "sampleRate": rate, "mixType": "stereo"});
    fork.json(&metadata(8_000)).await;
    let narrow = Talk::new(8_000).inbound("Con el códec de antes").pause(0.6);
    fork.send_audio(&narrow.inbound, &narrow.outbound).await;
    fork.json(&metadata(16_000)).await;
    let wide = Talk::new(16_000).inbound("y con el de ahora").pause(1.0);
    let bytes = fork.pcm(&wide.inbound, &wide.outbound);
    fork.send_cut(&bytes, &[1_280]).await;
    fork.json(&metadata(8_000)).await;
    let again = Talk::new(8_000).outbound("¿Y de vuelta?").pause(1.0);
    fork.send_audio(&again.inbound, &again.outbound).await;
    let lines =
        [(Patient, "Con el códec de antes"), (Patient, "y con el de ahora"), (Agent, "¿Y de vuelta?")];
    heard(&running, "reinvite", &lines).await;
    fork.stop(HANG_UP).await;
    over(&running, "reinvite").await;
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn music_on_hold_is_nobodys_words() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=espera");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    fork.send_audio(&[0; 800], &[0; 800]).await;
    fork.json(&json!({"event": "hold"})).await;
    let hold = Talk::new(8000).outbound("Su llamada es importante").pause(1.0).inbound("Siempre lo mismo");
    let hold = hold.pause(1.0);
    fork.send_audio(&hold.inbound, &hold.outbound).await;
    fork.json(&json!({"event": "unhold"})).await;
    let after = Talk::new(8000).pause(0.5).outbound("Gracias por esperar").pause(1.0);
    fork.send_audio(&after.inbound, &after.outbound).await;
    heard(&running, "espera", &[(Patient, "Siempre lo mismo"), (Agent, "Gracias por esperar")]).await;
    until(&running, "espera", "hold and its end", |news| {
        let told = [News::Hold { on: true }, News::Hold { on: false }];
        news.iter().filter(|news| matches!(news, News::Hold { .. })).eq(told.iter())
    })
    .await;
    fork.stop(HANG_UP).await;
    over(&running, "espera").await;
    intact(&deepgram).await;
}
