//! Reads one forked call's websocket: frames to what was told, that to the ears.
use crate::calls::{Near, Refused, SocketGuard};
use crate::clock::now;
use crate::ears::{Ending, Heard, Plug, ToSwitch, Unplug};
use crate::forks::{EarsHandle, Forks};
use crate::web::socket::{self, Ends, Newest, Urgent};
use actix_web::web;
use actix_ws::{AggregatedMessage, AggregatedMessageStream, CloseCode, Session};
use aura::ears::intake::{Intake, IntakeOut};
use aura::ears::{Door, Fork, Layout, Piece};
use aura::protocol::pbx::Decoded;
use aura::protocol::{asterisk, audio_fork, twilio};
use futures_util::StreamExt;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::{info, warn};

/// How often a socket is pinged.
const PING: Duration = Duration::from_secs(15);
/// Pings that may go unanswered, before a socket that says nothing else either is taken for dead.
const PINGS: u32 = 3;

/// What the ears tell that waits.
const INBOX: usize = 64;

/// How a socket ended: whether the peer said goodbye.
struct Gone {
    clean: bool,
}

pub(super) struct Reader {
    door: Door,
    intake: Intake,
    twilio: twilio::Stream,
    ends: Ends,
    pings: bool,
    forks: web::Data<Forks>,
    near: web::Data<Near>,
    socket: u64,
    _guard: SocketGuard,
    ears: Option<EarsHandle>,
    unanswered: u32,
    /// Whether the switch has said that no more comes.
    finished: bool,
    /// What the ears tell the switch.
    inbox: mpsc::Receiver<ToSwitch>,
    outbox: mpsc::Sender<ToSwitch>,
}

impl Reader {
    pub(super) fn new(
        door: Door,
        intake: Intake,
        session: Session,
        pings: bool,
        forks: web::Data<Forks>,
        near: web::Data<Near>,
    ) -> Self {
        let ends = socket::start_writer(session, Newest::default(), |_| None);
        let (socket, guard) = forks.socket();
        let twilio = twilio::Stream::new();
        let (outbox, inbox) = mpsc::channel(INBOX);
        Self {
            door,
            intake,
            twilio,
            ends,
            pings,
            forks,
            near,
            socket,
            _guard: guard,
            ears: None,
            unanswered: 0,
            finished: false,
            inbox,
            outbox,
        }
    }

    pub(super) async fn run(mut self, mut frames: AggregatedMessageStream) {
        info!(door = self.door.as_str(), socket = self.socket, "a fork connected");
        let gone = self.read(&mut frames).await;
        let clean = gone.clean || self.finished;
        if let Some(ears) = &self.ears {
            ears.unplug.do_send(Unplug { socket: self.socket, clean });
        }
        metrics::counter!("aura_fork_bytes_carried_total").increment(self.intake.carried());
        info!(door = self.door.as_str(), socket = self.socket, clean, "a fork is gone");
    }

