//! Callers as Retell carries them: they talk, are cut, redial under the same id and go on.
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// What callers say, in turn.
const SAID: [&str; 5] = [
    "Hola, tengo un concentrador M50 y me marca error H08",
    "no sé",
    "sí, ya está",
    "¿y después qué hago con el equipo?",
    "bueno, dale",
];
/// How long a caller waits for a frame before it hangs up and redials.
const WAIT: Duration = Duration::from_secs(20);

/// When something was heard, and when the socket that brought it was up.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Its socket died with the first process that was killed after this moment, whenever the caller came to
    /// read what was left in it.
    pub dialled: Instant,
    /// When it was read.
    pub at: Instant,
}

/// What one caller heard whole, and when.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Greetings.
    pub greetings: Vec<When>,
    /// Answers, by the number they were asked for under.
    pub answers: Vec<(u64, When)>,
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// One call for as long as the test goes on.
pub struct Caller {
    url: String,
    id: u64,
    said: Vec<Value>,
    heard: Arc<Mutex<Heard>>,
    stop: watch::Receiver<bool>,
}

impl Caller {
    /// A caller whose call has this id.
    pub fn new(
        address: SocketAddr,
        call: &str,
        stop: watch::Receiver<bool>,
        heard: Arc<Mutex<Heard>>,
    ) -> Self {
        let url = format!("ws://{address}/llm-websocket/{call}");
        Self { url, id: 0, said: Vec::new(), heard, stop }
    }

    /// Talks until it is told to stop.
    pub async fn talk(mut self) {
        while !*self.stop.borrow() {
            match timeout(WAIT, connect_async(&self.url)).await {
                Ok(Ok((socket, _))) => _ = self.go_on(socket).await,
                Ok(Err(_)) | Err(_) => sleep(Duration::from_millis(30)).await,
            }
        }
    }

    /// On one socket, until it ends.
    async fn go_on(&mut self, mut socket: Socket) -> Option<()> {
        let dialled = Instant::now();
        if self.heard.lock().expect("no poison").greetings.is_empty() {
            self.listen(&mut socket, dialled, 0).await?;
        }
        while !*self.stop.borrow() {
            let text = SAID[self.id as usize % SAID.len()];
            self.id += 1;
            self.said.push(json!({ "role": "user", "content": text }));
            let question = json!({ "interaction_type": "response_required", "response_id": self.id, "transcript": self.said });
            socket.send(Message::text(question.to_string())).await.ok()?;
            let answer = self.listen(&mut socket, dialled, self.id).await?;
            self.said.push(json!({ "role": "agent", "content": answer }));
            sleep(Duration::from_millis(10 + self.id * 7 % 60)).await;
        }
        Some(())
    }

    /// Hears an answer to its end and writes it down, and any greeting too.
    async fn listen(&mut self, socket: &mut Socket, dialled: Instant, id: u64) -> Option<String> {
        let mut words = String::new();
        loop {
            let message = timeout(WAIT, socket.next()).await.ok()??.ok()?;
            let Message::Text(text) = message else { continue };
            let frame: Value = serde_json::from_str(&text).expect("a JSON frame");
            if frame["response_type"] != "response" {
                continue;
            }
            let of = frame["response_id"].as_u64().expect("a number");
            if frame["content_complete"] == true {
                let when = When { dialled, at: Instant::now() };
                let mut heard = self.heard.lock().expect("no poison");
                match of {
                    0 => heard.greetings.push(when),
                    of => heard.answers.push((of, when)),
                }
            }
            if of == id {
                words.push_str(frame["content"].as_str().unwrap_or_default());
                if frame["content_complete"] == true {
                    return Some(words.trim().to_owned());
                }
            }
        }
    }
}
