//! What the server's messages say. Any field may be missing: then it says less, never an error.
use crate::mask::mask;
use crate::stt::said::{Said, Stretch, Word};
use serde_json::Value;
use std::time::Duration;

/// Characters of a complaint that are kept.
const COMPLAINT: usize = 200;

/// Reads one text message. Languages of single words are passed over: the call's language is a setting.
#[must_use]
pub fn read(text: &str) -> Said {
    let Ok(message @ Value::Object(_)) = serde_json::from_str::<Value>(text) else {
        return Said::Trouble("the recogniser sent something that is no JSON object".to_owned());
    };
    match message.get("type").and_then(Value::as_str) {
        Some("Results") => Said::Stretch(stretch(&message)),
        Some("UtteranceEnd") => Said::UtteranceEnd {
            channel: channel(message.get("channel")),
            // Below zero where no word was ever heard.
            last_word_end: message.get("last_word_end").and_then(time).filter(|end| !end.is_zero()),
        },
        Some("Metadata") => Said::Goodbye,
        Some("Error") => Said::Trouble(complaint(&message)),
        _ => Said::Alive,
    }
}

fn stretch(message: &Value) -> Stretch {
    let flag = |name: &str| message.get(name).and_then(Value::as_bool).unwrap_or(false);
    let alternatives = message.get("channel").and_then(|channel| channel.get("alternatives"));
    let best = alternatives.and_then(Value::as_array).and_then(|all| all.first());
    let text = best.and_then(|best| best.get("transcript")).and_then(Value::as_str).unwrap_or_default();
    let words = best.and_then(|best| best.get("words")).and_then(Value::as_array);
    let span = message.get("start").and_then(time).zip(message.get("duration").and_then(time));
    Stretch {
        channel: channel(message.get("channel_index")),
        text: text.trim().to_owned(),
        words: words.and_then(|words| words.iter().map(word).collect()).unwrap_or_default(),
        settled: flag("is_final") || flag("speech_final"),
        endpoint: flag("speech_final"),
        span: span.map(|(start, duration)| (start, start + duration)),
    }
}

/// A word; one without its times makes the whole list useless, as none can then be left out.
fn word(word: &Value) -> Option<Word> {
    let text = |name: &str| word.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    Some(Word {
        text: text("punctuated_word").or_else(|| text("word"))?.to_owned(),
        start: word.get("start").and_then(time)?,
        end: word.get("end").and_then(time)?,
    })
}

/// The first of `[index, total]`.
fn channel(pair: Option<&Value>) -> Option<usize> {
    let index = pair?.as_array()?.first()?.as_u64()?;
    usize::try_from(index).ok()
}

/// Seconds of audio; below zero is zero, and a day is the most.
pub(in crate::protocol) fn time(seconds: &Value) -> Option<Duration> {
    let seconds = seconds.as_f64().filter(|seconds| seconds.is_finite())?;
    Some(Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0)))
}

fn complaint(message: &Value) -> String {
    let parts = ["code", "variant", "message", "description"];
    let parts: Vec<&str> =
        parts.iter().filter_map(|name| message.get(name).and_then(Value::as_str)).collect();
    let whole: String = parts.join(": ").chars().take(5 * COMPLAINT).collect();
    let short: String = mask(&whole).chars().take(COMPLAINT).collect();
    let told = if short.is_empty() { "without saying what" } else { &short };
    format!("the recogniser complained: {told}")
}
