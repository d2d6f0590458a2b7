//! One channel of the stand-in for Deepgram: what it hears becomes interims, finals and ends, in audio time.
use super::super::tones::{Heard, Listener};
use super::behaviour::{Behaviour, Endpoint};
use super::query::Options;
use serde_json::{Value, json};

/// The least time between two interims, in seconds.
const INTERIM_EVERY: f64 = 0.2;

#[derive(Clone)]
struct Word {
    text: String,
    start: u64,
    end: u64,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    is_final: bool,
    speech_final: bool,
    from_finalize: bool,
}

const FINAL: Flags = Flags { is_final: true, speech_final: false, from_finalize: false };

/// One channel.
pub struct Ear {
    listener: Listener,
    /// Its number, and how many there are.
    channel: [usize; 2],
    options: Options,
    behaviour: Behaviour,
    request: String,
    /// Understood, and held back until it is known whether an endpoint follows.
    pending: Vec<Word>,
    /// Where the utterance ends whose endpoint is still to come.
    endpoint: Option<u64>,
    /// Where the last word ends after which no UtteranceEnd came.
    last_word: Option<u64>,
    /// Up to here all is settled.
    settled: u64,
    interim: (u64, String),
    sound: Option<u64>,
}

impl Ear {
    /// For channel `channel[0]` of `channel[1]`.
    pub fn new(channel: [usize; 2], options: Options, behaviour: &Behaviour, request: &str) -> Self {
        Self {
            listener: Listener::new(options.rate),
            channel,
            options,
            behaviour: behaviour.clone(),
            request: request.to_owned(),
            pending: Vec::new(),
            endpoint: None,
            last_word: None,
            settled: 0,
            interim: Default::default(),
            sound: None,
        }
    }

    /// Listens on; what it heard, and what it says.
    pub fn hear(&mut self, samples: &[i16]) -> (Vec<Heard>, Vec<Value>) {
        let (mut all, mut said) = (Vec::new(), Vec::new());
        for block in samples.chunks(self.options.rate as usize / 50) {
            let heard = self.listener.push(block);
            self.understand(&heard, &mut said);
            all.extend(heard);
            self.notice_sound(&mut said);
            self.notice_endpoint(&mut said);
            self.notice_utterance_end(&mut said);
            self.say_interim(&mut said);
            self.say_silence(&mut said);
        }
        (all, said)
    }

    /// All that is pending, because the client asks for it.
    pub fn finalize(&mut self) -> Vec<Value> {
        let mut said = Vec::new();
        let flags = Flags { from_finalize: true, ..FINAL };
        if !self.pending.is_empty() {
            self.release(flags, &mut said);
        } else if self.behaviour.answers_empty_finalize {
            said.push(self.empty(flags));
        }
        said
    }

    /// All that is pending, because the stream is over.
    pub fn finish(&mut self) -> (Vec<Heard>, Vec<Value>) {
        let mut said = Vec::new();
        let heard = self.listener.finish();
        self.understand(&heard, &mut said);
        self.release(FINAL, &mut said);
        (heard, said)
    }

    fn understand(&mut self, heard: &[Heard], said: &mut Vec<Value>) {
        for heard in heard {
            let words = heard.text.as_ref().map_or(Vec::new(), |text| timed(text, heard.start, heard.end));
            if words.is_empty() {
                continue;
            }
            self.release(FINAL, said);
            self.last_word = Some(heard.end);
            self.endpoint = self.options.endpointing.map(|_| heard.end);
            for piece in words.chunks(words.len().div_ceil(self.behaviour.pieces)) {
                self.release(FINAL, said);
                self.pending = piece.to_vec();
            }
            if self.endpoint.is_none() || self.behaviour.endpoint != Endpoint::WithText {
                self.release(FINAL, said);
            } else if self.options.interims {
                said.push(self.results(&self.pending, Flags::default()));
            }
        }
    }

    fn notice_sound(&mut self, said: &mut Vec<Value>) {
        let Some((start, _)) = self.listener.sound() else { return };
        if self.sound == Some(start) {
            return;
        }
        self.sound = Some(start);
        if self.options.vad {
            said.push(
                json!({"type": "SpeechStarted", "channel": self.channel, "timestamp": self.seconds(start)}),
            );
        }
        // He speaks on before the silence was long enough: no endpoint.
        if self.endpoint.is_some_and(|end| end < start) {
            self.endpoint = None;
            self.release(FINAL, said);
        }
    }

