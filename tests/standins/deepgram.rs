//! The stand-in for Deepgram keeps the document's rules, on real sockets.
use crate::telephony::deepgram::{Behaviour, Connection, Deepgram, Ended, Endpoint};
use crate::telephony::g711::to_mulaw;
use crate::telephony::tones::{silence, speak};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

const KEY: &str = "dg-test";
const STEREO: &str = "model=nova-3&language=es&encoding=linear16&sample_rate=8000&channels=2&multichannel=true\
    &interim_results=true&endpointing=300&utterance_end_ms=1000&vad_events=true&keyterm=G%C3%B3mez&keyterm=M50";
const MONO: &str = "model=nova-3&encoding=linear16&sample_rate=8000&endpointing=300";

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn dial(server: &Deepgram, query: &str, key: &str) -> Result<Socket, Error> {
    let mut request = format!("{}?{query}", server.url()).into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Token {key}").parse().unwrap());
    Ok(timeout(Duration::from_secs(30), connect_async(request)).await.expect("an answer")?.0)
}

/// The status and `dg-error` of a handshake that fails.
async fn refused(server: &Deepgram, query: &str, key: &str) -> (u16, String) {
    match dial(server, query, key).await {
        Err(Error::Http(response)) => {
            assert!(response.headers().contains_key("dg-request-id"));
            let error = response.headers()["dg-error"].to_str().unwrap().to_owned();
            (response.status().as_u16(), error)
        }
        other => panic!("{query} is refused, not {other:?}"),
    }
}

async fn send(socket: &mut Socket, bytes: Vec<u8>) {
    socket.send(Message::binary(bytes)).await.unwrap();
}

async fn control(socket: &mut Socket, kind: &str) {
    socket.send(Message::text(json!({"type": kind}).to_string())).await.unwrap();
}

fn mono(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

fn stereo(left: &[i16], right: &[i16]) -> Vec<u8> {
    let at = |samples: &[i16], n: usize| samples.get(n).copied().unwrap_or(0);
    (0..left.len().max(right.len())).flat_map(|n| mono(&[at(left, n), at(right, n)])).collect()
}

fn said(text: &str, pause: f64) -> Vec<i16> {
    [speak(text, 8_000), silence(pause, 8_000)].concat()
}

/// All that comes until the close, and its code.
async fn rest(socket: &mut Socket) -> (Vec<Value>, Option<u16>) {
    let (mut all, mut code) = (Vec::new(), None);
    loop {
        match timeout(Duration::from_secs(30), socket.next()).await.expect("it ends") {
            Some(Ok(Message::Text(text))) => all.push(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(frame))) => code = frame.map(|frame| frame.code.into()),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return (all, code),
        }
    }
}

fn text(results: &Value) -> &str {
    results["channel"]["alternatives"][0]["transcript"].as_str().unwrap()
}

/// Finals as (channel, text, speech_final), without empty ones that end nothing.
fn finals(said: &[Value]) -> Vec<(u64, &str, bool)> {
    let results = said.iter().filter(|it| it["type"] == "Results" && it["is_final"] == true);
    let all =
        results.map(|it| (it["channel_index"][0].as_u64().unwrap(), text(it), it["speech_final"] == true));
    all.filter(|it| !it.1.is_empty() || it.2).collect()
}

async fn play(server: &Deepgram, query: &str, bytes: &[u8]) -> (Vec<Value>, Option<u16>) {
    let mut socket = dial(server, query, KEY).await.unwrap();
    for frame in bytes.chunks(640) {
        send(&mut socket, frame.to_vec()).await;
    }
    control(&mut socket, "CloseStream").await;
    rest(&mut socket).await
}

async fn ended(server: &Deepgram) -> Connection {
    let all = server.until("it ended", |all| all.last().is_some_and(|it| it.ended.is_some())).await;
    all.into_iter().last().unwrap()
}

