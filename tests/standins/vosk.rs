//! The stand-in for vosk-server keeps its protocol, on real sockets.
use crate::telephony::tones::{silence, speak};
use crate::telephony::vosk::{Behaviour, Connection, Ended, Vosk};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const EOF: &str = r#"{"eof" : 1}"#;

async fn next(socket: &mut Socket) -> Option<Value> {
    match timeout(Duration::from_secs(30), socket.next()).await.expect("a reply") {
        Some(Ok(Message::Text(text))) => serde_json::from_str(&text).unwrap(),
        _ => None,
    }
}

fn line(text: &str, pause: f64, rate: u32) -> Vec<u8> {
    let samples = [speak(text, rate), silence(pause, rate)].concat();
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// Sends frames, takes the reply to each, and ends.
async fn play(vosk: &Vosk, config: Option<Value>, bytes: &[u8], frame: usize) -> Vec<Value> {
    let mut socket = connect_async(vosk.url()).await.unwrap().0;
    if let Some(config) = config {
        socket.send(Message::text(json!({"config": config}).to_string())).await.unwrap();
    }
    let mut replies = Vec::new();
    for frame in bytes.chunks(frame) {
        socket.send(Message::binary(frame.to_vec())).await.unwrap();
        replies.extend(next(&mut socket).await);
    }
    socket.send(Message::text(EOF)).await.unwrap();
    replies.extend(next(&mut socket).await);
    assert_eq!(next(&mut socket).await, None, "it closes");
    replies
}

fn texts(replies: &[Value]) -> Vec<&str> {
    replies.iter().filter_map(|reply| reply["text"].as_str()).collect()
}

async fn ended(vosk: &Vosk) -> Connection {
    let all = vosk.until("it ended", |all| all.last().is_some_and(|it| it.ended.is_some())).await;
    all.into_iter().last().unwrap()
}

#[tokio::test]
async fn each_message_has_one_reply() {
    let vosk = Vosk::start().await;
    let bytes = [line("Hola, me llamo Ana.", 0.6, 8_000), line("Tengo un M50", 0.1, 8_000)].concat();
    let replies = play(&vosk, None, &bytes, 1_600).await;
    assert_eq!(replies.len(), bytes.len().div_ceil(1_600) + 1);
    assert_eq!(texts(&replies), ["hola me llamo ana", "tengo un m50"]);
    let partials: Vec<_> = replies.iter().filter_map(|reply| reply["partial"].as_str()).collect();
    assert!(partials.contains(&"hola me") && partials.windows(2).any(|two| two[0] == two[1]), "{partials:?}");
    let first = replies.iter().find(|reply| reply["text"].is_string()).unwrap();
    assert_eq!((first["result"].as_array().unwrap().len(), &first["result"][3]["word"]), (4, &json!("ana")));
    let connection = ended(&vosk).await;
    assert_eq!(connection.texts(), ["Hola, me llamo Ana.", "Tengo un M50"]);
    assert_eq!((connection.ended, connection.damaged()), (Some(Ended::Eof), 0));
    assert_eq!((connection.messages + 1, connection.samples), (connection.replies, bytes.len() as u64 / 2));
}

#[tokio::test]
async fn a_configuration_is_kept() {
    let vosk = Vosk::start().await;
    let bytes = line("Buenos días", 1.0, 16_000);
    let config = json!({"sample_rate": 16_000, "words": false, "max_alternatives": 1});
    let replies = play(&vosk, Some(config.clone()), &bytes, 3_200).await;
    let said: Vec<_> = replies.iter().filter_map(|it| it["alternatives"][0]["text"].as_str()).collect();
    assert_eq!(said, ["buenos días", ""]);
    assert_eq!(ended(&vosk).await.configs, [config]);
    play(&vosk, None, &bytes, 3_200).await;
    assert!(ended(&vosk).await.damaged() > 0, "16 kHz taken for 8");
}

#[tokio::test]
async fn only_the_literal_end_is_one() {
    let vosk = Vosk::start().await;
    let mut socket = connect_async(vosk.url()).await.unwrap().0;
    socket.send(Message::binary(line("Hola", 0.1, 8_000))).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["partial"], "hola");
    socket.send(Message::text(r#"{"eof":1}"#)).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["partial"], "hola", "taken for audio");
    socket.send(Message::text(r#"{"reset" : 1}"#)).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["text"], "hola");
    socket.send(Message::binary(line("Chau", 0.1, 8_000))).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["partial"], "chau");
    socket.send(Message::text(EOF)).await.unwrap();
    assert_eq!(next(&mut socket).await.unwrap()["text"], "chau");
    assert_eq!(ended(&vosk).await.taken_for_audio, [r#"{"eof":1}"#]);
}

#[tokio::test]
async fn half_a_sample_is_lost_with_what_follows() {
    let vosk = Vosk::start().await;
    play(&vosk, None, &line("Quiero una cita", 0.6, 8_000), 321).await;
    let connection = ended(&vosk).await;
    assert!(connection.uneven > 0 && connection.texts().is_empty() && connection.damaged() > 0);
}

#[tokio::test]
async fn silence_gives_empty_results() {
    let vosk = Vosk::start().await;
    let replies = play(&vosk, None, &vec![0; 11 * 16_000], 1_600).await;
    assert_eq!(texts(&replies), ["", "", ""]);
}

#[tokio::test]
async fn it_breaks_as_scripted() {
    let vosk = Vosk::behaving(|n| match n {
        0 => Behaviour { slowness: 0.2, delay: Duration::from_millis(1), ..Behaviour::default() },
        1 => Behaviour { mute_after: Some(0.0), ..Behaviour::default() },
        _ => Behaviour { drop_after: Some(0.1), ..Behaviour::default() },
    })
    .await;
    let bytes = line("Hola", 0.6, 8_000);
    assert_eq!(texts(&play(&vosk, None, &bytes, 1_600).await), ["hola", ""]);
    let mut mute = connect_async(vosk.url()).await.unwrap().0;
    mute.send(Message::binary(bytes.clone())).await.unwrap();
    let all = vosk.until("the mute one heard", |all| all.len() == 2 && all[1].texts() == ["Hola"]).await;
    assert_eq!((all[1].replies, all[1].ended), (0, None));
    let mut dropped = connect_async(vosk.url()).await.unwrap().0;
    dropped.send(Message::binary(bytes)).await.unwrap();
    assert_eq!(next(&mut dropped).await, None);
    assert_eq!(ended(&vosk).await.ended, Some(Ended::Dropped));
}
