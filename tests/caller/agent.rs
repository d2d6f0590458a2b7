//! An agent on a real socket that behaves, or misbehaves in one way.
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// What the agent does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    NeverConfigures,
    GreetsBeforeConfig,
    NeverEchoes,
    EchoesTwice,
    NeverCompletes,
    CompletesTwice,
    OldIdAfterRead,
    OldIdBeforeRead,
    UnaskedId,
    GreetsAgain,
    TextForFlag,
    NoTag,
    Binary,
    NotJson,
    Hangs,
    DropsLine,
}

/// A running agent.
pub struct Agent {
    pub url: String,
    /// The paths that were dialled, and every frame that the caller sent, in order.
    pub seen: Arc<Mutex<Vec<Value>>>,
}

impl Agent {
    pub async fn start(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/secreto/llm/?x=1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let seen_here = seen.clone();
        tokio::spawn(async move {
            for socket in 1.. {
                let (tcp, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(tcp, fault, socket, seen_here.clone()));
            }
        });
        Self { url, seen }
    }

    /// The frames of one kind that the caller sent.
    pub fn frames(&self, kind: &str) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|frame| frame["interaction_type"] == kind).cloned().collect()
    }

    pub fn paths(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter_map(|frame| frame["path"].as_str().map(str::to_owned)).collect()
    }
}

struct Peer {
    ws: WebSocketStream<TcpStream>,
    fault: Fault,
    /// An answer that is still open: its id.
    open: Option<u64>,
    /// An old id that is to speak once more after the next echo.
    haunting: Option<u64>,
}

// The callback's error is as large as the library makes it.
#[allow(clippy::result_large_err)]
async fn serve(tcp: TcpStream, fault: Fault, socket: usize, seen: Arc<Mutex<Vec<Value>>>) {
    let paths = seen.clone();
    let ws = accept_hdr_async(tcp, move |request: &Request, response: Response| {
        paths.lock().unwrap().push(json!({"path": request.uri().to_string()}));
        Ok::<_, ErrorResponse>(response)
    });
    let mut peer = Peer { ws: ws.await.unwrap(), fault, open: None, haunting: None };
    peer.open(socket).await;
    while let Some(Ok(message)) = peer.ws.next().await {
        let Message::Text(text) = message else { continue };
        let frame: Value = serde_json::from_str(text.as_str()).unwrap();
        seen.lock().unwrap().push(frame.clone());
        match frame["interaction_type"].as_str().unwrap() {
            "ping_pong" => peer.echo(&frame).await,
            "response_required" | "reminder_required" if !peer.answer(&frame).await => return,
            _ => {}
        }
    }
}

impl Peer {
    async fn send(&mut self, frame: Value) {
        // A caller that has gone is noticed by the reading side.
        let _ = self.ws.send(Message::text(frame.to_string())).await;
    }

    async fn piece(&mut self, id: u64, content: &str, complete: bool) {
        let frame = json!({"response_type": "response", "response_id": id, "content": content,
            "content_complete": complete});
        self.send(frame).await;
    }

    async fn open(&mut self, socket: usize) {
        match self.fault {
            Fault::NeverConfigures => return,
            Fault::GreetsBeforeConfig => self.piece(0, "Hola. ", false).await,
            _ => {}
        }
        let config =
            json!({"auto_reconnect": true, "call_details": true, "transcript_with_tool_calls": true});
        self.send(json!({"response_type": "config", "config": config})).await;
        if socket == 1 || self.fault == Fault::GreetsAgain {
            self.piece(0, "Hola, ¿en qué puedo ayudarle?", true).await;
        }
    }

    async fn echo(&mut self, ping: &Value) {
        let times = match self.fault {
            Fault::NeverEchoes => 0,
            Fault::EchoesTwice => 2,
            _ => 1,
        };
        for _ in 0..times {
            self.send(json!({"response_type": "ping_pong", "timestamp": ping["timestamp"]})).await;
        }
        if let Some(old) = self.haunting.take() {
            self.piece(old, "y además ", false).await;
        }
    }

    /// Answers a question; false if the line is to be dropped.
    async fn answer(&mut self, frame: &Value) -> bool {
        let id = frame["response_id"].as_u64().unwrap();
        match (self.fault, self.open.take()) {
            (Fault::OldIdAfterRead, old) => self.haunting = old,
            (Fault::OldIdBeforeRead, Some(old)) => self.piece(old, "y además ", false).await,
            _ => {}
        }
        match self.fault {
            Fault::Binary => self.ws.send(Message::binary(vec![1, 2, 3])).await.unwrap(),
            Fault::NotJson => self.ws.send(Message::text("{hola")).await.unwrap(),
            Fault::UnaskedId => self.piece(id + 1, "Hola. ", false).await,
            Fault::NoTag => {
                self.send(json!({"response_id": id, "content": "x", "content_complete": false})).await
            }
            Fault::TextForFlag => {
                let content = json!({"response_type": "response", "response_id": id, "content": "x",
                    "content_complete": "true"});
                self.send(content).await;
            }
            Fault::Hangs => {
                let close = CloseFrame { code: 1000.into(), reason: "listo".into() };
                self.ws.close(Some(close)).await.unwrap();
            }
            Fault::DropsLine => return false,
            _ => {}
        }
        self.say(id, frame).await;
        true
    }

    async fn say(&mut self, id: u64, frame: &Value) {
        let said = frame["transcript"].as_array().unwrap().last().map(|t| t["content"].as_str().unwrap());
        let said = said.unwrap_or_default();
        if said.contains("chau") {
            let goodbye = json!({"response_type": "response", "response_id": id, "content": "Hasta luego.",
                "content_complete": true, "end_call": true});
            return self.send(goodbye).await;
        }
        self.piece(id, "Apague el M50 ", false).await;
        // Some answers take so long that they are interrupted.
        if said.contains("despacio") {
            self.open = Some(id);
            return;
        }
        self.piece(id, "y espere: «H08». ", false).await;
        if self.fault != Fault::NeverCompletes {
            self.piece(id, "", true).await;
        }
        if self.fault == Fault::CompletesTwice {
            self.piece(id, "", true).await;
        }
    }
}
