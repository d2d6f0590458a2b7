//! The caller's side of the socket: pings on time, deadlines on every wait, nothing of what frames mean.
use super::socket::{self, GOODBYE, Incoming, Socket};
use futures_util::{SinkExt, StreamExt};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why a call could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Something didn't come.
    #[error("waited {ms} ms for {awaited}, and it didn't come; look for the call's id in the agent's log")]
    Deadline {
        /// What was awaited.
        awaited: String,
        /// How long, in milliseconds.
        ms: u64,
    },
    /// The other side hung up: Retell's agent ends a call so if the code is 1000.
    #[error("the server closed the socket ({how}) while {awaited} was awaited")]
    Closed {
        /// The close frame's code and reason, or that there was none.
        how: String,
        /// What was awaited.
        awaited: String,
    },
    /// The agent sent what Retell can't read.
    #[error(
        "the agent sent {what}, expected text frames of one JSON object each: Retell ends the call (1007)"
    )]
    Corrupt {
        /// What it was.
        what: String,
    },
    /// The agent doesn't echo pings.
    #[error("a ping wasn't echoed within {ms} ms: Retell would redial")]
    NoEcho {
        /// How long, in milliseconds.
        ms: u64,
    },
    /// The socket broke.
    #[error("the socket broke: {0}")]
    Broken(String),
}

/// How often is pinged, and how long is waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub ping_every: Duration,
    /// For a ping's echo, before the socket is given up.
    pub echo: Duration,
    /// For everything else.
    pub deadline: Duration,
}

/// What is waited for, and until when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait<'a> {
    pub awaited: &'a str,
    pub from: Instant,
    pub during: Duration,
}

/// One socket to the agent.
pub(super) struct Line {
    socket: Socket,
    patience: Patience,
    /// When the next ping is due; `None` as long as the agent hasn't asked for pings.
    next_ping: Option<Instant>,
    /// The newest ping's timestamp.
    last_ping: i64,
    /// Pings without an echo yet, by timestamp.
    unechoed: BTreeMap<i64, Instant>,
    /// A frame that is to be sent later, and when.
    later: Option<(Instant, String)>,
}

/// What woke a wait.
enum Woken {
    Message(Incoming),
    Ping,
    Later,
    NoEcho,
    Deadline,
}

impl Line {
    /// Dials.
    pub async fn dial(url: &str, patience: Patience) -> Result<Self, String> {
        let socket = socket::dial(url, patience.deadline).await?;
        Ok(Self { socket, patience, next_ping: None, last_ping: 0, unechoed: BTreeMap::new(), later: None })
    }

    /// Sends a text frame.
    pub async fn send(&mut self, text: String) -> Result<(), Trouble> {
        self.socket.send(Message::text(text)).await.map_err(|e| Trouble::Broken(e.to_string()))
    }

    /// Sends a text frame at that time, if something is waited for then.
    pub fn send_later(&mut self, at: Instant, text: String) {
        self.later = Some((at, text));
    }

    /// The agent asked for pings, or for none.
    pub fn pings(&mut self, wanted: bool) {
        self.next_ping =
            wanted.then(|| self.next_ping.unwrap_or_else(|| Instant::now() + self.patience.ping_every));
    }

    /// Whether the agent asked for pings.
    pub fn is_pinging(&self) -> bool {
        self.next_ping.is_some()
    }

    /// Sends a ping now, whose timestamp no other ping on this socket has.
    pub async fn ping(&mut self) -> Result<i64, Trouble> {
        let timestamp = jiff::Timestamp::now().as_millisecond().max(self.last_ping + 1);
        self.last_ping = timestamp;
        self.unechoed.insert(timestamp, Instant::now());
        self.send(format!(r#"{{"interaction_type":"ping_pong","timestamp":{timestamp}}}"#)).await?;
        Ok(timestamp)
    }

    /// A ping came back. False if none had that timestamp, or it came back before.
    pub fn echoed(&mut self, timestamp: i64) -> bool {
        self.unechoed.remove(&timestamp).is_some()
    }

    /// The next text frame. Pings go out meanwhile.
    pub async fn text(&mut self, wait: Wait<'_>) -> Result<String, Trouble> {
        loop {
            match self.woken(wait.from + wait.during).await {
                Woken::Message(message) => match self.taken(message, wait.awaited).await? {
                    Some(text) => return Ok(text),
                    None => continue,
                },
                Woken::Ping => {
                    self.next_ping = Some(Instant::now() + self.patience.ping_every);
                    self.ping().await?;
                }
                Woken::Later => {
                    if let Some((_, text)) = self.later.take() {
                        self.send(text).await?;
                    }
                }
                Woken::NoEcho => return Err(Trouble::NoEcho { ms: millis(self.patience.echo) }),
                Woken::Deadline => {
                    let awaited = wait.awaited.to_owned();
                    return Err(Trouble::Deadline { awaited, ms: millis(wait.during) });
                }
            }
        }
    }

    async fn woken(&mut self, deadline: Instant) -> Woken {
        let echo_due = self.unechoed.values().next().map(|sent| *sent + self.patience.echo);
        tokio::select! {
            biased;
            () = sleep_until_if(self.later.as_ref().map(|(at, _)| *at)) => Woken::Later,
            () = sleep_until_if(self.next_ping) => Woken::Ping,
            message = self.socket.next() => Woken::Message(message),
            () = sleep_until_if(echo_due) => Woken::NoEcho,
            () = sleep_until(deadline) => Woken::Deadline,
        }
    }

    /// A message's text; `None` for the websocket's own pings.
    async fn taken(&mut self, message: Incoming, awaited: &str) -> Result<Option<String>, Trouble> {
        if let Some(how) = socket::ended(&message) {
            return Err(Trouble::Closed { how, awaited: awaited.to_owned() });
        }
        match message {
            Some(Ok(Message::Text(text))) => Ok(Some(text.as_str().to_owned())),
            Some(Ok(Message::Binary(bytes))) => {
                Err(self.refuse(format!("a binary frame of {} bytes", bytes.len())).await)
            }
            _ => Ok(None),
        }
    }

    /// Ends the call as Retell does over a frame that it can't read.
    pub async fn refuse(&mut self, what: String) -> Trouble {
        let code = CloseFrame { code: CloseCode::Invalid, reason: "corrupt payload".into() };
        // The trouble is told either way; whether the other side still hears of it changes nothing.
        let _ = timeout(GOODBYE, self.socket.close(Some(code))).await;
        Trouble::Corrupt { what }
    }

    /// Hangs up, and gives the agent a moment to take note.
    pub async fn hang_up(self) {
        socket::hang_up(self.socket).await;
    }
}

async fn sleep_until_if(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Whole milliseconds.
pub(super) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