#[tokio::test]
async fn both_channels_are_heard_and_told_apart() {
    let server = Deepgram::start(KEY).await;
    let patient = [silence(0.5, 8_000), said("Hola, me llamo Ana", 3.0)].concat();
    let operator = [silence(2.5, 8_000), said("Buenos días", 2.0)].concat();
    let (told, code) = play(&server, STEREO, &stereo(&patient, &operator)).await;
    assert_eq!(code, Some(1000));
    assert_eq!(finals(&told), [(0, "Hola, me llamo Ana", true), (1, "Buenos días", true)]);
    let of = |kind: &str| told.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("SpeechStarted").len(), 2);
    assert_eq!(of("UtteranceEnd").len(), 2, "after speech_final too");
    let interims: Vec<_> = of("Results").into_iter().filter(|it| it["is_final"] == false).map(text).collect();
    assert!(interims.contains(&"Hola,"), "{interims:?}");
    let last = told.last().unwrap();
    assert_eq!((&last["type"], &last["channels"]), (&json!("Metadata"), &json!(2)));
    let first = of("Results").into_iter().find(|it| it["speech_final"] == true).unwrap();
    assert!((first["start"].as_f64().unwrap() - 0.5).abs() < 0.01, "{first}");
    assert_eq!(first["channel"]["alternatives"][0]["words"][0]["word"], "hola");
    let connection = ended(&server).await;
    assert_eq!(connection.ended, Some(Ended::Closed(1000)));
    assert_eq!(connection.all("keyterm"), ["Gómez", "M50"]);
    assert_eq!((connection.texts(0), connection.texts(1)), (vec!["Hola, me llamo Ana"], vec!["Buenos días"]));
    assert_eq!((connection.damaged(), connection.uneven), (0, 0));
    assert_eq!(connection.channels[1].samples, patient.len().max(operator.len()) as u64);
    assert_eq!(connection.authorization, "Token dg-test");
}

#[tokio::test]
async fn options_that_the_document_forbids_are_refused() {
    let server = Deepgram::start(KEY).await;
    for (query, wanted) in [
        ("model=nova-3&keywords=ana:2", "keywords"),
        ("model=nova-2&keyterm=ana", "keyterm"),
        ("model=nova-3&utterance_end_ms=1000", "interim_results"),
        ("model=nova-3&interim_results=true&utterance_end_ms=900", "1000"),
        ("model=nova-3&encoding=pcm&sample_rate=8000", "encoding"),
        ("model=nova-3&encoding=linear16", "sample_rate"),
        ("model=nova-3&multichannel=true", "channels"),
        ("model=nova-3&numerals=True", "numerals"),
        ("model=nova-3&interim_result=true", "interim_result"),
        ("model=nova-3&model=nova-2", "more than once"),
        ("model=nova-2-phonecall&language=es", "es"),
        ("model=nova-3&language_hint=es", "language_hint"),
        ("model=nova-3&detect_language=true", "streaming"),
        ("model=nova-3&keyterm=G%C3", "UTF-8"),
        ("model=nova-9", "model"),
    ] {
        let (status, error) = refused(&server, query, KEY).await;
        assert!(status == 400 && error.contains(wanted), "{query}: {status} {error}");
    }
    assert_eq!(refused(&server, MONO, "wrong").await.0, 401);
    assert_eq!(ended(&server).await.ended, Some(Ended::Refused(401)));
}

#[tokio::test]
async fn a_handshake_fails_as_scripted() {
    let server = Deepgram::behaving(KEY, |n| match n {
        0 => Behaviour::refusing(429, "Too many requests"),
        _ => Behaviour::default(),
    })
    .await;
    assert_eq!(refused(&server, MONO, KEY).await, (429, "Too many requests".to_owned()));
    assert!(dial(&server, MONO, KEY).await.is_ok());
}

#[tokio::test]
async fn an_end_may_come_late_never_or_twice() {
    let bytes = mono(&said("quiero una cita por favor", 2.0));
    let query = format!("{MONO}&interim_results=true&utterance_end_ms=1000");
    let run = async |behaviour: Behaviour| {
        let server = Deepgram::behaving(KEY, move |_| behaviour.clone()).await;
        play(&server, &query, &bytes).await.0
    };
    let told = run(Behaviour { endpoint: Endpoint::InEmptyFinal, ..Behaviour::default() }).await;
    assert_eq!(finals(&told), [(0, "quiero una cita por favor", false), (0, "", true)]);
    let told = run(Behaviour { endpoint: Endpoint::Never, utterance_ends: 0, ..Behaviour::default() }).await;
    assert_eq!(finals(&told), [(0, "quiero una cita por favor", false)]);
    assert!(told.iter().all(|it| it["type"] != "UtteranceEnd"));
    let told = run(Behaviour { utterance_ends: 2, pieces: 3, ..Behaviour::default() }).await;
    assert_eq!(finals(&told), [(0, "quiero una", false), (0, "cita por", false), (0, "favor", true)]);
    assert_eq!(told.iter().filter(|it| it["type"] == "UtteranceEnd").count(), 2);
}

#[tokio::test]
async fn endpointing_counts_audio() {
    let server = Deepgram::start(KEY).await;
    let bytes = mono(&[said("seis doce", 0.2), said("treinta y cuatro", 1.0)].concat());
    let (told, _) = play(&server, MONO, &bytes).await;
    assert_eq!(finals(&told), [(0, "seis doce", false), (0, "treinta y cuatro", true)]);
    let (told, _) = play(&server, &MONO.replace("300", "100"), &bytes).await;
    assert_eq!(finals(&told), [(0, "seis doce", true), (0, "treinta y cuatro", true)]);
    let (told, _) = play(&server, &MONO.replace("300", "false"), &bytes).await;
    assert_eq!(finals(&told), [(0, "seis doce", false), (0, "treinta y cuatro", false)]);
}

