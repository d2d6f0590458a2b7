//! The PBXs say what their documents say, to a door that takes down every message.
use crate::telephony::g711::from_mulaw;
use crate::telephony::pbx::asterisk::Options;
use crate::telephony::pbx::audio_socket::kind;
use crate::telephony::pbx::fork::jambonz_metadata;
use crate::telephony::pbx::pace::Pacer;
use crate::telephony::pbx::{Asterisk, AudioSocket, Dial, Incoming, Layout, Pace, Refused, Talk, Twilio};
use crate::telephony::tones::Listener;
use base64::Engine;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderMap;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// A door for one socket.
struct Door {
    url: String,
    headers: UnboundedReceiver<HeaderMap>,
    came: UnboundedReceiver<Option<Message>>,
    say: UnboundedSender<Message>,
}

/// What the door does with the handshake.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Echoes,
    Ignores,
    Compresses,
    Refuses,
}

impl Door {
    async fn open(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/door", listener.local_addr().unwrap());
        let ((headers_in, headers), (came_in, came), (say, words)) =
            (unbounded_channel(), unbounded_channel(), unbounded_channel());
        tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            #[allow(clippy::result_large_err)]
            let greet = |request: &Request, response: Response| {
                headers_in.send(request.headers().clone()).unwrap();
                greet(manner, request, response)
            };
            if let Ok(socket) = accept_hdr_async(socket, greet).await {
                serve(socket, came_in, words).await;
            }
        });
        Self { url, headers, came, say }
    }

    async fn next(&mut self) -> Option<Message> {
        timeout(Duration::from_secs(30), self.came.recv()).await.expect("a message").unwrap()
    }

    async fn json(&mut self) -> Value {
        match self.next().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("a text comes, not {other:?}"),
        }
    }

    /// All binary messages until something else comes, and that.
    async fn binaries(&mut self) -> (Vec<Vec<u8>>, Option<Message>) {
        let mut all = Vec::new();
        loop {
            match self.next().await {
                Some(Message::Binary(bytes)) => all.push(bytes.to_vec()),
                other => return (all, other),
            }
        }
    }
}

#[allow(clippy::result_large_err)]
fn greet(manner: Manner, request: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    if manner == Manner::Refuses {
        let mut refusal = ErrorResponse::new(Some("token".to_owned()));
        *refusal.status_mut() = 401.try_into().unwrap();
        return Err(refusal);
    }
    let offered = request.headers().get("sec-websocket-protocol").filter(|_| manner != Manner::Ignores);
    if let Some(protocol) = offered {
        response.headers_mut().insert("sec-websocket-protocol", protocol.clone());
    }
    if manner == Manner::Compresses {
        response.headers_mut().insert("sec-websocket-extensions", "permessage-deflate".parse().unwrap());
    }
    Ok(response)
}

/// `None` comes when the socket is over.
async fn serve(
    mut socket: WebSocketStream<TcpStream>,
    came: UnboundedSender<Option<Message>>,
    mut words: UnboundedReceiver<Message>,
) {
    loop {
        tokio::select! {
            message = socket.next() => {
                let message = message.and_then(Result::ok);
                let over = message.is_none();
                let _ = came.send(message);
                if over {
                    return;
                }
            }
            Some(word) = words.recv() => { let _ = socket.send(word).await; }
        }
    }
}

fn samples(bytes: &[u8]) -> Vec<i16> {
    bytes.chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect()
}

fn channel(bytes: &[u8], n: usize) -> Vec<i16> {
    samples(bytes).into_iter().skip(n).step_by(2).collect()
}

fn texts(samples: &[i16], rate: u32) -> Vec<String> {
    let mut listener = Listener::new(rate);
    let mut heard = listener.push(samples);
    heard.extend(listener.finish());
    heard.into_iter().map(|heard| heard.text.unwrap_or_else(|damaged| format!("{damaged:?}"))).collect()
}

fn talk(rate: u32) -> Talk {
    Talk::new(rate)
        .inbound("Hola, soy Ana")
        .pause(0.1)
        .outbound("Buenos días")
        .pause(0.1)
        .at_once("sí", "bien")
}

