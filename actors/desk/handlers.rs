//! What operators' clients ask of the desk itself: to join, to watch, to be told.
use super::client::Client;
use super::{Deliver, Desk, Plug, now};
use crate::breaker::{Breakers, State};
use crate::store::PendingCallback;
use actix::prelude::*;
use aura::capture::Telephone;
use aura::ids::{AgentId, CallId};
use aura::phrases::desk;
use aura::protocol::desk::{
    Callback, Cursor, Farewell, Happening, MOST_WATCHED, Message as Told, Refusal, VERSION, Welcome,
};
use tracing::warn;

/// Claims a call for an operator.
pub type Claim = Box<dyn Fn(&CallId, AgentId) + Send>;

/// How the desk claims calls from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Claims(pub Claim);

/// A client that has said hello.
pub struct Join {
    /// Names the client.
    pub client: u64,
    /// The number of its `hello`.
    pub id: u64,
    /// Who it is.
    pub operator: AgentId,
    /// What they may do.
    pub may: Vec<String>,
    /// Where they sit, if they may have calls.
    pub extension: Option<String>,
    /// Its socket.
    pub socket: Recipient<Deliver>,
    /// Its connection.
    pub plug: Option<Plug>,
}

/// What a client asks of the desk. Whatever is of a client that is gone is passed over.
#[derive(Message)]
#[rtype(result = "()")]
pub enum Serve {
    /// Let it in.
    Join(Box<Join>),
    /// Tell it of a call.
    Watch {
        /// Which client.
        client: u64,
        /// The number of its request.
        id: u64,
        /// Which call.
        call: CallId,
        /// How far it is.
        after: Option<Cursor>,
    },
    /// Tell it no more.
    Unwatch {
        /// Which client.
        client: u64,
        /// The number of its request.
        id: u64,
        /// Which call.
        call: CallId,
    },
    /// Tell it this.
    Tell {
        /// Which client.
        client: u64,
        /// What.
        message: Box<Told>,
    },
    /// It is gone.
    Leave {
        /// Which client.
        client: u64,
    },
    /// This happened in a call, though the call itself doesn't know of it.
    Note {
        /// Which call.
        call: CallId,
        /// What.
        happening: Box<Happening>,
    },
    /// Somebody was called back: who else is pending?
    CalledBack,
    /// Everybody is let go of.
    Close(Farewell),
}

impl Handler<Claims> for Desk {
    type Result = ();

    fn handle(&mut self, claims: Claims, _: &mut Self::Context) {
        self.claims = Some(claims);
    }
}

impl Handler<Serve> for Desk {
    type Result = ();

    fn handle(&mut self, serve: Serve, ctx: &mut Self::Context) {
        match serve {
            Serve::Join(join) => self.join(*join, ctx),
            Serve::Watch { client, id, call, after } => self.watch(client, id, &call, after, ctx),
            Serve::Unwatch { client: number, id, call } => {
                self.unwatched(&call, number);
                if let Some(client) = self.clients.get_mut(&number) {
                    client.watched.remove(&call);
                    client.forget(&call);
                    client.tell(&Told::Done { id });
                }
                self.push(number, ctx);
            }
            Serve::Tell { client: number, message } => {
                if let Some(client) = self.clients.get_mut(&number) {
                    client.tell(&message);
                }
                self.push(number, ctx);
            }
            Serve::Leave { client } => drop(self.left(client)),
            Serve::Note { call, happening } => {
                if self.feeds.holds(&call) {
                    self.happened(&call, *happening, ctx);
                }
            }
            Serve::CalledBack => self.read_callbacks(ctx),
            Serve::Close(why) => {
                for number in self.clients.keys().copied().collect::<Vec<_>>() {
                    if let Some(client) = self.left(number) {
                        client.socket.do_send(Deliver::Close(why));
                    }
                }
            }
        }
    }
}

