//! A recogniser that isn't there, and comes later or never.
use crate::call::{gaps, over, said, until};
use crate::service::{Options, Running};
use crate::telephony::pbx::{Dial, Pace, Talk};
use crate::telephony::vosk::{Behaviour, Vosk};
use aura::ears::Lack;
use aura::event::News;

#[actix_rt::test]
async fn a_call_lives_without_a_recogniser_and_tells_what_nobody_heard() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let running =
        Running::start(Options::default().few_manuals().set("VOSK_URL", format!("ws://{free}"))).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=sin-oidos");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(20.0)).connect().await.unwrap();
    // More than the half minute that is kept.
    let silence = vec![0; 8_000 * 45];
    assert!(fork.send_audio(&silence, &silence).await, "nobody waits for a recogniser");
    let lost = |news: &News| matches!(news, News::Gap(gap) if gap.why == Lack::Unrecognised);
    until(&running, "sin-oidos", "the gap", |news| news.iter().any(lost)).await;
    assert_eq!(running.live_calls(), 1);
    for gap in gaps(&running, "sin-oidos") {
        assert!(gap.from_ms < gap.to_ms, "{gap:?}");
    }
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    over(&running, "sin-oidos").await;
    assert_eq!(said(&running, "sin-oidos"), []);
}

#[actix_rt::test]
async fn a_vosk_that_breaks_is_dialled_again_and_hears_what_it_missed() {
    let breaks = |n| Behaviour { drop_after: (n < 2).then_some(2.2), ..Behaviour::default() };
    let vosk = Vosk::behaving(breaks).await;
    let running = Running::start(Options::default().few_manuals().set("VOSK_URL", vosk.url())).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=se-cae");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(2.0)).connect().await.unwrap();
    let talk = Talk::new(8000)
        .inbound("muy buenas")
        .pause(1.0)
        .inbound("el equipo hace mucho ruido desde ayer a la noche")
        .pause(1.0)
        .inbound("y no para")
        .pause(1.5);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    let lines = ["muy buenas", "el equipo hace mucho ruido desde ayer a la noche", "y no para"];
    until(&running, "se-cae", "all lines", |_| said(&running, "se-cae").len() >= lines.len()).await;
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    over(&running, "se-cae").await;
    let said = said(&running, "se-cae");
    assert!(said.iter().map(|(_, text)| text.as_str()).eq(lines), "each once: {said:?}");
}
