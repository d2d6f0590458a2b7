//! A PBX's end of a websocket: sends, and remembers all that comes back.
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// How long a test waits for what must come, before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

type Sink = Arc<Mutex<Option<SplitSink<WebSocketStream<TcpStream>, Message>>>>;

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A text message.
    Text(String),
    /// A binary message.
    Binary(Vec<u8>),
    /// A ping; it was answered, unless the PBX hangs up on pings.
    Ping,
    /// A close frame, with its code.
    Closed(Option<u16>),
    /// The socket is gone.
    Gone,
}

/// Why there is no socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The answer's body, or what went wrong.
    pub reason: String,
}

/// What a PBX does when a message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It goes on.
    GoOn,
    /// It closes with 1000.
    Close,
    /// It drops the socket.
    Drop,
}

/// A socket that a PBX opened.
pub struct Socket {
    sink: Sink,
    seen: watch::Sender<Vec<Incoming>>,
    reader: JoinHandle<()>,
    /// The subprotocol that was agreed on.
    pub protocol: Option<String>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// The handshake; a server that picks no offered subprotocol, or an extension, is refused as the PBX would.
pub async fn open(
    url: &str,
    headers: &[(String, String)],
) -> Result<(WebSocketStream<TcpStream>, Option<String>), Refused> {
    let refused = |reason: String| Refused { status: None, reason };
    let mut request = url.into_client_request().map_err(|error| refused(error.to_string()))?;
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    }
    let address = request.uri().authority().expect("an address").as_str().to_owned();
    let socket = TcpStream::connect(address).await.map_err(|error| refused(error.to_string()))?;
    socket.set_nodelay(true).unwrap();
    let answer = timeout(PATIENCE, client_async(request, socket)).await.expect("an answer");
    let (socket, response) = answer.map_err(|error| match error {
        Error::Http(response) => {
            let reason = String::from_utf8_lossy(response.body().as_deref().unwrap_or_default()).into_owned();
            Refused { status: Some(response.status().as_u16()), reason }
        }
        error => refused(error.to_string()),
    })?;
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    if let Some(extension) = header("sec-websocket-extensions") {
        return Err(refused(format!("{extension} was negotiated")));
    }
    Ok((socket, header("sec-websocket-protocol")))
}

impl Socket {
    /// Opens one, and does with what comes as `react` says.
    pub async fn connect(
        url: &str,
        headers: &[(String, String)],
        react: impl Fn(&Message) -> Reaction + Send + Sync + 'static,
    ) -> Result<Self, Refused> {
        let (socket, protocol) = open(url, headers).await?;
        let (sink, stream) = socket.split();
        let sink = Arc::new(Mutex::new(Some(sink)));
        let seen = watch::Sender::new(Vec::new());
        let reader = tokio::spawn(read(stream, Arc::clone(&sink), seen.clone(), react));
        Ok(Self { sink, seen, reader, protocol })
    }

    /// Sends a message; false if the socket is gone.
    pub async fn send(&self, message: Message) -> bool {
        match self.sink.lock().await.as_mut() {
            Some(sink) => sink.send(message).await.is_ok(),
            None => false,
        }
    }

    /// Sends a text message.
    pub async fn text(&self, text: impl Into<String>) -> bool {
        self.send(Message::text(text.into())).await
    }

    /// Sends a binary message.
    pub async fn binary(&self, bytes: &[u8]) -> bool {
        self.send(Message::binary(bytes.to_vec())).await
    }

    /// Sends a ping.
    pub async fn ping(&self) -> bool {
        self.send(Message::Ping(Vec::new().into())).await
    }

    /// Closes, and waits for the other side's close; its code.
    pub async fn close(&self, code: u16) -> Option<u16> {
        self.send(Message::Close(Some(CloseFrame { code: code.into(), reason: "".into() }))).await;
        self.closed().await
    }

    /// Drops the TCP connection without a close frame.
    pub async fn abort(&self) {
        self.reader.abort();
        while !self.reader.is_finished() {
            tokio::task::yield_now().await;
        }
        self.sink.lock().await.take();
        self.seen.send_modify(|seen| seen.push(Incoming::Gone));
    }

    /// All that came so far.
    pub fn seen(&self) -> Vec<Incoming> {
        self.seen.borrow().clone()
    }

    /// The text messages that came so far.
    pub fn texts(&self) -> Vec<String> {
        let text = |it| if let Incoming::Text(text) = it { Some(text) } else { None };
        self.seen().into_iter().filter_map(text).collect()
    }

    /// Waits until what came is as wanted, and returns it.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[Incoming]) -> bool) -> Vec<Incoming> {
        let mut seen = self.seen.subscribe();
        let right = timeout(PATIENCE, seen.wait_for(|seen| wanted(seen))).await.is_ok();
        assert!(right, "waited in vain until {what}: {:?}", self.seen());
        self.seen()
    }

    /// Waits for a text message that holds `part`, and returns the first.
    pub async fn text_with(&self, part: &str) -> String {
        let holds = |it: &Incoming| matches!(it, Incoming::Text(text) if text.contains(part));
        self.until(part, |seen| seen.iter().any(holds)).await;
        self.texts().into_iter().find(|text| text.contains(part)).unwrap()
    }

    /// Waits until the socket is over; the code of the other side's close frame, if one came.
    pub async fn closed(&self) -> Option<u16> {
        let seen = self.until("the socket is over", |seen| seen.contains(&Incoming::Gone)).await;
        seen.into_iter().find_map(|it| if let Incoming::Closed(code) = it { code } else { None })
    }
}

async fn read(
    mut stream: SplitStream<WebSocketStream<TcpStream>>,
    sink: Sink,
    seen: watch::Sender<Vec<Incoming>>,
    react: impl Fn(&Message) -> Reaction,
) {
    while let Some(Ok(message)) = stream.next().await {
        let reaction = react(&message);
        let came = match message {
            Message::Text(text) => Incoming::Text(text.to_string()),
            Message::Binary(bytes) => Incoming::Binary(bytes.to_vec()),
            Message::Ping(_) => Incoming::Ping,
            Message::Close(frame) => Incoming::Closed(frame.map(|frame| frame.code.into())),
            _ => continue,
        };
        seen.send_modify(|seen| seen.push(came));
        match reaction {
            Reaction::GoOn => {}
            Reaction::Close => {
                let close = Message::Close(Some(CloseFrame { code: 1000.into(), reason: "".into() }));
                if let Some(sink) = sink.lock().await.as_mut() {
                    let _ = sink.send(close).await;
                }
            }
            Reaction::Drop => break,
        }
    }
    sink.lock().await.take();
    drop(stream);
    seen.send_modify(|seen| seen.push(Incoming::Gone));
}
