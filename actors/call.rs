//! The actor of one call: performs what a [`Call`] asks and tells it what happened. It decides nothing.
mod caller;
mod rebuild;

use crate::call_journal::Keeper;
use crate::capture::Reread;
use crate::clock::now;
use crate::desk::Tell;
use crate::journal::Record;
use crate::llm::Generate;
use crate::lookup::{Equipment, LookUp};
use crate::rag::{Of, Retrieve};
use crate::summary::Summarise;
use crate::telemetry;
use crate::vault::Vault;
use actix::prelude::*;
use aura::call::{Call, Input, Memory, Output, Spec};
use aura::ids::{ReplyId, TurnId};
use aura::settings::Snapshot;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::{Span, debug, error, info_span, warn};

/// When an answer's evidence is read: once its request is on its way, and before any model can have answered.
const HEAD_START: Duration = Duration::from_millis(2);

/// Something happened to the call.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Happened(pub Input);

/// A socket that carries the call from now on; the newest wins.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Attach {
    /// Tells sockets of one call apart.
    pub socket: u64,
    /// Where speech goes; bounded by whoever made it.
    pub outbox: mpsc::Sender<Speech>,
}

/// A socket is gone. Ignored when a newer one carries the call.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Detach {
    /// Which.
    pub socket: u64,
    /// Whether the peer said goodbye.
    pub clean: bool,
}

/// Finish the turn at hand, then let go of the socket so that the peer redials.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Drain;

/// What a socket is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speech {
    /// A sentence of this answer.
    Say {
        /// The peer's number for it.
        reply: ReplyId,
        /// The sentence.
        text: String,
    },
    /// This answer is complete.
    Close {
        /// The peer's number for it.
        reply: ReplyId,
        /// What happens to the line after it.
        then: aura::call::Closing,
    },
    /// A newer socket carries the call.
    Superseded,
    /// The process goes down: the peer shall redial.
    Redial,
    /// The call is over, by the peer's own word: nothing to redial for.
    Over,
}

/// Where a call's work goes. Recipients, never addresses: a test passes recorders.
#[derive(Clone)]
pub struct Wires {
    /// Searches.
    pub rag: Recipient<Retrieve>,
    /// Answers.
    pub llm: Recipient<Generate>,
    /// The operators' desk.
    pub desk: Recipient<Tell>,
    /// The journal.
    pub journal: Recipient<Record>,
    /// The patients' system.
    pub lookup: Recipient<LookUp>,
    /// Where a patient's devices are shown, which the call never sees (R13).
    pub equipment: Recipient<Equipment>,
    /// A second reader of documents, where there is one (DECISIONS 22).
    pub reader: Option<Recipient<Reread>>,
    /// Summaries that a model words.
    pub summary: Recipient<Summarise>,
    /// Seals documents that are written down.
    pub vault: Vault,
}

/// What a call is made of, and made again of.
pub struct Origin {
    /// What it begins with.
    pub spec: Spec,
    /// What it was before, where it is rebuilt.
    pub before: Option<crate::journal::Remembered>,
}

/// Carries one call.
pub struct CallActor {
    call: Call,
    spec: Spec,
    wires: Wires,
    keeper: Keeper,
    settings: watch::Receiver<Arc<Snapshot>>,
    peer: Option<(u64, mpsc::Sender<Speech>)>,
    /// Cancels whatever the current turn has running, wherever it runs.
    work: CancellationToken,
    /// The current turn, as its searches and answers are traced.
    turn: (TurnId, Span),
    timer: Option<(Instant, SpawnHandle)>,
    draining: bool,
    /// The state to go back to after a panic, and when it was that.
    memory: Option<(Memory, Instant)>,
    /// The newest answer that the peer asked for, and whether it was a nudge; none once it was closed.
    asked: Option<(ReplyId, bool)>,
    panics: Vec<Instant>,
    over: Option<Box<dyn FnOnce()>>,
    /// Whether the desk knows nothing of what was said before this process.
    retells: bool,
    span: Span,
}

