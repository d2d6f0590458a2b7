//! Retell's half of a call by hand: frames as a test wants them, right or wrong.
use crate::service::{PATIENCE, Running};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame, coding::CloseCode};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// One socket.
pub struct Line {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pings: i64,
}

impl Line {
    /// Dials a call and takes the config frame.
    pub async fn dial(running: &Running, call: &str) -> Self {
        Self::dial_url(&format!("{}/{call}", running.url())).await
    }

    /// Dials an address and takes the config frame.
    pub async fn dial_url(url: &str) -> Self {
        let (socket, _) = timeout(PATIENCE, connect_async(url)).await.expect("an answer").expect("a socket");
        let mut line = Self { socket, pings: 0 };
        let config = line.frame().await;
        assert_eq!(config["response_type"], "config", "config comes first");
        assert_eq!(config["config"]["auto_reconnect"], true);
        line
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        self.send_text(frame.to_string()).await;
    }

    /// Sends a text frame, whatever it holds.
    pub async fn send_text(&mut self, text: String) {
        self.socket.send(Message::text(text)).await.expect("it is sent");
    }

    /// Sends a binary frame.
    pub async fn send_binary(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::binary(bytes)).await.expect("it is sent");
    }

    /// Sends bytes as a text frame, UTF-8 or not.
    pub async fn send_bytes_as_text(&mut self, bytes: &[u8]) {
        let frame = Frame::message(bytes.to_vec(), OpCode::Data(Data::Text), true);
        self.socket.send(Message::Frame(frame)).await.expect("it is sent");
    }

    /// Sends as much of a frame as the other side takes.
    pub async fn try_send_text(&mut self, text: String) {
        drop(self.socket.send(Message::text(text)).await);
    }

    /// Asks for an answer.
    pub async fn ask(&mut self, id: u64, transcript: &[(&str, &str)]) {
        self.send(frame("response_required", id, transcript)).await;
    }

    /// The next frame; fails if the socket ends first.
    pub async fn frame(&mut self) -> Value {
        match timeout(PATIENCE, self.next()).await.expect("a frame never came") {
            Ok(frame) => frame,
            Err(code) => panic!("a frame was awaited; the socket ended with {code:?}"),
        }
    }

    /// Everything up to the closing frame of this answer: its pieces. Any other answer's frame fails the test.
    pub async fn answer(&mut self, id: u64) -> Answer {
        let mut answer = Answer::default();
        while !answer.complete {
            let frame = self.frame().await;
            if frame["response_type"] == "response" {
                assert_eq!(frame["response_id"], id, "a frame of another answer: {frame}");
                answer.take(&frame);
            }
        }
        answer
    }

    /// The next piece of this answer.
    pub async fn piece(&mut self, id: u64) -> String {
        let frame = self.frame().await;
        assert_eq!(
            (&frame["response_id"], &frame["content_complete"]),
            (&json!(id), &json!(false)),
            "{frame}"
        );
        frame["content"].as_str().unwrap().to_owned()
    }

    /// A round trip: all frames that were on their way before it.
    pub async fn settle(&mut self) -> Vec<Value> {
        self.pings += 1;
        let ping = self.pings;
        self.send(json!({ "interaction_type": "ping_pong", "timestamp": ping })).await;
        let mut before = Vec::new();
        loop {
            let frame = self.frame().await;
            if frame["response_type"] == "ping_pong" && frame["timestamp"] == ping {
                return before;
            }
            before.push(frame);
        }
    }

    /// Reads to the socket's end; the code it was closed with, `None` if it broke off without one.
    pub async fn closed(&mut self) -> Option<u16> {
        let end = async {
            loop {
                if let Err(code) = self.next().await {
                    return code;
                }
            }
        };
        timeout(PATIENCE, end).await.expect("the socket never ended")
    }

    /// Hangs up with goodbye.
    pub async fn hang_up(mut self) {
        let goodbye = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        self.socket.close(Some(goodbye)).await.expect("a goodbye");
        self.closed().await;
    }

    async fn next(&mut self) -> Result<Value, Option<u16>> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text).expect("a JSON frame"));
                }
                Some(Ok(Message::Close(frame))) => return Err(frame.map(|frame| frame.code.into())),
                Some(Ok(Message::Binary(_))) => panic!("a binary frame: Retell would hang up"),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }
}

/// A frame that wants an answer.
pub fn frame(kind: &str, id: u64, transcript: &[(&str, &str)]) -> Value {
    let turns: Vec<Value> =
        transcript.iter().map(|(role, content)| json!({ "role": role, "content": content })).collect();
    json!({ "interaction_type": kind, "response_id": id, "transcript": turns })
}

/// An answer as it came.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Pieces with words, in order.
    pub pieces: Vec<String>,
    /// Whether it was closed.
    pub complete: bool,
    /// Whether the peer shall hang up.
    pub end_call: bool,
}

impl Answer {
    fn take(&mut self, frame: &Value) {
        let content = frame["content"].as_str().expect("a text as content");
        if !content.trim().is_empty() {
            self.pieces.push(content.trim().to_owned());
        }
        self.complete = frame["content_complete"].as_bool().expect("true or false");
        self.end_call |= frame["end_call"] == true;
    }

    /// All of it.
    pub fn text(&self) -> String {
        self.pieces.join(" ")
    }
}

/// A caller who talks in turns and remembers what was said.
pub struct Caller {
    /// The socket.
    pub line: Line,
    /// The newest id that was asked for.
    pub id: u64,
    said: Vec<(&'static str, String)>,
}

impl Caller {
    /// Dials and is greeted.
    pub async fn dial(running: &Running, call: &str) -> Self {
        let mut line = Line::dial(running, call).await;
        let greeting = line.answer(0).await;
        Self { line, id: 0, said: vec![("agent", greeting.text())] }
    }

    /// Dials again under the same id.
    pub async fn redial(&mut self, running: &Running, call: &str) {
        self.line = Line::dial(running, call).await;
    }

    /// Says something and asks for an answer, but doesn't wait for it.
    pub async fn ask(&mut self, text: &str) -> u64 {
        self.id += 1;
        self.said.push(("user", text.to_owned()));
        let transcript: Vec<(&str, &str)> =
            self.said.iter().map(|(role, text)| (*role, text.as_str())).collect();
        self.line.ask(self.id, &transcript).await;
        self.id
    }

    /// Says something and hears the whole answer.
    pub async fn say(&mut self, text: &str) -> Answer {
        let id = self.ask(text).await;
        let answer = self.line.answer(id).await;
        self.heard(&answer.text());
        answer
    }

    /// Writes down what was heard of an answer.
    pub fn heard(&mut self, text: &str) {
        self.said.push(("agent", text.to_owned()));
    }
}
