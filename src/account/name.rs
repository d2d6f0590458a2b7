//! The names of accounts and tokens: short, typed by hand, safe in a log line and in a URL.
use std::fmt;

/// Fewest and most letters.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=40;

/// Figures from which on a name might be somebody's document, typed into the wrong field (I8).
const FIGURES: usize = 7;

/// A name: 2 to 40 of `a-z 0-9 . _ -`, the first a letter, fewer than seven figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(String);

/// Why a text is no name. It isn't quoted: somebody may have typed a password there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Too short or too long.
    #[error("the name has {0} characters: expected 2 to 40")]
    Length(usize),
    /// Other characters.
    #[error("the name may hold a-z, 0-9 and . _ - alone, and begins with a letter")]
    Letters,
    /// It might be a document.
    #[error("the name holds seven or more figures: it might be somebody's document")]
    Figures,
}

impl AccountName {
    /// Takes a name in as it was typed, or refuses it. Upper case is refused too: two spellings would be two
    /// people to a reader of the trail.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let length = text.chars().count();
        if !LENGTH.contains(&length) {
            return Err(BadName::Length(length));
        }
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let allowed = |b: u8| plain(b) || matches!(b, b'.' | b'_' | b'-');
        if !text.bytes().all(allowed) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(BadName::Letters);
        }
        if text.bytes().filter(u8::is_ascii_digit).count() >= FIGURES {
            return Err(BadName::Figures);
        }
        Ok(Self(text.to_owned()))
    }

    /// As it was typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
