//! A stand-in for an OpenAI-compatible server: real sockets, scripted answers, and a memory of what it was asked.
pub mod answer;

pub use answer::{Answer, Step, delta, finish, frames, usage, vector_of};

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// How long a test waits for what must come, before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Received {
    /// Which connection it came over, from 0.
    pub connection: usize,
    /// The path with its query.
    pub path: String,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body's bytes as text.
    pub text: String,
    /// The body.
    pub body: Value,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All of the script was sent.
    Served,
    /// The client hung up before.
    Dropped,
}

type Script = Arc<dyn Fn(usize, &Received) -> Answer + Send + Sync>;

#[derive(Clone)]
struct Shared {
    script: Script,
    received: Arc<Mutex<Vec<Received>>>,
    endings: Arc<watch::Sender<BTreeMap<usize, Ending>>>,
    asked: Arc<watch::Sender<usize>>,
}

/// A running stand-in. It stops when it is dropped.
pub struct StandIn {
    address: SocketAddr,
    shared: Shared,
    task: JoinHandle<()>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StandIn {
    /// Answers the first request with the first answer, and so on; with 500 when the script is over.
    pub async fn start(script: Vec<Answer>) -> Self {
        let over = Answer::refused(500, "script_over", "server_error");
        Self::responding(move |n, _| script.get(n).cloned().unwrap_or_else(|| over.clone())).await
    }

    /// Answers request `n` (from 0) as `script` says.
    pub async fn responding(script: impl Fn(usize, &Received) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            script: Arc::new(script),
            received: Arc::default(),
            endings: Arc::new(watch::Sender::new(BTreeMap::new())),
            asked: Arc::new(watch::Sender::new(0)),
        };
        let task = tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared, task }
    }

    /// Embeds each input with [`vector_of`], in the encoding that is asked for.
    pub async fn embedding(dims: usize) -> Self {
        Self::responding(move |_, received| {
            let inputs = received.body["input"].as_array().cloned().unwrap_or_default();
            let vectors: Vec<_> =
                inputs.iter().map(|text| vector_of(text.as_str().unwrap_or_default(), dims)).collect();
            Answer::embeddings(&vectors, received.body["encoding_format"] == "base64")
        })
        .await
    }

    /// The base URL, as a customer would set it.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        let mut asked = self.shared.asked.subscribe();
        let wait = timeout(PATIENCE, asked.wait_for(|n| *n >= count)).await;
        wait.expect("the request never came").unwrap();
    }

    /// Waits for the end of the answer to request `n` (from 0).
    pub async fn ending(&self, n: usize) -> Ending {
        let mut endings = self.shared.endings.subscribe();
        let wait = timeout(PATIENCE, endings.wait_for(|endings| endings.contains_key(&n))).await;
        wait.expect("the answer never ended").unwrap()[&n]
    }
}

async fn accept(listener: TcpListener, shared: Shared) {
    // The connections end with the server, as a crashed one's would.
    let mut connections = tokio::task::JoinSet::new();
    for connection in 0.. {
        let Ok((socket, _)) = listener.accept().await else { return };
        socket.set_nodelay(true).unwrap();
        connections.spawn(serve(socket, connection, shared.clone()));
    }
}

async fn serve(mut socket: TcpStream, connection: usize, shared: Shared) {
    let mut buffer = Vec::new();
    while let Some(received) = read_request(&mut socket, &mut buffer, connection).await {
        let n = {
            let mut all = shared.received.lock().unwrap();
            all.push(received.clone());
            all.len() - 1
        };
        shared.asked.send_replace(n + 1);
        let answer = (shared.script)(n, &received);
        let ending = if play(&mut socket, &answer).await { Ending::Served } else { Ending::Dropped };
        shared.endings.send_modify(|endings| {
            endings.insert(n, ending);
        });
        if ending == Ending::Dropped || answer.breaks_off {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>, connection: usize) -> Option<Received> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).ok()?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<_, _> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while buffer.len() < head_end + length {
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8(buffer[head_end..head_end + length].to_vec()).ok()?;
    buffer.drain(..head_end + length);
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Some(Received { connection, path, headers, text, body })
}

/// Plays an answer; false if the client hung up before its end.
async fn play(socket: &mut TcpStream, answer: &Answer) -> bool {
    if answer.mute {
        return hung_up(socket, None).await;
    }
    if socket.write_all(answer.head().as_bytes()).await.is_err() {
        return false;
    }
    for step in &answer.steps {
        let goes_on = match step {
            Step::Bytes(bytes) => write_chunk(socket, bytes).await,
            Step::Pause(time) => hung_up(socket, Some(*time)).await,
            Step::Hold => hung_up(socket, None).await,
            Step::Forever(bytes, every) => loop {
                if !write_chunk(socket, bytes).await || !hung_up(socket, Some(*every)).await {
                    break false;
                }
            },
        };
        if !goes_on {
            return false;
        }
    }
    answer.breaks_off || socket.write_all(b"0\r\n\r\n").await.is_ok()
}

async fn write_chunk(socket: &mut TcpStream, bytes: &[u8]) -> bool {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    socket.write_all(&chunk).await.is_ok()
}

/// Waits for `time`, or for ever; false as soon as the client hangs up.
async fn hung_up(socket: &mut TcpStream, time: Option<Duration>) -> bool {
    let mut byte = [0];
    let closed = async { while socket.peek(&mut byte).await.is_ok_and(|n| n > 0) {} };
    match time {
        None => {
            closed.await;
            false
        }
        Some(time) => tokio::select! {
            () = closed => false,
            () = sleep(time) => true,
        },
    }
}
