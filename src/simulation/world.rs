//! One simulated call: the earliest thing happens next, on a clock that nobody but the dice moves.
use super::dice::Dice;
use super::fork::Fork;
use super::mail::{Letter, Mail, Ms, Sender};
use super::on_call::Table;
use super::peer::Peer;
use super::tally::Tally;
use super::trace::Trace;
use super::watch::{Fault, Watch};
use super::{Outcome, Violation, look_up, model, stores};
use crate::call::{Call, Input, Memory, Output, Spec};
use crate::event::News;
use crate::ids::ReplyId;
use crate::transcript::{Place, Speaker, Turn};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A world in which more than so much happens has lost its way.
const MOST: u64 = 20_000;
/// Lines of the trace that a violation shows.
const TAIL: usize = 60;

/// See the module.
pub(super) struct World<F> {
    pub(super) dice: Dice,
    pub(super) start: Instant,
    pub(super) now: Ms,
    pub(super) mail: Mail,
    pub(super) peer: Peer,
    /// Both ends of a forked call, where it is one.
    pub(super) fork: Option<Fork>,
    pub(super) table: Table,
    /// None while the process is down.
    pub(super) call: Option<Call>,
    pub(super) spec: Spec,
    /// What the journal holds: the last memory and when it was taken; the transcript's lines.
    pub(super) kept: Option<(Memory, Ms)>,
    pub(super) journal: Vec<Turn>,
    /// The newest question, whether it is a reminder, and whether it is still open.
    pub(super) asked: Option<(ReplyId, bool, bool)>,
    /// The socket that carries the call.
    pub(super) attached: u32,
    /// The call's deadline, and when its tick comes.
    pub(super) timer: Option<(Instant, Ms)>,
    pub(super) watch: Watch,
    pub(super) trace: Trace,
    pub(super) tally: Tally,
    pub(super) steps: u64,
    pub(super) seed: u64,
    pub(super) violation: Option<Violation>,
    pub(super) tamper: F,
}

impl<F: FnMut(&Input, &mut Vec<Output>)> World<F> {
    pub(super) fn run(mut self) -> Outcome {
        let happened = (0..MOST).take_while(|_| self.violation.is_none() && self.next()).count() as u64;
        if let Err(fault) = self.watch.end(happened < MOST) {
            self.fail(fault);
        }
        Outcome {
            seed: self.seed,
            steps: self.steps,
            counts: self.tally.0,
            violation: self.violation,
            trace: self.trace.lines,
        }
    }

    pub(super) fn instant(&self) -> Instant {
        self.start + Duration::from_millis(self.now)
    }

    /// The earliest thing happens; false if nothing ever will.
    fn next(&mut self) -> bool {
        let rings = self.timer.map(|(_, at)| at);
        match (self.mail.soonest(), rings) {
            (Some(letter), Some(tick)) if tick < letter => self.ring(tick),
            (None, Some(tick)) => self.ring(tick),
            (Some(_), _) => self.open(),
            (None, None) => return false,
        }
        true
    }

    fn ring(&mut self, at: Ms) {
        self.now = self.now.max(at);
        self.timer = None;
        self.step(Input::Tick);
    }

    fn open(&mut self) {
        let Some((at, from, letter)) = self.mail.open() else { return };
        self.now = self.now.max(at);
        match letter {
            Letter::PeerActs if self.watch.is_over() => {}
            Letter::PeerActs => {
                let (answers, dice, mail) = (self.call.is_some(), &mut self.dice, &mut self.mail);
                match &mut self.fork {
                    Some(fork) => fork.act(dice, mail, self.now, answers),
                    None => self.peer.act(dice, mail, self.now, answers),
                }
            }
            Letter::SettingsChange => {
                self.table.change(&mut self.dice, self.spec.profile.channel);
                self.spec.settings = self.table.snapshot();
                let settings = Input::Settings(Arc::clone(&self.spec.settings));
                self.mail.post(Sender::OnCall, self.now, 0, Letter::For(settings));
            }
            Letter::Crash => self.crash(),
            Letter::Back => self.come_back(),
            Letter::Panic => self.panic(),
            Letter::For(input) => self.deliver(from, input),
        }
    }

    /// A socket that another one has replaced is not missed when it goes.
    fn deliver(&mut self, from: Sender, input: Input) {
        if let Sender::Socket(socket) = from {
            match input {
                Input::PeerConnected => self.attached = self.attached.max(socket),
                Input::PeerLost { .. } if socket != self.attached => return,
                _ => {}
            }
        }
        // A timer that was cancelled may ring all the same.
        if self.dice.in_hundred(2) {
            self.step(Input::Tick);
        }
        self.step(input);
    }

