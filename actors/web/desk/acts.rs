//! What an operator asks, done one after the other: allowed, on record where it must be, then done, then on disk,
//! then answered (DECISIONS 23).
use crate::accounts::{Accounts, Who};
use crate::calls::Calls;
use crate::desk::{Deliver, Join, Plug, Serve};
use crate::forks::Forks;
use crate::store::Store;
use crate::web::calls::{Desks, NotDone};
use actix::prelude::*;
use aura::account::Permission;
use aura::call::Input;
use aura::capture::{Captured, Field};
use aura::ids::{AgentId, CallId, Dni};
use aura::phrases::desk;
use aura::protocol::desk::{
    Ask, BadRequest, Farewell, Message as Told, Private, Refusal, Request, VERSION, read_request,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::{debug, warn};

/// How often it is looked whether whoever holds a socket open still may.
const AGAIN: Duration = Duration::from_secs(20);

/// What requests are done with.
#[derive(Clone)]
pub struct Tools {
    /// Who there is.
    pub accounts: Arc<Accounts>,
    /// The live calls.
    pub calls: Arc<Calls>,
    /// Their ears.
    pub forks: Arc<Forks>,
    /// The patients' panels, and the record.
    pub desks: Desks,
    /// Where clients are served.
    pub serve: Recipient<Serve>,
    /// Who is to be called back.
    pub store: Store,
    /// Numbers clients.
    pub clients: Arc<AtomicU64>,
}

/// One client's requests.
pub struct Acts {
    number: u64,
    pub(super) who: Who,
    pub(super) operator: AgentId,
    pub(super) tools: Tools,
    plug: Option<Plug>,
    greeted: bool,
}

/// What a request came to, where it wasn't simply done.
pub(super) enum Not {
    /// Refused, why.
    Because(Refusal),
    /// Refused, why, in the operator's words.
    Said(Refusal, String),
    /// Somebody else has the call.
    Taken(AgentId),
}

impl From<Refusal> for Not {
    fn from(why: Refusal) -> Self {
        Self::Because(why)
    }
}

impl From<NotDone> for Not {
    fn from(not: NotDone) -> Self {
        match not {
            NotDone::Gone => Self::Because(Refusal::Unknown),
            NotDone::Unkept(error) => {
                warn!(%error, "an operator's request was refused");
                Self::Because(Refusal::Unavailable)
            }
        }
    }
}

/// Done; whether `done` is still to be said.
pub(super) type Outcome = Result<bool, Not>;

impl Acts {
    /// For a new client.
    pub fn new(who: Who, tools: Tools, plug: Option<Plug>) -> Self {
        let number = tools.clients.fetch_add(1, Ordering::Relaxed);
        let operator = AgentId(match who.account {
            Some(_) => who.name.clone(),
            None => who.by(),
        });
        Self { number, who, operator, tools, plug, greeted: false }
    }

    /// Names the client.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where clients are served.
    pub fn desk(&self) -> Recipient<Serve> {
        self.tools.serve.clone()
    }

    /// Does what is asked until the socket ends, or whoever asks may no longer.
    pub async fn run(mut self, mut asked: mpsc::Receiver<String>, socket: Recipient<Deliver>) {
        let mut beat = tokio::time::interval(AGAIN);
        beat.tick().await; // the first is at once
        loop {
            let text = tokio::select! {
                text = asked.recv() => match text {
                    Some(text) => Some(text),
                    None => return,
                },
                _ = beat.tick() => None,
            };
            // A socket that merely stays open keeps no session alive.
            match self.tools.accounts.again(&self.who, text.is_some()).await {
                Ok(Some(who)) if who.rights.allow(Permission::SeeCalls) => self.who = who,
                Ok(_) => return socket.do_send(Deliver::Close(Farewell::SignedOut)),
                Err(error) => debug!(%error, "who is at a desk can't be looked up just now"),
            }
            if let Some(text) = text
                && let Err(why) = self.answer(&text, &socket).await
            {
                return socket.do_send(Deliver::Close(why));
            }
        }
    }

    async fn answer(&mut self, text: &str, socket: &Recipient<Deliver>) -> Result<(), Farewell> {
        let request = match read_request(text) {
            Ok(request) => request,
            Err(bad) if self.greeted => {
                self.tell(unreadable(&bad));
                return Ok(());
            }
            Err(_) => return Err(Farewell::Protocol),
        };
        let id = request.id;
        if let Ask::Hello { version, extension } = request.ask {
            if version != VERSION || self.greeted {
                return Err(Farewell::Protocol);
            }
            self.greeted = true;
            self.hello(id, extension, socket);
            return Ok(());
        }
        if !self.greeted {
            return Err(Farewell::Protocol);
        }
        match self.perform(request).await {
            Ok(true) => self.tell(Told::Done { id }),
            Ok(false) => {}
            Err(not) => self.tell(refusal(id, not)),
        }
        Ok(())
    }

    fn hello(&self, id: u64, extension: Option<String>, socket: &Recipient<Deliver>) {
        const NAMED: [(Permission, &[&str]); 4] = [
            (
                Permission::ActOnCalls,
                &[
                    "claim",
                    "release",
                    "mode",
                    "suggest",
                    "step",
                    "capture",
                    "confirm_capture",
                    "search",
                    "swap",
                    "mark",
                    "callbacks",
                    "see_telephone",
                    "callback_done",
                ],
            ),
            (Permission::Supervise, &["take_over"]),
            (Permission::Identify, &["type_dni", "confirm_dni"]),
            (Permission::SeeEquipment, &["see_patient"]),
        ];
        let rights = &self.who.rights;
        let may = NAMED.iter().filter(|(permission, _)| rights.allow(*permission));
        let may = may.flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned())).collect();
        let extension = extension.filter(|_| rights.allow(Permission::ActOnCalls));
        let (client, operator, socket) = (self.number, self.operator.clone(), socket.clone());
        let join = Join { client, id, operator, may, extension, socket, plug: self.plug.clone() };
        self.tools.serve.do_send(Serve::Join(Box::new(join)));
    }

    async fn perform(&self, request: Request) -> Outcome {
        let Request { id, ask } = request;
        let client = self.number;
        match ask {
            Ask::Hello { .. } => Err(Refusal::Hello.into()),
            Ask::Ping => self.said(Told::Pong { id }),
            Ask::Watch { call, after } => {
                self.tools.serve.do_send(Serve::Watch { client, id, call, after });
                Ok(false)
            }
            Ask::Unwatch { call } => {
                self.tools.serve.do_send(Serve::Unwatch { client, id, call });
                Ok(false)
            }
            Ask::Claim { call } => self.claim(&call, Permission::ActOnCalls, Input::Claimed).await,
            Ask::TakeOver { call } => self.claim(&call, Permission::Supervise, Input::TakenOver).await,
            Ask::Release { call } => self.own(&call, Input::Released(self.operator.clone())).await,
            Ask::Mode { call, mode } => self.own(&call, Input::Mode(mode)).await,
            Ask::Suggest { call } => self.own(&call, Input::Suggest).await,
            Ask::Step { call, step } => self.own(&call, Input::Step(step)).await,
            Ask::Capture { call, field, value } => self.capture(&call, field, value).await,
            Ask::ConfirmCapture { call, field } => self.own(&call, Input::CapturedVouched(field)).await,
            Ask::TypeDni { call, dni } => self.identify(&call, &dni, false).await,
            Ask::ConfirmDni { call, dni } => self.identify(&call, &dni, true).await,
            Ask::SeePatient { call } => self.see_patient(call).await,
            Ask::Search { call, text } => {
                self.may(Permission::ActOnCalls)?;
                self.happen(&call, Input::Search { text }).await
            }
            Ask::Swap { call } => {
                self.owns(&call).await?;
                if self.tools.forks.swap(&call) { Ok(true) } else { Err(Refusal::Unknown.into()) }
            }
            Ask::Mark { call, suggestion_id, verdict, note } => {
                self.mark(call, suggestion_id, verdict, note).await
            }
            Ask::Callbacks => self.callbacks().await,
            Ask::SeeTelephone { callback } => self.see_telephone(&callback).await,
            Ask::CallbackDone { callback } => self.callback_done(&callback).await,
        }
    }

    pub(super) fn may(&self, permission: Permission) -> Result<(), Not> {
        if self.who.rights.allow(permission) { Ok(()) } else { Err(Refusal::Forbidden.into()) }
    }

    /// Only whoever has the call may.
    async fn owns(&self, call: &CallId) -> Result<(), Not> {
        self.may(Permission::ActOnCalls)?;
        let panel = self.tools.desks.panel_of(call).await.ok_or(Refusal::Unknown)?;
        match panel.claimed_by {
            Some(by) if by == self.operator => Ok(()),
            _ => Err(Refusal::NotYours.into()),
        }
    }

    async fn own(&self, call: &CallId, input: Input) -> Outcome {
        self.owns(call).await?;
        self.happen(call, input).await
    }

    async fn happen(&self, call: &CallId, input: Input) -> Outcome {
        self.tools.desks.happen(&self.tools.calls, call, input).await?;
        Ok(true)
    }

    /// What a claim came to the desk knows once the call has told it: before the call's own answer came back.
    async fn claim(
        &self,
        call: &CallId,
        permission: Permission,
        input: impl FnOnce(AgentId) -> Input,
    ) -> Outcome {
        self.may(permission)?;
        self.happen(call, input(self.operator.clone())).await?;
        let panel = self.tools.desks.panel_of(call).await.ok_or(Refusal::Unknown)?;
        match panel.claimed_by {
            Some(by) if by == self.operator => Ok(true),
            Some(by) => Err(Not::Taken(by)),
            None => Err(Refusal::Unavailable.into()),
        }
    }

    /// Refused here, where the reason can be told; the call would only leave it out.
    async fn capture(&self, call: &CallId, field: Field, Private(value): Private) -> Outcome {
        self.owns(call).await?;
        if let Err(bad) = Captured::default().typed(field, &value) {
            return Err(Not::Said(Refusal::Value, bad.to_string()));
        }
        self.happen(call, Input::Captured { field, value }).await
    }

    async fn identify(&self, call: &CallId, Private(dni): &Private, vouched: bool) -> Outcome {
        self.may(Permission::Identify)?;
        self.owns(call).await?;
        let dni = Dni::parse(dni).map_err(|bad| Not::Said(Refusal::Value, bad.to_string()))?;
        let (desks, calls) = (&self.tools.desks, &self.tools.calls);
        if vouched {
            let panel = desks.panel_of(call).await.ok_or(Refusal::Unknown)?;
            let held = panel.held.filter(|held| held.dni() == dni).ok_or(Refusal::Changed)?;
            desks.vouch(&self.who, calls, call, &held).await?;
        } else {
            desks.type_in(&self.who, calls, call, dni).await?;
        }
        Ok(true)
    }

    /// An answer of its own kind.
    pub(super) fn said(&self, message: Told) -> Outcome {
        self.tell(message);
        Ok(false)
    }

    fn tell(&self, message: Told) {
        self.tools.serve.do_send(Serve::Tell { client: self.number, message: Box::new(message) });
    }
}

fn unreadable(bad: &BadRequest) -> Told {
    debug!(%bad, "a desk's request can't be read");
    let why = Refusal::Unreadable;
    Told::Refused { id: bad.id, why, text: desk::refusal(why).es.to_owned(), by: None }
}

fn refusal(id: u64, not: Not) -> Told {
    let (why, text, by) = match not {
        Not::Because(why) => (why, desk::refusal(why).es.to_owned(), None),
        Not::Said(why, detail) => (why, format!("{} ({detail})", desk::refusal(why).es), None),
        Not::Taken(by) => (Refusal::Taken, format!("La llamada la tiene {}.", by.0), Some(by.0)),
    };
    Told::Refused { id: Some(id), why, text, by }
}
