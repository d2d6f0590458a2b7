//! A link on a stage: time passes as the test says, audio flows in real time, all that comes out is kept.
use aura::ears::{Layout, Track};
use aura::stt::{Dialect, Frame, Heard, Limits, Link, LinkOut, Report, Spec};
use std::time::{Duration, Instant};

pub const RATE: u32 = 8000;

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub struct Stage {
    pub link: Link,
    pub begin: Instant,
    pub now: Instant,
    pub out: Vec<(Duration, LinkOut)>,
    pub connection: u32,
    channels: usize,
    sample: i16,
}

impl Stage {
    pub fn new(dialect: Dialect, layout: Layout) -> Self {
        Self::with(dialect, layout, Limits::default(), 7)
    }

    pub fn with(dialect: Dialect, layout: Layout, limits: Limits, seed: u64) -> Self {
        let now = Instant::now();
        let link = Link::new(Spec { dialect, rate: RATE, layout, seed, limits }, now);
        let channels = if layout == Layout::Stereo { 2 } else { 1 };
        let mut stage = Self { link, begin: now, now, out: Vec::new(), connection: 0, channels, sample: 0 };
        stage.drain();
        stage
    }

    pub fn open(dialect: Dialect, layout: Layout) -> Self {
        let mut stage = Self::new(dialect, layout);
        stage.opened();
        stage
    }

    /// Performs nothing, keeps everything.
    pub fn drain(&mut self) {
        while let Some(out) = self.link.poll() {
            if let LinkOut::Connect { connection } = out {
                self.connection = connection;
            }
            self.out.push((self.now - self.begin, out));
        }
    }

    pub fn opened(&mut self) {
        self.link.opened(self.connection, self.now);
        self.drain();
    }

    pub fn closed(&mut self, code: u16) {
        self.link.closed(self.connection, Some(code), "", self.now);
        self.drain();
    }

    pub fn message(&mut self, text: &str) {
        self.link.message(self.connection, text, self.now);
        self.drain();
    }

    /// Lets time pass; each deadline is met.
    pub fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(at) = self.link.deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.link.tick(self.now);
            self.drain();
            assert!(self.link.deadline().is_none_or(|next| next > self.now), "a deadline that doesn't move");
        }
        self.now = until;
    }

    /// Speaks in real time, 20 ms at once; samples count up so that each can be told from its neighbours.
    pub fn speak(&mut self, time: Duration) {
        for _ in 0..time.as_millis() / 20 {
            let frames = RATE as usize / 50 * self.channels;
            let samples: Vec<i16> = (0..frames).map(|_| self.next_sample()).collect();
            self.link.audio(&samples, self.now);
            self.drain();
            self.wait(ms(20));
        }
    }

    fn next_sample(&mut self) -> i16 {
        self.sample = self.sample.wrapping_add(1);
        self.sample
    }

    /// What came since the last look.
    pub fn take(&mut self) -> Vec<LinkOut> {
        std::mem::take(&mut self.out).into_iter().map(|(_, out)| out).collect()
    }
}

pub fn texts(out: &[LinkOut]) -> Vec<&str> {
    out.iter()
        .filter_map(|out| match out {
            LinkOut::Send(Frame::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

pub fn samples(out: &[LinkOut]) -> Vec<i16> {
    let chunks = out.iter().filter_map(|out| match out {
        LinkOut::Send(Frame::Binary(bytes)) => Some(bytes),
        _ => None,
    });
    let pairs = chunks.flat_map(|bytes| bytes.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])));
    pairs.collect()
}

pub fn heard(out: &[LinkOut]) -> Vec<Heard> {
    out.iter()
        .filter_map(|out| match out {
            LinkOut::Report(Report::Heard(heard)) => Some(heard.clone()),
            _ => None,
        })
        .collect()
}

/// A result as Deepgram writes it: words evenly over the stretch, times in the connection's seconds.
pub fn result(channel: usize, text: &str, start: f64, end: f64, settled: bool, endpoint: bool) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let each = (end - start) / words.len().max(1) as f64;
    let word = |(n, word): (usize, &&str)| {
        let from = start + each * n as f64;
        serde_json::json!({ "word": word, "start": from, "end": from + each })
    };
    let words: Vec<_> = words.iter().enumerate().map(word).collect();
    serde_json::json!({
        "type": "Results", "channel_index": [channel, 2], "start": start, "duration": end - start,
        "is_final": settled, "speech_final": endpoint,
        "channel": { "alternatives": [{ "transcript": text, "words": words }] }
    })
    .to_string()
}

pub const MONO: Layout = Layout::Mono(Track::Inbound);
