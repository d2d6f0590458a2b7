//! Why somebody isn't let in, or a change isn't made.
use super::keys::NoRandom;
use super::password::HashError;
use crate::audit::NotOnRecord;
use crate::store::StoreError;
use aura::account::{BadName, UnknownRole, Wait, WeakPassword};

/// Why not. None of the texts holds what was typed.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// Too many failed tries.
    #[error(transparent)]
    Wait(#[from] Wait),
    /// One text for a wrong name, a wrong password and a closed account.
    #[error("the name or the password is wrong")]
    Refused,
    /// A new password isn't taken.
    #[error(transparent)]
    Weak(#[from] WeakPassword),
    /// A new name isn't taken.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The link.
    #[error("the link isn't valid: it was used, it has expired, or a newer one replaced it")]
    Link,
    /// Too many tickets.
    #[error("too many tickets wait to be used; use one, or try again in 30 s")]
    TooManyTickets,
    /// The database.
    #[error("accounts can't be looked up: {0}")]
    Store(#[from] StoreError),
    /// What the base holds.
    #[error("the base holds an account that this program doesn't understand: {0}")]
    Role(#[from] UnknownRole),
    /// The hashing.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The system.
    #[error(transparent)]
    Random(#[from] NoRandom),
    /// The trail.
    #[error(transparent)]
    NotOnRecord(#[from] NotOnRecord),
}
