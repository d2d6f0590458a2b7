//! One operator's client, as the desk sees it: what it watches, what it still has to be sent, and its socket.
use super::{Deliver, Plug};
use actix::prelude::*;
use aura::desk::{Frame, Full, Outbox};
use aura::ids::{AgentId, CallId};
use aura::protocol::desk::Message;
use std::collections::BTreeSet;
use std::sync::Arc;
use tracing::error;

/// A client.
pub(super) struct Client {
    /// Who it is.
    pub operator: AgentId,
    /// Where they sit, if they may have calls.
    pub extension: Option<String>,
    /// The calls that it watches.
    pub watched: BTreeSet<CallId>,
    /// Where batches go.
    pub socket: Recipient<Deliver>,
    /// Shuts the socket down whether its peer reads or not.
    pub plug: Option<Plug>,
    outbox: Outbox,
    behind: bool,
}

impl Client {
    pub fn new(
        operator: AgentId,
        extension: Option<String>,
        socket: Recipient<Deliver>,
        plug: Option<Plug>,
    ) -> Self {
        let (watched, outbox) = (BTreeSet::new(), Outbox::default());
        Self { operator, extension, watched, socket, plug, outbox, behind: false }
    }

    /// An event of a call that it watches.
    pub fn event(&mut self, frame: &Frame) {
        let kept = self.outbox.event(frame);
        self.kept(kept);
    }

    /// Anything else.
    pub fn tell(&mut self, message: &Message) {
        if let Some(text) = written(message) {
            self.send(text);
        }
    }

    /// A message that was written for several.
    pub fn send(&mut self, text: Arc<str>) {
        let kept = self.outbox.message(text);
        self.kept(kept);
    }

    /// A message that goes when the call isn't watched any more.
    pub fn about(&mut self, call: &CallId, message: &Message) {
        if let Some(text) = written(message) {
            let kept = self.outbox.about(call, text);
            self.kept(kept);
        }
    }

    /// What waits of a call isn't sent.
    pub fn forget(&mut self, call: &CallId) {
        self.outbox.forget(call);
    }

    pub fn batch(&mut self, now: u64) -> Vec<Arc<str>> {
        self.outbox.batch(now)
    }

    pub fn delivered(&mut self) {
        self.outbox.delivered();
    }

    pub fn is_behind(&self, now: u64) -> bool {
        self.behind || self.outbox.is_behind(now)
    }

    /// Frames and bytes that wait.
    pub fn waiting(&self) -> (usize, usize) {
        self.outbox.waiting()
    }

    fn kept(&mut self, kept: Result<(), Full>) {
        self.behind |= kept.is_err();
    }
}

/// A message as it goes over the wire.
pub(super) fn written(message: &Message) -> Option<Arc<str>> {
    match serde_json::to_string(message) {
        Ok(text) => Some(text.into()),
        Err(error) => {
            error!(%error, "a message of the desk's can't be written; it isn't sent");
            None
        }
    }
}
