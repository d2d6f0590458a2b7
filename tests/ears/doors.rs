//! Who is let in at the forks' doors, and what the rest is told.
use crate::service::{Options, Running};
use crate::telephony::pbx::asterisk::{self, Asterisk};
use crate::telephony::pbx::{AudioSocket, Dial, Fork, Pace, Twilio};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NIL: &str = "00000000-0000-0000-0000-000000000000";

async fn with_tokens() -> Running {
    Running::start(Options::default().few_manuals().set("AURA_FORK_TOKENS", "el-viejo,el-nuevo")).await
}

#[actix_rt::test]
async fn two_tokens_are_good_at_once_wherever_a_switch_can_put_them() {
    let running = with_tokens().await;
    for token in ["el-viejo", "el-nuevo"] {
        for door in ["audio-fork", "twilio-media", "asterisk"] {
            let dialled = Dial::plain(&running.door(&format!("/{door}/{token}"))).connect().await;
            assert!(dialled.is_ok(), "{token} in the path of {door}: {:?}", dialled.err());
        }
        let bearer = Dial::audio_stream(&running.door("/audio-fork?rate=8000&ch=2"))
            .header("authorization", &format!("Bearer {token}"));
        assert!(bearer.connect().await.is_ok());
        let password = Dial::drachtio(&running.door("/audio-fork?rate=8000&ch=2")).basic("freeswitch", token);
        assert!(password.connect().await.is_ok());
    }
    assert_eq!(running.live_calls(), 0, "who says nothing begins no call");
}

#[actix_rt::test]
async fn a_wrong_token_is_refused_and_not_repeated() {
    let running = with_tokens().await;
    let (plain, wrong) = (running.door("/audio-fork"), running.door("/audio-fork/secretisimo"));
    let dials = [
        Dial::drachtio(&plain),
        Dial::drachtio(&wrong),
        Dial::plain(&running.door("/twilio-media/el-viejo,el-nuevo")),
        Dial::plain(&plain).header("authorization", "Bearer secretisimo"),
        Dial::plain(&plain).basic("el-viejo", "secretisimo"),
        // A wrong one in the path isn't made good by a right one in the request.
        Dial::plain(&wrong).header("authorization", "Bearer el-viejo"),
    ];
    for dial in dials {
        let refused = dial.clone().connect().await.err().expect("it is refused");
        assert_eq!(refused.status, Some(401), "{dial:?}: {refused:?}");
        let problem: Value = serde_json::from_str(&refused.reason).expect("problem+json");
        assert_eq!(problem["status"], 401);
        assert!(!refused.reason.contains("secretisimo") && !refused.reason.contains("el-"), "{refused:?}");
    }
}

#[actix_rt::test]
async fn a_query_that_cannot_be_used_is_told_at_the_handshake() {
    let running = Running::start(Options::default().few_manuals()).await;
    for (query, named) in [
        ("rate=mucho", "rate"),
        ("ch=7", "ch"),
        ("leg=4567890123", "leg"),
        ("call=", ""),
        ("encoding=opus", "encoding"),
        ("transcripts=quizas", "transcripts"),
    ] {
        let dialled = Dial::drachtio(&running.door(&format!("/audio-fork?{query}"))).connect().await;
        let Some(refused) = dialled.as_ref().err() else {
            assert_eq!(named, "", "{query} is taken");
            continue;
        };
        assert_eq!(refused.status, Some(400), "{query}: {refused:?}");
        assert!(refused.reason.contains(&format!("`{named}`")), "{refused:?}");
        assert!(!refused.reason.contains("4567890123"), "{refused:?}");
    }
}