    fn notice_endpoint(&mut self, said: &mut Vec<Value>) {
        let (Some(end), Some(ms)) = (self.endpoint, self.options.endpointing) else { return };
        let silent_from = self.listener.sound().map_or(end, |sound| sound.1.max(end));
        if self.listener.samples() < silent_from + self.samples_in(ms) {
            return;
        }
        self.endpoint = None;
        let flags = Flags { speech_final: true, ..FINAL };
        match self.behaviour.endpoint {
            Endpoint::WithText if !self.pending.is_empty() => self.release(flags, said),
            Endpoint::WithText | Endpoint::InEmptyFinal => said.push(self.empty(flags)),
            Endpoint::Never => {}
        }
    }

    fn notice_utterance_end(&mut self, said: &mut Vec<Value>) {
        let (Some(end), Some(ms)) = (self.last_word, self.options.utterance_end) else { return };
        let speaks = self.listener.partial().is_some();
        if speaks || self.listener.samples() < end + self.samples_in(ms) {
            return;
        }
        self.last_word = None;
        self.release(FINAL, said);
        let end =
            json!({"type": "UtteranceEnd", "channel": self.channel, "last_word_end": self.seconds(end)});
        said.extend(vec![end; self.behaviour.utterance_ends]);
    }

    fn say_interim(&mut self, said: &mut Vec<Value>) {
        let now = self.listener.samples();
        let early = self.seconds(now - self.interim.0) < INTERIM_EVERY;
        let Some(partial) = self.listener.partial().filter(|_| self.options.interims && !early) else {
            return;
        };
        // The last word may be cut.
        let Some((text, _)) = partial.text.rsplit_once(' ') else { return };
        let words = timed(text, partial.start, partial.end);
        if !words.is_empty() && self.interim.1 != text {
            said.push(self.results(&words, Flags::default()));
            self.interim = (now, text.to_owned());
        }
    }

    fn say_silence(&mut self, said: &mut Vec<Value>) {
        let Some(every) = self.behaviour.empty_final_every else { return };
        let now = self.listener.samples();
        let sounded = self.listener.sound().map_or(0, |sound| sound.1);
        let quiet = self.pending.is_empty() && self.listener.partial().is_none();
        if quiet && self.seconds(now - sounded.max(self.settled).min(now)) >= every {
            said.push(self.empty(FINAL));
        }
    }

    fn release(&mut self, flags: Flags, said: &mut Vec<Value>) {
        let words = std::mem::take(&mut self.pending);
        if let Some(last) = words.last() {
            said.push(self.results(&words, flags));
            self.settled = last.end;
        }
    }

    /// Silence up to now, settled.
    fn empty(&mut self, flags: Flags) -> Value {
        let results = self.results(&[], flags);
        self.settled = self.listener.samples();
        results
    }

    fn results(&self, words: &[Word], flags: Flags) -> Value {
        let start = words.first().map_or(self.settled, |word| word.start);
        let end = words.last().map_or(self.listener.samples(), |word| word.end);
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let confidence = if words.is_empty() { 0.0 } else { 0.98 };
        let word = |word: &Word| {
            let bare = word.text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            let (start, end) = (self.seconds(word.start), self.seconds(word.end));
            json!({"word": bare, "start": start, "end": end, "confidence": 0.98, "punctuated_word": word.text})
        };
        let words: Vec<Value> = words.iter().map(word).collect();
        json!({
            "type": "Results", "channel_index": self.channel,
            "start": self.seconds(start), "duration": self.seconds(end.saturating_sub(start)),
            "is_final": flags.is_final, "speech_final": flags.speech_final, "from_finalize": flags.from_finalize,
            "channel": {"alternatives": [{"transcript": text, "confidence": confidence, "words": words}]},
            "metadata": {"request_id": self.request, "model_uuid": "stand-in",
                "model_info": {"name": "stand-in", "version": "1", "arch": "nova-3"}},
        })
    }

    fn samples_in(&self, ms: u64) -> u64 {
        ms * u64::from(self.options.rate) / 1_000
    }

    fn seconds(&self, samples: u64) -> f64 {
        samples as f64 / f64::from(self.options.rate)
    }
}

/// Words share the time by their letters.
fn timed(text: &str, start: u64, end: u64) -> Vec<Word> {
    let all = text.len().max(1) as u64;
    let at = |byte: usize| start + (end - start) * byte as u64 / all;
    let word = |word: &str| {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        Word { text: word.to_owned(), start: at(from), end: at(from + word.len()) }
    };
    text.split_whitespace().map(word).collect()
}
