//! Who is asking: sessions of browsers, tokens of machines, tickets of websockets, looked up and remembered.
//!
//! | what | how long | how it ends |
//! |---|---|---|
//! | session | 12 h, 1 h without use | sign-out, a new sign-in of the same browser, a changed password, a disabled account |
//! | token | as issued | revoked, a changed password, a disabled account |
//! | ticket | 30 s | its one use |
//!
//! An end within this process holds at once, one by another process (`aura user`) within 3 s. While the
//! database is away nobody can sign in, and whoever it knew is let in for 5 more minutes.
mod cache;
mod error;
pub mod keys;
pub mod password;
mod setup;
mod sign_in;
mod tickets;

pub use error::AccountsError;
pub use setup::{Invitation, LINK_LIFE, NoLink, password_link, setup_link};
pub use sign_in::{Attempt, SignedIn};
pub use tickets::TICKET_LIFE;

use crate::audit;
use crate::clock::now;
use crate::journal::Accept;
use crate::store::{Hash, Lifetimes, SessionRow, Store, StoreError, TokenRow};
use crate::vault::Vault;
use actix::Recipient;
use aura::account::{Rights, Role, Scope, Throttle};
use aura::audit::{Act, Action};
use cache::Cache;
use keys::Signer;
use password::Passwords;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tickets::Tickets;
use tokio::sync::Semaphore;
use uuid::Uuid;

/// How long sessions last.
pub const SESSION: Lifetimes =
    Lifetimes { whole: Duration::from_secs(12 * 3600), idle: Duration::from_secs(3600) };
/// Look-ups at once: made-up tokens must not take the connections that searches need.
const LOOKUPS: usize = 2;
/// How long a look-up waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// By what somebody was recognised: the hash of what they showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Via {
    /// A browser's session.
    Session(Hash),
    /// A bearer token.
    Token(Hash),
}

/// Whoever is asking, and what they may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Who {
    /// The account's name; a machine's token's where there is none.
    pub name: String,
    /// The account, if it is one.
    pub account: Option<Uuid>,
    /// What they may do.
    pub rights: Rights,
    /// By what they were recognised.
    pub via: Via,
}

impl Who {
    /// As the audit trail names them.
    pub fn by(&self) -> String {
        match self.account {
            Some(_) => format!("account:{}", self.name),
            None => format!("token:{}", self.name),
        }
    }
}

/// All that is known of accounts; one for the process.
pub struct Accounts {
    store: Arc<Store>,
    signer: Signer,
    journal: Recipient<Accept>,
    passwords: Passwords,
    lookups: Semaphore,
    throttle: Mutex<Throttle>,
    tickets: Mutex<Tickets>,
    cache: Mutex<Cache>,
}

impl Accounts {
    /// On this base; what is done goes on record in `journal`.
    pub fn new(store: Arc<Store>, vault: &Vault, journal: Recipient<Accept>) -> Self {
        Self {
            store,
            signer: Signer::new(vault),
            journal,
            passwords: Passwords::default(),
            lookups: Semaphore::new(LOOKUPS),
            throttle: Mutex::default(),
            tickets: Mutex::default(),
            cache: Mutex::default(),
        }
    }

    /// Whose cookie this is, if it is a valid one.
    pub async fn by_cookie(&self, cookie: &str) -> Result<Option<Who>, AccountsError> {
        match self.signer.read(cookie) {
            Some(hash) => self.find(Via::Session(hash), true).await,
            None => Ok(None),
        }
    }

    /// Whose bearer token this is, if it is a valid one.
    pub async fn by_token(&self, token: &str) -> Result<Option<Who>, AccountsError> {
        match keys::read_token(token) {
            Some(hash) => self.find(Via::Token(hash), true).await,
            None => Ok(None),
        }
    }

    /// Whether they are still who they were, for whoever holds a socket open. `used`: because they did
    /// something; a socket that merely stays open keeps no session alive.
    pub async fn again(&self, who: &Who, used: bool) -> Result<Option<Who>, AccountsError> {
        self.find(who.via, used).await
    }

    /// A ticket for one websocket from this origin, and who shows it within [`TICKET_LIFE`] is `who`.
    pub fn ticket(&self, who: &Who, origin: Option<String>) -> Result<String, AccountsError> {
        let key = keys::link()?;
        let kept = lock(&self.tickets).add(key.hash, who.via, origin, now());
        if kept { Ok(key.text) } else { Err(AccountsError::TooManyTickets) }
    }

    /// Whose ticket this is; it is used up.
    pub async fn by_ticket(&self, ticket: &str, origin: Option<&str>) -> Result<Option<Who>, AccountsError> {
        let via = keys::read_link(ticket).and_then(|hash| lock(&self.tickets).take(&hash, origin, now()));
        match via {
            Some(via) => self.find(via, true).await,
            None => Ok(None),
        }
    }

    /// The hashing of passwords, to be looked at.
    pub const fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    async fn find(&self, via: Via, used: bool) -> Result<Option<Who>, AccountsError> {
        let fresh = lock(&self.cache).fresh(&via, now());
        if fresh.is_some() {
            return Ok(fresh);
        }
        let mark = lock(&self.cache).mark();
        let asked = tokio::time::timeout(PATIENCE, self.lookups.acquire()).await;
        let asked = match asked {
            Ok(_permit) => self.ask(via, used).await,
            Err(_) => Err(StoreError::Busy.into()),
        };
        match asked {
            Ok(Some((who, remaining))) => {
                lock(&self.cache).keep(who.clone(), remaining, mark, now());
                Ok(Some(who))
            }
            Ok(None) => {
                lock(&self.cache).forget(&via);
                Ok(None)
            }
            Err(error) => lock(&self.cache).stale(&via, now()).map(Some).ok_or(error),
        }
    }

    async fn ask(&self, via: Via, used: bool) -> Result<Option<(Who, Duration)>, AccountsError> {
        match via {
            Via::Session(hash) => {
                let row = self.store.session(&hash, SESSION, used).await?;
                row.map(|row| of_session(via, row)).transpose()
            }
            Via::Token(hash) => {
                let row = self.store.token(&hash).await?;
                row.map(|row| of_token(via, row)).transpose()
            }
        }
    }

    /// Puts an act on record before it is answered, or done.
    async fn note(&self, by: String, action: Action, detail: Value) -> Result<(), AccountsError> {
        Ok(audit::note(&self.journal, Act { by, action, patient: None, call: None, detail }).await?)
    }
}

fn of_session(via: Via, row: SessionRow) -> Result<(Who, Duration), AccountsError> {
    let rights = Rights::Of(Role::parse(&row.role)?);
    Ok((Who { name: row.name, account: Some(row.account), rights, via }, row.remaining))
}

fn of_token(via: Via, row: TokenRow) -> Result<(Who, Duration), AccountsError> {
    // A scope that a newer program wrote brings nothing here.
    let scopes = row.scopes.iter().filter_map(|name| Scope::parse(name).ok()).collect();
    let who = match row.account {
        Some((account, name, role)) => {
            let rights = Rights::Within(Role::parse(&role)?, scopes);
            Who { name, account: Some(account), rights, via }
        }
        None => Who { name: row.name, account: None, rights: Rights::Machine(scopes), via },
    };
    Ok((who, row.remaining))
}

/// What is held is whole at each step: a panic elsewhere doesn't spoil it.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
