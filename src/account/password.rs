//! Which passwords are taken, and that they never show.
use super::AccountName;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// Fewest characters of a new password.
pub const SHORTEST_PASSWORD: usize = 12;
/// Most characters of any password.
pub const LONGEST_PASSWORD: usize = 128;

/// A password in normal form (NFC): the same keys give the same bytes on every machine. Prints as `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// Why a new password isn't taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// Too short.
    #[error(
        "the password has {0} characters: expected {SHORTEST_PASSWORD} or more; four unrelated words do well"
    )]
    Short(usize),
    /// Too long.
    #[error("the password has more than {LONGEST_PASSWORD} characters")]
    Long,
    /// It is the name.
    #[error("the password is the account's name: choose another")]
    Name,
}

impl Password {
    /// A new password for an account, or why it isn't taken.
    pub fn choose(account: &AccountName, text: &str) -> Result<Self, WeakPassword> {
        let password = Self::offered(text).ok_or(WeakPassword::Long)?;
        let length = password.0.chars().count();
        if length < SHORTEST_PASSWORD {
            return Err(WeakPassword::Short(length));
        }
        if password.0.to_lowercase() == account.as_str() {
            return Err(WeakPassword::Name);
        }
        Ok(password)
    }

    /// What somebody types to sign in; `None` where it is longer than any password.
    pub fn offered(text: &str) -> Option<Self> {
        // Counted before it is normalised: a text without end is never worked on.
        if text.chars().nth(LONGEST_PASSWORD * 4).is_some() {
            return None;
        }
        let normal: String = text.nfc().collect();
        (normal.chars().count() <= LONGEST_PASSWORD).then_some(Self(normal))
    }

    /// Its bytes, for the one place that hashes them.
    pub fn expose(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
