//! A recogniser that listens: each sample names the word that is being said, so what it tells is what arrived.
use super::stt_random::Dice;
use aura::stt::Dialect;
use serde_json::{Value, json};

/// Milliseconds of a sample: coarse, so that thousands of calls are quick.
pub const SAMPLE: u64 = 10;

pub struct Word {
    pub text: String,
    pub start: u64,
    pub end: u64,
}

/// What is spoken on each channel, in milliseconds.
pub struct Script(Vec<Vec<Word>>);

impl Script {
    pub fn new(dice: &mut Dice, channels: usize) -> Self {
        let speak = |_| {
            let tens = |time: u64| time / SAMPLE * SAMPLE;
            let mut at = 100 + tens(dice.below(3000));
            let words = 8 + dice.below(20);
            let word = |n: u64| {
                let start = at
                    + if dice.in_hundred(20) { 300 + tens(dice.below(2500)) } else { tens(dice.below(80)) };
                let end = start + 200 + tens(dice.below(350));
                at = end;
                Word { text: format!("w{}", n + 1), start, end }
            };
            (0..words).map(word).collect()
        };
        Self((0..channels).map(speak).collect())
    }

    pub fn words(&self, channel: usize) -> &[Word] {
        &self.0[channel]
    }

    /// Each sample is the word's number, 0 between words.
    pub fn samples(&self, channels: usize) -> Vec<i16> {
        let end = self.0.iter().flatten().map(|word| word.end).max().unwrap_or(0) + 700;
        let mut samples = vec![0; (end / SAMPLE) as usize * channels];
        for (channel, words) in self.0.iter().enumerate() {
            for (n, word) in words.iter().enumerate() {
                for at in word.start / SAMPLE..word.end / SAMPLE {
                    samples[at as usize * channels + channel] = n as i16 + 1;
                }
            }
        }
        samples
    }
}

/// A word as it was heard on one connection.
struct Run {
    number: i16,
    start: usize,
    end: usize,
}

#[derive(Default)]
struct Channel {
    samples: Vec<i16>,
    settled: usize,
    spoke: bool,
}

impl Channel {
    /// The words from `from` on; the last one may be going on.
    fn runs(&self, from: usize) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (at, number) in self.samples.iter().enumerate().skip(from).filter(|(_, number)| **number != 0) {
            match runs.last_mut() {
                Some(run) if run.number == *number && run.end == at => run.end = at + 1,
                _ => runs.push(Run { number: *number, start: at, end: at + 1 }),
            }
        }
        runs
    }
}

/// One connection of the recogniser.
pub struct Connection {
    dialect: Dialect,
    channels: Vec<Channel>,
    mute: bool,
    over: bool,
}

