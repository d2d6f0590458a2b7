//! Retell's half of a webhook's signature.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The header that Retell would send with this body at this time (unix milliseconds).
pub fn sign(key: &str, body: &[u8], at: i64) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("any length");
    mac.update(body);
    mac.update(at.to_string().as_bytes());
    let digest: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v={at},d={digest}")
}
