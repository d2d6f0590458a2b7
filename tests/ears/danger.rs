//! Danger on a forked call (S1): a card for the operator, at once; Aura itself says nothing.
use crate::call::{heard, hearing, intact, over, until};
use crate::service::Running;
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Pace, Talk};
use aura::event::News;
use aura::red_flag::RedFlag;
use aura::transcript::Speaker::{Agent, Patient};

fn flags(running: &Running, call: &str) -> Vec<(usize, RedFlag)> {
    let flag = |news| if let News::RedFlag { index, flag, .. } = news { Some((index, flag)) } else { None };
    running.desk.of(call).into_iter().filter_map(flag).collect()
}

#[actix_rt::test]
async fn s1_a_patient_in_danger_is_an_alert_and_the_operators_words_are_none() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=peligro&transcripts=1");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    let ask = Talk::new(8000).outbound("¿Usted me dice no puedo respirar?").pause(1.2);
    fork.send_audio(&ask.inbound, &ask.outbound).await;
    heard(&running, "peligro", &[(Agent, "¿Usted me dice no puedo respirar?")]).await;
    assert_eq!(flags(&running, "peligro"), []);
    let answer = Talk::new(8000).inbound("Sí, no puedo respirar, ayúdeme").pause(1.2);
    fork.send_audio(&answer.inbound, &answer.outbound).await;
    until(&running, "peligro", "the alert", |_| !flags(&running, "peligro").is_empty()).await;
    let lines = [(Agent, "¿Usted me dice no puedo respirar?"), (Patient, "Sí, no puedo respirar, ayúdeme")];
    heard(&running, "peligro", &lines).await;
    assert_eq!(flags(&running, "peligro"), [(1, RedFlag::Breathing)], "once, partial and final alike");
    let facts = running.facts_with("peligro", "red_flag", 1).await;
    assert_eq!(facts.iter().filter(|fact| fact.kind == "red_flag").count(), 1);
    // The transcript goes back to the switch, and nothing that it could play.
    for text in fork.socket.texts() {
        assert!(text.contains(r#""type":"transcription""#), "{text}");
    }
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    over(&running, "peligro").await;
    let news = running.desk.of("peligro");
    assert!(!news.iter().any(|news| matches!(news, News::Answer { .. })), "{news:#?}");
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn s1_a_swap_finds_the_danger_in_what_was_taken_for_the_operators_words() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=cambiados");
    let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
    let talk = Talk::new(8000).outbound("No puedo respirar").pause(1.2);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "cambiados", &[(Agent, "No puedo respirar")]).await;
    assert_eq!(flags(&running, "cambiados"), []);
    // The switch learns late whose leg it was.
    fork.json(&serde_json::json!({"leg": "operator"})).await;
    until(&running, "cambiados", "the alert", |_| !flags(&running, "cambiados").is_empty()).await;
    heard(&running, "cambiados", &[(Patient, "No puedo respirar")]).await;
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
    over(&running, "cambiados").await;
    intact(&deepgram).await;
}
