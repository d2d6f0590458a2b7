//! The operators' desk: which operators watch which calls, and what each still has to be sent. It decides nothing
//! about a call; a slow client delays neither a call nor another client.
mod client;
mod handlers;
mod panel;
mod plug;

pub(crate) use handlers::callback_shown;
pub use handlers::{Claims, Join, Serve};
pub use panel::{Panel, Show};
pub use plug::Plug;

use crate::breaker::Breakers;
use crate::lookup::Equipment;
use crate::store::Store;
use actix::prelude::*;
use aura::channel::Channel;
use aura::desk::{Board, Feeds};
use aura::event::{DeskEvent, News};
use aura::ids::{AgentId, CallId};
use aura::protocol::desk::{Callback, Farewell, Happening, Message as Told, Row};
use aura::settings::{self, Snapshot};
use client::{Client, written};
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::warn;

/// How often the list of calls is told, where it has changed.
const BEAT: Duration = Duration::from_millis(250);
/// How often it is asked who is to be called back.
const CALLBACKS: Duration = Duration::from_secs(5);

/// Tell the desk.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub struct Tell(pub DeskEvent);

/// Frames for a client's socket; answered once the socket has taken them.
#[derive(Message, Clone, Debug)]
#[rtype(result = "()")]
pub enum Deliver {
    /// These frames, in order.
    Frames(Vec<Arc<str>>),
    /// Close with goodbye; nothing follows.
    Close(Farewell),
}

/// The call as the list shows it; `None` where it isn't in it (any more).
#[derive(Message, Clone, Debug)]
#[rtype(result = "Option<Row>")]
pub struct Listed(pub CallId);

/// What the desk works with beside what it is told; a test may leave all of it out.
#[derive(Default)]
pub struct Tools {
    /// For how long a call may wait unclaimed.
    pub settings: Option<watch::Receiver<Arc<Snapshot>>>,
    /// Who is to be called back.
    pub store: Option<Store>,
    /// What doesn't work.
    pub breakers: Option<Breakers>,
    /// Who is told everything too.
    pub watcher: Option<Recipient<Tell>>,
}

/// The desk.
pub struct Desk {
    panels: HashMap<CallId, Panel>,
    feeds: Feeds,
    board: Board,
    clients: HashMap<u64, Client>,
    /// Who watches a call.
    watchers: HashMap<CallId, BTreeSet<u64>>,
    callbacks: Vec<Callback>,
    down: Vec<String>,
    claims: Option<Claims>,
    tools: Tools,
}

impl Default for Desk {
    fn default() -> Self {
        Self::new(Tools::default())
    }
}

impl Desk {
    /// A desk that knows of no call yet.
    pub fn new(tools: Tools) -> Self {
        Self {
            panels: HashMap::new(),
            feeds: Feeds::new(now()),
            board: Board::default(),
            clients: HashMap::new(),
            watchers: HashMap::new(),
            callbacks: Vec::new(),
            down: Vec::new(),
            claims: None,
            tools,
        }
    }

    /// Something happened in a call: whoever watches it is sent it.
    fn happened(&mut self, call: &CallId, happening: Happening, ctx: &mut Context<Self>) {
        let Some(frame) = self.feeds.tell(call, happening, now()) else { return };
        let Some(watchers) = self.watchers.get(call) else { return };
        for number in watchers.clone() {
            if let Some(client) = self.clients.get_mut(&number) {
                client.event(&frame);
            }
            self.push(number, ctx);
        }
    }

    /// Hands the next batch to a client's socket, if none is under way.
    fn push(&mut self, number: u64, ctx: &mut Context<Self>) {
        let Some(client) = self.clients.get_mut(&number) else { return };
        let batch = client.batch(now());
        if batch.is_empty() {
            return;
        }
        let taken = client.socket.send(Deliver::Frames(batch)).into_actor(self);
        ctx.spawn(taken.map(move |taken, desk, ctx| match taken {
            Ok(()) => {
                if let Some(client) = desk.clients.get_mut(&number) {
                    client.delivered();
                }
                desk.push(number, ctx);
            }
            Err(_) => drop(desk.left(number)), // its socket is gone
        }));
    }

    fn everybody(&mut self, message: &Told, ctx: &mut Context<Self>) {
        let Some(text) = written(message) else { return };
        let numbers: Vec<u64> = self.clients.keys().copied().collect();
        for number in numbers {
            if let Some(client) = self.clients.get_mut(&number) {
                client.send(Arc::clone(&text));
            }
            self.push(number, ctx);
        }
    }

    /// A client is gone, or is let go of.
    fn left(&mut self, number: u64) -> Option<Client> {
        let client = self.clients.remove(&number)?;
        for call in &client.watched {
            self.unwatched(call, number);
        }
        metrics::gauge!("aura_desk_clients").decrement(1.0);
        Some(client)
    }

    fn unwatched(&mut self, call: &CallId, number: u64) {
        if let Some(watchers) = self.watchers.get_mut(call) {
            watchers.remove(&number);
            if watchers.is_empty() {
                self.watchers.remove(call);
            }
        }
    }

