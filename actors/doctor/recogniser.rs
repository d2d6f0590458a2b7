//! The recogniser: dialled once as a call would.
use super::Check;
use crate::config::Config;
use crate::stt;
use aura::ears::Track;
use aura::ears::session::{Stream, Streams};
use aura::equipment::Catalogue;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long the handshake may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Dials the configured recogniser, as for a stereo call at 8 kHz, and hangs up.
pub(super) async fn check(config: &Config) -> Check {
    const NAME: &str = "recogniser";
    let address = "check AURA_STT, DEEPGRAM_URL, DEEPGRAM_API_KEY or VOSK_URL";
    let stt = match stt::open(config, Catalogue::builtin()) {
        Ok(stt) => stt,
        Err(error) => return Check::failure(NAME, error.to_string(), address),
    };
    let stream = match stt.streams() {
        Streams::None => return Check::ok(NAME, "none: forked calls are heard where the switch sends text"),
        Streams::Joined => Stream::Joined,
        Streams::Apart => Stream::Of(Track::Inbound),
    };
    let target = match stt.target(stream, 8000) {
        Ok(target) => target,
        Err(error) => return Check::failure(NAME, error.to_string(), address),
    };
    let begun = Instant::now();
    match timeout(PATIENCE, target.dial()).await {
        Ok(Ok(_)) => Check::ok(NAME, format!("{} answers in {} ms", stt.name(), begun.elapsed().as_millis())),
        Ok(Err(refusal)) => {
            let status = refusal.status.map(|status| format!("HTTP {status} ")).unwrap_or_default();
            let found = format!("{}: {status}{}", stt.name(), refusal.detail);
            Check::failure(NAME, found, format!("{address}; until then forked calls have no words"))
        }
        Err(_) => {
            let found = format!("{}: no answer within {} s", stt.name(), PATIENCE.as_secs());
            Check::failure(NAME, found, "check the network; until then forked calls have no words")
        }
    }
}
