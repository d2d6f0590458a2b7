//! The ears of one forked call: performs what a [`Session`] wants and tells it what happened. It decides
//! nothing, and never waits: neither for a recogniser nor for the call.
use crate::call::{Attach, Happened, Speech};
use crate::calls::CallHandle;
use crate::clock::now;
use crate::stt::{self, FromLink, Linked, Stt, ToLink};
use actix::prelude::*;
use aura::call::Input;
use aura::ears::session::{Session, Stream, Want};
use aura::ears::{Fork, Leg, Line, Piece};
use aura::mask::Talk;
use aura::protocol::audio_fork::transcription;
use aura::stt::Patience;
use aura::transcript::Speaker;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;
use tracing::{Span, error, info, info_span, warn};

/// Speech that waits at most: a forked call is told only that it is over.
const SPEECH: usize = 16;

/// A socket carries tracks of the call from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Plug {
    /// Tells sockets of one call apart.
    pub socket: u64,
    /// What it carries.
    pub fork: Box<Fork>,
    /// Where it is written to.
    pub writer: mpsc::Sender<ToSwitch>,
}

/// What a switch is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToSwitch {
    /// A text frame, where it takes any.
    Frame(String),
    /// Its socket is closed.
    Close(Ending),
}

/// Why a socket is closed by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A newer socket carries its tracks.
    Superseded,
    /// The call is over.
    Over,
    /// The process goes down: another will answer.
    Redial,
}

/// A socket tells something.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Heard {
    /// Which.
    pub socket: u64,
    /// What, in order.
    pub pieces: Vec<Piece>,
}

/// A socket is gone.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Unplug {
    /// Which.
    pub socket: u64,
    /// Whether it said goodbye.
    pub clean: bool,
}

/// Patient and operator are the other way round, says the operator.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Swap;

/// One socket of the call.
struct Socket {
    writer: mpsc::Sender<ToSwitch>,
    /// Whether the switch wants the transcript back.
    transcripts: bool,
}

/// Carries one forked call's audio.
pub struct EarsActor {
    session: Session,
    call: CallHandle,
    /// This actor's own number as the call's peer.
    number: u64,
    attached: bool,
    stt: Arc<dyn Stt>,
    links: BTreeMap<Stream, mpsc::Sender<ToLink>>,
    sockets: BTreeMap<u64, Socket>,
    /// What switches that ask for it were told.
    talk: Talk,
    timer: Option<(Instant, SpawnHandle)>,
    over: Option<Box<dyn FnOnce()>>,
    span: Span,
}

impl EarsActor {
    /// Ears for a call that was just opened; `over` runs when they have stopped.
    pub fn new(id: &str, call: CallHandle, number: u64, stt: Arc<dyn Stt>, over: Box<dyn FnOnce()>) -> Self {
        Self {
            session: Session::new(stt.streams(), Patience::default(), call.ears, now()),
            call,
            number,
            attached: false,
            stt,
            links: BTreeMap::new(),
            sockets: BTreeMap::new(),
            talk: Talk::default(),
            timer: None,
            over: Some(over),
            span: info_span!("ears", call = id),
        }
    }

    /// One thing happens to the session, then all that it wants, then the timer.
    fn step(&mut self, ctx: &mut Context<Self>, happen: impl FnOnce(&mut Session, Instant)) {
        let span = self.span.clone();
        let _entered = span.enter();
        happen(&mut self.session, now());
        while let Some(want) = self.session.poll() {
            self.perform(want, ctx);
        }
        if self.session.is_over() {
            return ctx.stop();
        }
        self.rearm(ctx);
    }

    fn perform(&mut self, want: Want, ctx: &mut Context<Self>) {
        match want {
            Want::Open { stream, rate } => {
                info!(?stream, rate, recogniser = self.stt.name(), "listening");
                let seed = uuid::Uuid::new_v4().as_u64_pair().0;
                let link = stt::start(&self.stt, stream, rate, seed, ctx.address().recipient());
                self.links.insert(stream, link);
            }
            Want::Audio { stream, samples } => self.to_link(stream, ToLink::Audio(samples)),
            Want::Finalize(stream) => self.to_link(stream, ToLink::Finalize),
            Want::Finish(stream) => self.to_link(stream, ToLink::Finish),
            Want::Tell(input) => self.tell(input),
            Want::Transcription(line) => self.transcribe(line),
            Want::Supersede { socket } => self.close(socket, Ending::Superseded),
            Want::Carried => self.attach(ctx),
            // The ears stay the call's peer, so that they hear when it is over.
            Want::Deserted { clean } => self.tell(Input::PeerLost { clean }),
            Want::Over => info!("the fork is over"),
        }
    }

    fn to_link(&self, stream: Stream, told: ToLink) {
        let Some(link) = self.links.get(&stream) else { return };
        // It holds twenty seconds and is emptied at once: when it is full this arbiter stands still.
        if link.try_send(told).is_err() {
            metrics::counter!("aura_audio_dropped_total").increment(1);
            error!(?stream, "audio was dropped: its link doesn't run; look for a blocked thread");
        }
    }

    fn tell(&self, input: Input) {
        self.call.happened.do_send(Happened(input));
    }

