//! Wires the operators' desk: what it works with, and what operators act with.
use crate::accounts::Accounts;
use crate::base::Base;
use crate::breaker::Breakers;
use crate::calls::Calls;
use crate::desk::{self, Claims, Desk, Tell};
use crate::forks::Forks;
use crate::journal::Journal;
use crate::vault::Vault;
use crate::web::calls::Desks;
use crate::web::desk::acts;
use actix::prelude::*;
use aura::call::Input;
use aura::settings::Snapshot;
use std::sync::Arc;
use tokio::sync::watch;

/// The operators' desk.
pub(super) fn open(
    base: &Base,
    settings: &watch::Receiver<Arc<Snapshot>>,
    breakers: &Breakers,
    watcher: Option<Recipient<Tell>>,
) -> Addr<Desk> {
    let (settings, breakers) = (Some(settings.clone()), Some(breakers.clone()));
    let store = Some(base.store.as_ref().clone());
    Desk::new(desk::Tools { settings, store, breakers, watcher }).start()
}

/// Calls that ring where an operator sits are claimed by the desk.
pub(super) fn claim(desk: &Addr<Desk>, calls: &Arc<Calls>) {
    let calls = Arc::clone(calls);
    desk.do_send(Claims(Box::new(move |call, agent| _ = calls.tell(call, Input::Claimed(agent)))));
}

/// What operators act with.
pub(super) fn acts(
    base: &Base,
    vault: Vault,
    journal: &Addr<Journal>,
    desk: &Addr<Desk>,
    (calls, forks): (&Arc<Calls>, &Arc<Forks>),
) -> acts::Tools {
    let accounts = Accounts::new(base.store.clone(), &vault, journal.clone().recipient());
    let (accept, sync) = (journal.clone().recipient(), journal.clone().recipient());
    let (panels, listed) = (desk.clone().recipient(), desk.clone().recipient());
    acts::Tools {
        accounts: Arc::new(accounts),
        calls: Arc::clone(calls),
        forks: Arc::clone(forks),
        desks: Desks { desk: panels, listed, journal: accept, sync, vault },
        serve: desk.clone().recipient(),
        store: base.store.as_ref().clone(),
        clients: Arc::default(),
    }
}
