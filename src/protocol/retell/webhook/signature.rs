//! Who sent a webhook: the header `x-retell-signature`, checked over the bytes as they came (A5, A7).
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How far the header's time may lie from ours, in milliseconds, before or after.
pub const WINDOW_MS: u64 = 300_000;
/// The greatest time that is read: beyond it JavaScript's numbers no longer name one whole number.
const LATEST_MS: i64 = (1 << 53) - 1;

/// Why a webhook isn't taken for Retell's. No variant repeats the header, the body or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// No header.
    #[error("no x-retell-signature: expected `v=<unix ms>,d=<64 hex digits>`; sign with the API key")]
    Missing,
    /// A header of another form.
    #[error("x-retell-signature unreadable: expected exactly `v=<unix ms>,d=<64 lower-case hex digits>`")]
    Malformed,
    /// Signed at another time: sent again, or one clock is wrong.
    #[error(
        "x-retell-signature is {off_ms} ms away from this server's clock, at most {WINDOW_MS} are accepted; check the clocks"
    )]
    OutsideWindow {
        /// How far away, in milliseconds.
        off_ms: u64,
    },
    /// Signed with another key, or over another body.
    #[error(
        "x-retell-signature doesn't match the body: RETELL_API_KEY must be the key with the webhook badge in Retell's dashboard"
    )]
    Forged,
}

/// A header that has the right form; nothing is known of its truth yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    at_ms: i64,
    digest: [u8; 32],
}

impl Signature {
    /// Reads a header: `v=` and decimal digits, `,d=` and 64 lower-case hexadecimal digits, nothing else.
    ///
    /// # Errors
    /// [`SignatureError::Malformed`], also for a time past 2^53 - 1.
    pub fn parse(header: &str) -> Result<Self, SignatureError> {
        let parts = header.strip_prefix("v=").and_then(|rest| rest.split_once(",d="));
        let (v, d) = parts.ok_or(SignatureError::Malformed)?;
        // `parse` alone would take a sign.
        if v.is_empty() || !v.bytes().all(|b| b.is_ascii_digit()) {
            return Err(SignatureError::Malformed);
        }
        let at_ms = v.parse().ok().filter(|ms| *ms <= LATEST_MS).ok_or(SignatureError::Malformed)?;
        let digest = digest(d.as_bytes()).ok_or(SignatureError::Malformed)?;
        Ok(Self { at_ms, digest })
    }

    /// Whether it was signed within [`WINDOW_MS`] of `now_ms` (unix milliseconds).
    ///
    /// # Errors
    /// [`SignatureError::OutsideWindow`].
    pub fn check_time(&self, now_ms: i64) -> Result<(), SignatureError> {
        match self.at_ms.abs_diff(now_ms) {
            0..=WINDOW_MS => Ok(()),
            off_ms => Err(SignatureError::OutsideWindow { off_ms }),
        }
    }

    /// Whether one of the keys signed these bytes followed by the time in decimal. Every key is tried,
    /// whichever fits, and each comparison takes the same time. An empty key fits nothing.
    ///
    /// # Errors
    /// [`SignatureError::Forged`].
    pub fn check_body(&self, keys: &[&str], raw_body: &[u8]) -> Result<(), SignatureError> {
        let fits = |key: &&&str| !key.is_empty() && self.signed_with(key.as_bytes(), raw_body);
        match keys.iter().filter(fits).count() {
            0 => Err(SignatureError::Forged),
            _ => Ok(()),
        }
    }

    fn signed_with(&self, key: &[u8], raw_body: &[u8]) -> bool {
        // No length of key is refused by HMAC; if one were, it would have signed nothing.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
        mac.update(raw_body);
        mac.update(self.at_ms.to_string().as_bytes());
        mac.verify_slice(&self.digest).is_ok()
    }
}

/// Whether `raw_body` is Retell's word: header, time and digest. `now_ms` is in unix milliseconds.
///
/// # Errors
/// [`SignatureError`] says which of them failed.
pub fn verify(
    keys: &[&str],
    raw_body: &[u8],
    header: Option<&str>,
    now_ms: i64,
) -> Result<(), SignatureError> {
    let signature = Signature::parse(header.ok_or(SignatureError::Missing)?)?;
    signature.check_time(now_ms)?;
    signature.check_body(keys, raw_body)
}

fn digest(hex: &[u8]) -> Option<[u8; 32]> {
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    if hex.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(hex.as_chunks::<2>().0) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(bytes)
}
