//! Recognisers that refuse, break, fall silent or fall behind: each word is told once.
use crate::call::{gaps, heard, hearing, intact, over, said, until};
use crate::service::{Options, Running};
use crate::telephony::deepgram::{Behaviour, Deepgram, Ended};
use crate::telephony::pbx::{Dial, Fork, Pace, Talk};
use crate::telephony::vosk::{self, Vosk};
use aura::event::News;
use aura::transcript::Speaker::{self, Agent, Patient};
use std::time::Duration;

const HANG_UP: Option<&str> = Some(r#"{"event":"hangup"}"#);

async fn dial(running: &Running, call: &str, pace: Pace) -> Fork {
    let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}"));
    Dial::drachtio(&url).pace(pace).connect().await.unwrap()
}

const LINES: [(Speaker, &str); 6] = [
    (Patient, "Buenas tardes, tengo un problema"),
    (Agent, "Dígame, ¿qué le pasa?"),
    (Patient, "El concentrador hace mucho ruido"),
    (Agent, "¿Desde cuándo lo hace?"),
    (Patient, "Desde ayer a la noche"),
    (Agent, "Bueno, lo revisamos juntos"),
];

/// Some ten seconds of conversation.
fn conversation() -> Talk {
    LINES.iter().fold(Talk::new(8000).pause(0.3), |talk, (speaker, text)| {
        let talk = if *speaker == Patient { talk.inbound(text) } else { talk.outbound(text) };
        talk.pause(1.2)
    })
}

#[actix_rt::test]
async fn a_key_that_is_wrong_is_not_tried_again_and_again() {
    let deepgram = Deepgram::start("otra").await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "sin-clave", Pace::Times(2.0)).await;
    let talk = Talk::new(8000).inbound("¿Hola?").pause(4.0);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    let connections = deepgram.connections();
    assert_eq!(
        connections.iter().map(|one| one.ended.clone()).collect::<Vec<_>>(),
        [Some(Ended::Refused(401))]
    );
    assert_eq!(running.live_calls(), 1, "the call lives without words");
    fork.stop(HANG_UP).await;
    over(&running, "sin-clave").await;
    assert_eq!(gaps(&running, "sin-clave").len(), 1, "what nobody heard is told");
    assert_eq!(said(&running, "sin-clave"), []);
}

#[actix_rt::test]
async fn one_that_is_busy_at_first_hears_all_of_it_later() {
    let busy = |n| if n < 2 { Behaviour::refusing(429, "too many requests") } else { Behaviour::default() };
    let deepgram = Deepgram::behaving("clave", busy).await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "ocupado", Pace::Times(4.0)).await;
    let talk = conversation();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "ocupado", &LINES).await;
    fork.stop(HANG_UP).await;
    over(&running, "ocupado").await;
    assert_eq!(intact(&deepgram).await.len(), 3);
    assert_eq!(gaps(&running, "ocupado"), []);
}

#[actix_rt::test]
async fn one_that_closes_in_mid_word_hears_the_rest_once_more() {
    let breaks = |n| match n {
        0 => Behaviour::closing(2.6, 1011, "NET-0000"),
        1 => Behaviour { drop_after: Some(2.0), ..Behaviour::default() },
        _ => Behaviour::default(),
    };
    let deepgram = Deepgram::behaving("clave", breaks).await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "se-rompe", Pace::Times(2.0)).await;
    let talk = conversation();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "se-rompe", &LINES).await;
    fork.stop(HANG_UP).await;
    over(&running, "se-rompe").await;
    heard(&running, "se-rompe", &LINES).await;
    assert_eq!(gaps(&running, "se-rompe"), [], "nothing was lost");
    let connections = deepgram.until("all end", |all| all.iter().all(|one| one.ended.is_some())).await;
    assert_eq!(connections.len(), 3);
    assert!(connections.iter().all(|one| one.uneven == 0));
}