#[tokio::test]
async fn silence_gives_empty_finals() {
    let server = Deepgram::start(KEY).await;
    let (told, _) = play(&server, MONO, &mono(&silence(7.0, 8_000))).await;
    let empties: Vec<_> = told.iter().filter(|it| it["type"] == "Results").collect();
    assert_eq!(empties.len(), 2);
    assert!(empties.iter().all(|it| it["is_final"] == true && text(it).is_empty()));
}

#[tokio::test]
async fn finalize_and_close_stream_bring_what_is_pending() {
    let server = Deepgram::start(KEY).await;
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    send(&mut socket, mono(&said("hola", 0.1))).await;
    control(&mut socket, "Finalize").await;
    control(&mut socket, "Finalize").await;
    send(&mut socket, mono(&speak("chau", 8_000))).await;
    control(&mut socket, "CloseStream").await;
    let (told, code) = rest(&mut socket).await;
    let short = |it: &Value| (text(it).to_owned(), it["from_finalize"] == true);
    let results: Vec<_> = told.iter().filter(|it| it["type"] == "Results").map(short).collect();
    assert_eq!(results, [("hola".to_owned(), true), (String::new(), true), ("chau".to_owned(), false)]);
    assert_eq!((code, ended(&server).await.finalizes), (Some(1000), 2));
}

#[tokio::test]
async fn an_empty_binary_message_ends_the_stream() {
    let server = Deepgram::start(KEY).await;
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    send(&mut socket, mono(&speak("hola", 8_000))).await;
    send(&mut socket, Vec::new()).await;
    let (told, code) = rest(&mut socket).await;
    assert_eq!((finals(&told), code), (vec![(0, "hola", false)], Some(1000)));
    assert!(ended(&server).await.empty_binary);
}

