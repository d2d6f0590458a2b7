//! Slows down whoever guesses passwords: per account and per address, in bounded memory.
use super::AccountName;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Failures of an account that cost nothing.
const FREE: u32 = 5;
/// Failures of an address that cost nothing: a whole office types from one.
const FREE_OF_ADDRESS: u32 = 20;
/// So long after the last failure all are forgotten.
const MEMORY: Duration = Duration::from_secs(15 * 60);
/// The first delay; each further failure doubles it.
const FIRST: Duration = Duration::from_secs(1);
/// The longest delay.
const LONGEST: Duration = Duration::from_secs(5 * 60);
/// Most accounts and most addresses that are remembered; past it the one that failed longest ago is forgotten.
const MOST: usize = 10_000;

/// When another try is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many failed tries; the next one is allowed in {} s", .0.as_secs_f64().ceil())]
pub struct Wait(pub Duration);

/// Who failed how often.
///
/// A try counts as failed from the moment in which it is admitted until it is said to have succeeded: of a
/// thousand at once no more are admitted than of a thousand in a row.
#[derive(Debug, Default)]
pub struct Throttle {
    accounts: Book<AccountName>,
    addresses: Book<IpAddr>,
}

impl Throttle {
    /// Admits a try, or says how long to wait. A refused one isn't counted.
    pub fn admit(
        &mut self,
        account: Option<&AccountName>,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<(), Wait> {
        let address = address.map(network);
        let of_account = account.map_or(Duration::ZERO, |name| self.accounts.wait(name, FREE, now));
        let of_address = address.map_or(Duration::ZERO, |it| self.addresses.wait(&it, FREE_OF_ADDRESS, now));
        let wait = of_account.max(of_address);
        if !wait.is_zero() {
            return Err(Wait(wait));
        }
        if let Some(name) = account {
            self.accounts.count(name.clone(), now);
        }
        if let Some(address) = address {
            self.addresses.count(address, now);
        }
        Ok(())
    }

    /// The admitted try succeeded: the account's failures are forgotten, the address's stay, or whoever has
    /// one account of their own could guess at others for ever. The try itself is taken back.
    pub fn succeeded(&mut self, account: &AccountName, address: Option<IpAddr>) {
        self.accounts.failures.remove(account);
        if let Some(address) = address {
            self.addresses.take_back(&network(address));
        }
    }

    /// How many accounts and addresses are remembered.
    pub fn remembered(&self) -> (usize, usize) {
        (self.accounts.failures.len(), self.addresses.failures.len())
    }
}

/// Of IPv6 the first 64 bits: one customer has all addresses below.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 => v4,
    }
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
}

#[derive(Debug)]
struct Book<K> {
    failures: HashMap<K, Failures>,
}

impl<K> Default for Book<K> {
    fn default() -> Self {
        Self { failures: HashMap::new() }
    }
}

impl<K: Eq + Hash + Clone> Book<K> {
    fn wait(&self, key: &K, free: u32, now: Instant) -> Duration {
        let Some(failures) = self.failures.get(key) else { return Duration::ZERO };
        let since = now.saturating_duration_since(failures.last);
        if since >= MEMORY || failures.count < free {
            return Duration::ZERO;
        }
        let doubled = FIRST.saturating_mul(2_u32.saturating_pow(failures.count - free));
        doubled.min(LONGEST).saturating_sub(since)
    }

    fn count(&mut self, key: K, now: Instant) {
        let stale = |failures: &Failures| now.saturating_duration_since(failures.last) >= MEMORY;
        if self.failures.len() >= MOST && !self.failures.contains_key(&key) {
            self.failures.retain(|_, failures| !stale(failures));
            let oldest = self.failures.iter().min_by_key(|(_, failures)| failures.last);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()).filter(|_| self.failures.len() >= MOST) {
                self.failures.remove(&oldest);
            }
        }
        let failures = self.failures.entry(key).or_insert(Failures { count: 0, last: now });
        let before = if stale(failures) { 0 } else { failures.count };
        *failures = Failures { count: before.saturating_add(1), last: now };
    }

    fn take_back(&mut self, key: &K) {
        if let Some(failures) = self.failures.get_mut(key) {
            failures.count -= failures.count.min(1);
            if failures.count == 0 {
                self.failures.remove(key);
            }
        }
    }
}
