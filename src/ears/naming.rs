//! A PBX's name of a call, as ours.
use crate::ids::CallId;
use sha2::{Digest, Sha256};

/// The characters of a foreign id that stay readable in ours.
const KEPT: usize = 64;
/// Longer ids are no ids.
const LONGEST: usize = 1024;

/// A foreign id as a [`CallId`]: itself where it can be, else its first characters, with `-` for those
/// that a [`CallId`] can't hold, and a hash of all of it. Two forks of one call meet, as the same id
/// always gives the same name. `None` if it is empty or longer than 1,024 bytes.
///
/// ```
/// use aura::ears::call_id;
/// assert_eq!(call_id("f3b0-11").unwrap().as_str(), "f3b0-11");
/// assert!(call_id("a84b4c@10.0.0.1;x").unwrap().as_str().starts_with("a84b4c-10.0.0.1-x:"));
/// ```
pub fn call_id(foreign: &str) -> Option<CallId> {
    let foreign = foreign.trim();
    if foreign.is_empty() || foreign.len() > LONGEST {
        return None;
    }
    CallId::parse(foreign).ok().or_else(|| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-');
        let readable: String = foreign.chars().take(KEPT).map(|c| if allowed(c) { c } else { '-' }).collect();
        let hash: String = Sha256::digest(foreign).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        CallId::parse(&format!("{readable}:{hash}")).ok()
    })
}

/// Whether it is the nil UUID, by which a PBX only tries the connection.
pub fn is_nil(foreign: &str) -> bool {
    let mut digits = foreign.trim().bytes().filter(|b| *b != b'-');
    digits.clone().count() == 32 && digits.all(|b| b == b'0')
}
