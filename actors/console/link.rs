//! The task that carries frames between the server and the screen, and dials again when the connection breaks.
use super::course::{Beat, Course};
use super::door::{Door, Shut};
use super::state::Connection;
use crate::stt::Socket;
use aura::phrases::console::line;
use aura::protocol::desk::{Ask, Message, Request, read_message};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::protocol::Message as Wire;

/// Requests that wait to be sent.
const ASKED: usize = 32;
/// Frames that wait to be shown; past it nothing is read, and the server lets this client catch up later.
const WAITING: usize = 1024;
/// How long a frame may take to go out.
const SENDING: Duration = Duration::from_secs(10);
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// What the screen is told.
pub enum Told {
    /// A frame, and the request that it answers.
    Frame(Box<Message>, Option<Ask>),
    /// A frame that can't be read: the server is newer.
    Unreadable,
    /// How the connection stands.
    Connection(Connection),
    /// A request that wasn't sent.
    Unsent(Ask),
    /// There will be no connection any more; why, in Spanish.
    End(String),
}

/// Starts the task with a connection that stands. It ends when the requests' sender is dropped.
pub fn start(door: Door, first: Socket, extension: Option<String>) -> (Sender<Ask>, Receiver<Told>) {
    let (asks, asked) = mpsc::channel(ASKED);
    let (tell, told) = mpsc::channel(WAITING);
    let link = Link { door, course: Course::new(extension), asked, tell, began: Instant::now() };
    tokio::spawn(link.run(first));
    (asks, told)
}

struct Link {
    door: Door,
    course: Course,
    asked: Receiver<Ask>,
    tell: Sender<Told>,
    began: Instant,
}

/// Why a connection is no more.
enum Ended {
    /// Nobody looks at the screen any more.
    Left,
    /// What the door says.
    Shut(Shut),
}

impl From<Shut> for Ended {
    fn from(shut: Shut) -> Self {
        Self::Shut(shut)
    }
}

fn passing(why: &str) -> Ended {
    Ended::Shut(Shut::Passing(why.to_owned()))
}

impl Link {
    async fn run(mut self, first: Socket) {
        let mut socket = Some(first);
        loop {
            let ended = match socket.take() {
                Some(socket) => self.carry(socket).await,
                None => match self.dial().await {
                    Ok(opened) => {
                        socket = Some(opened);
                        continue;
                    }
                    Err(ended) => ended,
                },
            };
            let left = match ended {
                Ended::Left => return,
                Ended::Shut(Shut::Final(why)) => {
                    drop(self.tell.send(Told::End(why)).await);
                    return;
                }
                Ended::Shut(Shut::Passing(why)) => self.pause(why).await,
            };
            if left.is_err() {
                return;
            }
        }
    }

    /// Dials, and answers what is asked meanwhile.
    async fn dial(&mut self) -> Result<Socket, Ended> {
        self.say(Told::Connection(Connection::Opening)).await?;
        let Self { door, asked, tell, .. } = self;
        let mut dialled = std::pin::pin!(door.open());
        loop {
            tokio::select! {
                opened = &mut dialled => return Ok(opened?),
                ask = asked.recv() => unsent(ask, tell).await?,
            }
        }
    }

    async fn pause(&mut self, why: String) -> Result<(), Ended> {
        let spread = f64::from(uuid::Uuid::new_v4().as_bytes()[0]) / 255.0;
        let (again, unanswered) = self.course.broke(self.now(), spread);
        self.say(Told::Connection(Connection::Broken { why, again, unanswered })).await?;
        let Self { asked, tell, .. } = self;
        let mut waited = std::pin::pin!(sleep(again));
        loop {
            tokio::select! {
                () = &mut waited => return Ok(()),
                ask = asked.recv() => unsent(ask, tell).await?,
            }
        }
    }

    /// One connection, until it ends.
    async fn carry(&mut self, mut socket: Socket) -> Ended {
        let hello = self.course.opened(self.now());
        let mut sent = send(&mut socket, &hello).await;
        loop {
            if let Err(ended) = sent {
                return ended;
            }
            let due = match self.course.beat(self.now()) {
                Beat::Dead => return passing(line::SILENT.es),
                Beat::Ping(ping) => {
                    sent = send(&mut socket, &ping).await;
                    continue;
                }
                Beat::Until(at) => self.began + Duration::from_millis(at),
            };
            sent = tokio::select! {
                frame = socket.next() => self.read(frame).await,
                ask = self.asked.recv() => match ask {
                    Some(ask) => self.ask(&mut socket, ask).await,
                    None => {
                        drop(timeout(GOODBYE, socket.close(None)).await);
                        Err(Ended::Left)
                    }
                },
                () = sleep_until(due) => Ok(()),
            };
        }
    }

    async fn ask(&mut self, socket: &mut Socket, ask: Ask) -> Result<(), Ended> {
        match self.course.ask(ask) {
            Ok(request) => send(socket, &request).await,
            Err(ask) => self.say(Told::Unsent(ask)).await,
        }
    }

    async fn read(&mut self, frame: Option<Result<Wire, impl std::error::Error>>) -> Result<(), Ended> {
        self.course.heard(self.now());
        let text = match frame {
            Some(Ok(Wire::Text(text))) => text,
            Some(Ok(Wire::Close(_)) | Err(_)) | None => return Err(passing(line::CLOSED.es)),
            Some(Ok(_)) => return Ok(()),
        };
        let Ok(message) = read_message(&text) else { return self.say(Told::Unreadable).await };
        let of = self.course.told(&message, self.now());
        let farewell = match &message {
            Message::Bye { why, text } if why.is_passing() => Some(Shut::Passing(text.clone())),
            Message::Bye { text, .. } => Some(Shut::Final(text.clone())),
            _ => None,
        };
        self.say(Told::Frame(Box::new(message), of)).await?;
        farewell.map_or(Ok(()), |shut| Err(shut.into()))
    }

    async fn say(&self, told: Told) -> Result<(), Ended> {
        self.tell.send(told).await.map_err(|_| Ended::Left)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

async fn send(socket: &mut Socket, request: &Request) -> Result<(), Ended> {
    let text = serde_json::to_string(request).map_err(|_| passing(line::UNREADABLE.es))?;
    match timeout(SENDING, socket.send(Wire::Text(text.into()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(passing(line::CLOSED.es)),
        Err(_) => Err(passing(line::SILENT.es)),
    }
}

/// There is no connection for it.
async fn unsent(ask: Option<Ask>, tell: &Sender<Told>) -> Result<(), Ended> {
    let ask = ask.ok_or(Ended::Left)?;
    tell.send(Told::Unsent(ask)).await.map_err(|_| Ended::Left)
}
