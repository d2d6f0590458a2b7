//! Text that switches send, text that they get, and numbers that nobody is shown.
use crate::call::{heard, hearing, intact, lines, over, said, until};
use crate::service::{Options, Running};
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::{Dial, Pace, Talk};
use aura::event::News;
use aura::mask::contains_long_number;
use aura::transcript::Speaker::{Agent, Patient};
use serde_json::{Value, json};

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

#[actix_rt::test]
async fn a_switch_that_transcribes_itself_sends_lines() {
    let running = Running::start(Options::default().few_manuals().set("AURA_STT", "transcript")).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=texto");
    let mut fork = Dial::drachtio(&url).connect().await.unwrap();
    fork.send_audio(&[0; 160], &[0; 160]).await; // its audio is nobody's to hear
    let line = |leg: &str, text: &str, done: bool| json!({"event": "transcript", "leg": leg, "text": text, "final": done});
    fork.json(&line("patient", "me", false)).await;
    fork.json(&line("patient", "me marca", false)).await;
    fork.json(&line("operator", "dígame", true)).await;
    fork.glued(&[line("patient", "me marca un error", true), line("patient", "", true)]).await;
    fork.json(&json!({"type": "transcription", "track": "outbound", "text": "¿cuál?"})).await;
    fork.json(&json!({"type": "transcription", "text": "de nadie"})).await; // nobody knows whose
    let expected = [(Patient, "me marca un error"), (Agent, "dígame"), (Agent, "¿cuál?")];
    heard(&running, "texto", &expected).await;
    let news = running.desk.of("texto");
    let partials = |news: &&News| matches!(news, News::Heard { place: Some(place), .. } if place.partial);
    assert_eq!(news.iter().filter(partials).count(), 2, "{news:#?}");
    fork.stop(HANG_UP).await;
    over(&running, "texto").await;
    assert_eq!(said(&running, "texto").len(), 3);
}

/// The lines that were sent back: whose, what, whether final.
fn sent_back(texts: &[String]) -> Vec<(String, String, bool)> {
    let read = |text: &String| {
        let message: Value = serde_json::from_str(text).unwrap();
        assert_eq!(message["type"], "transcription");
        let data = &message["data"];
        let text = |name: &str| data[name].as_str().unwrap().to_owned();
        (text("leg"), text("text"), data["final"].as_bool().unwrap())
    };
    texts.iter().map(read).collect()
}

#[actix_rt::test]
async fn a_switch_that_asks_for_the_transcript_gets_it() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let talk = Talk::new(8000).inbound("Tengo una duda con el equipo").pause(1.2).outbound("Dígame nomás");
    let talk = talk.pause(1.0);
    let mut forks = Vec::new();
    for (call, transcripts) in [("con", "&transcripts=1"), ("sin", "")] {
        let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}{transcripts}"));
        let mut fork = Dial::drachtio(&url).pace(Pace::Times(4.0)).connect().await.unwrap();
        fork.send_audio(&talk.inbound, &talk.outbound).await;
        heard(&running, call, &[(Patient, "Tengo una duda con el equipo"), (Agent, "Dígame nomás")]).await;
        forks.push(fork);
    }
    forks[0].socket.text_with("Dígame nomás").await;
    let back = sent_back(&forks[0].socket.texts());
    let finals: Vec<(&str, &str)> =
        back.iter().filter(|line| line.2).map(|line| (line.0.as_str(), line.1.as_str())).collect();
    assert_eq!(finals, [("patient", "Tengo una duda con el equipo"), ("operator", "Dígame nomás")]);
    assert!(back.iter().any(|line| !line.2), "partials too: {back:?}");
    assert_eq!(forks[1].socket.texts(), Vec::<String>::new(), "who didn't ask gets nothing");
    for fork in &forks {
        fork.stop(HANG_UP).await;
    }
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn a_document_dictated_with_pauses_is_one_line_and_nobody_is_shown_it() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=documento&transcripts=1");
    let mut fork = Dial::drachtio(&url).pace(Pace::RealTime).connect().await.unwrap();
    let talk = Talk::new(8000)
        .inbound("Mi documento es veintiocho")
        .pause(1.5)
        .inbound("cuatrocientos cincuenta y seis")
        .pause(1.5)
        .inbound("setecientos ochenta y nueve")
        .pause(1.5);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    until(&running, "documento", "the line", |_| !said(&running, "documento").is_empty()).await;
    fork.socket.text_with("789").await;
    fork.stop(HANG_UP).await;
    over(&running, "documento").await;
    let lines = lines(&running, "documento");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].text.ends_with("DNI ···789"), "{lines:?}");
    for news in running.desk.of("documento") {
        let News::Heard { text, .. } = news else { continue };
        assert!(!contains_long_number(&text), "{text}");
    }
    let back = sent_back(&fork.socket.texts());
    assert!(back.iter().all(|line| !contains_long_number(&line.1)), "{back:?}");
    assert_eq!(back.iter().filter(|line| line.2).count(), 1, "{back:?}");
    intact(&deepgram).await;
}
