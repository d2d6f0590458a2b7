//! Hears what was spoken, as samples come: the text where all of it arrived, else that it is damaged.
use super::correlator::{Correlator, loud};
use super::{LONGEST, PREAMBLE, begins};

/// The least share of a symbol's energy in one tone: below, something else sounds too.
const PURE: f32 = 0.6;
/// The same for the whole preamble.
const LOCKED: f32 = 0.75;
/// Where a look at each sample is worth it.
const PROMISING: f32 = 0.35;
/// The last symbols show whether samples were lost on the way.
const LAST: usize = 12;
/// So many samples of 8 kHz may be amiss: resamplers round.
const SLIP: u64 = 2;
/// Bytes before the text: length and complement.
const HEADER: usize = 4;
/// Bytes after it.
const CHECK: usize = 4;

/// Why an utterance has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    /// Sound, but no utterance begins in it.
    Noise,
    /// Something else sounds at the same time.
    Impure,
    /// The length isn't one.
    Length,
    /// It stops before its end.
    Truncated,
    /// Bytes are wrong.
    Checksum,
    /// A few samples are missing, or too many.
    Slipped,
}

/// An utterance, or what is left of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What was said.
    pub text: Result<String, Damaged>,
    /// Its first sample, counted from the listener's first.
    pub start: u64,
    /// The sample after its last.
    pub end: u64,
}

/// What was heard so far of an utterance that goes on: not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// Its beginning.
    pub text: String,
    /// Its first sample.
    pub start: u64,
    /// The sample after the last that was understood.
    pub end: u64,
}

struct Reading {
    start: u64,
    symbols: Vec<usize>,
}

impl Reading {
    fn bytes(&self) -> Vec<u8> {
        self.symbols.chunks_exact(2).map(|two| (two[0] << 4 | two[1]) as u8).collect()
    }
}

struct Noise {
    start: u64,
    end: u64,
    /// The damage that it belongs to has been told.
    told: bool,
}

/// One channel's ear.
pub struct Listener {
    rate: u32,
    correlator: Correlator,
    /// Samples from `base` on.
    buffer: Vec<i16>,
    base: u64,
    /// Where the next utterance is looked for.
    at: u64,
    reading: Option<Reading>,
    noise: Option<Noise>,
    /// The first and the last loud sample of the sound that goes on or was last.
    sound: Option<(u64, u64)>,
}

impl Listener {
    /// An ear for so many samples a second.
    pub fn new(rate: u32) -> Self {
        let correlator = Correlator::new(rate);
        let (buffer, reading, noise, sound) = (Vec::new(), None, None, None);
        Self { rate, correlator, buffer, base: 0, at: 0, reading, noise, sound }
    }

    /// Samples as they come, any number; what is complete with them.
    pub fn push(&mut self, samples: &[i16]) -> Vec<Heard> {
        self.note_sound(samples);
        self.buffer.extend_from_slice(samples);
        let mut heard = Vec::new();
        loop {
            let goes_on = match self.reading.take() {
                Some(reading) => self.read(reading, &mut heard),
                None => self.search(&mut heard),
            };
            if !goes_on {
                break;
            }
        }
        let first = self.reading.as_ref().map_or(self.at, |reading| reading.start);
        let done = first.saturating_sub(self.symbol()).saturating_sub(self.base);
        self.buffer.drain(..done as usize);
        self.base += done;
        heard
    }

    /// The stream is over: what was begun is damaged.
    pub fn finish(&mut self) -> Vec<Heard> {
        let sound = self.sound;
        let heard = self.push(&vec![0; self.rate as usize / 5]);
        self.sound = sound;
        heard
    }

    /// The utterance that is being spoken, as far as it was heard.
    pub fn partial(&self) -> Option<Partial> {
        let reading = self.reading.as_ref()?;
        let bytes = reading.bytes();
        let header = bytes.get(..HEADER)?;
        let length = usize::from(u16::from_be_bytes([header[0], header[1]]));
        let text = &bytes[HEADER..bytes.len().min(HEADER + length)];
        let text = text.utf8_chunks().next().map_or("", |chunk| chunk.valid()).to_owned();
        let symbols = PREAMBLE.len() + reading.symbols.len();
        Some(Partial { text, start: reading.start, end: reading.start + begins(symbols, self.rate) as u64 })
    }

