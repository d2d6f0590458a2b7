//! A secret that can be used and compared, but not printed.
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// A key or a shared secret. Both of its printed forms are `***`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text secret. Surrounding white space is dropped: it comes from files and shells.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The text itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the offered text is this secret. An empty secret matches nothing.
    ///
    /// Digests of one length are compared in constant time, so neither the place of the first difference
    /// nor the secret's length can be timed.
    pub fn matches(&self, offered: &str) -> bool {
        let same: bool = Sha256::digest(&self.0).as_slice().ct_eq(Sha256::digest(offered).as_slice()).into();
        same && !self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
