//! A call that panicked goes on: it alone is rebuilt from what it last remembered.
use super::CallActor;
use crate::clock::now;
use actix::prelude::*;
use aura::call::{Call, Input, Output, Spec};
use aura::event::{Kind, News};
use std::sync::Arc;
use std::time::Duration;
use tracing::error;

/// So many panics within [`PANIC_WINDOW`], and the call takes leave.
const PANICS: usize = 3;
/// See [`PANICS`].
const PANIC_WINDOW: Duration = Duration::from_secs(10);

impl CallActor {
    /// The call panicked: it alone goes back to what it last remembered, and answers what is still asked.
    pub(super) fn rebuild(&mut self, ctx: &mut Context<Self>) {
        let now = now();
        self.work.cancel();
        self.panics.retain(|at| now.saturating_duration_since(*at) < PANIC_WINDOW);
        self.panics.push(now);
        metrics::counter!("aura_calls_rebuilt_total", "cause" => "panic").increment(1);
        error!(panics = self.panics.len(), "the call panicked and is rebuilt");
        self.salvage(ctx);
        let transcript = self.call.transcript().to_vec();
        let spec = Spec { settings: Arc::clone(&self.settings.borrow()), ..self.spec.clone() };
        self.call = match self.memory.clone() {
            Some((memory, at)) => {
                let age = now.saturating_duration_since(at);
                Call::restore(spec, memory, transcript, age, now)
            }
            None => Call::new(spec),
        };
        self.perform_all(ctx);
        if self.panics.len() >= PANICS {
            self.panics.clear();
            let reply = self.asked.map(|(reply, _)| reply);
            return self.apply(Input::Broken { reply }, ctx);
        }
        if self.peer.is_some() {
            self.apply(Input::PeerConnected, ctx);
        }
        if let Some((reply, reminder)) = self.asked {
            self.apply(Input::Asked { reply, turns: None, reminder }, ctx);
        }
    }

    /// Lines and alarms of the step that panicked: the rebuilt call knows the lines and tells none of it again.
    fn salvage(&mut self, ctx: &mut Context<Self>) {
        while let Some(output) = self.call.poll() {
            let lasting = match &output {
                Output::Tell(news) => matches!(news, News::Heard { .. } | News::RedFlag { .. }),
                Output::Record(event) => event.kind == Kind::RedFlag,
                _ => false,
            };
            if lasting {
                self.keeper.output(&output);
                self.perform(output, ctx);
            }
        }
    }
}
