//! A stand-in for vosk-server: one mono stream a socket, one reply a message, and an ear that checks what arrives.
#[path = "vosk/recogniser.rs"]
mod recogniser;

use super::tones::Heard;
use futures_util::{SinkExt, StreamExt};
use recogniser::Recogniser;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_async};

/// How long a test waits for what must come, before it fails.
const PATIENCE: Duration = Duration::from_secs(30);
/// Compared letter by letter, spaces too.
const EOF: &str = r#"{"eof" : 1}"#;
const RESET: &str = r#"{"reset" : 1}"#;

/// What happens on one connection. Times called `…_after` are seconds of its audio.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Each reply comes later by this, and the next message waits.
    pub delay: Duration,
    /// So many seconds of work for each second of audio: above 1 it falls behind for good.
    pub slowness: f64,
    /// Hangs up without a close frame.
    pub drop_after: Option<f64>,
    /// Reads, and replies no more.
    pub mute_after: Option<f64>,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By the literal `eof`.
    Eof,
    /// The client closed, or was gone.
    Left,
    /// The stand-in hung up.
    Dropped,
    /// The configuration was no JSON.
    Crashed,
}

/// One connection.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Configurations, in their order.
    pub configs: Vec<Value>,
    /// Audio messages.
    pub messages: usize,
    /// The largest of them, in bytes.
    pub largest: usize,
    /// Audio messages with half a sample, which is lost.
    pub uneven: usize,
    /// Texts that were taken for audio, e.g. an `eof` without its spaces.
    pub taken_for_audio: Vec<String>,
    /// Replies that were sent.
    pub replies: usize,
    /// Samples that came.
    pub samples: u64,
    /// Utterances, whole or damaged.
    pub heard: Vec<Heard>,
    /// Its end.
    pub ended: Option<Ended>,
}

impl Connection {
    /// The texts that arrived whole, as they were said.
    pub fn texts(&self) -> Vec<&str> {
        self.heard.iter().filter_map(|heard| heard.text.as_deref().ok()).collect()
    }

    /// Utterances that arrived damaged.
    pub fn damaged(&self) -> usize {
        self.heard.iter().filter(|heard| heard.text.is_err()).count()
    }
}

type Script = Arc<dyn Fn(usize) -> Behaviour + Send + Sync>;

#[derive(Clone)]
struct Shared {
    script: Script,
    connections: Arc<Mutex<Vec<Connection>>>,
    changes: watch::Sender<u64>,
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.connections.lock().unwrap()
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut Connection)) {
        change(&mut self.connections()[number]);
        self.changes.send_modify(|changes| *changes += 1);
    }
}

/// A running stand-in. It stops when it is dropped.
pub struct Vosk {
    address: SocketAddr,
    shared: Shared,
    task: JoinHandle<()>,
}

impl Drop for Vosk {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Vosk {
    /// One by the book.
    pub async fn start() -> Self {
        Self::behaving(|_| Behaviour::default()).await
    }

    /// One that behaves on connection `n` (from 0) as `script` says.
    pub async fn behaving(script: impl Fn(usize) -> Behaviour + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, changes) = (Arc::default(), watch::Sender::new(0));
        let shared = Shared { script: Arc::new(script), connections, changes };
        let task = tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared, task }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("ws://{}", self.address)
    }

    /// All connections so far.
    pub fn connections(&self) -> Vec<Connection> {
        self.shared.connections().clone()
    }

    /// Waits until the connections are as wanted, and returns them.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[Connection]) -> bool) -> Vec<Connection> {
        let mut changes = self.shared.changes.subscribe();
        let right = timeout(PATIENCE, changes.wait_for(|_| wanted(&self.shared.connections()))).await.is_ok();
        assert!(right, "waited in vain until {what}: {:#?}", self.connections());
        self.connections()
    }
}

async fn accept(listener: TcpListener, shared: Shared) {
    let mut connections = JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        socket.set_nodelay(true).unwrap();
        let number = {
            let mut all = shared.connections();
            all.push(Connection::default());
            all.len() - 1
        };
        connections.spawn(serve(socket, number, shared.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(socket: TcpStream, number: usize, shared: Shared) {
    let ended = match accept_async(socket).await {
        Ok(socket) => {
            let behaviour = (shared.script)(number);
            Link { number, behaviour, socket, recogniser: Recogniser::new(8_000), shared: shared.clone() }
                .run()
                .await
        }
        Err(_) => Ended::Left,
    };
    shared.change(number, |it| it.ended = Some(ended));
}

struct Link {
    number: usize,
    behaviour: Behaviour,
    socket: WebSocketStream<TcpStream>,
    recogniser: Recogniser,
    shared: Shared,
}

impl Link {
    async fn run(mut self) -> Ended {
        while let Some(Ok(message)) = self.socket.next().await {
            let ended = match message {
                Message::Binary(bytes) => self.audio(&bytes).await,
                Message::Text(text) => self.text(&text).await,
                Message::Close(_) => Some(Ended::Left),
                _ => None,
            };
            if let Some(ended) = ended {
                if matches!(ended, Ended::Eof | Ended::Crashed) {
                    self.close(if ended == Ended::Eof { 1000 } else { 1011 }).await;
                }
                return ended;
            }
        }
        Ended::Left
    }

    async fn text(&mut self, text: &str) -> Option<Ended> {
        if text.contains("config") {
            let Ok(message) = serde_json::from_str::<Value>(text) else { return Some(Ended::Crashed) };
            self.recogniser.configure(&message["config"]);
            self.shared.change(self.number, |it| it.configs.push(message["config"].clone()));
            return None;
        }
        if text != EOF && text != RESET {
            self.shared.change(self.number, |it| it.taken_for_audio.push(text.to_owned()));
            return self.audio(text.as_bytes()).await;
        }
        let (heard, reply) = self.recogniser.finish();
        self.shared.change(self.number, |it| it.heard.extend(heard));
        self.reply(reply).await;
        (text == EOF).then_some(Ended::Eof)
    }

    async fn audio(&mut self, bytes: &[u8]) -> Option<Ended> {
        let pair = |two: &[u8]| i16::from_le_bytes([two[0], two[1]]);
        let samples: Vec<i16> = bytes.chunks_exact(2).map(pair).collect();
        let (heard, reply) = self.recogniser.hear(&samples);
        self.shared.change(self.number, |it| {
            it.messages += 1;
            it.largest = it.largest.max(bytes.len());
            it.uneven += bytes.len() % 2;
            it.samples += samples.len() as u64;
            it.heard.extend(heard);
        });
        let work = samples.len() as f64 / f64::from(self.recogniser.rate()) * self.behaviour.slowness;
        sleep(self.behaviour.delay + Duration::from_secs_f64(work)).await;
        if self.behaviour.drop_after.is_some_and(|after| self.recogniser.seconds() >= after) {
            return Some(Ended::Dropped);
        }
        self.reply(reply).await;
        None
    }

    async fn reply(&mut self, reply: Value) {
        if self.behaviour.mute_after.is_some_and(|after| self.recogniser.seconds() >= after) {
            return;
        }
        if self.socket.send(Message::text(reply.to_string())).await.is_ok() {
            self.shared.change(self.number, |it| it.replies += 1);
        }
    }

    async fn close(&mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        let _ = self.socket.close(Some(frame)).await;
        let rest = async { while let Some(Ok(_)) = self.socket.next().await {} };
        let _ = timeout(Duration::from_secs(2), rest).await;
    }
}
