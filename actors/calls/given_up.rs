//! A call of the last process that nobody redialled: it ends as any other does, with its summary.
use super::Calls;
use crate::call_journal::Keeper;
use crate::clock::now;
use crate::desk::Tell;
use crate::journal::Remembered;
use crate::summary::Summarise;
use crate::telemetry;
use aura::call::{Call, Input, LINGER, Output, Spec};
use aura::event::{DeskEvent, Event, Kind};
use aura::ids::{CallId, TurnId};
use aura::prompt::Prompt;
use jiff::Timestamp;
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tracing::error;

impl Calls {
    /// Its journal says that it has ended, and frees its segments.
    pub(super) fn give_up(&self, id: &CallId) {
        let Some((id, (channel, remembered))) = self.recalled.remove(id) else { return };
        let remembered = self.unsealed(&id, remembered);
        let wires = &self.blueprint.wires;
        let mut keeper = Keeper::new(id.clone(), channel, remembered.seq, wires.vault.clone());
        keeper.of(remembered.memory.dni());
        let prompt = self.prompt(channel.profile().prompt_key, Some(&remembered));
        let prompt = prompt.unwrap_or_else(|_| unused(&remembered)); // nothing is asked of a model
        let spec = self.spec(&id, channel, prompt);
        let ended = catch_unwind(AssertUnwindSafe(|| last_words(spec, remembered)));
        let outputs = ended.unwrap_or_else(|_| {
            error!(call = %id, "a call that nobody redialled can't be rebuilt; it ends without a summary");
            let (turn, payload) = (TurnId(0), json!({ "reason": "not_redialled" }));
            let kind = Kind::CallEnded;
            let event = Event { kind, call: id.clone(), source: channel, turn, agent: None, payload };
            vec![Output::Record(event), Output::End]
        });
        for output in outputs {
            keeper.output(&output);
            match output {
                Output::Record(event) => {
                    telemetry::observe(&event);
                    keeper.event(event);
                }
                Output::Tell(news) => {
                    let event = DeskEvent { call: id.clone(), source: channel, news };
                    telemetry::told(&event);
                    wires.desk.do_send(Tell(event));
                }
                Output::Summarise(work) => wires.summary.do_send(Summarise(work)),
                _ => {} // nobody is there for the rest
            }
        }
        keeper.send(&wires.journal);
    }
}

/// All that the call does once it is rebuilt and its time is up. Nobody looks for its patient any more.
fn last_words(spec: Spec, remembered: Remembered) -> Vec<Output> {
    let age = Timestamp::now().duration_since(remembered.at).unsigned_abs();
    let mut call = Call::restore(spec, remembered.memory, remembered.transcript, age, now());
    let mut outputs: Vec<Output> = std::iter::from_fn(|| call.poll()).collect();
    call.handle(Input::Tick, now() + LINGER);
    outputs.extend(std::iter::from_fn(|| call.poll()));
    outputs.retain(|output| !matches!(output, Output::LookUp { .. }));
    outputs
}

fn unused(remembered: &Remembered) -> Arc<Prompt> {
    let (key, version) = remembered.memory.prompt.clone();
    Arc::new(Prompt { key, version, body: String::new() })
}
