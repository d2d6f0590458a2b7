//! Hashes passwords with Argon2id, a few at a time and on threads that carry no calls.
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{Error, PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use aura::account::Password;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// OWASP's first recommendation for Argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at once: each takes the memory above and a core.
const AT_ONCE: usize = 2;
/// How long one waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);
/// For a hash that nothing is compared with.
const NOBODY: &[u8] = b"nobody's salt 16";

/// Why a password couldn't be hashed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Too many at once.
    #[error("too many passwords are being checked; try again in a few seconds")]
    Busy,
    /// The library, or a stored hash that isn't one.
    #[error("the password can't be checked: {0}")]
    Failed(String),
}

/// What a check told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether it is the password.
    pub matches: bool,
    /// Whether the stored hash was made with other parameters than today's.
    pub outdated: bool,
}

/// Does the hashing; one for the process.
pub struct Passwords {
    permits: Arc<Semaphore>,
    runs: Arc<AtomicU64>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)), runs: Arc::default() }
    }
}

impl Passwords {
    /// A new password's hash, as a PHC string.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        self.run(move |argon2| Ok(argon2.hash_password(password.expose())?.to_string())).await
    }

    /// Compares a password with a stored hash. Without the one or the other (no such account, no password set,
    /// one too long to be any) the same work is done for nothing, so that the time tells nothing.
    pub async fn check(
        &self,
        stored: Option<String>,
        offered: Option<Password>,
    ) -> Result<Checked, HashError> {
        self.run(move |argon2| match (stored, offered) {
            (Some(stored), Some(password)) => compare(argon2, &stored, &password),
            (_, password) => {
                let typed = password.as_ref().map_or(NOBODY, |password| password.expose());
                argon2.hash_password_with_salt(typed, NOBODY)?;
                Ok(Checked { matches: false, outdated: false })
            }
        })
        .await
    }

    /// How many hashes were computed so far.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Argon2<'static>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, HashError> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.permits).acquire_owned()).await;
        // The permit goes along: a peer that hangs up doesn't make room while its hash is still computed.
        let permit: OwnedSemaphorePermit = turn.map_err(|_| HashError::Busy)?.map_err(|_| HashError::Busy)?;
        let runs = Arc::clone(&self.runs);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            runs.fetch_add(1, Ordering::Relaxed);
            let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
            let params = params.map_err(|error| HashError::Failed(error.to_string()))?;
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            work(&argon2).map_err(|error| HashError::Failed(error.to_string()))
        });
        done.await.map_err(|_| HashError::Failed("its thread ended".to_owned()))?
    }
}

fn compare(argon2: &Argon2<'static>, stored: &str, password: &Password) -> Result<Checked, Error> {
    let stored = PasswordHash::new(stored).map_err(|_| Error::EncodingInvalid)?;
    let matches = match argon2.verify_password(password.expose(), &stored) {
        Ok(()) => true,
        Err(Error::PasswordInvalid) => false,
        Err(error) => return Err(error),
    };
    let params = Params::try_from(&stored)?;
    let made_with = (params.m_cost(), params.t_cost(), params.p_cost());
    let algorithm = stored.algorithm.as_str() == Algorithm::Argon2id.as_str();
    let version = stored.version == Some(Version::V0x13.into());
    let outdated = !(algorithm && version && made_with == (MEMORY_KIB, PASSES, LANES));
    Ok(Checked { matches, outdated })
}
