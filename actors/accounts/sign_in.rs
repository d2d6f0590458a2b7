//! Signing in and out, and changing one's own password.
use super::password::Checked;
use super::{Accounts, AccountsError, SESSION, Via, Who, lock};
use crate::clock::now;
use crate::store::{AccountRow, Hash};
use aura::account::{AccountName, Password, Proof};
use aura::audit::Action;
use serde_json::json;
use std::net::IpAddr;
use tracing::warn;

/// A try to sign in.
pub struct Attempt<'a> {
    /// The name, as it was typed.
    pub name: &'a str,
    /// The password, as it was typed.
    pub password: &'a str,
    /// From where.
    pub address: Option<IpAddr>,
    /// The cookie that the browser had before; its session ends.
    pub former: Option<&'a str>,
}

/// A session that was opened.
pub struct SignedIn {
    /// The cookie's value, for its holder alone.
    pub cookie: String,
    /// Who signed in.
    pub name: AccountName,
}

impl Accounts {
    /// Opens a session. Unknown names, wrong passwords and closed accounts are told apart in the trail alone.
    pub async fn sign_in(&self, attempt: Attempt<'_>) -> Result<SignedIn, AccountsError> {
        // What is no name is nobody's; it isn't kept either, since it may be a password.
        let name = AccountName::parse(attempt.name).ok();
        let (account, hash) = self.verified(name.as_ref(), &attempt).await?;
        let (Some(name), Some(account)) = (name, account) else { return Err(AccountsError::Refused) };
        let former = attempt.former.and_then(|cookie| self.signer.read(cookie));
        let cookie = self.open(&account, &hash, former).await?;
        self.note(format!("account:{name}"), Action::SignedIn, json!({ "proof": Proof::Password.as_str() }))
            .await?;
        metrics::counter!("aura_sign_ins_total", "outcome" => "signed_in").increment(1);
        Ok(SignedIn { cookie, name })
    }

    /// Ends the session that they came with; a token isn't one.
    pub async fn sign_out(&self, who: &Who) -> Result<(), AccountsError> {
        let Via::Session(hash) = who.via else { return Ok(()) };
        self.note(who.by(), Action::SignedOut, json!({})).await?;
        self.store.close_session(&hash).await?;
        lock(&self.cache).forget(&who.via);
        Ok(())
    }

    /// Changes one's own password; every session and token of the account ends, and a new session opens.
    pub async fn change_password(
        &self,
        who: &Who,
        (current, new): (&str, &str),
        address: Option<IpAddr>,
    ) -> Result<SignedIn, AccountsError> {
        let name = AccountName::parse(&who.name)?;
        let new = Password::choose(&name, new)?;
        let attempt = Attempt { name: name.as_str(), password: current, address, former: None };
        let (Some(account), _) = self.verified(Some(&name), &attempt).await? else {
            return Err(AccountsError::Refused);
        };
        let hash = self.passwords.hash(new).await?;
        self.note(
            who.by(),
            Action::AccountChanged,
            json!({ "account": name.as_str(), "changed": "password" }),
        )
        .await?;
        self.store.set_password(account.id, &hash).await?;
        lock(&self.cache).forget_all();
        let cookie = self.open(&account, &hash, None).await?;
        Ok(SignedIn { cookie, name })
    }

    /// The account with the hash that its password was checked against.
    async fn verified(
        &self,
        name: Option<&AccountName>,
        attempt: &Attempt<'_>,
    ) -> Result<(Option<AccountRow>, String), AccountsError> {
        if let Err(wait) = lock(&self.throttle).admit(name, attempt.address, now()) {
            metrics::counter!("aura_sign_ins_total", "outcome" => "throttled").increment(1);
            return Err(wait.into());
        }
        let account = match name {
            Some(name) => self.store.account(name.as_str()).await?,
            None => None,
        };
        let stored = account.as_ref().and_then(|account| account.password_hash.clone());
        let checked = self.passwords.check(stored.clone(), Password::offered(attempt.password)).await?;
        let open = account.as_ref().is_some_and(|account| account.disabled_at.is_none());
        if !(checked.matches && open) {
            self.refuse(account.as_ref(), checked, attempt.address).await?;
            return Err(AccountsError::Refused);
        }
        if let Some(name) = name {
            lock(&self.throttle).succeeded(name, attempt.address);
        }
        let hash = stored.unwrap_or_default();
        let hash = match (&account, checked.outdated) {
            (Some(account), true) => self.renewed(account, hash, attempt.password).await,
            _ => hash,
        };
        Ok((account, hash))
    }

    async fn refuse(
        &self,
        account: Option<&AccountRow>,
        checked: Checked,
        address: Option<IpAddr>,
    ) -> Result<(), AccountsError> {
        metrics::counter!("aura_sign_ins_total", "outcome" => "refused").increment(1);
        let reason = match account {
            None => "unknown_account",
            Some(_) if checked.matches => "disabled",
            Some(account) if account.password_hash.is_none() => "no_password",
            Some(_) => "wrong_password",
        };
        let name = account.map(|account| account.name.as_str());
        let detail = json!({ "account": name, "reason": reason, "address": address });
        self.note("nobody".to_owned(), Action::SignInRefused, detail).await
    }

    /// The same password, hashed as is done today. Where that fails, the former hash goes on.
    async fn renewed(&self, account: &AccountRow, former: String, password: &str) -> String {
        let Some(password) = Password::offered(password) else { return former };
        let renewed = async {
            let newer = self.passwords.hash(password).await?;
            self.store.rehash(account.id, &former, &newer).await?;
            Ok::<_, AccountsError>(newer)
        };
        match renewed.await {
            Ok(newer) => newer,
            Err(error) => {
                warn!(%error, "a password keeps its old hash for now");
                former
            }
        }
    }

    async fn open(
        &self,
        account: &AccountRow,
        hash: &str,
        former: Option<Hash>,
    ) -> Result<String, AccountsError> {
        let key = self.signer.session()?;
        let proof = Proof::Password.as_str();
        let of = (account.id, hash);
        let opened = self.store.open_session(&key.hash, of, proof, SESSION, former.as_ref()).await?;
        if let Some(former) = former {
            lock(&self.cache).forget(&Via::Session(former));
        }
        // It was closed, or got another password, in this very moment.
        if opened { Ok(key.text) } else { Err(AccountsError::Refused) }
    }
}