#[actix_rt::test]
async fn fault_43_one_that_takes_audio_and_says_nothing_is_left() {
    let mutes = |n| match n {
        0 => Behaviour { mute_after: Some(1.5), ..Behaviour::default() },
        _ => Behaviour::default(),
    };
    let deepgram = Deepgram::behaving("clave", mutes).await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "muda", Pace::RealTime).await;
    let talk = conversation().pause(5.0);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "muda", &LINES).await;
    fork.stop(HANG_UP).await;
    over(&running, "muda").await;
    assert_eq!(gaps(&running, "muda"), []);
    assert_eq!(deepgram.connections().len(), 2);
}

#[actix_rt::test]
async fn the_last_words_before_the_hang_up_are_waited_for() {
    let slow = |_| Behaviour { delay: Duration::from_millis(700), ..Behaviour::default() };
    let deepgram = Deepgram::behaving("clave", slow).await;
    let running = Running::start(hearing(&deepgram)).await;
    // With a word of the switch, or only the goodbye that FreeSWITCH has for a hang-up.
    for (call, word) in [("cola", HANG_UP), ("cola-2", None)] {
        let mut fork = dial(&running, call, Pace::Times(4.0)).await;
        let talk = Talk::new(8000).inbound("Bueno, muchas gracias").pause(1.2).outbound("De nada, chau");
        let talk = if word.is_none() { talk.pause(0.1) } else { talk };
        fork.send_audio(&talk.inbound, &talk.outbound).await;
        fork.stop(word).await;
        over(&running, call).await;
        // By then all is told: nothing comes after the end.
        let told = said(&running, call);
        let texts: Vec<&str> = told.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["Bueno, muchas gracias", "De nada, chau"]);
        assert_eq!(running.desk.of(call).last(), Some(&News::Closed));
    }
    let connections = intact(&deepgram).await;
    assert!(connections[0].close_stream);
    assert_eq!(connections[0].ended, Some(Ended::Closed(1000)));
}

#[actix_rt::test]
async fn one_that_stands_still_for_two_seconds_catches_up() {
    let stalls = |_| Behaviour { stall: Some((1.0, Duration::from_secs(2))), ..Behaviour::default() };
    let deepgram = Deepgram::behaving("clave", stalls).await;
    let running = Running::start(hearing(&deepgram)).await;
    let mut fork = dial(&running, "atascada", Pace::RealTime).await;
    let talk = conversation();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    heard(&running, "atascada", &LINES).await;
    fork.stop(HANG_UP).await;
    over(&running, "atascada").await;
    let connections = intact(&deepgram).await;
    assert_eq!(connections[0].channels[0].samples, talk.inbound.len() as u64, "not a sample is missing");
    assert_eq!(gaps(&running, "atascada"), []);
}

#[actix_rt::test]
async fn a_slow_vosk_is_never_overrun_and_hears_all() {
    let slow = |_| vosk::Behaviour { slowness: 0.4, ..vosk::Behaviour::default() };
    let vosk = Vosk::behaving(slow).await;
    let running = Running::start(Options::default().few_manuals().set("VOSK_URL", vosk.url())).await;
    let mut fork = dial(&running, "despacio", Pace::Times(2.0)).await;
    let talk = conversation();
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    let texts = |speaker| LINES.iter().filter(move |line| line.0 == speaker).map(|line| plain(line.1));
    let all = |news: &[News]| {
        let done = |news: &&News| matches!(news, News::Heard { place: Some(place), .. } if !place.partial);
        news.iter().filter(done).count() == LINES.len()
    };
    until(&running, "despacio", "all lines", all).await;
    fork.stop(HANG_UP).await;
    over(&running, "despacio").await;
    let said = said(&running, "despacio");
    for speaker in [Patient, Agent] {
        let told = said.iter().filter(|line| line.0 == speaker).map(|line| line.1.clone());
        assert!(told.clone().eq(texts(speaker)), "{said:?}");
    }
    let connections = vosk.until("both end", |all| all.iter().all(|one| one.ended.is_some())).await;
    assert_eq!(connections.len(), 2);
    for connection in connections {
        assert_eq!(connection.ended, Some(vosk::Ended::Eof));
        assert_eq!((connection.uneven, connection.damaged()), (0, 0));
        assert!(connection.taken_for_audio.is_empty());
        assert_eq!(connection.samples, talk.inbound.len() as u64);
    }
}

/// As vosk writes it.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