impl Desk {
    fn join(&mut self, join: Join, ctx: &mut Context<Self>) {
        let Join { client: number, id, operator, may, extension, socket, plug } = join;
        let mut client = Client::new(operator.clone(), extension.clone(), socket, plug);
        client.tell(&Told::Welcome(Box::new(Welcome {
            id,
            version: VERSION,
            epoch: self.feeds.epoch(),
            now: now(),
            operator: operator.0.clone(),
            may,
            rows: self.board.rows(),
            down: self.down.clone(),
        })));
        client.tell(&Told::Callbacks { rows: self.callbacks.clone() });
        self.clients.insert(number, client);
        metrics::gauge!("aura_desk_clients").increment(1.0);
        self.push(number, ctx);
        self.read_callbacks(ctx);
        if let Some(extension) = extension {
            for call in self.board.ringing_at(&extension) {
                self.claim(call, operator.clone());
            }
        }
    }

    fn watch(&mut self, number: u64, id: u64, call: &CallId, after: Option<Cursor>, ctx: &mut Context<Self>) {
        let epoch = self.feeds.epoch();
        let Some(client) = self.clients.get_mut(&number) else { return };
        let full = client.watched.len() >= MOST_WATCHED && !client.watched.contains(call);
        match self.feeds.since(call, after) {
            _ if full => client.tell(&refused(id, Refusal::TooMany)),
            None => client.tell(&refused(id, Refusal::Unknown)),
            Some(since) => {
                client.forget(call); // told twice, it would stand before what it follows
                client.watched.insert(call.clone());
                self.watchers.entry(call.clone()).or_default().insert(number);
                let (anew, cut) = (since.anew, since.cut);
                client.about(call, &Told::Watching { id, call: call.clone(), epoch, anew, cut });
                for frame in &since.frames {
                    client.event(frame);
                }
                client.about(call, &Told::CaughtUp { call: call.clone(), seq: since.seq });
            }
        }
        self.push(number, ctx);
    }

    /// Asks who is to be called back, and tells whoever is there if that has changed.
    pub(super) fn read_callbacks(&mut self, ctx: &mut Context<Self>) {
        let Some(store) = self.tools.store.clone().filter(|_| !self.clients.is_empty()) else { return };
        let read = async move { store.pending_callbacks().await };
        ctx.spawn(read.into_actor(self).map(|read, desk, ctx| match read {
            Ok(rows) => {
                let rows: Vec<Callback> = rows.iter().filter_map(callback_shown).collect();
                if rows != desk.callbacks {
                    desk.callbacks.clone_from(&rows);
                    desk.everybody(&Told::Callbacks { rows }, ctx);
                }
            }
            Err(error) => warn!(%error, "who is to be called back can't be read"),
        }));
    }
}

/// A refusal with its reason in Spanish.
pub(crate) fn refused(id: u64, why: Refusal) -> Told {
    Told::Refused { id: Some(id), why, text: desk::refusal(why).es.to_owned(), by: None }
}

/// A call back as everybody may see it.
pub(crate) fn callback_shown(row: &PendingCallback) -> Option<Callback> {
    let telephone = row.phone.as_deref().map(|phone| match Telephone::parse(phone) {
        Ok(telephone) => telephone.to_string(),
        Err(_) => desk::TELEPHONE_KEPT.es.to_owned(),
    });
    Some(Callback {
        callback: row.id.to_string(),
        call: CallId::parse(&row.call).ok()?,
        source: row.source.clone(),
        reason: row.reason.clone(),
        text: desk::callback(&row.reason).es.to_owned(),
        question: row.question.clone(),
        telephone,
        since: u64::try_from(row.at.as_millisecond()).unwrap_or_default(),
    })
}

/// What is left alone because it keeps failing, in Spanish.
pub(super) fn down(breakers: &Breakers) -> Vec<String> {
    let parts = [
        (&breakers.model, desk::DOWN_MODEL),
        (&breakers.embedder, desk::DOWN_SEARCH),
        (&breakers.database, desk::DOWN_BASE),
        (&breakers.patients, desk::DOWN_PATIENTS),
    ];
    let open = parts.into_iter().filter(|(breaker, _)| breaker.state().0 != State::Closed);
    open.map(|(_, phrase)| phrase.es.to_owned()).collect()
}
