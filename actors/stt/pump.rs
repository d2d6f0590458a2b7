//! Carries one link: what it wants is done, what happens is told to it. It decides nothing.
use super::Stt;
use super::dial::{Socket, Target};
use crate::clock::now;
use actix::prelude::*;
use aura::ears::session::Stream;
use aura::mask::mask;
use aura::stt::{Frame, Limits, Link, LinkOut, Refusal, Report, Spec};
use futures_util::future::OptionFuture;
use futures_util::stream::SplitStream;
use futures_util::{SinkExt, StreamExt};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_tungstenite::tungstenite::{self, Message as Ws};
use tracing::{debug, warn};

/// Commands that wait for a link: twenty seconds of a call's audio.
const COMMANDS: usize = 1024;
/// Frames that wait for a socket.
const FRAMES: usize = 32;

/// What a link is told.
#[derive(Debug)]
pub enum ToLink {
    /// Samples, channels interleaved.
    Audio(Vec<i16>),
    /// All that was heard so far is wanted now.
    Finalize,
    /// No more audio comes.
    Finish,
}

/// What a link tells.
#[derive(Debug)]
pub enum FromLink {
    /// Something was heard.
    Report(Report),
    /// Audio was lost, in the link's own time.
    Lost {
        /// From here.
        from: Duration,
        /// To here.
        to: Duration,
    },
    /// Nothing more comes.
    Ended,
}

/// A link tells something.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Linked {
    /// Which link.
    pub stream: Stream,
    /// What.
    pub told: FromLink,
}

/// Starts a link on this arbiter. It ends when it is told to finish, or when the sender is dropped.
pub fn start(
    stt: &Arc<dyn Stt>,
    stream: Stream,
    rate: u32,
    seed: u64,
    home: Recipient<Linked>,
) -> mpsc::Sender<ToLink> {
    let (commands, inbox) = mpsc::channel(COMMANDS);
    let limits = Limits::default();
    let spec = Spec { dialect: stt.dialect(), rate, layout: stream.layout(), seed, limits };
    let link = Link::new(spec, now());
    let target = stt.target(stream, rate).map_err(|error| error.to_string());
    let pump = Pump { name: stt.name(), stream, link, target, home, dialling: None, open: None };
    actix_rt::spawn(pump.run(inbox));
    commands
}

type Dialling = Pin<Box<dyn Future<Output = Result<Socket, Refusal>>>>;

/// An open socket: what is read, and where frames to write go.
struct Open {
    connection: u32,
    reader: SplitStream<Socket>,
    frames: mpsc::Sender<Ws>,
    writer: AbortHandle,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

struct Pump {
    name: &'static str,
    stream: Stream,
    link: Link,
    target: Result<Target, String>,
    home: Recipient<Linked>,
    dialling: Option<(u32, Dialling)>,
    open: Option<Open>,
}

enum Woken {
    Command(Option<ToLink>),
    Dialled(Box<Result<Socket, Refusal>>),
    Message(Option<Result<Ws, tungstenite::Error>>),
    Writable,
    Tick,
}

impl Pump {
    async fn run(mut self, mut inbox: mpsc::Receiver<ToLink>) {
        let mut told_to_end = false;
        loop {
            self.perform();
            if self.link.is_over() {
                return self.tell(FromLink::Ended);
            }
            match self.woken(&mut inbox, told_to_end).await {
                Woken::Command(command) => {
                    told_to_end |= command.is_none();
                    self.command(command);
                }
                Woken::Dialled(dialled) => self.dialled(*dialled),
                Woken::Message(message) => self.message(message),
                Woken::Writable => {}
                Woken::Tick => self.link.tick(now()),
            }
        }
    }

    async fn woken(&mut self, inbox: &mut mpsc::Receiver<ToLink>, told_to_end: bool) -> Woken {
        let deadline = self.link.deadline().map(|at| tokio::time::sleep_until(at.into()));
        let full =
            self.open.as_ref().filter(|open| open.frames.capacity() == 0).map(|open| open.frames.clone());
        let room = full.map(|frames| async move { drop(frames.reserve().await) });
        let dialled = self.dialling.as_mut().map(|(_, dialling)| dialling);
        let message = self.open.as_mut().map(|open| open.reader.next());
        tokio::select! {
            command = inbox.recv(), if !told_to_end => Woken::Command(command),
            Some(dialled) = OptionFuture::from(dialled) => Woken::Dialled(Box::new(dialled)),
            Some(message) = OptionFuture::from(message) => Woken::Message(message),
            Some(()) = OptionFuture::from(room) => Woken::Writable,
            Some(()) = OptionFuture::from(deadline) => Woken::Tick,
            else => Woken::Command(None),
        }
    }