impl CallActor {
    /// An actor for the call of `origin`; `over` runs when it has stopped.
    pub fn new(
        origin: Origin,
        wires: Wires,
        settings: watch::Receiver<Arc<Snapshot>>,
        over: Box<dyn FnOnce()>,
    ) -> Self {
        let Origin { spec, before } = origin;
        let span = info_span!("call", id = %spec.id);
        let seq = before.as_ref().map_or(0, |before| before.seq);
        let mut keeper = Keeper::new(spec.id.clone(), spec.profile.channel, seq, wires.vault.clone());
        keeper.of(before.as_ref().and_then(|before| before.memory.dni()));
        let retells = before.is_some();
        let call = match before {
            None => Call::new(spec.clone()),
            Some(before) => {
                let age = jiff::Timestamp::now().duration_since(before.at).unsigned_abs();
                Call::restore(spec.clone(), before.memory, before.transcript, age, now())
            }
        };
        Self {
            call,
            spec,
            wires,
            keeper,
            settings,
            peer: None,
            work: CancellationToken::new(),
            turn: (TurnId::default(), Span::none()),
            timer: None,
            draining: false,
            memory: None,
            asked: None,
            panics: Vec::new(),
            over: Some(over),
            retells,
            span,
        }
    }

    /// The only door to the call (I2): one input, then every output, then the timer.
    fn step(&mut self, input: Input, ctx: &mut Context<Self>) {
        let span = self.span.clone();
        let _entered = span.enter();
        if self.settings.has_changed().unwrap_or(false) {
            let snapshot = Arc::clone(&self.settings.borrow_and_update());
            self.apply(Input::Settings(snapshot), ctx);
        }
        self.apply(input, ctx);
        self.keeper.send(&self.wires.journal);
        self.rearm(ctx);
    }

    fn apply(&mut self, input: Input, ctx: &mut Context<Self>) {
        if let Input::Asked { reply, reminder, .. } = &input
            && self.asked.is_none_or(|(newest, _)| newest < *reply)
        {
            self.asked = Some((*reply, *reminder));
        }
        self.keeper.input(&input);
        let handled = catch_unwind(AssertUnwindSafe(|| self.call.handle(input, now())));
        match handled {
            Ok(()) => self.perform_all(ctx),
            Err(_) => self.rebuild(ctx),
        }
    }

    fn perform_all(&mut self, ctx: &mut Context<Self>) {
        let mut changed = false;
        while let Some(output) = self.call.poll() {
            changed |= matches!(output, Output::Remember);
            self.keeper.output(&output);
            self.perform(output, ctx);
        }
        if changed {
            self.remember();
        }
    }

    /// Once a step, after all of it: what a rebuild goes back to.
    fn remember(&mut self) {
        let now = now();
        let memory = self.call.memory(now);
        self.keeper.memory(&memory);
        self.memory = Some((memory, now));
    }

    fn perform(&mut self, output: Output, ctx: &mut Context<Self>) {
        let home = ctx.address().recipient();
        match output {
            Output::Retrieve { turn, search, within } => {
                self.work = CancellationToken::new();
                let (cancel, span) = (self.work.clone(), self.turn_span(turn));
                let of = Of::Turn(turn);
                self.wires.rag.do_send(Retrieve { of, search, within, cancel, reply: home, span });
            }
            // Nothing that happens to the turn ends an operator's own search.
            Output::Search { search: number, query: search, within } => {
                let (cancel, span) = (CancellationToken::new(), self.span.clone());
                let of = Of::Hand(number);
                self.wires.rag.do_send(Retrieve { of, search, within, cancel, reply: home, span });
            }
            Output::Generate { turn, request } => {
                self.work = CancellationToken::new();
                let (cancel, span) = (self.work.clone(), self.turn_span(turn));
                self.wires.llm.do_send(Generate { turn, request, cancel, reply: home, span });
                ctx.run_later(HEAD_START, |actor, _| actor.prepare());
            }
            Output::LookUp { ask, dni } => self.look_up(ask, dni, ctx),
            Output::ReadAgain { line, .. } => self.read_again(line, ctx),
            Output::Cancel { turn } => {
                debug!(%turn, "cancelled");
                self.work.cancel();
            }
            Output::Say { reply, text } => self.speak(Speech::Say { reply, text }),
            Output::Close { reply, then } => {
                self.asked.take_if(|(asked, _)| *asked == reply);
                self.speak(Speech::Close { reply, then });
                if self.draining {
                    self.speak(Speech::Redial);
                }
            }
            Output::Tell(news) => {
                let event = self.call.desk_event(news);
                telemetry::told(&event);
                self.wires.desk.do_send(Tell(event));
            }
            Output::Record(event) => {
                telemetry::observe(&event);
                self.keeper.event(event);
            }
            Output::Summarise(work) => self.wires.summary.do_send(Summarise(work)),
            Output::Remember => {} // see `perform_all`
            Output::End => {
                self.speak(Speech::Over);
                ctx.stop();
            }
        }
    }

