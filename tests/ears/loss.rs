//! Sockets that are lost, and that come back or don't.
use crate::call::{begun, gaps, heard, hearing, intact, lines, over, until};
use crate::service::{Options, Running};
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Fork, Layout, Pace, Talk};
use aura::ears::{Lack, Track};
use aura::event::News;
use aura::transcript::Speaker::Patient;
use std::time::Duration;
use tokio::time::sleep;

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

async fn dial(running: &Running, call: &str) -> Fork {
    let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}"));
    Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap()
}

#[actix_rt::test]
async fn a_socket_that_comes_back_is_the_same_call_with_a_gap() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "vuelve").await;
    let talk = Talk::new(8000).inbound("Se corta la comunicación").pause(0.8);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    fork.drop_tcp().await;
    until(&running, "vuelve", "the peer is lost", |news| news.contains(&News::Lost)).await;
    sleep(Duration::from_secs(2)).await;
    let mut fork = dial(&running, "vuelve").await;
    let talk = Talk::new(8000).pause(0.2).inbound("Ahora se oye bien").pause(1.0);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "vuelve", &[(Patient, "Se corta la comunicación"), (Patient, "Ahora se oye bien")]).await;
    let (gaps, lines) = (gaps(&running, "vuelve"), lines(&running, "vuelve"));
    // Both tracks were away for the same time, which lies between the two lines.
    assert_eq!(gaps.iter().map(|gap| gap.track).collect::<Vec<_>>(), Track::ALL.map(Some), "{gaps:?}");
    for gap in &gaps {
        assert_eq!(gap.why, Lack::Lost);
        assert!(lines[0].at_ms < gap.from_ms && gap.from_ms + 1_900 < gap.to_ms, "{gaps:?} {lines:?}");
        assert!(gap.to_ms <= lines[1].at_ms, "{gaps:?} {lines:?}");
    }
    assert_eq!(begun(&running, "vuelve").await, 1);
    fork.stop(HANG_UP).await;
    over(&running, "vuelve").await;
    assert_eq!(intact(&deepgram).await.len(), 1, "the recogniser wasn't troubled");
}

#[actix_rt::test]
async fn one_leg_that_is_lost_is_a_gap_of_that_leg() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let leg = |leg: &str| {
        let url = running.door(&format!("/audio-fork?rate=8000&ch=1&call=media&leg={leg}"));
        async move { Dial::drachtio(&url).layout(Layout::Mono).pace(Pace::RealTime).connect().await.unwrap() }
    };
    let (mut patient, mut operator) = (leg("patient").await, leg("operator").await);
    let silence = vec![0; 8_000];
    tokio::join!(patient.send_audio(&silence, &[]), operator.send_audio(&silence, &[]));
    operator.drop_tcp().await;
    let talk = Talk::new(8000).inbound("¿Me está escuchando?").pause(0.9);
    patient.send_audio(&talk.inbound, &[]).await;
    let mut operator = leg("operator").await;
    tokio::join!(patient.send_audio(&silence, &[]), operator.send_audio(&silence, &[]));
    heard(&running, "media", &[(Patient, "¿Me está escuchando?")]).await;
    until(&running, "media", "the gap", |news| news.iter().any(|news| matches!(news, News::Gap(_)))).await;
    let gaps = gaps(&running, "media");
    assert_eq!(
        gaps.iter().map(|gap| (gap.track, gap.why)).collect::<Vec<_>>(),
        [(Some(Track::Outbound), Lack::Lost)]
    );
    assert!(!running.desk.of("media").contains(&News::Lost), "the other leg carried the call");
    patient.stop(HANG_UP).await;
    over(&running, "media").await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn a_socket_that_does_not_come_back_ends_the_call_after_its_grace() {
    let running = Running::start(Options::default().few_manuals().setting("audioFork.graceSecs", 1)).await;
    let mut fork = dial(&running, "perdida").await;
    fork.send_audio(&[0; 320], &[0; 320]).await;
    until(&running, "perdida", "it begins", |news| news.contains(&News::Opened)).await;
    fork.drop_tcp().await;
    over(&running, "perdida").await;
    assert_eq!(running.last("perdida", "call_ended", 1).await["reason"], "not_redialled");
    assert!(running.desk.of("perdida").contains(&News::Lost));
}

#[actix_rt::test]
async fn a_goodbye_without_a_word_ends_the_call_soon_and_a_hang_up_at_once() {
    let running = Running::start(Options::default().few_manuals()).await;
    for call in ["adios", "corta"] {
        let mut fork = dial(&running, call).await;
        fork.send_audio(&[0; 320], &[0; 320]).await;
        until(&running, call, "it begins", |news| news.contains(&News::Opened)).await;
        fork.stop(HANG_UP.filter(|_| call == "corta")).await;
    }
    over(&running, "corta").await;
    assert!(!running.desk.of("adios").contains(&News::Closed), "it might still be dialled again");
    over(&running, "adios").await;
    assert_eq!(running.last("corta", "call_ended", 1).await["reason"], "hung_up");
    assert_eq!(running.last("adios", "call_ended", 1).await["reason"], "not_redialled");
    // The grace that the setting has is not for goodbyes, and the call leaves nothing behind.
    while running.live_calls() > 0 {
        sleep(Duration::from_millis(20)).await;
    }
}