    /// One input, then every output, then the timer.
    pub(super) fn step(&mut self, input: Input) {
        let (now, at) = (self.instant(), self.now);
        let Some(call) = &mut self.call else { return };
        if self.violation.is_some() {
            return;
        }
        if let Input::Asked { reply, reminder, .. } = &input
            && self.asked.is_none_or(|(newest, ..)| newest < *reply)
        {
            self.asked = Some((*reply, *reminder, true));
        }
        self.steps += 1;
        self.trace.input(at, &input);
        self.watch.before(&input, call, now, at);
        if self.watch.expects_nothing() {
            self.tally.vain(&input, self.watch.is_over());
        }
        call.handle(input.clone(), now);
        let mut outputs: Vec<Output> = std::iter::from_fn(|| call.poll()).collect();
        (self.tamper)(&input, &mut outputs);
        self.settle(Some(&input), outputs);
    }

    /// Judges what was done and does it.
    pub(super) fn settle(&mut self, input: Option<&Input>, outputs: Vec<Output>) {
        for output in &outputs {
            self.trace.output(self.now, output);
            self.tally.output(output);
        }
        let (now, at) = (self.instant(), self.now);
        let Some(call) = &self.call else { return };
        if let Err(fault) = self.watch.after(input, &outputs, call, now, at) {
            return self.fail(fault);
        }
        let remembers = outputs.contains(&Output::Remember);
        for output in outputs {
            self.perform(output);
        }
        if remembers {
            self.remember();
        }
        self.rearm();
    }

    pub(super) fn fail(&mut self, fault: Fault) {
        let Fault { invariant, detail } = fault;
        let tail = self.trace.tail(TAIL);
        self.violation.get_or_insert(Violation { step: self.steps, invariant, detail, tail });
    }

    fn perform(&mut self, output: Output) {
        let (dice, mail, now) = (&mut self.dice, &mut self.mail, self.now);
        match output {
            Output::Retrieve { turn, search, .. } => stores::search(dice, mail, now, turn, &search),
            Output::Generate { turn, request } => model::answer(dice, mail, now, turn, &request),
            Output::LookUp { ask, dni } => look_up::answer(dice, mail, now, ask, dni),
            // A courtesy: what is under way may arrive all the same.
            Output::Cancel { turn } if dice.in_hundred(60) => mail.cancel(turn),
            Output::Say { text, .. } => self.peer.hear(&text),
            Output::Close { reply, then } => {
                if let Some((_, _, open)) = self.asked.as_mut().filter(|(asked, ..)| *asked == reply) {
                    *open = false;
                }
                self.peer.closed(dice, mail, now, &then);
            }
            // What may still change isn't kept.
            Output::Tell(News::Heard { place: Some(Place { partial: true, .. }), .. }) => {}
            Output::Tell(News::Heard { index, speaker, text, place }) => {
                let unclear = text.is_empty();
                self.keep_line(index, Turn { speaker, text, unclear, place });
            }
            Output::Search { search, query, .. } => stores::by_hand(dice, mail, now, search, &query),
            // Several of one step are one: the call is kept as it stands after it.
            Output::Remember => {}
            Output::ReadAgain { .. } | Output::Summarise(_) => {}
            Output::Cancel { .. } | Output::Tell(_) | Output::Record(_) | Output::End => {}
        }
    }

    /// As a journal's reader puts lines together.
    fn keep_line(&mut self, index: usize, turn: Turn) {
        match self.journal.get_mut(index) {
            Some(line) => *line = turn,
            None if turn.place.is_some() => {
                let unknown =
                    Turn { speaker: Speaker::Agent, text: String::new(), unclear: true, place: None };
                self.journal.resize(index, unknown);
                self.journal.push(turn);
            }
            None => self.journal.resize(index + 1, turn),
        }
    }

    /// One timer, which may ring late.
    pub(super) fn rearm(&mut self) {
        let wanted = self.call.as_ref().and_then(Call::deadline);
        if self.timer.map(|(due, _)| due) == wanted {
            return;
        }
        let late = if self.dice.in_hundred(40) { self.dice.between(1, 400) } else { 0 };
        self.timer = wanted.map(|due| {
            let due_ms = due.saturating_duration_since(self.start).as_millis() as Ms;
            (due, due_ms.max(self.now) + late)
        });
    }
}