    /// How many samples came.
    pub fn samples(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// The sound that goes on, or was last: its first sample, and the one after its last.
    pub fn sound(&self) -> Option<(u64, u64)> {
        self.sound
    }

    fn note_sound(&mut self, samples: &[i16]) {
        let mut position = self.samples();
        let pause = u64::from(self.rate) / 20;
        for sample in samples {
            position += 1;
            if loud(&[*sample]) {
                self.sound = match self.sound {
                    Some((start, end)) if position <= end + pause => Some((start, position)),
                    _ => Some((position - 1, position)),
                };
            }
        }
    }

    fn symbol(&self) -> u64 {
        self.correlator.window as u64
    }

    fn from(&self, position: u64) -> &[i16] {
        &self.buffer[(position - self.base) as usize..]
    }

    /// Looks at one place; false if it needs more samples for that.
    fn search(&mut self, heard: &mut Vec<Heard>) -> bool {
        let hop = self.symbol() / 8;
        let ahead = self.from(self.at);
        if (ahead.len() as u64) < hop {
            return false;
        }
        if !loud(&ahead[..hop as usize]) {
            self.at += hop;
            self.end_noise(self.at, heard);
            return true;
        }
        if (ahead.len() as u64) < begins(PREAMBLE.len() + 2, self.rate) as u64 {
            return false;
        }
        let promising =
            self.correlator.share(ahead, PREAMBLE[0]) > PROMISING && self.score(self.at) > PROMISING;
        match if promising { self.lock() } else { None } {
            Some(start) => {
                self.end_noise(u64::MAX, heard);
                self.reading = Some(Reading { start, symbols: Vec::new() });
            }
            None => {
                let noise = self.noise.get_or_insert(Noise { start: self.at, end: 0, told: false });
                self.at += hop;
                noise.end = self.at;
            }
        }
        true
    }

    /// How well the preamble fits at a place, 0 to 1.
    fn score(&self, position: u64) -> f32 {
        let samples = self.from(position);
        let share = |(n, symbol)| self.correlator.share(&samples[begins(n, self.rate)..], symbol);
        PREAMBLE.into_iter().enumerate().map(share).sum::<f32>() / PREAMBLE.len() as f32
    }

    fn lock(&self) -> Option<u64> {
        let first = self.at.saturating_sub(self.symbol() / 4).max(self.base);
        let scores = (first..self.at + self.symbol()).map(|place| (place, self.score(place)));
        scores.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 > LOCKED).map(|best| best.0)
    }

    /// Noise that was followed by silence at `position`, or by an utterance, is told once.
    fn end_noise(&mut self, position: u64, heard: &mut Vec<Heard>) {
        let Some(noise) = &self.noise else { return };
        if position < noise.end + u64::from(self.rate) / 20 {
            return;
        }
        let long = noise.end - noise.start > 8 * self.symbol();
        if long && !noise.told {
            heard.push(Heard { text: Err(Damaged::Noise), start: noise.start, end: noise.end });
        }
        self.noise = None;
    }

    /// Reads on; false if it needs more samples for that.
    fn read(&mut self, mut reading: Reading, heard: &mut Vec<Heard>) -> bool {
        let begin = reading.start + begins(PREAMBLE.len() + reading.symbols.len(), self.rate) as u64;
        let ahead = self.from(begin.min(self.samples()));
        if ahead.len() < self.correlator.window {
            self.reading = Some(reading);
            return false;
        }
        let (symbol, share) = self.correlator.strongest(ahead);
        let damage = match share {
            _ if !loud(&ahead[..self.correlator.window]) => Some(Damaged::Truncated),
            share if share < PURE => Some(Damaged::Impure),
            _ => None,
        };
        reading.symbols.push(symbol);
        let text = match damage {
            Some(damage) => Some(Err(damage)),
            None => check(&reading.bytes()),
        };
        match text {
            None => self.reading = Some(reading),
            Some(Ok(_)) if self.slipped(&reading) => heard.push(self.end(&reading, Err(Damaged::Slipped))),
            Some(text) => heard.push(self.end(&reading, text)),
        }
        true
    }

    /// Whether the last symbols fit better a few samples earlier or later than where they are due.
    fn slipped(&self, reading: &Reading) -> bool {
        let most = self.symbol() / 4;
        let count = reading.symbols.len();
        // Without the very last, so that there is something behind them.
        let last: Vec<usize> = (count.saturating_sub(LAST + 1)..count - 1).collect();
        let score = |shift: u64| {
            let share = |n: &usize| {
                let due = reading.start + begins(PREAMBLE.len() + n, self.rate) as u64;
                self.correlator.share(self.from(due + shift - most), reading.symbols[*n])
            };
            last.iter().map(share).sum::<f32>()
        };
        let best = (0..=2 * most).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(most);
        best.abs_diff(most) * 8_000 > SLIP * u64::from(self.rate)
    }

    /// After a text the search goes on behind it; after damage inside it, where the next may have begun.
    fn end(&mut self, reading: &Reading, text: Result<String, Damaged>) -> Heard {
        let symbols = PREAMBLE.len() + reading.symbols.len();
        let end = reading.start + begins(symbols, self.rate) as u64;
        self.at = end;
        if text.is_err() {
            self.at = reading.start + begins(PREAMBLE.len(), self.rate) as u64;
            self.noise = Some(Noise { start: reading.start, end: self.at, told: true });
        }
        Heard { text, start: reading.start, end }
    }
}

/// The text as soon as all is there, or what is wrong with it.
fn check(bytes: &[u8]) -> Option<Result<String, Damaged>> {
    let header = bytes.get(..HEADER)?;
    let length = u16::from_be_bytes([header[0], header[1]]);
    if length != !u16::from_be_bytes([header[2], header[3]]) || usize::from(length) > LONGEST {
        return Some(Err(Damaged::Length));
    }
    let text_end = HEADER + usize::from(length);
    let check = bytes.get(text_end..text_end + CHECK)?;
    let text = &bytes[HEADER..text_end];
    if crc32fast::hash(text).to_be_bytes() != check {
        return Some(Err(Damaged::Checksum));
    }
    Some(String::from_utf8(text.to_vec()).map_err(|_| Damaged::Checksum))
}
