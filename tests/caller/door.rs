//! A door for forked calls on a real socket: it writes down what a PBX sends, and recognises what arrived intact.
use crate::tones::Listener;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// How the door behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Good,
    /// Picks no subprotocol.
    PicksNone,
    /// Recognises nothing.
    Deaf,
    /// Swaps the legs.
    Swaps,
    /// Answers the metadata with this text frame.
    Says(&'static str),
    /// Answers it with a binary frame.
    Binary,
    /// Answers it with a close frame.
    Hangs,
}

/// What came over a socket.
#[derive(Clone, Debug, PartialEq)]
pub enum Came {
    Text(Value),
    Audio(Vec<u8>),
    Closed(u16),
    /// The socket is gone without a close frame.
    Gone,
}

/// One socket.
#[derive(Clone, Debug, Default)]
pub struct Dialled {
    pub path: String,
    pub offered: String,
    pub came: Vec<Came>,
}

impl Dialled {
    pub fn texts(&self) -> Vec<&Value> {
        self.came
            .iter()
            .filter_map(|came| if let Came::Text(text) = came { Some(text) } else { None })
            .collect()
    }

    pub fn audio(&self) -> Vec<&[u8]> {
        let mut frames = Vec::new();
        for came in &self.came {
            if let Came::Audio(frame) = came {
                frames.push(frame.as_slice());
            }
        }
        frames
    }

    /// How many audio frames came before the first text frame that is so.
    pub fn frames_before(&self, is: impl Fn(&Value) -> bool) -> usize {
        let at = self.came.iter().position(|came| matches!(came, Came::Text(text) if is(text))).unwrap();
        self.came[..at].iter().filter(|came| matches!(came, Came::Audio(_))).count()
    }
}

/// A running door.
pub struct Door {
    pub url: String,
    dialled: Arc<Mutex<Vec<Dialled>>>,
}

impl Door {
    pub async fn open(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/audio-fork/secreto?x=1", listener.local_addr().unwrap());
        let dialled = Arc::new(Mutex::new(Vec::new()));
        let all = dialled.clone();
        tokio::spawn(async move {
            for n in 0.. {
                let (tcp, _) = listener.accept().await.unwrap();
                all.lock().unwrap().push(Dialled::default());
                tokio::spawn(serve(tcp, manner, n, all.clone()));
            }
        });
        Self { url, dialled }
    }

    /// The sockets, once all of them are over.
    pub async fn dialled(&self) -> Vec<Dialled> {
        let over = |it: &Dialled| matches!(it.came.last(), Some(Came::Closed(_) | Came::Gone));
        while !self.dialled.lock().unwrap().iter().all(over) {
            tokio::task::yield_now().await;
        }
        self.dialled.lock().unwrap().clone()
    }
}

struct Peer {
    ws: WebSocketStream<TcpStream>,
    manner: Manner,
    /// Whose voices the channels are.
    legs: [&'static str; 2],
    ears: [Listener; 2],
}

// The callback's error is as large as the library makes it.
#[allow(clippy::result_large_err)]
async fn serve(tcp: TcpStream, manner: Manner, n: usize, all: Arc<Mutex<Vec<Dialled>>>) {
    let dialled = all.clone();
    let ws = accept_hdr_async(tcp, move |request: &Request, mut response: Response| {
        let offered = request.headers().get("sec-websocket-protocol").unwrap().to_str().unwrap().to_owned();
        if manner != Manner::PicksNone {
            let picked = HeaderValue::from_str(&offered).unwrap();
            response.headers_mut().insert("sec-websocket-protocol", picked);
        }
        let mut all = dialled.lock().unwrap();
        (all[n].path, all[n].offered) = (request.uri().to_string(), offered);
        Ok::<_, ErrorResponse>(response)
    });
    let ears = [Listener::new(8_000), Listener::new(8_000)];
    let mut peer = Peer { ws: ws.await.unwrap(), manner, legs: ["patient", "operator"], ears };
    loop {
        let came = match peer.ws.next().await {
            Some(Ok(Message::Text(text))) => Came::Text(serde_json::from_str(text.as_str()).unwrap()),
            Some(Ok(Message::Binary(bytes))) => Came::Audio(bytes.to_vec()),
            Some(Ok(Message::Close(frame))) => Came::Closed(frame.map_or(1005, |frame| frame.code.into())),
            Some(Ok(_)) => continue,
            Some(Err(_)) | None => Came::Gone,
        };
        all.lock().unwrap()[n].came.push(came.clone());
        match came {
            Came::Text(text) => peer.told(&text).await,
            Came::Audio(frame) => peer.hear(&frame).await,
            Came::Closed(_) | Came::Gone => return,
        }
    }
}

impl Peer {
    async fn told(&mut self, text: &Value) {
        if text["type"] == "transcript" {
            return self.line(text["leg"].as_str().unwrap(), &text["text"], &text["final"]).await;
        }
        if text.get("mixType").is_none() {
            return;
        }
        if text["leg"] == "operator" {
            self.legs.reverse();
        }
        match self.manner {
            Manner::Says(text) => self.send(Message::text(text)).await,
            Manner::Binary => self.send(Message::binary(vec![1, 2, 3])).await,
            Manner::Hangs => {
                let close = CloseFrame { code: 1011.into(), reason: "no puedo".into() };
                self.ws.close(Some(close)).await.unwrap();
            }
            _ => {}
        }
    }

    async fn hear(&mut self, frame: &[u8]) {
        let samples: Vec<i16> = frame.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
        for channel in 0..2 {
            let track: Vec<i16> = samples.iter().skip(channel).step_by(2).copied().collect();
            for heard in self.ears[channel].push(&track) {
                let text = heard.text.unwrap_or_else(|damage| format!("({damage:?})"));
                self.line(self.legs[channel], &json!(text), &json!(true)).await;
            }
        }
    }

    async fn line(&mut self, leg: &str, text: &Value, done: &Value) {
        let leg = match (self.manner, leg) {
            (Manner::Deaf, _) => return,
            (Manner::Swaps, "patient") => "operator",
            (Manner::Swaps, _) => "patient",
            _ => leg,
        };
        let data = json!({"leg": leg, "text": text, "final": done});
        self.send(Message::text(json!({"type": "transcription", "data": data}).to_string())).await;
    }

    async fn send(&mut self, message: Message) {
        // A PBX that has gone is noticed by the reading side.
        let _ = self.ws.send(message).await;
    }
}
