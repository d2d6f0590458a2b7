//! The link over a real socket: it says hello, carries frames, dials again, and ends where that helps nobody.
// The handshake's callback answers as tungstenite has it.
#![allow(clippy::result_large_err)]
use super::super::door::{Door, Shut};
use super::super::link::{self, Told};
use super::super::state::Connection;
use super::{call, welcome};
use crate::secret::Secret;
use aura::protocol::desk::{Ask, Message};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};
use tokio_tungstenite::tungstenite::protocol::Message as Wire;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

const PATIENCE: Duration = Duration::from_secs(10);

/// The other end.
struct Peer(TcpListener);

type Line = WebSocketStream<TcpStream>;

impl Peer {
    async fn new() -> (Self, Door) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut door = Door::new(&format!("ws://{}/desk", listener.local_addr().unwrap())).unwrap();
        door.with_token(Secret::new("the-token"));
        (Self(listener), door)
    }

    /// Lets whoever shows the token in.
    async fn accept(&self) -> Line {
        let (stream, _) = timeout(PATIENCE, self.0.accept()).await.expect("nobody dials").unwrap();
        let look = |request: &Request, mut response: Response| {
            assert_eq!(request.uri().path(), "/desk");
            assert_eq!(request.headers()["authorization"], "Bearer the-token");
            assert_eq!(request.headers()["sec-websocket-protocol"], "aura.desk.v1");
            let protocol = HeaderValue::from_static("aura.desk.v1");
            response.headers_mut().insert("sec-websocket-protocol", protocol);
            Ok(response)
        };
        accept_hdr_async(stream, look).await.unwrap()
    }

    /// Turns whoever comes away.
    async fn refuse(&self, status: StatusCode) {
        let (stream, _) = timeout(PATIENCE, self.0.accept()).await.expect("nobody dials").unwrap();
        let look = |_: &Request, _: Response| {
            let mut refusal = ErrorResponse::new(None);
            *refusal.status_mut() = status;
            Err(refusal)
        };
        accept_hdr_async(stream, look).await.unwrap_err();
    }
}

async fn read(line: &mut Line) -> Value {
    let frame = timeout(PATIENCE, line.next()).await.expect("nothing is asked").unwrap().unwrap();
    serde_json::from_str(frame.to_text().unwrap()).unwrap()
}

async fn write(line: &mut Line, frame: Value) {
    line.send(Wire::Text(frame.to_string().into())).await.unwrap();
}

async fn told(told: &mut Receiver<Told>) -> Told {
    timeout(PATIENCE, told.recv()).await.expect("nothing is told").expect("the link has ended")
}

/// The next frame; how the connection stands is passed over.
async fn frame(from: &mut Receiver<Told>) -> (Message, Option<Ask>) {
    loop {
        match told(from).await {
            Told::Frame(message, of) => return (*message, of),
            Told::Connection(_) => {}
            _ => panic!("no frame"),
        }
    }
}

