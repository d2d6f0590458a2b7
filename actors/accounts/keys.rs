//! Random keys that people and machines carry, and the hashes that are kept of them.
use crate::store::Hash;
use crate::vault::Vault;
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// How every bearer token begins, so that a scanner of code and logs knows one when it sees it.
const PREFIX: &str = "aura_";
/// Bytes of a key.
const LENGTH: usize = 32;

/// The system gave no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandom;

/// A new key: what its holder gets, and what is kept.
pub struct Key {
    /// The text that is handed out, once.
    pub text: String,
    /// What is kept of it.
    pub hash: Hash,
}

/// A key for a link or a ticket.
pub fn link() -> Result<Key, NoRandom> {
    let text = URL_SAFE_NO_PAD.encode(random()?);
    let hash = digest(text.as_bytes());
    Ok(Key { text, hash })
}

/// A bearer token.
pub fn token() -> Result<Key, NoRandom> {
    let text = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random()?));
    let hash = digest(text.as_bytes());
    Ok(Key { text, hash })
}

/// The hash of what looks like a link's or a ticket's key; nothing else is looked up.
pub fn read_link(text: &str) -> Option<Hash> {
    let key = URL_SAFE_NO_PAD.decode(text).ok()?;
    (key.len() == LENGTH).then(|| digest(text.as_bytes()))
}

/// The hash of what looks like a bearer token; nothing else is looked up.
pub fn read_token(text: &str) -> Option<Hash> {
    read_link(text.strip_prefix(PREFIX)?)?;
    Some(digest(text.as_bytes()))
}

/// Signs the ids of sessions, so that a made-up one costs no look at the database.
pub struct Signer(hmac::Key);

impl Signer {
    /// With the vault's key for it.
    pub fn new(vault: &Vault) -> Self {
        Self(hmac::Key::new(HMAC_SHA256, &vault.key_for("session cookies")))
    }

    /// A new session's cookie.
    pub fn session(&self) -> Result<Key, NoRandom> {
        let id = random()?;
        let signature = hmac::sign(&self.0, &id);
        let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(id), URL_SAFE_NO_PAD.encode(signature));
        Ok(Key { text, hash: digest(&id) })
    }

    /// The hash of the id in a cookie that was signed here.
    pub fn read(&self, cookie: &str) -> Option<Hash> {
        let (id, signature) = cookie.split_once('.')?;
        let (id, signature) = (URL_SAFE_NO_PAD.decode(id).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?);
        hmac::verify(&self.0, &id, &signature).ok()?;
        Some(digest(&id))
    }
}

fn random() -> Result<[u8; LENGTH], NoRandom> {
    let mut bytes = [0; LENGTH];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

fn digest(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}