    /// Does all that the link wants. What it writes is written only where there is room for it.
    fn perform(&mut self) {
        loop {
            let room = self.open.as_ref().is_some_and(|open| open.frames.capacity() > 0);
            self.link.writable(room, now());
            let Some(out) = self.link.poll() else { return };
            match out {
                LinkOut::Connect { connection } => self.dial(connection),
                LinkOut::Send(frame) => self.send(frame),
                LinkOut::Disconnect => (self.open, self.dialling) = (None, None),
                LinkOut::Report(report) => {
                    if let Report::Trouble(trouble) = &report {
                        warn!(recogniser = self.name, trouble, "the recogniser complains");
                    }
                    self.tell(FromLink::Report(report));
                }
                LinkOut::Lost { from, to } => {
                    let lost = to.saturating_sub(from).as_secs_f64();
                    metrics::counter!("aura_audio_unrecognised_ms_total").increment((lost * 1000.0) as u64);
                    self.tell(FromLink::Lost { from, to });
                }
                LinkOut::GaveUp { reason } => {
                    metrics::counter!("aura_stt_gave_up_total", "recogniser" => self.name).increment(1);
                    warn!(recogniser = self.name, %reason, "no words for now");
                }
                LinkOut::Recovered => warn!(recogniser = self.name, "words again"),
            }
        }
    }

    fn tell(&self, told: FromLink) {
        self.home.do_send(Linked { stream: self.stream, told });
    }

    fn dial(&mut self, connection: u32) {
        self.open = None;
        let dialling: Dialling = match &self.target {
            Ok(target) => Box::pin(target.clone().dial()),
            Err(why) => {
                let refusal = Refusal { detail: why.clone(), ..Refusal::default() };
                Box::pin(std::future::ready(Err(refusal)))
            }
        };
        self.dialling = Some((connection, dialling));
    }

    fn dialled(&mut self, dialled: Result<Socket, Refusal>) {
        let Some((connection, _)) = self.dialling.take() else { return };
        match dialled {
            Ok(socket) => {
                debug!(recogniser = self.name, connection, "connected");
                self.open = Some(opened(connection, socket));
                self.link.opened(connection, now());
            }
            Err(refusal) => {
                warn!(recogniser = self.name, status = refusal.status, detail = %mask(&refusal.detail), "refused");
                self.link.refused(connection, &refusal, now());
            }
        }
    }

    fn send(&mut self, frame: Frame) {
        let Some(open) = &self.open else { return };
        let frame = match frame {
            Frame::Text(text) => Ws::text(text),
            Frame::Binary(bytes) => Ws::binary(bytes),
        };
        // There was room, and nobody else writes; a writer that has ended is noticed by the reader.
        drop(open.frames.try_send(frame));
    }

    fn message(&mut self, message: Option<Result<Ws, tungstenite::Error>>) {
        let Some(connection) = self.open.as_ref().map(|open| open.connection) else { return };
        let (code, reason) = match message {
            Some(Ok(Ws::Text(text))) => return self.link.message(connection, text.as_str(), now()),
            Some(Ok(Ws::Close(frame))) => match frame {
                Some(frame) => (Some(u16::from(frame.code)), frame.reason.as_str().to_owned()),
                None => (Some(1005), String::new()),
            },
            Some(Ok(_)) => return,
            Some(Err(error)) => (None, error.to_string()),
            None => (None, "the connection ended".to_owned()),
        };
        self.open = None;
        self.link.closed(connection, code, &reason, now());
    }

    fn command(&mut self, command: Option<ToLink>) {
        match command {
            Some(ToLink::Audio(samples)) => self.link.audio(&samples, now()),
            Some(ToLink::Finalize) => self.link.finalize(now()),
            Some(ToLink::Finish) | None => self.link.finish(now()),
        }
    }
}

fn opened(connection: u32, socket: Socket) -> Open {
    let (mut sink, reader) = socket.split();
    let (frames, mut waiting) = mpsc::channel::<Ws>(FRAMES);
    let writer = actix_rt::spawn(async move {
        while let Some(frame) = waiting.recv().await {
            if sink.send(frame).await.is_err() {
                return; // the reader hears of it
            }
        }
    });
    Open { connection, reader, frames, writer: writer.abort_handle() }
}