#[tokio::test]
async fn it_says_hello_carries_frames_and_dials_again() {
    let (peer, door) = Peer::new().await;
    let (first, mut line) = tokio::join!(door.open(), peer.accept());
    let (asks, mut from) = link::start(door, first.unwrap(), Some("104".to_owned()));
    let hello = json!({ "id": 1, "ask": "hello", "version": 1, "extension": "104" });
    assert_eq!(read(&mut line).await, hello);
    write(&mut line, welcome(7, json!([]), &[])).await;
    assert!(matches!(frame(&mut from).await, (Message::Welcome(_), Some(Ask::Hello { .. }))));
    asks.send(Ask::Claim { call: call() }).await.unwrap();
    assert_eq!(read(&mut line).await, json!({ "id": 2, "ask": "claim", "call": super::CALL }));
    write(&mut line, json!({ "type": "something_new", "of": "a newer server" })).await;
    assert_eq!(frame(&mut from).await, (Message::Unknown, None));
    write(&mut line, json!({ "type": "rows", "rows": 5 })).await;
    assert!(matches!(told(&mut from).await, Told::Unreadable));
    // The connection breaks before the claim was answered.
    drop(line);
    let Told::Connection(Connection::Broken { unanswered: 1, again, .. }) = told(&mut from).await else {
        panic!("not told that it broke")
    };
    assert!(again <= Duration::from_millis(500));
    asks.send(Ask::Suggest { call: call() }).await.unwrap();
    assert!(matches!(told(&mut from).await, Told::Unsent(Ask::Suggest { .. })), "it isn't kept for later");
    let mut line = peer.accept().await;
    assert_eq!(read(&mut line).await["ask"], "hello");
    // A server that isn't ready is asked again, one that goes down too.
    write(&mut line, json!({ "type": "bye", "why": "restart", "text": "Vuelve enseguida." })).await;
    peer.refuse(StatusCode::SERVICE_UNAVAILABLE).await;
    let mut line = peer.accept().await;
    assert_eq!(read(&mut line).await["ask"], "hello");
    write(&mut line, welcome(8, json!([]), &[])).await;
    while !matches!(frame(&mut from).await, (Message::Welcome(_), _)) {}
    // Whoever leaves says so.
    drop(asks);
    let end = timeout(PATIENCE, line.next()).await.expect("no goodbye");
    assert!(matches!(end, Some(Ok(Wire::Close(_)))), "{end:?}");
}

#[tokio::test]
async fn a_session_that_is_over_ends_it() {
    let (peer, door) = Peer::new().await;
    let (first, mut line) = tokio::join!(door.open(), peer.accept());
    let (_asks, mut from) = link::start(door, first.unwrap(), None);
    read(&mut line).await;
    write(&mut line, json!({ "type": "bye", "why": "signed_out", "text": "Vuelva a entrar." })).await;
    assert!(matches!(frame(&mut from).await, (Message::Bye { .. }, _)));
    assert!(matches!(told(&mut from).await, Told::End(why) if why == "Vuelva a entrar."));
    assert!(from.recv().await.is_none());
}

#[tokio::test]
async fn what_a_door_answers_is_said_as_what_it_is() {
    for (status, passing, says) in [
        (StatusCode::UNAUTHORIZED, false, "vuelva a entrar"),
        (StatusCode::FORBIDDEN, false, "operator o supervisor"),
        (StatusCode::NOT_FOUND, false, "no hay una mesa de Aura (404)"),
        (StatusCode::SERVICE_UNAVAILABLE, true, "no está listo"),
        (StatusCode::TOO_MANY_REQUESTS, true, "no está listo"),
    ] {
        let (peer, door) = Peer::new().await;
        let (opened, ()) = tokio::join!(door.open(), peer.refuse(status));
        let shut = opened.err().expect("it was refused");
        assert_eq!(matches!(shut, Shut::Passing(_)), passing, "{status}: {shut}");
        assert!(shut.to_string().contains(says), "{status}: {shut}");
    }
    let (peer, door) = Peer::new().await;
    drop(peer);
    let shut = door.open().await.err().expect("nobody listens");
    assert!(matches!(&shut, Shut::Passing(why) if why.contains("no se llega al servidor")), "{shut}");
}

#[test]
fn addresses_that_cant_be_a_desk_are_refused() {
    for address in ["", "desk", "http://127.0.0.1/desk", "ws://", "ftp://x/desk"] {
        let shut = Door::new(address).err().unwrap_or_else(|| panic!("{address} was taken"));
        assert!(
            matches!(&shut, Shut::Final(why) if why.contains("ws://127.0.0.1:8080/desk")),
            "{address}: {shut}"
        );
    }
    let open = |address| Door::new(address).unwrap().is_open();
    assert!(open("ws://10.0.0.5:8080/desk") && open("ws://mesa.example/desk"));
    assert!(
        !open("wss://mesa.example/desk") && !open("ws://[::1]:8080/desk") && !open("ws://localhost/desk")
    );
}
