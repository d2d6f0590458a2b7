//! One-time links: the first administrator, and passwords that their owners choose themselves.
use super::keys::{self, NoRandom};
use super::{Accounts, AccountsError, lock};
use crate::store::{LinkRow, Store, StoreError};
use aura::account::{AccountName, BadName, Password};
use aura::audit::Action;
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

/// How long a link is good.
pub const LINK_LIFE: Duration = Duration::from_secs(24 * 3600);

/// What a valid link invites to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invitation {
    /// To become the first administrator.
    SetUp,
    /// To choose this account's password.
    Password(AccountName),
}

/// Why no link was made.
#[derive(Debug, thiserror::Error)]
pub enum NoLink {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

/// The path of a new set-up link, if there is no account yet. With `first`, only if none was ever made.
pub async fn setup_link(store: &Store, first: bool) -> Result<Option<String>, NoLink> {
    let key = keys::link()?;
    let kept = store.setup_link(&key.hash, LINK_LIFE, first).await?;
    Ok(kept.then(|| path(&key.text)))
}

/// The path of a new link with which an account's password is chosen.
pub async fn password_link(store: &Store, account: Uuid) -> Result<String, NoLink> {
    let key = keys::link()?;
    store.password_link(&key.hash, account, LINK_LIFE).await?;
    Ok(path(&key.text))
}

fn path(key: &str) -> String {
    format!("/setup?token={key}")
}

impl Accounts {
    /// The path of the set-up link, at the first start of a service without accounts; once.
    pub async fn first_setup_link(&self) -> Result<Option<String>, NoLink> {
        setup_link(&self.store, true).await
    }

    /// What the link invites to.
    pub async fn invitation(&self, link: &str) -> Result<Invitation, AccountsError> {
        let hash = keys::read_link(link).ok_or(AccountsError::Link)?;
        let row = self.store.link(&hash).await?.ok_or(AccountsError::Link)?;
        Ok(invitation(row)?)
    }

    /// Accepts an invitation: the link is used up, the password set. `name` is the first administrator's
    /// choice; an account has its own.
    pub async fn accept(&self, link: &str, name: &str, password: &str) -> Result<AccountName, AccountsError> {
        let hash = keys::read_link(link).ok_or(AccountsError::Link)?;
        let (name, action) = match self.invitation(link).await? {
            Invitation::SetUp => (AccountName::parse(name)?, Action::SetUp),
            Invitation::Password(name) => (name, Action::AccountChanged),
        };
        let password = Password::choose(&name, password)?;
        let password = self.passwords.hash(password).await?;
        let detail = json!({ "account": name.as_str(), "changed": "password", "by": "link" });
        self.note(format!("account:{name}"), action, detail).await?;
        let done = match action {
            Action::SetUp => self.store.set_up(&hash, name.as_str(), &password).await?,
            _ => self.store.use_password_link(&hash, &password).await?,
        };
        lock(&self.cache).forget_all();
        if done { Ok(name) } else { Err(AccountsError::Link) }
    }
}

fn invitation(row: LinkRow) -> Result<Invitation, BadName> {
    Ok(match row.account {
        None => Invitation::SetUp,
        Some((_, name)) => Invitation::Password(AccountName::parse(&name)?),
    })
}
