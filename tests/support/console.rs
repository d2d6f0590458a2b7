//! An operator's client for tests: the real websocket, the protocol's own types.
use aura::desk::{CallView, Mirror};
use aura::ids::CallId;
use aura::protocol::desk::{Ask, Cursor, Farewell, Happening, Message as Told, Refusal, Request, VERSION};
use futures_util::{SinkExt, StreamExt};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// One operator's socket, and what they see.
pub struct Console {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// All that was told.
    pub mirror: Mirror,
    /// All frames, in order.
    pub log: Vec<Told>,
    next: u64,
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Done.
    Done,
    /// Refused, why, and who has the call.
    Refused(Refusal, Option<String>),
    /// Another answer.
    Other(Told),
}

/// A call's id.
pub fn id(call: &str) -> CallId {
    CallId::parse(call).expect("a call's id")
}

impl Console {
    /// Connects with a token and says hello.
    pub async fn open(address: SocketAddr, token: &str) -> Self {
        Self::at(address, token, None).await
    }

    /// The same, from a seat.
    pub async fn at(address: SocketAddr, token: &str, extension: Option<&str>) -> Self {
        let mut console = Self::silent(address, token).await;
        let extension = extension.map(str::to_owned);
        let id = console.send(Ask::Hello { version: VERSION, extension }).await;
        console.until("welcome", |told| matches!(told, Told::Welcome(welcome) if welcome.id == id)).await;
        console
    }

    /// Connects and says nothing.
    pub async fn silent(address: SocketAddr, token: &str) -> Self {
        let mut request = format!("ws://{address}/desk").into_client_request().expect("a request");
        let bearer = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("authorization", bearer);
        let (socket, _) = connect_async(request).await.expect("the desk's door");
        Self { socket, mirror: Mirror::default(), log: Vec::new(), next: 0 }
    }

    /// Asks, and doesn't wait; the request's number.
    pub async fn send(&mut self, ask: Ask) -> u64 {
        self.next += 1;
        let text = serde_json::to_string(&Request { id: self.next, ask }).expect("JSON");
        self.raw(&text).await;
        self.next
    }

    /// Sends a frame as it is.
    pub async fn raw(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.expect("a desk that reads");
    }

    /// The next frame; `None` once the socket has ended.
    pub async fn next(&mut self) -> Option<Told> {
        let late = Instant::now() + PATIENCE; // pings are no frames
        loop {
            match timeout_at(late, self.socket.next()).await.expect("a frame in time") {
                Some(Ok(Message::Text(text))) => {
                    let told: Told = serde_json::from_str(&text).expect("a frame of the protocol");
                    assert_ne!(told, Told::Unknown, "{text}");
                    self.mirror.take(told.clone());
                    self.log.push(told.clone());
                    return Some(told);
                }
                Some(Ok(Message::Close(_))) | None | Some(Err(_)) => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Reads until this comes.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&Told) -> bool) -> Told {
        let late = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < late, "never: {what}; the last was {:?}", self.log.last());
            let Some(told) = self.next().await else { panic!("the socket ended before: {what}") };
            if wanted(&told) {
                return told;
            }
        }
    }

    /// Asks and waits for the answer.
    pub async fn ask(&mut self, ask: Ask) -> Answer {
        let patient = matches!(ask, Ask::SeePatient { .. });
        let what = format!("{ask:?}");
        let (id, late) = (self.send(ask).await, Instant::now() + PATIENCE);
        loop {
            assert!(Instant::now() < late, "no answer: {what}; the last was {:?}", self.log.last());
            match self.next().await.expect("an answer") {
                Told::Done { id: of } if of == id => return Answer::Done,
                Told::Refused { id: of, why, by, .. } if of == Some(id) => return Answer::Refused(why, by),
                told @ (Told::Watching { .. } | Told::Pong { .. }) if of(&told) == Some(id) => {
                    return Answer::Other(told);
                }
                told @ Told::Patient(_) if patient => return Answer::Other(told),
                told @ Told::Telephone { .. } => return Answer::Other(told),
                _ => {}
            }
        }
    }

    /// Watches a call, from where the view is, until it has caught up.
    pub async fn watch(&mut self, call: &str, after: Option<Cursor>) {
        // A call that was just dialled isn't at the desk yet.
        loop {
            match self.ask(Ask::Watch { call: id(call), after }).await {
                Answer::Other(_) => break,
                Answer::Refused(Refusal::Unknown, _) => tokio::time::sleep(Duration::from_millis(50)).await,
                other => panic!("{other:?}"),
            }
        }
        self.until("caught up", |told| matches!(told, Told::CaughtUp { .. })).await;
    }

    /// Reads until this happens in any call that is watched.
    pub async fn happens(&mut self, what: &str, wanted: impl Fn(&Happening) -> bool) -> Happening {
        let told =
            self.until(what, |told| matches!(told, Told::Event(event) if wanted(&event.happening))).await;
        match told {
            Told::Event(event) => event.happening,
            other => panic!("{other:?}"),
        }
    }

    /// A call as it is seen.
    pub fn view(&self, call: &str) -> &CallView {
        &self.mirror.watched[&id(call)]
    }

    /// Reads to the end; why it was closed.
    pub async fn farewell(&mut self) -> Option<Farewell> {
        let mut why = None;
        while let Some(told) = self.next().await {
            if let Told::Bye { why: said, .. } = told {
                why = Some(said);
            }
        }
        why
    }
}

fn of(told: &Told) -> Option<u64> {
    match told {
        Told::Watching { id, .. } | Told::Pong { id } => Some(*id),
        _ => None,
    }
}