    /// Every so often: what has changed in the list, who waits too long, who doesn't keep up.
    fn beat(&mut self, ctx: &mut Context<Self>) {
        let now = now();
        self.board.tick(self.patience(), now);
        let changes = self.board.changes(now);
        for call in &changes.gone {
            self.feeds.forget(call);
            self.panels.remove(call);
            for number in self.watchers.remove(call).unwrap_or_default() {
                if let Some(client) = self.clients.get_mut(&number) {
                    client.watched.remove(call);
                }
            }
        }
        if !(changes.rows.is_empty() && changes.gone.is_empty()) {
            self.everybody(&Told::Rows { rows: changes.rows, gone: changes.gone }, ctx);
        }
        self.let_go(now);
        self.health(ctx);
    }

    /// Closes clients that don't keep up: they connect again and catch up.
    fn let_go(&mut self, now: u64) {
        let behind = self.clients.iter().filter(|(_, client)| client.is_behind(now));
        for number in behind.map(|(number, _)| *number).collect::<Vec<_>>() {
            let Some(client) = self.left(number) else { continue };
            let (frames, bytes) = client.waiting();
            warn!(operator = %client.operator.0, frames, bytes, "a desk doesn't keep up; its socket is closed");
            metrics::counter!("aura_desk_closed_total", "why" => "behind").increment(1);
            client.socket.do_send(Deliver::Close(Farewell::Behind));
            if let Some(plug) = client.plug {
                plug.pull(); // a peer that doesn't read takes no goodbye either
            }
        }
    }

    fn patience(&self) -> u64 {
        let secs = self.tools.settings.as_ref().map_or(0, |settings| {
            settings.borrow().count(&settings::DESK_UNCLAIMED_ALERT_SECS, Channel::AudioFork)
        });
        secs as u64 * 1000
    }

    /// What doesn't work is told when it changes: a visible state, not silence.
    fn health(&mut self, ctx: &mut Context<Self>) {
        let Some(breakers) = &self.tools.breakers else { return };
        let down = crate::desk::handlers::down(breakers);
        if down != self.down {
            self.down = down.clone();
            self.everybody(&Told::Health { down }, ctx);
        }
    }

    /// A call rings where an operator sits: it is theirs.
    fn rings(&self, call: &CallId, extension: &str) {
        let sits = |client: &&Client| client.extension.as_deref() == Some(extension);
        let waits = self.board.row(call).is_some_and(|row| row.waiting_since.is_some());
        if let Some(client) = self.clients.values().find(sits).filter(|_| waits) {
            self.claim(call, client.operator.clone());
        }
    }

    fn claim(&self, call: &CallId, operator: AgentId) {
        if let Some(Claims(claim)) = &self.claims {
            claim(call, operator);
        }
    }
}

impl Actor for Desk {
    type Context = Context<Self>;

    /// All calls tell it, and none waits for it.
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(1024);
        ctx.run_interval(BEAT, Self::beat);
        if self.tools.store.is_some() {
            ctx.run_interval(CALLBACKS, Self::read_callbacks);
        }
    }
}

impl Handler<Tell> for Desk {
    type Result = ();

    fn handle(&mut self, tell: Tell, ctx: &mut Self::Context) {
        let Tell(event) = &tell;
        self.board.told(event, now());
        match &event.news {
            News::Closed => _ = self.panels.remove(&event.call),
            News::Opened | News::Claimed { .. } | News::Identity { .. } | News::LookUp { .. } => {
                self.panels.entry(event.call.clone()).or_default().told(&event.news);
            }
            _ => {}
        }
        // What is in no list is forgotten by nobody.
        if self.board.row(&event.call).is_some() {
            self.happened(&event.call, Happening::of(&event.news, event.source), ctx);
        }
        if let News::Extension { extension } = &event.news {
            self.rings(&event.call, extension);
        }
        if let Some(watcher) = &self.tools.watcher {
            watcher.do_send(tell);
        }
    }
}

impl Handler<Equipment> for Desk {
    type Result = ();

    fn handle(&mut self, equipment: Equipment, ctx: &mut Self::Context) {
        // Of a call that is over, or of another document than the caller's by now, nothing is kept.
        let panel = self.panels.get_mut(&equipment.call);
        let panel = panel.filter(|panel| panel.held.is_some_and(|held| held.dni() == equipment.dni));
        if let Some(panel) = panel {
            let detail = equipment.devices.is_some();
            panel.devices = equipment.devices;
            self.happened(&equipment.call, Happening::Equipment { detail }, ctx);
        }
    }
}

impl Handler<Show> for Desk {
    type Result = MessageResult<Show>;

    fn handle(&mut self, Show(call): Show, _: &mut Self::Context) -> Self::Result {
        MessageResult(self.panels.get(&call).cloned())
    }
}

impl Handler<Listed> for Desk {
    type Result = MessageResult<Listed>;

    fn handle(&mut self, Listed(call): Listed, _: &mut Self::Context) -> Self::Result {
        MessageResult(self.board.row(&call).cloned())
    }
}

/// Now, in milliseconds since 1970.
fn now() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}