impl Connection {
    pub fn new(dialect: Dialect, channels: usize, mute: bool) -> Self {
        let channels = (0..channels).map(|_| Channel::default()).collect();
        Self { dialect, channels, mute, over: false }
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    pub fn audio(&mut self, bytes: &[u8], dice: &mut Dice) -> Vec<String> {
        assert!(
            !bytes.is_empty() && bytes.len().is_multiple_of(2 * self.channels.len()),
            "a message of {}",
            bytes.len()
        );
        let count = self.channels.len();
        for (at, pair) in bytes.chunks(2).enumerate() {
            self.channels[at % count].samples.push(i16::from_le_bytes([pair[0], pair[1]]));
        }
        if self.mute {
            return Vec::new();
        }
        let each: Vec<usize> = (0..count).collect();
        each.into_iter().flat_map(|channel| self.listen(channel, dice)).collect()
    }

    pub fn text(&mut self, text: &str, dice: &mut Dice) -> Vec<String> {
        let (end, flush) = match self.dialect {
            Dialect::Deepgram => (text.contains("CloseStream"), text.contains("Finalize")),
            Dialect::Vosk => (text == "{\"eof\" : 1}", text == "{\"reset\" : 1}"),
        };
        if self.mute || !(end || flush) {
            return Vec::new();
        }
        let each: Vec<usize> = (0..self.channels.len()).collect();
        let mut replies: Vec<String> =
            each.into_iter().map(|channel| self.settle(channel, end, end || flush, dice)).collect();
        self.over = end;
        if end && self.dialect == Dialect::Deepgram {
            replies.push(json!({ "type": "Metadata", "request_id": "r" }).to_string());
        }
        replies
    }

    fn listen(&mut self, channel: usize, dice: &mut Dice) -> Vec<String> {
        let state = &self.channels[channel];
        let quiet = state.samples.iter().rev().take_while(|number| **number == 0).count();
        let open = state.samples.len() - state.settled;
        let mut replies = Vec::new();
        if quiet >= 30 && open > 30 && (state.spoke || open > 250) {
            replies.push(self.settle(channel, false, true, dice));
        } else if self.dialect == Dialect::Deepgram && open > 100 && dice.in_hundred(6) {
            replies.push(self.settle(channel, false, false, dice));
        } else if self.dialect == Dialect::Vosk || dice.in_hundred(10) {
            let runs = state.runs(state.settled);
            let end = state.samples.len();
            let (text, words) = self.words(channel, &runs, dice);
            self.channels[channel].spoke |= !runs.is_empty();
            replies.push(self.write(
                channel,
                (text, words),
                self.channels[channel].settled,
                end,
                false,
                false,
            ));
        }
        if self.dialect == Dialect::Deepgram && !replies.is_empty() && dice.in_hundred(5) {
            // The same once more.
            replies.push(replies[0].clone());
        }
        replies
    }

    /// Settles up to the last word that is over; everything, at the end.
    fn settle(&mut self, channel: usize, all: bool, endpoint: bool, dice: &mut Dice) -> String {
        let state = &self.channels[channel];
        let (from, heard) = (state.settled, state.samples.len());
        let mut runs = state.runs(from);
        let going_on = !all && runs.last().is_some_and(|run| run.end == heard);
        let to = match (going_on, runs.last()) {
            (true, Some(last)) => last.start,
            _ => heard,
        };
        runs.retain(|run| run.end <= to);
        let told = self.words(channel, &runs, dice);
        self.channels[channel].settled = to;
        self.channels[channel].spoke = false;
        self.write(channel, told, from, to, true, endpoint)
    }

    /// Words with times that are a little off. One of which only a part arrived is heard as another, or not.
    fn words(&self, channel: usize, runs: &[Run], dice: &mut Dice) -> (String, Vec<Value>) {
        let (mut texts, mut words) = (Vec::new(), Vec::new());
        for run in runs {
            let cut = run.start == 0 || (run.end - run.start) < 20;
            let going_on = run.end == self.channels[channel].samples.len();
            if cut && !going_on && run.end - run.start < 6 {
                continue;
            }
            let text = if cut { format!("?{}", run.number) } else { format!("w{}", run.number) };
            let off = |at: usize, dice: &mut Dice| (at as f64 + dice.below(6) as f64 - 3.0).max(0.0) / 100.0;
            words.push(json!({ "word": text, "start": off(run.start, dice), "end": off(run.end, dice) }));
            texts.push(text);
        }
        (texts.join(" "), words)
    }

    fn write(
        &self,
        channel: usize,
        (text, words): (String, Vec<Value>),
        from: usize,
        to: usize,
        settled: bool,
        endpoint: bool,
    ) -> String {
        let seconds = |at: usize| at as f64 / 100.0;
        match (self.dialect, settled) {
            (Dialect::Deepgram, _) => json!({
                "type": "Results", "channel_index": [channel, self.channels.len()],
                "start": seconds(from), "duration": seconds(to - from), "is_final": settled, "speech_final": endpoint,
                "channel": { "alternatives": [{ "transcript": text, "words": words }] }
            })
            .to_string(),
            (Dialect::Vosk, true) => json!({ "text": text, "result": words }).to_string(),
            (Dialect::Vosk, false) => json!({ "partial": text }).to_string(),
        }
    }
}
