//! One operator's websocket. It holds nothing: what it reads goes to [`Acts`], what it is handed it writes.
use super::acts::Acts;
use crate::desk::{Deliver, Serve};
use actix::prelude::*;
use actix_web_actors::ws::{self, CloseCode, CloseReason, WebsocketContext};
use aura::phrases::desk;
use aura::protocol::desk::{Farewell, Message as Told};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often the peer is pinged.
const PING: Duration = Duration::from_secs(15);
/// After how long without a sign of it the peer is gone.
const SILENCE: Duration = Duration::from_secs(35);
/// How long a client may take to say hello.
const HELLO: Duration = Duration::from_secs(10);
/// Requests that wait for their turn; more, and the client doesn't wait for answers at all.
const WAITING: usize = 32;

/// The socket's actor.
pub struct Socket {
    acts: Option<Acts>,
    requests: Option<mpsc::Sender<String>>,
    number: u64,
    desk: Recipient<Serve>,
    heard: Instant,
    greeted: bool,
}

impl Socket {
    /// A socket that hands what it reads to `acts`.
    pub fn new(acts: Acts) -> Self {
        let (number, desk) = (acts.number(), acts.desk());
        let heard = crate::clock::now();
        Self { acts: Some(acts), requests: None, number, desk, heard, greeted: false }
    }

    fn goodbye(&mut self, why: Farewell, ctx: &mut WebsocketContext<Self>) {
        let text = desk::farewell(why).es.to_owned();
        if let Ok(bye) = serde_json::to_string(&Told::Bye { why, text }) {
            ctx.text(bye);
        }
        ctx.close(Some(CloseReason::from(CloseCode::from(why.code()))));
        ctx.stop();
    }

    fn asked(&mut self, text: String, ctx: &mut WebsocketContext<Self>) {
        self.greeted = true;
        let taken = self.requests.as_ref().map(|requests| requests.try_send(text));
        if !matches!(taken, Some(Ok(()))) {
            self.goodbye(Farewell::Protocol, ctx);
        }
    }
}

impl Actor for Socket {
    type Context = WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let (requests, asked) = mpsc::channel(WAITING);
        self.requests = Some(requests);
        if let Some(acts) = self.acts.take() {
            // A task of its own: a look-up in the database holds up neither reading nor writing (I9).
            actix_rt::spawn(acts.run(asked, ctx.address().recipient()));
        }
        ctx.run_later(HELLO, |socket, ctx| {
            if !socket.greeted {
                socket.goodbye(Farewell::Protocol, ctx);
            }
        });
        ctx.run_interval(PING, |socket, ctx| {
            if crate::clock::now().saturating_duration_since(socket.heard) > SILENCE {
                metrics::counter!("aura_desk_closed_total", "why" => "silent").increment(1);
                return socket.goodbye(Farewell::Silent, ctx);
            }
            ctx.ping(b"");
        });
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.desk.do_send(Serve::Leave { client: self.number });
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, read: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        self.heard = crate::clock::now();
        match read {
            Ok(ws::Message::Text(text)) => self.asked(text.to_string(), ctx),
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(ws::Message::Binary(_) | ws::Message::Continuation(_)) | Err(_) => {
                self.goodbye(Farewell::Protocol, ctx);
            }
        }
    }
}

impl Handler<Deliver> for Socket {
    type Result = ();

    fn handle(&mut self, deliver: Deliver, ctx: &mut Self::Context) {
        match deliver {
            Deliver::Frames(frames) => {
                for frame in frames {
                    ctx.text(&*frame);
                }
            }
            Deliver::Close(why) => self.goodbye(why, ctx),
        }
    }
}
