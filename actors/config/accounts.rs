//! What is configured of accounts: the console's own addresses.
use super::{ConfigError, bad};

/// What an origin looks like.
const EXPECTED: &str =
    "origins such as https://aura.example.org, comma-separated: scheme, host and port, nothing more";

/// The origins of `AURA_ORIGINS`.
pub(super) fn origins(list: &str) -> Result<Vec<String>, ConfigError> {
    let named = list.split(',').map(str::trim).filter(|text| !text.is_empty());
    named.map(|text| origin(text).ok_or_else(|| bad("AURA_ORIGINS", text, EXPECTED))).collect()
}

/// As a browser writes it in `Origin`: lower case, without the port that its scheme implies.
fn origin(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let (scheme, authority) = text.split_once("://")?;
    let implied = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
    let authority = authority.strip_suffix(implied).unwrap_or(authority);
    let plain = !authority.is_empty() && authority.bytes().all(allowed);
    plain.then(|| format!("{scheme}://{authority}"))
}
