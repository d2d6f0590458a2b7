//! What a vosk recogniser makes of one stream: lower-case words, a partial or a result for each message.
use super::super::tones::{Heard, Listener};
use serde_json::{Value, json};

/// Silence after words that ends an utterance, in seconds.
const PAUSE: f64 = 0.5;
/// Silence without words that ends an empty one.
const LONG_PAUSE: f64 = 5.0;

struct Word {
    text: String,
    start: f64,
    end: f64,
}

/// One stream's recogniser.
pub struct Recogniser {
    rate: u32,
    words: bool,
    alternatives: bool,
    listener: Listener,
    pending: Vec<Word>,
    /// The last sample of the last result.
    settled: u64,
}

impl Recogniser {
    /// With the server's defaults.
    pub fn new(rate: u32) -> Self {
        let listener = Listener::new(rate);
        Self { rate, words: true, alternatives: false, listener, pending: Vec::new(), settled: 0 }
    }

    /// Samples a second.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Seconds of audio that came.
    pub fn seconds(&self) -> f64 {
        self.time(self.listener.samples())
    }

    /// As a `config` message asks.
    pub fn configure(&mut self, config: &Value) {
        if let Some(rate) = config["sample_rate"].as_f64() {
            *self = Self { words: self.words, alternatives: self.alternatives, ..Self::new(rate as u32) };
        }
        self.words = config["words"].as_bool().unwrap_or(self.words);
        self.alternatives = config["max_alternatives"].as_u64().map_or(self.alternatives, |most| most > 0);
    }

    /// Listens on; what it heard, and the one reply.
    pub fn hear(&mut self, samples: &[i16]) -> (Vec<Heard>, Value) {
        let heard = self.listener.push(samples);
        self.understand(&heard);
        let now = self.listener.samples();
        let sounded = self.listener.sound().map_or(0, |sound| sound.1);
        let silence = self.time(now - sounded.max(self.settled).min(now));
        let pause = if self.pending.is_empty() { LONG_PAUSE } else { PAUSE };
        let over = silence >= pause && self.listener.partial().is_none();
        let reply = if over { self.result() } else { json!({"partial": self.partial()}) };
        (heard, reply)
    }

    /// The rest.
    pub fn finish(&mut self) -> (Vec<Heard>, Value) {
        let heard = self.listener.finish();
        self.understand(&heard);
        (heard, self.result())
    }

    fn understand(&mut self, heard: &[Heard]) {
        for heard in heard {
            let words: Vec<String> = heard.text.as_deref().map_or(Vec::new(), spoken);
            let (start, end) = (self.time(heard.start), self.time(heard.end));
            let each = (end - start) / words.len().max(1) as f64;
            self.pending.extend(words.into_iter().enumerate().map(|(n, text)| {
                let start = start + each * n as f64;
                Word { text, start, end: start + each }
            }));
        }
    }

    fn partial(&self) -> String {
        let mut words: Vec<String> = self.pending.iter().map(|word| word.text.clone()).collect();
        let partial = self.listener.partial();
        // The last word may be cut.
        words.extend(
            partial.iter().filter_map(|it| it.text.rsplit_once(' ')).flat_map(|(text, _)| spoken(text)),
        );
        words.join(" ")
    }

    fn result(&mut self) -> Value {
        self.settled = self.listener.samples();
        let words = std::mem::take(&mut self.pending);
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let mut result = json!({"text": text});
        if self.words && !words.is_empty() {
            let word = |it: &Word| json!({"conf": 1.0, "start": it.start, "end": it.end, "word": it.text});
            result["result"] = words.iter().map(word).collect();
        }
        if self.alternatives {
            result["confidence"] = json!(200.0);
            return json!({"alternatives": [result]});
        }
        result
    }

    fn time(&self, samples: u64) -> f64 {
        samples as f64 / f64::from(self.rate)
    }
}

/// Lower case, no punctuation.
fn spoken(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
