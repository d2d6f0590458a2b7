//! Keeps documents apart from everything else: sealed where a call must be able to read one again, and as a
//! keyed hash where it is only to be recognised.
//!
//! Both come from one master key, `AURA_KEY` or the file `key` below `AURA_HOME`, which is made at the first
//! start. Without it nothing that was sealed can be read: it belongs into the backup, but not beside the
//! database's.
use crate::secret::Secret;
use aura::ids::Dni;
use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a nonce.
const NONCE: usize = 12;
/// The shortest master key that is accepted, in bytes.
const LEAST: usize = 32;

/// Why there is no vault.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The file.
    #[error("the key {} can't be used ({why}); AURA_HOME names a folder that Aura may write, AURA_KEY a key", file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The key.
    #[error(
        "the master key is too short: expected {LEAST} bytes or more in AURA_KEY or in the key file, got {0}"
    )]
    Short(usize),
    /// The library.
    #[error("the cryptographic library refuses the key")]
    Refused,
}

/// The keys; cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Keys>);

struct Keys {
    master: hmac::Key,
    patients: hmac::Key,
    seal: RandomizedNonceKey,
}

impl Vault {
    /// With the configured key, or the one of the file, which is made if there is none.
    pub fn open(key: Option<&Secret>, home: &Path) -> Result<Self, VaultError> {
        match key {
            Some(key) => Self::of(key.expose().as_bytes()),
            None => Self::of(&of_file(&home.join("key"))?),
        }
    }

    fn of(master: &[u8]) -> Result<Self, VaultError> {
        if master.len() < LEAST {
            return Err(VaultError::Short(master.len()));
        }
        let master = hmac::Key::new(HMAC_SHA256, master);
        let derived = |purpose: &str| hmac::sign(&master, purpose.as_bytes());
        let patients = hmac::Key::new(HMAC_SHA256, derived("patients' hashes").as_ref());
        let seal = RandomizedNonceKey::new(&AES_256_GCM, derived("sealed documents").as_ref())
            .map_err(|_| VaultError::Refused)?;
        Ok(Self(Arc::new(Keys { master, patients, seal })))
    }

    /// A key for another purpose, e.g. to sign cookies.
    pub fn key_for(&self, purpose: &str) -> [u8; 32] {
        let mut key = [0; 32];
        key.copy_from_slice(hmac::sign(&self.0.master, purpose.as_bytes()).as_ref());
        key
    }

    /// By what a patient is recognised: 32 hexadecimal digits that tell the document to nobody without the key.
    pub fn patient(&self, dni: Dni) -> String {
        let tag = hmac::sign(&self.0.patients, dni.digits().as_bytes());
        tag.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A document that only this key opens; `bound` names where it belongs (a call's id), and nowhere else
    /// does it open. `None` where the library fails: then nothing is kept of it.
    pub fn seal(&self, dni: Dni, bound: &str) -> Option<String> {
        let mut sealed = dni.digits().into_bytes();
        let nonce = self.0.seal.seal_in_place_append_tag(Aad::from(bound.as_bytes()), &mut sealed).ok()?;
        let mut whole = nonce.as_ref().to_vec();
        whole.extend(sealed);
        Some(STANDARD_NO_PAD.encode(whole))
    }

    /// The document again; `None` for another key, another place or a damaged text.
    pub fn unseal(&self, sealed: &str, bound: &str) -> Option<Dni> {
        let whole = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, rest) = whole.split_at_checked(NONCE)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let open = self.0.seal.open_in_place(nonce, Aad::from(bound.as_bytes()), &mut rest).ok()?;
        Dni::parse(std::str::from_utf8(open).ok()?).ok()
    }
}

fn of_file(file: &Path) -> Result<Vec<u8>, VaultError> {
    let failed = |why| VaultError::File { file: file.to_owned(), why };
    match fs::read(file) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => make(file).map_err(failed),
        read => read.map_err(failed),
    }
}

/// A new key, for its owner alone. Of two processes that make one at once, the first wins.
fn make(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| io::Error::other("no random numbers"))?;
    let key = STANDARD_NO_PAD.encode(bytes);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    // Written whole under another name first: nobody ever reads half a key. The name is nobody else's:
    // containers that share a home may have the same process id.
    let new = file.with_extension(format!("new-{}", uuid::Uuid::new_v4().simple()));
    let mut options = OpenOptions::new();
    let mut written = options.write(true).create_new(true).mode(0o600).open(&new)?;
    written.write_all(key.as_bytes())?;
    written.sync_all()?;
    let linked = fs::hard_link(&new, file);
    fs::remove_file(&new)?;
    match linked {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => Err(why),
        _ => fs::read(file),
    }
}