#[tokio::test]
async fn drachtio_forks_both_tracks() {
    let mut door = Door::open(Manner::Echoes).await;
    let mut fork = Dial::drachtio(&door.url).basic("aura", "s3cret").connect().await.unwrap();
    let headers = door.headers.recv().await.unwrap();
    assert_eq!(headers["sec-websocket-protocol"], "audio.drachtio.org");
    assert_eq!(headers["authorization"], "Basic YXVyYTpzM2NyZXQ=");
    assert_eq!(fork.socket.protocol.as_deref(), Some("audio.drachtio.org"));
    assert!(fork.glued(&[json!({"a": 1}), json!({"b": 2})]).await);
    assert_eq!(door.next().await.unwrap().to_text().unwrap(), r#"{"a":1}{"b":2}"#);
    let talk = talk(8_000);
    assert!(fork.send_audio(&talk.inbound, &talk.outbound).await);
    assert!(fork.send_cut(&[1; 960], &[321, 319]).await);
    assert!(fork.flush().await);
    let stop = tokio::spawn(async move { fork.stop(Some("chau")).await });
    let (frames, text) = door.binaries().await;
    assert_eq!(text.unwrap().to_text().unwrap(), "chau");
    let (audio, odd) = frames.split_at(frames.len() - 4);
    assert!(audio[..audio.len() - 1].iter().all(|frame| frame.len() == 640));
    assert_eq!(odd.iter().map(Vec::len).collect::<Vec<_>>(), [321, 319, 320, 0]);
    let bytes = audio.concat();
    assert_eq!(texts(&channel(&bytes, 0), 8_000), ["Hola, soy Ana", "sí"]);
    assert_eq!(texts(&channel(&bytes, 1), 8_000), ["Buenos días", "bien"]);
    let Some(Message::Close(Some(close))) = door.next().await else { panic!("a close comes") };
    assert_eq!((u16::from(close.code), stop.await.unwrap()), (1000, Some(1000)));
}

#[tokio::test]
async fn a_server_without_the_subprotocol_is_dropped() {
    let door = Door::open(Manner::Ignores).await;
    let refused = Dial::drachtio(&door.url).connect().await.err().unwrap();
    assert_eq!(refused.status, None);
    let door = Door::open(Manner::Refuses).await;
    let refused = Dial::drachtio(&door.url).connect().await.err().unwrap();
    assert_eq!(refused, Refused { status: Some(401), reason: "token".into() });
}

#[tokio::test]
async fn mod_audio_stream_offers_to_compress() {
    let mut door = Door::open(Manner::Echoes).await;
    let fork = Dial::audio_stream(&door.url).header("authorization", "Bearer t").connect().await.unwrap();
    let headers = door.headers.recv().await.unwrap();
    assert!(headers["sec-websocket-extensions"].to_str().unwrap().starts_with("permessage-deflate"));
    assert!(!headers.contains_key("sec-websocket-protocol"));
    assert_eq!(fork.socket.protocol, None);
    let door = Door::open(Manner::Compresses).await;
    assert!(Dial::audio_stream(&door.url).connect().await.is_err());
}

#[tokio::test]
async fn jambonz_tells_first_and_hears_back() {
    let mut door = Door::open(Manner::Echoes).await;
    let dial = Dial::jambonz(&door.url).rate(16_000).layout(Layout::Mono).block_ms(100);
    let mut fork = dial.pace(Pace::Times(50.0)).connect().await.unwrap();
    fork.json(&jambonz_metadata("call-1", "inbound", "+541", "+542", 16_000, "mono")).await;
    let metadata = door.json().await;
    assert_eq!((&metadata["callSid"], &metadata["sampleRate"]), (&json!("call-1"), &json!(16_000)));
    let talk = talk(16_000);
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    fork.dtmf('5', 160).await;
    let (frames, dtmf) = door.binaries().await;
    assert_eq!(frames[0].len(), 3_200);
    assert_eq!(texts(&samples(&frames.concat()), 16_000), ["Hola, soy Ana", "sí"]);
    let dtmf: Value = serde_json::from_str(dtmf.unwrap().to_text().unwrap()).unwrap();
    assert_eq!(dtmf, json!({"event": "dtmf", "dtmf": "5", "duration": 1280}));
    door.say.send(Message::text(r#"{"type":"transcription"}"#)).unwrap();
    assert_eq!(fork.socket.text_with("transcription").await, r#"{"type":"transcription"}"#);
    door.say.send(Message::Close(Some(CloseFrame { code: 1012.into(), reason: "".into() }))).unwrap();
    assert_eq!(fork.socket.closed().await, Some(1012));
    assert!(!fork.send_audio(&talk.inbound, &[]).await);
}

#[tokio::test]
async fn mixed_is_the_sum_and_a_dead_switch_says_nothing() {
    let mut door = Door::open(Manner::Echoes).await;
    let mut fork = Dial::plain(&door.url).layout(Layout::Mixed).connect().await.unwrap();
    assert_eq!(samples(&fork.pcm(&[1, 30_000], &[2, 30_000, 5])), [3, i16::MAX, 5]);
    let talk = Talk::new(8_000).at_once("hola qué tal", "buenos días");
    fork.send_audio(&talk.inbound, &talk.outbound).await;
    fork.drop_tcp().await;
    let (frames, end) = door.binaries().await;
    assert_eq!(end, None, "no close frame");
    assert!(!texts(&samples(&frames.concat()), 8_000).contains(&"hola qué tal".to_owned()));
}

#[tokio::test]
async fn a_raw_peer_sends_after_its_close_and_in_fragments() {
    let mut door = Door::open(Manner::Echoes).await;
    let mut raw = Dial::drachtio(&door.url).connect_raw().await.unwrap();
    assert!(raw.text("{}").await && raw.binary(&[7; 128_000]).await);
    assert!(raw.fragmented(&[&[1; 3], &[2; 200], &[3; 70_000]]).await);
    assert!(raw.close(1000).await && raw.binary(&[0; 320]).await);
    assert_eq!(door.next().await, Some(Message::text("{}")));
    assert_eq!(door.next().await.unwrap().len(), 128_000);
    assert_eq!(door.next().await.unwrap().len(), 70_203);
    assert!(matches!(door.next().await, Some(Message::Close(_))));
    assert_eq!(raw.closed().await, Some(1000));
    raw.reset();
}

#[tokio::test(start_paused = true)]
async fn a_pace_is_kept_and_a_pause_is_not_made_good() {
    for (pace, ms) in [(Pace::RealTime, 980), (Pace::Times(4.0), 245), (Pace::Flood, 0)] {
        let mut pacer = Pacer::new(pace);
        let begun = tokio::time::Instant::now();
        for _ in 0..50 {
            pacer.wait(0.02).await;
        }
        assert_eq!(begun.elapsed().as_millis(), ms, "{pace:?}");
    }
    let mut pacer = Pacer::new(Pace::RealTime);
    pacer.wait(0.02).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    let resumed = tokio::time::Instant::now();
    for _ in 0..50 {
        pacer.wait(0.02).await;
    }
    assert_eq!(resumed.elapsed().as_millis(), 780, "200 ms are made good");
}

#[tokio::test]
async fn twilio_sends_json() {
    let mut door = Door::open(Manner::Echoes).await;
    let mut twilio = Twilio::connect(&door.url, "CA1", Pace::Flood).await.unwrap();
    let talk = talk(8_000);
    twilio.start(&[("leg", "patient")]).await;
    twilio.send_audio(&talk.inbound, &talk.outbound).await;
    twilio.dtmf('1').await;
    let stop = tokio::spawn(async move { twilio.stop().await });
    assert_eq!(door.json().await["event"], "connected");
    let start = door.json().await;
    assert_eq!((&start["sequenceNumber"], &start["start"]["callSid"]), (&json!("1"), &json!("CA1")));
    assert_eq!(start["start"]["customParameters"]["leg"], "patient");
    let (mut tracks, mut last) = ([Vec::new(), Vec::new()], Value::Null);
    let dtmf = loop {
        let message = door.json().await;
        if message["event"] != "media" {
            break message;
        }
        let media = &message["media"];
        let bytes =
            base64::engine::general_purpose::STANDARD.decode(media["payload"].as_str().unwrap()).unwrap();
        tracks[usize::from(media["track"] == "outbound")].extend(bytes.into_iter().map(from_mulaw));
        last = message;
    };
    assert_eq!(texts(&tracks[0], 8_000), ["Hola, soy Ana", "sí"]);
    assert_eq!(texts(&tracks[1], 8_000), ["Buenos días", "bien"]);
    let chunk: usize = last["media"]["chunk"].as_str().unwrap().parse().unwrap();
    assert_eq!(chunk, talk.inbound.len().div_ceil(160));
    assert_eq!(last["media"]["timestamp"], ((chunk - 1) * 20).to_string());
    assert_eq!(dtmf["dtmf"], json!({"track": "inbound_track", "digit": "1"}));
    assert_eq!(door.json().await["stop"]["callSid"], "CA1");
    assert!(matches!(door.next().await, Some(Message::Close(_))));
    assert_eq!(stop.await.unwrap(), Some(1000));
}

#[tokio::test]
async fn asterisk_speaks_text_or_json() {
    for json in [false, true] {
        let mut door = Door::open(Manner::Echoes).await;
        let variables = vec![("AURA_LEG".to_owned(), "patient".to_owned())];
        let options = Options { format: "ulaw", json, variables, ..Options::default() };
        let mut asterisk = Asterisk::connect(&door.url, "17.3", options).await.unwrap();
        assert_eq!(door.headers.recv().await.unwrap()["sec-websocket-protocol"], "media");
        asterisk.start().await;
        asterisk.send_audio(&talk(8_000).inbound).await;
        asterisk.dtmf('#').await;
        let start = door.next().await.unwrap();
        let start = start.to_text().unwrap();
        if json {
            let start: Value = serde_json::from_str(start).unwrap();
            assert_eq!((&start["event"], &start["optimal_frame_size"]), (&json!("MEDIA_START"), &json!(160)));
            assert_eq!(start["channel_variables"]["AURA_LEG"], "patient");
        } else {
            assert!(start.starts_with("MEDIA_START connection_id:media-17.3 channel:WebSocket/aura/17.3 "));
            assert!(
                start.ends_with(" channel_id:17.3 format:ulaw optimal_frame_size:160 ptime:20"),
                "{start}"
            );
        }
        let (frames, dtmf) = door.binaries().await;
        let heard: Vec<i16> = frames.concat().into_iter().map(from_mulaw).collect();
        assert_eq!(texts(&heard, 8_000), ["Hola, soy Ana", "sí"]);
        assert!(dtmf.unwrap().to_text().unwrap().contains("DTMF_END"));
        door.say.send(Message::text(if json { r#"{"command":"HANGUP"}"# } else { "HANGUP" })).unwrap();
        let Some(Message::Close(Some(close))) = door.next().await else { panic!("Asterisk closes") };
        assert_eq!(u16::from(close.code), 1000);
    }
}

#[tokio::test]
async fn an_older_asterisk_hangs_up_on_a_ping() {
    for (older, wanted) in [(true, Incoming::Gone), (false, Incoming::Text("FLUSH_MEDIA".into()))] {
        let door = Door::open(Manner::Echoes).await;
        let options = Options { hangs_up_on_ping: older, ..Options::default() };
        let asterisk = Asterisk::connect(&door.url, "17.3", options).await.unwrap();
        door.say.send(Message::Ping(Vec::new().into())).unwrap();
        door.say.send(Message::text("FLUSH_MEDIA")).unwrap();
        let seen = asterisk.socket.until("two things came", |seen| seen.len() > 1).await;
        assert_eq!(seen, [Incoming::Ping, wanted]);
    }
}

#[tokio::test]
async fn audio_socket_frames_tcp() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut call = AudioSocket::connect(address, 16_000, Pace::Flood).await.unwrap();
    let mut door = listener.accept().await.unwrap().0;
    let uuid = [7; 16];
    let audio = talk(16_000).inbound;
    let play = tokio::spawn(async move {
        assert!(call.uuid(uuid).await && call.send_audio(&audio).await);
        assert!(call.dtmf('9').await && call.hang_up().await);
        call
    });
    let (mut frames, mut heard) = (Vec::new(), Vec::new());
    while frames.last() != Some(&kind::HANG_UP) {
        let kind = door.read_u8().await.unwrap();
        let mut payload = vec![0; usize::from(door.read_u16().await.unwrap())];
        door.read_exact(&mut payload).await.unwrap();
        if kind == kind::SLIN + 2 {
            heard.extend(samples(&payload));
        } else {
            frames.push(kind);
            assert!(kind != kind::UUID || payload == uuid);
            assert!(kind != kind::DTMF || payload == b"9");
        }
    }
    assert_eq!(frames, [kind::UUID, kind::DTMF, kind::HANG_UP]);
    assert_eq!(texts(&heard, 16_000), ["Hola, soy Ana", "sí"]);
    let mut call = play.await.unwrap();
    door.write_all(&[kind::SLIN, 0, 2, 1, 2]).await.unwrap();
    drop(door);
    assert_eq!(call.next().await, Some((kind::SLIN, vec![1, 2])));
    call.closed().await;
}