    async fn read(&mut self, frames: &mut AggregatedMessageStream) -> Gone {
        let mut ping = tokio::time::interval(PING);
        ping.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        ping.tick().await;
        loop {
            let due = self.intake.deadline();
            let waited = async {
                match due {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            let step = tokio::select! {
                frame = frames.next() => self.frame(frame).await,
                () = waited => {
                    self.intake.tick(now());
                    self.hand_on().await
                }
                told = self.inbox.recv() => self.told(told),
                _ = ping.tick(), if self.pings => self.ping(),
            };
            if let Break(gone) = step {
                return gone;
            }
        }
    }

    async fn frame(
        &mut self,
        frame: Option<Result<AggregatedMessage, actix_ws::ProtocolError>>,
    ) -> ControlFlow<Gone> {
        self.unanswered = 0;
        let decoded = match frame {
            Some(Ok(AggregatedMessage::Text(text))) => self.text(&text),
            Some(Ok(AggregatedMessage::Binary(bytes))) => self.binary(bytes.to_vec()),
            Some(Ok(AggregatedMessage::Ping(bytes))) => {
                self.send(Urgent::Pong(bytes.to_vec()));
                return Continue(());
            }
            Some(Ok(AggregatedMessage::Pong(_))) => return Continue(()),
            Some(Ok(AggregatedMessage::Close(reason))) => {
                let clean = reason.is_none_or(|reason| reason.code == CloseCode::Normal);
                self.send(Urgent::Close(CloseCode::Normal, ""));
                return Break(Gone { clean });
            }
            Some(Err(error)) => {
                warn!(socket = self.socket, %error, "the websocket broke");
                self.send(Urgent::Close(CloseCode::Protocol, "bad websocket frame"));
                return Break(Gone { clean: false });
            }
            None => return Break(Gone { clean: false }),
        };
        if let Some(fault) = decoded.fault {
            metrics::counter!("aura_frames_refused_total", "source" => self.door.as_str()).increment(1);
            warn!(socket = self.socket, %fault, "a frame was passed over");
        }
        for told in decoded.told {
            self.intake.handle(told, now());
        }
        self.hand_on().await
    }

    fn text(&mut self, text: &str) -> Decoded {
        match self.door {
            Door::Twilio => self.twilio.text(text),
            Door::Asterisk => asterisk::websocket::text(text),
            Door::AudioFork | Door::AudioSocket => audio_fork::text(text),
        }
    }

    fn binary(&self, bytes: Vec<u8>) -> Decoded {
        let told = match self.door {
            Door::Asterisk => asterisk::websocket::binary(bytes),
            _ => audio_fork::binary(bytes),
        };
        Decoded { told: vec![told], fault: None }
    }

    /// Hands all that came of it to the ears, in order; the ears never wait, so neither does the reader.
    async fn hand_on(&mut self) -> ControlFlow<Gone> {
        let mut pieces = Vec::new();
        while let Some(out) = self.intake.poll() {
            match out {
                IntakeOut::Open(fork) => self.plug(fork).await?,
                IntakeOut::Piece(Piece::Finished) => {
                    self.finished = true;
                    pieces.push(Piece::Finished);
                    self.send(Urgent::Close(CloseCode::Normal, "finished")); // the switch waits for it (§1.2)
                }
                IntakeOut::Piece(Piece::Changed { layout: Layout::Mixed, .. }) => return self.mixed(),
                IntakeOut::Piece(piece) => pieces.push(piece),
                IntakeOut::Refuse { reason } => {
                    warn!(socket = self.socket, %reason, "a fork is refused");
                    self.send(Urgent::Close(CloseCode::Policy, "refused; the server's log says why"));
                    return Break(Gone { clean: true });
                }
                IntakeOut::Probe => info!(socket = self.socket, "a probe: no call is begun"),
            }
        }
        if let Some(ears) = self.ears.as_ref().filter(|_| !pieces.is_empty())
            && ears.heard.send(Heard { socket: self.socket, pieces }).await.is_err()
        {
            self.send(Urgent::Close(CloseCode::Restart, "redial"));
            return Break(Gone { clean: false });
        }
        Continue(())
    }

    async fn plug(&mut self, fork: Fork) -> ControlFlow<Gone> {
        if fork.layout == Layout::Mixed {
            return self.mixed();
        }
        let ears = match self.forks.open(&fork.call, &self.near) {
            Ok(ears) => ears,
            Err(refused) => return self.refused(refused),
        };
        let (socket, writer) = (self.socket, self.outbox.clone());
        let plugged = ears.plug.send(Plug { socket, fork: Box::new(fork), writer }).await;
        self.ears = Some(ears);
        if plugged.is_err() { Break(Gone { clean: false }) } else { Continue(()) }
    }

    /// An operator's words taken for the patient's would be read as what the patient says.
    fn mixed(&self) -> ControlFlow<Gone> {
        warn!(
            socket = self.socket,
            "a mixed fork can't tell patient from operator; fork `stereo`, or `mono`"
        );
        self.send(Urgent::Close(CloseCode::Policy, "mixed audio is refused; fork stereo"));
        Break(Gone { clean: true })
    }

    fn refused(&self, refused: Refused) -> ControlFlow<Gone> {
        warn!(socket = self.socket, %refused, "a forked call isn't taken");
        self.send(Urgent::Close(CloseCode::Again, "not taken; the server's log says why"));
        Break(Gone { clean: false })
    }

    /// The ears tell the switch something.
    fn told(&self, told: Option<ToSwitch>) -> ControlFlow<Gone> {
        let (code, why) = match told {
            Some(ToSwitch::Frame(text)) => {
                self.send(Urgent::Frame(text));
                return Continue(());
            }
            Some(ToSwitch::Close(Ending::Superseded)) => (CloseCode::Policy, "superseded"),
            Some(ToSwitch::Close(Ending::Over)) | None => (CloseCode::Normal, "over"),
            Some(ToSwitch::Close(Ending::Redial)) => (CloseCode::Restart, "redial"),
        };
        self.send(Urgent::Close(code, why));
        Break(Gone { clean: true })
    }

    fn ping(&mut self) -> ControlFlow<Gone> {
        self.unanswered += 1;
        if self.unanswered > PINGS {
            warn!(socket = self.socket, "no frame and no pong: the peer is taken for gone");
            self.send(Urgent::Close(CloseCode::Error, "silent"));
            return Break(Gone { clean: false });
        }
        self.send(Urgent::Ping);
        Continue(())
    }

    fn send(&self, urgent: Urgent) {
        // A full queue means that nothing is being read at the other end: the writer's deadline ends it.
        drop(self.ends.urgent.try_send(urgent));
    }
}