    /// Where the evidence can't be read the sentences have none: nothing technical leaves (S2).
    fn prepare(&mut self) {
        if catch_unwind(AssertUnwindSafe(|| self.call.prepare())).is_err() {
            error!("the evidence of a turn can't be read; nothing technical is said in it");
        }
    }

    fn turn_span(&mut self, turn: TurnId) -> Span {
        if self.turn.0 != turn {
            self.turn = (turn, info_span!(parent: &self.span, "turn", id = %turn));
        }
        self.turn.1.clone()
    }

    /// Hands speech to the socket. One that doesn't keep up is let go: it never holds the call (I9).
    fn speak(&mut self, speech: Speech) {
        let Some((_, outbox)) = &self.peer else { return };
        if outbox.try_send(speech).is_err() {
            warn!("the peer doesn't read what it is sent; its socket is closed so that it redials");
            self.peer = None;
        }
    }

    fn rearm(&mut self, ctx: &mut Context<Self>) {
        let wanted = self.call.deadline();
        if self.timer.as_ref().map(|(at, _)| *at) == wanted {
            return;
        }
        if let Some((_, handle)) = self.timer.take() {
            ctx.cancel_future(handle);
        }
        self.timer = wanted.map(|at| {
            let tick = ctx.run_later(at.saturating_duration_since(now()), |actor, ctx| {
                actor.timer = None;
                actor.step(Input::Tick, ctx);
            });
            (at, tick)
        });
    }
}

impl Actor for CallActor {
    type Context = Context<Self>;

    /// A call that was rebuilt has something to tell before anything happens to it.
    fn started(&mut self, ctx: &mut Self::Context) {
        if std::mem::take(&mut self.retells) {
            for news in self.call.retold() {
                self.wires.desk.do_send(Tell(self.call.desk_event(news))); // kept once, when it was said
            }
        }
        self.perform_all(ctx);
        self.keeper.send(&self.wires.journal);
        self.rearm(ctx);
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.work.cancel();
        self.keeper.send(&self.wires.journal);
        if let Some(over) = self.over.take() {
            over();
        }
    }
}

impl Handler<Happened> for CallActor {
    type Result = ();

    fn handle(&mut self, Happened(input): Happened, ctx: &mut Self::Context) {
        self.step(input, ctx);
    }
}

impl Handler<Attach> for CallActor {
    type Result = ();

    fn handle(&mut self, attach: Attach, ctx: &mut Self::Context) {
        if self.peer.is_some() {
            self.speak(Speech::Superseded);
        }
        self.peer = Some((attach.socket, attach.outbox));
        self.step(Input::PeerConnected, ctx);
    }
}

impl Handler<Detach> for CallActor {
    type Result = ();

    fn handle(&mut self, detach: Detach, ctx: &mut Self::Context) {
        if self.peer.as_ref().is_some_and(|(socket, _)| *socket != detach.socket) {
            return;
        }
        self.peer = None;
        self.step(Input::PeerLost { clean: detach.clean }, ctx);
    }
}

impl Handler<Drain> for CallActor {
    type Result = ();

    fn handle(&mut self, _: Drain, _: &mut Self::Context) {
        self.draining = true;
        if !self.call.is_busy() {
            self.speak(Speech::Redial);
        }
    }
}
