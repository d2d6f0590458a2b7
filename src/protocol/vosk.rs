//! vosk-server's protocol, seen from the client: one channel a socket, exactly one reply to each audio message.
use super::deepgram::time;
use crate::stt::said::{Said, Stretch, Word};
use serde_json::Value;

/// Asks for the rest; the server then closes. Compared letter by letter there: without the spaces it would
/// be heard as audio.
pub const EOF: &str = r#"{"eof" : 1}"#;

/// Asks for what is held back; the socket stays open.
pub const RESET: &str = r#"{"reset" : 1}"#;

/// The first message: how samples are read, and that each word's time is told. It has no reply. Phrases
/// aren't given: they would not be boosted, all else would be unheard.
#[must_use]
pub fn config(rate: u32) -> String {
    format!(r#"{{"config":{{"sample_rate":{rate},"words":true,"max_alternatives":0}}}}"#)
}

/// Reads one reply. Numbers come as words, and stay words here.
#[must_use]
pub fn read(text: &str) -> Said {
    let Ok(reply @ Value::Object(_)) = serde_json::from_str::<Value>(text) else {
        return Said::Trouble("the recogniser replied with something that is no JSON object".to_owned());
    };
    let string = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned())
    };
    if let Some(partial) = string(&reply, "partial") {
        return Said::Stretch(Stretch {
            text: partial,
            words: words(&reply, "partial_result"),
            ..Stretch::default()
        });
    }
    let best = reply.get("alternatives").and_then(Value::as_array).map(|all| all.first());
    let settled = |of: &Value| {
        let words = words(of, "result");
        let span = words.first().zip(words.last()).map(|(first, last)| (first.start, last.end));
        let text = string(of, "text").unwrap_or_default();
        // A final comes at a pause, or because it was asked for: either way the speaker is done.
        Said::Stretch(Stretch { channel: None, text, words, settled: true, endpoint: true, span })
    };
    match best {
        Some(Some(best)) => settled(best),
        Some(None) => settled(&Value::Null),
        None if reply.get("text").is_some() => settled(&reply),
        None => Said::Alive,
    }
}

fn words(of: &Value, list: &str) -> Vec<Word> {
    let word = |word: &Value| {
        Some(Word {
            text: word.get("word").and_then(Value::as_str).filter(|text| !text.is_empty())?.to_owned(),
            start: word.get("start").and_then(time)?,
            end: word.get("end").and_then(time)?,
        })
    };
    let words = of.get(list).and_then(Value::as_array);
    words.and_then(|words| words.iter().map(word).collect()).unwrap_or_default()
}