#[tokio::test]
async fn a_control_sent_as_binary_is_audio() {
    let server = Deepgram::start(KEY).await;
    let samples = mono(&said("quiero una cita por favor", 1.0));
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    send(&mut socket, samples[..4_000].to_vec()).await;
    send(&mut socket, br#"{"type":"KeepAlive"}"#.to_vec()).await;
    send(&mut socket, samples[4_000..].to_vec()).await;
    control(&mut socket, "CloseStream").await;
    assert_eq!(finals(&rest(&mut socket).await.0), []);
    let connection = ended(&server).await;
    assert_eq!((connection.binary_controls, connection.keepalives), (1, 0));
    assert!(connection.damaged() > 0);
}

#[tokio::test]
async fn without_audio_or_keepalive_it_closes() {
    let idle = Duration::from_millis(1_000);
    let server = Deepgram::behaving(KEY, move |_| Behaviour { idle, ..Behaviour::default() }).await;
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    for _ in 0..4 {
        control(&mut socket, "KeepAlive").await;
        tokio::time::sleep(idle * 2 / 5).await;
    }
    assert_eq!(server.connections()[0].ended, None, "kept alive");
    let (_, code) = rest(&mut socket).await;
    assert_eq!(code, Some(1011));
    assert_eq!(ended(&server).await.keepalives, 4);
}

#[tokio::test]
async fn keepalives_are_no_audio() {
    let no_audio = Some(Duration::from_millis(300));
    let server = Deepgram::behaving(KEY, move |_| Behaviour { no_audio, ..Behaviour::default() }).await;
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    control(&mut socket, "KeepAlive").await;
    assert_eq!(rest(&mut socket).await.1, Some(1011));
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    control(&mut socket, "keepalive").await;
    send(&mut socket, mono(&said("hola", 0.4))).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    control(&mut socket, "CloseStream").await;
    let (told, code) = rest(&mut socket).await;
    assert_eq!((finals(&told), code), (vec![(0, "hola", true)], Some(1000)));
    assert_eq!(ended(&server).await.strange, [r#"{"type":"keepalive"}"#]);
}

#[tokio::test]
async fn a_slow_answer_keeps_its_order() {
    let delay = Duration::from_millis(100);
    let server = Deepgram::behaving(KEY, move |_| Behaviour { delay, ..Behaviour::default() }).await;
    let bytes = mono(&[said("uno", 0.4), said("dos", 0.4)].concat());
    let (told, code) = play(&server, MONO, &bytes).await;
    assert_eq!((finals(&told), code), (vec![(0, "uno", true), (0, "dos", true)], Some(1000)));
    assert_eq!(told, server.connections()[0].said);
}

#[tokio::test]
async fn too_many_keyterms_are_heard_by_nobody() {
    let server = Deepgram::start(KEY).await;
    let terms: String = (100..700).map(|n| format!("&keyterm=t{n}")).collect();
    let mut socket = dial(&server, &format!("{MONO}{terms}"), KEY).await.unwrap();
    send(&mut socket, mono(&said("hola", 1.0))).await;
    assert_eq!(rest(&mut socket).await, (vec![], Some(1011)));
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    let terms: Vec<String> = (100..700).map(|n| format!("t{n}")).collect();
    let configure = json!({"type": "Configure", "keyterms": terms}).to_string();
    socket.send(Message::text(configure)).await.unwrap();
    assert_eq!(rest(&mut socket).await, (vec![], Some(1011)));
    assert_eq!(ended(&server).await.configures.len(), 1);
    let mut socket = dial(&server, "model=nova-2&encoding=linear16&sample_rate=8000", KEY).await.unwrap();
    socket.send(Message::text(r#"{"type":"Configure","keyterms":["Ana"]}"#)).await.unwrap();
    control(&mut socket, "CloseStream").await;
    assert_eq!(rest(&mut socket).await.0[0]["code"], "KeytermsNotSupported");
}

#[tokio::test]
async fn what_is_sent_otherwise_than_announced_is_not_understood() {
    let server = Deepgram::start(KEY).await;
    let (one, other) = (said("quiero una cita", 1.0), said("buenos días señora", 1.0));
    let both = stereo(&one, &other);
    assert_eq!(finals(&play(&server, &format!("{MONO}&channels=2"), &both).await.0), [], "stereo, mixed");
    assert_eq!(finals(&play(&server, MONO, &both).await.0), [], "stereo taken for mono");
    assert_eq!(finals(&play(&server, &MONO.replace("8000", "16000"), &mono(&one)).await.0), [], "wrong rate");
    assert!(server.connections().iter().all(|it| it.damaged() > 0));
    let mulaw: Vec<u8> = one.iter().map(|sample| to_mulaw(*sample)).collect();
    assert_eq!(finals(&play(&server, MONO, &mulaw).await.0), [], "µ-law taken for linear");
    let told = play(&server, &MONO.replace("linear16", "mulaw"), &mulaw).await.0;
    assert_eq!(finals(&told), [(0, "quiero una cita", true)]);
    let container = "model=nova-3";
    let mut socket = dial(&server, container, KEY).await.unwrap();
    send(&mut socket, mono(&one)).await;
    assert_eq!(rest(&mut socket).await.1, Some(1008));
}

#[tokio::test]
async fn odd_bytes_are_carried_and_counted() {
    let server = Deepgram::start(KEY).await;
    let bytes = mono(&said("quiero una cita", 1.0));
    let mut socket = dial(&server, MONO, KEY).await.unwrap();
    let (first, second) = bytes.split_at(321);
    send(&mut socket, first.to_vec()).await;
    send(&mut socket, second.to_vec()).await;
    control(&mut socket, "CloseStream").await;
    assert_eq!(finals(&rest(&mut socket).await.0), [(0, "quiero una cita", true)]);
    let connection = ended(&server).await;
    assert_eq!((connection.uneven, connection.sizes[&321]), (2, 1));
}

#[tokio::test]
async fn it_breaks_as_scripted() {
    let server = Deepgram::behaving(KEY, |n| match n {
        0 => Behaviour::closing(0.5, 1011, "NET-0000"),
        1 => Behaviour { drop_after: Some(0.5), ..Behaviour::default() },
        2 => Behaviour::mute(),
        3 => Behaviour { deaf_after: Some(0.0), ..Behaviour::default() },
        _ => Behaviour { stall: Some((0.1, Duration::from_millis(200))), ..Behaviour::default() },
    })
    .await;
    let bytes = mono(&said("hola", 1.0));
    for wanted in [Some(1011), None] {
        let mut socket = dial(&server, MONO, KEY).await.unwrap();
        send(&mut socket, bytes.clone()).await;
        assert_eq!(rest(&mut socket).await.1, wanted);
    }
    let mut mute = dial(&server, MONO, KEY).await.unwrap();
    send(&mut mute, bytes.clone()).await;
    let mut deaf = dial(&server, MONO, KEY).await.unwrap();
    let all = server.until("the mute one heard", |all| all.len() == 4 && all[2].texts(0) == ["hola"]).await;
    assert_eq!((all[2].said.len(), &all[2].ended), (0, &None));
    let flood = async { while deaf.send(Message::binary(vec![0; 60_000])).await.is_ok() {} };
    assert!(timeout(Duration::from_secs(1), flood).await.is_err(), "nobody reads");
    assert_eq!(finals(&play(&server, MONO, &bytes).await.0), [(0, "hola", true)], "after a stall");
    server.cut();
    server.until("the mute one is cut", |all| all[2].ended == Some(Ended::Dropped)).await;
    server.until("the deaf one is cut", |all| all[3].ended == Some(Ended::Dropped)).await;
}
