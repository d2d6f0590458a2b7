//! Forked calls whose switch transcribes them itself: what is said is what a test writes.
use crate::service::Running;
use crate::telephony::pbx::{Dial, Fork};
use serde_json::json;

/// Dials a fork.
pub async fn fork(running: &Running, call: &str) -> Fork {
    let url = running.door(&format!("/audio-fork?rate=8000&ch=2&call={call}&transcripts=1"));
    let mut fork = Dial::drachtio(&url).connect().await.expect("a fork");
    fork.send_audio(&[0; 160], &[0; 160]).await;
    fork
}

/// Somebody says something.
pub async fn says(fork: &Fork, leg: &str, text: &str) {
    line(fork, leg, text, true).await;
}

/// Somebody is saying something: the first half of it, then all.
pub async fn grows(fork: &Fork, leg: &str, text: &str) {
    let words: Vec<&str> = text.split(' ').collect();
    for heard in [words.len() / 2, words.len() - 1] {
        line(fork, leg, &words[..heard].join(" "), false).await;
    }
    says(fork, leg, text).await;
}

async fn line(fork: &Fork, leg: &str, text: &str, done: bool) {
    fork.json(&json!({ "event": "transcript", "leg": leg, "text": text, "final": done })).await;
}

/// The switch hangs up.
pub async fn hangs_up(fork: Fork) {
    fork.stop(Some(r#"{"event":"hangup"}"#)).await;
}
