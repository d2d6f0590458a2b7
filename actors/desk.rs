//! What the operators' desk is told; watching and claiming come with the desk itself.
use actix::prelude::*;
use aura::event::DeskEvent;

/// Tell the desk.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub struct Tell(pub DeskEvent);

/// The desk while nobody can watch it yet: it names what it is told in the debug log.
#[derive(Debug, Default)]
pub struct Desk;

impl Actor for Desk {
    type Context = Context<Self>;
}

impl Handler<Tell> for Desk {
    type Result = ();

    fn handle(&mut self, Tell(event): Tell, _: &mut Self::Context) {
        tracing::debug!(call = %event.call, news = ?std::mem::discriminant(&event.news), "desk");
    }
}
