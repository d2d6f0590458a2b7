//! One call's websocket: a reader task and a writer task, so that reading never waits for writing (I9).
use crate::call::Speech;
use actix_ws::{CloseCode, CloseReason, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Speech that waits for a socket at most; more, and the peer isn't reading.
pub const OUTBOX: usize = 128;
/// Urgent frames (ping replies, a transcript's lines) that wait at most.
const URGENT: usize = 64;
/// How long one frame may take to leave.
const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// The newest answer that the peer has asked for. Read before each frame: an older one isn't sent.
#[derive(Clone, Debug, Default)]
pub struct Newest(Arc<AtomicU64>);

impl Newest {
    /// The peer asked for this one.
    pub fn raise(&self, reply: u64) {
        self.0.fetch_max(reply, Ordering::AcqRel);
    }

    /// Whether an answer has been superseded.
    pub fn supersedes(&self, reply: u64) -> bool {
        reply < self.0.load(Ordering::Acquire)
    }
}

/// What leaves at once, before any speech.
#[derive(Debug)]
pub enum Urgent {
    /// A frame.
    Frame(String),
    /// A websocket ping.
    Ping,
    /// A websocket pong.
    Pong(Vec<u8>),
    /// Close with this code and end.
    Close(CloseCode, &'static str),
}

/// The writer's ends.
pub struct Ends {
    /// Frames that go first.
    pub urgent: mpsc::Sender<Urgent>,
    /// What the call says.
    pub speech: mpsc::Sender<Speech>,
}

/// Turns speech into the peer's frames; `None` when there is nothing to send for it.
pub type Render = fn(&Speech) -> Option<String>;

/// Starts the writer of a socket. It ends with the socket, or when both ends are dropped.
pub fn start_writer(session: Session, newest: Newest, render: Render) -> Ends {
    let (urgent, urgent_frames) = mpsc::channel(URGENT);
    let (speech, speech_frames) = mpsc::channel(OUTBOX);
    actix_rt::spawn(Writer { session, newest, render }.run(urgent_frames, speech_frames));
    Ends { urgent, speech }
}

struct Writer {
    session: Session,
    newest: Newest,
    render: Render,
}

impl Writer {
    async fn run(mut self, mut urgent: mpsc::Receiver<Urgent>, mut speech: mpsc::Receiver<Speech>) {
        let reason = loop {
            let sent = tokio::select! {
                biased;
                frame = urgent.recv() => match frame {
                    Some(Urgent::Frame(text)) => self.text(text).await,
                    Some(Urgent::Ping) => self.ping().await,
                    Some(Urgent::Pong(bytes)) => self.pong(&bytes).await,
                    Some(Urgent::Close(code, why)) => break Some(CloseReason::from((code, why))),
                    None => break None, // the reader has ended: so has the socket
                },
                said = speech.recv() => match said {
                    // The call has let go of a peer that doesn't read: it shall redial.
                    None => break Some(CloseReason::from((CloseCode::Error, "peer too slow"))),
                    Some(Speech::Superseded) => break Some(CloseReason::from((CloseCode::Policy, "superseded"))),
                    Some(Speech::Over) => break Some(CloseReason::from((CloseCode::Normal, "over"))),
                    Some(Speech::Redial) => break Some(CloseReason::from((CloseCode::Error, "redial"))),
                    Some(said) => self.say(&said).await,
                },
            };
            if sent.is_err() {
                break None;
            }
        };
        drop(tokio::time::timeout(WRITE_DEADLINE, self.session.close(reason)).await);
    }

    /// The check stands before the send, with nothing awaited in between.
    async fn say(&mut self, said: &Speech) -> Result<(), ()> {
        if let Speech::Say { reply, .. } | Speech::Close { reply, .. } = said
            && self.newest.supersedes(reply.0)
        {
            return Ok(());
        }
        match (self.render)(said) {
            Some(frame) => self.text(frame).await,
            None => Ok(()),
        }
    }

    async fn text(&mut self, frame: String) -> Result<(), ()> {
        let sent = tokio::time::timeout(WRITE_DEADLINE, self.session.text(frame)).await;
        sent.map_err(drop)?.map_err(drop)
    }

    async fn ping(&mut self) -> Result<(), ()> {
        let sent = tokio::time::timeout(WRITE_DEADLINE, self.session.ping(b"")).await;
        sent.map_err(drop)?.map_err(drop)
    }

    async fn pong(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let sent = tokio::time::timeout(WRITE_DEADLINE, self.session.pong(bytes)).await;
        sent.map_err(drop)?.map_err(drop)
    }
}
