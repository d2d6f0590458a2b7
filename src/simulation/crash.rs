//! Processes that die and come back, calls that panic: what the journal holds is all that is left.
use super::mail::{Letter, Ms, Sender};
use super::world::World;
use crate::call::{Call, Input, Output};
use std::time::Duration;

/// How old a call may be when it is rebuilt, in milliseconds.
const OLDEST: Ms = 119_000;

impl<F: FnMut(&Input, &mut Vec<Output>)> World<F> {
    /// Writes the call's memory down, as JSON.
    pub(super) fn remember(&mut self) {
        let now = self.instant();
        let Some(call) = &self.call else { return };
        let memory = call.memory(now);
        let written = serde_json::to_string(&memory).unwrap_or_default();
        self.trace.memory(self.now, &written);
        match self.watch.remember(&memory, &written) {
            Ok(()) => self.kept = Some((memory, self.now)),
            Err(fault) => self.fail(fault),
        }
    }

    /// The process is gone, with everything that it held.
    pub(super) fn crash(&mut self) {
        self.trace.world(self.now, "the process dies");
        self.tally.count("fortune: crash");
        self.call = None;
        self.timer = None;
        self.asked = None;
        self.mail.lose_process();
        self.peer.cut();
        if let Some(fork) = &mut self.fork {
            fork.cut();
        }
        let down = self.dice.between(0, OLDEST);
        self.mail.post(Sender::World, self.now, down, Letter::Back);
    }

    /// A new process rebuilds the call, unless it had ended.
    pub(super) fn come_back(&mut self) {
        self.trace.world(self.now, "the process is back");
        if self.watch.is_over() {
            return;
        }
        let lines = std::mem::take(&mut self.journal);
        self.journal.clone_from(&lines);
        self.rebuild(lines);
        self.identify();
    }

    fn rebuild(&mut self, lines: Vec<crate::transcript::Turn>) {
        let now = self.instant();
        let mut call = match self.kept.clone() {
            Some((memory, at)) => {
                let age = Duration::from_millis(self.now.saturating_sub(at));
                self.tally.count(if self.watch.is_answering() {
                    "rebuilt: in a turn"
                } else {
                    "rebuilt: between turns"
                });
                self.watch.rebuilt(lines.clone(), &self.spec);
                Call::restore(self.spec.clone(), memory, lines, age, now)
            }
            None => {
                self.watch.forgotten(&self.spec);
                Call::new(self.spec.clone())
            }
        };
        let outputs: Vec<Output> = std::iter::from_fn(|| call.poll()).collect();
        self.call = Some(call);
        self.settle(None, outputs);
    }

    /// The call alone breaks: it goes back to what it last remembered and answers what is still asked.
    pub(super) fn panic(&mut self) {
        if self.watch.is_over() {
            return;
        }
        let Some(call) = self.call.take() else { return };
        self.trace.world(self.now, "the call panics");
        self.tally.count("fortune: panic");
        self.timer = None;
        self.mail.lose_work();
        self.rebuild(call.transcript().to_vec());
        if self.dice.in_hundred(15) {
            let reply = self.asked.filter(|(.., open)| *open).map(|(reply, ..)| reply);
            return self.step(Input::Broken { reply });
        }
        if self.fork.as_ref().map_or(self.peer.is_up(), super::fork::Fork::is_up) {
            self.step(Input::PeerConnected);
        }
        if let Some((reply, reminder, true)) = self.asked {
            self.step(Input::Asked { reply, turns: None, reminder });
        }
    }
}
