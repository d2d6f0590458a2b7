//! A desk that remembers what it is told.
use actix::prelude::*;
use aura::event::{DeskEvent, News};
use aura_actors::desk::Tell;
use std::sync::{Arc, Mutex};

/// What a desk was told, in order.
#[derive(Clone, Debug, Default)]
pub struct Recorded(Arc<Mutex<Vec<DeskEvent>>>);

impl Recorded {
    /// Everything about this call so far.
    pub fn of(&self, call: &str) -> Vec<News> {
        let all = self.0.lock().expect("no poison");
        all.iter().filter(|event| event.call.as_str() == call).map(|event| event.news.clone()).collect()
    }
}

/// Records what it is told.
pub struct Recorder(pub Recorded);

impl Actor for Recorder {
    type Context = Context<Self>;
}

impl Handler<Tell> for Recorder {
    type Result = ();

    fn handle(&mut self, Tell(event): Tell, _: &mut Self::Context) {
        self.0.0.lock().expect("no poison").push(event);
    }
}