#[actix_rt::test]
async fn what_is_no_websocket_is_told_so() {
    let running = Running::start(Options::default().few_manuals()).await;
    for door in ["/audio-fork", "/twilio-media", "/asterisk"] {
        let mut socket = TcpStream::connect(running.address()).await.unwrap();
        let request = format!("GET {door} HTTP/1.1\r\nhost: aura\r\nconnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("application/problem+json"), "{answer}");
        assert!(answer.contains("websocket"), "{answer}");
    }
}

#[actix_rt::test]
async fn of_the_offered_subprotocols_one_is_echoed() {
    let running = Running::start(Options::default().few_manuals()).await;
    let fork = running.door("/audio-fork");
    let both = Dial::plain(&fork).header("sec-websocket-protocol", "audio.drachtio.org, audio.jambonz.org");
    let dials = [
        (Dial::drachtio(&fork), Some("audio.drachtio.org")),
        (Dial::jambonz(&fork), Some("audio.jambonz.org")),
        (both, Some("audio.drachtio.org")),
        (Dial::plain(&fork), None),
        (Dial::audio_stream(&fork), None),
        (Dial::plain(&running.door("/twilio-media")), None),
    ];
    for (dial, expected) in dials {
        let fork = dial.connect().await.unwrap();
        assert_eq!(fork.socket.protocol.as_deref(), expected);
    }
    let channel =
        Asterisk::connect(&running.door("/asterisk"), "1.1", asterisk::Options::default()).await.unwrap();
    assert_eq!(channel.socket.protocol.as_deref(), Some("media"));
}

#[actix_rt::test]
async fn a_probe_begins_no_call() {
    let running =
        Running::start(Options::default().few_manuals().set("AURA_AUDIOSOCKET_LISTEN", "127.0.0.1:0")).await;
    let silence = [0; 1600];
    let named = running.door(&format!("/audio-fork?rate=8000&ch=2&call={NIL}"));
    let mut fork = Dial::drachtio(&named).connect().await.unwrap();
    fork.send_audio(&silence, &silence).await;
    assert_eq!(fork.stop(None).await, Some(1000));
    let mut fork = Dial::jambonz(&running.door("/audio-fork?rate=8000&ch=2")).connect().await.unwrap();
    fork.json(&json!({"callSid": NIL, "sampleRate": 8000, "mixType": "stereo"})).await;
    fork.send_audio(&silence, &silence).await;
    assert_eq!(fork.stop(None).await, Some(1000));
    let mut twilio = Twilio::connect(&running.door("/twilio-media"), NIL, Pace::Flood).await.unwrap();
    twilio.start(&[]).await;
    twilio.send_audio(&silence, &silence).await;
    assert_eq!(twilio.stop().await, Some(1000));
    let mut socket = AudioSocket::connect(running.audiosocket(), 8000, Pace::Flood).await.unwrap();
    socket.uuid([0; 16]).await;
    socket.send_audio(&silence).await;
    assert!(socket.next().await.is_some(), "it is answered as any other");
    assert_eq!(running.live_calls(), 0);
    assert!(running.desk.of(NIL).is_empty());
}

async fn dial(running: &Running, call: &str) -> Fork {
    let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}"));
    let mut fork = Dial::drachtio(&url).connect().await.unwrap();
    fork.send_audio(&[0; 320], &[0; 320]).await;
    fork
}

#[actix_rt::test]
async fn beyond_the_cap_a_fork_is_to_try_again_later() {
    let running = Running::start(Options::default().few_manuals().set("AURA_MAX_CALLS", 1)).await;
    let first = dial(&running, "primera").await;
    crate::call::until(&running, "primera", "it begins", |news| !news.is_empty()).await;
    let second = dial(&running, "segunda").await;
    assert_eq!(second.socket.closed().await, Some(1013));
    assert!(running.desk.of("segunda").is_empty());
    assert_eq!(running.live_calls(), 1);
    // What is carried isn't disturbed by it, and its place is free once it is over.
    first.stop(Some(r#"{"event":"hangup"}"#)).await;
    crate::call::over(&running, "primera").await;
    while running.live_calls() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let third = dial(&running, "tercera").await;
    crate::call::until(&running, "tercera", "it begins", |news| !news.is_empty()).await;
    third.stop(None).await;
}