    /// The call hears of its peer; what it says to it comes back as [`Speech`].
    fn attach(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.attached, true) {
            return self.tell(Input::PeerConnected);
        }
        let (outbox, mut speech) = mpsc::channel(SPEECH);
        self.call.attach.do_send(Attach { socket: self.number, outbox });
        let home = ctx.address();
        actix_rt::spawn(async move {
            while let Some(said) = speech.recv().await {
                home.do_send(Spoke(said));
            }
        });
    }

    fn transcribe(&mut self, line: Line) {
        if !self.sockets.values().any(|socket| socket.transcripts) {
            return;
        }
        let speaker = match line.leg {
            Leg::Patient => Speaker::Patient,
            Leg::Operator => Speaker::Agent,
        };
        let text = self.talk.line(speaker, &line.text, line.done);
        let frame = transcription(&Line { text, ..line });
        for socket in self.sockets.values().filter(|socket| socket.transcripts) {
            if socket.writer.try_send(ToSwitch::Frame(frame.clone())).is_err() {
                metrics::counter!("aura_transcriptions_dropped_total").increment(1);
            }
        }
    }

    fn close(&mut self, socket: u64, ending: Ending) {
        let Some(gone) = self.sockets.remove(&socket) else { return };
        info!(socket, ?ending, "a socket is let go");
        // A full queue means that the switch doesn't read; then the reader ends with this sender.
        drop(gone.writer.try_send(ToSwitch::Close(ending)));
    }

    fn close_all(&mut self, ending: Ending) {
        let all: Vec<u64> = self.sockets.keys().copied().collect();
        for socket in all {
            self.close(socket, ending);
        }
    }

    fn rearm(&mut self, ctx: &mut Context<Self>) {
        let wanted = self.session.deadline(now());
        // A tick that comes early changes nothing, so one that is due sooner is good enough.
        if wanted.is_none() || self.timer.as_ref().is_some_and(|(at, _)| wanted.is_some_and(|due| *at <= due))
        {
            return;
        }
        if let Some((_, handle)) = self.timer.take() {
            ctx.cancel_future(handle);
        }
        self.timer = wanted.map(|at| {
            let tick = ctx.run_later(at.saturating_duration_since(now()), |actor, ctx| {
                actor.timer = None;
                actor.step(ctx, Session::tick);
            });
            (at, tick)
        });
    }
}

impl Actor for EarsActor {
    type Context = Context<Self>;

    fn stopped(&mut self, _: &mut Self::Context) {
        self.close_all(Ending::Over);
        if let Some(over) = self.over.take() {
            over();
        }
    }
}

impl Handler<Plug> for EarsActor {
    type Result = ();

    fn handle(&mut self, plug: Plug, ctx: &mut Self::Context) {
        let Plug { socket, fork, writer } = plug;
        let transcripts = fork.metadata.transcripts.unwrap_or(false);
        self.sockets.insert(socket, Socket { writer, transcripts });
        info!(parent: &self.span, socket, door = fork.door.as_str(), layout = ?fork.layout, "plugged");
        self.step(ctx, |session, now| session.plug(socket, &fork, now));
        if let Some(extension) = fork.metadata.extension {
            self.tell(Input::Extension(extension));
        }
        let (variables, phone) = (fork.metadata.variables, fork.metadata.phone);
        self.tell(Input::Details { variables, phone });
    }
}

impl Handler<Heard> for EarsActor {
    type Result = ();

    fn handle(&mut self, heard: Heard, ctx: &mut Self::Context) {
        self.step(ctx, |session, now| {
            for piece in heard.pieces {
                session.piece(heard.socket, piece, now);
            }
        });
    }
}

impl Handler<Unplug> for EarsActor {
    type Result = ();

    fn handle(&mut self, gone: Unplug, ctx: &mut Self::Context) {
        self.sockets.remove(&gone.socket);
        self.step(ctx, |session, now| session.unplug(gone.socket, gone.clean, now));
    }
}

impl Handler<Swap> for EarsActor {
    type Result = ();

    fn handle(&mut self, _: Swap, ctx: &mut Self::Context) {
        self.step(ctx, |session, _| session.swap());
    }
}

impl Handler<Linked> for EarsActor {
    type Result = ();

    fn handle(&mut self, linked: Linked, ctx: &mut Self::Context) {
        let Linked { stream, told } = linked;
        self.step(ctx, |session, now| match told {
            FromLink::Report(report) => session.report(stream, &report, now),
            FromLink::Lost { from, to } => session.lost(stream, from, to),
            FromLink::Ended => session.closed(stream, now),
        });
    }
}

/// The call says something to its peer.
#[derive(Message)]
#[rtype(result = "()")]
struct Spoke(Speech);

impl Handler<Spoke> for EarsActor {
    type Result = ();

    fn handle(&mut self, Spoke(speech): Spoke, ctx: &mut Self::Context) {
        match speech {
            Speech::Over => self.step(ctx, Session::end),
            // The switch may dial again, and reaches a process that knows the call from its journal.
            Speech::Redial => self.close_all(Ending::Redial),
            Speech::Superseded => warn!(parent: &self.span, "another peer carries the call"),
            Speech::Say { .. } | Speech::Close { .. } => {} // the copilot's words are an operator's to say
        }
    }
}
