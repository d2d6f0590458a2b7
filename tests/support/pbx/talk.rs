//! A conversation as two tracks of samples.
use super::super::tones::{silence, speak};

/// What is said on the forked leg (inbound) and to it (outbound), equally long.
#[derive(Clone, Debug)]
pub struct Talk {
    /// Samples a second.
    pub rate: u32,
    /// What the forked leg says.
    pub inbound: Vec<i16>,
    /// What it hears.
    pub outbound: Vec<i16>,
}

impl Talk {
    /// Nothing yet.
    pub fn new(rate: u32) -> Self {
        Self { rate, inbound: Vec::new(), outbound: Vec::new() }
    }

    /// The forked leg speaks.
    pub fn inbound(self, text: &str) -> Self {
        let samples = speak(text, self.rate);
        self.both(samples, Vec::new())
    }

    /// It is spoken to.
    pub fn outbound(self, text: &str) -> Self {
        let samples = speak(text, self.rate);
        self.both(Vec::new(), samples)
    }

    /// Both speak at once.
    pub fn at_once(self, inbound: &str, outbound: &str) -> Self {
        let (inbound, outbound) = (speak(inbound, self.rate), speak(outbound, self.rate));
        self.both(inbound, outbound)
    }

    /// Both are silent, for so many seconds.
    pub fn pause(self, seconds: f64) -> Self {
        let samples = silence(seconds, self.rate);
        self.both(samples, Vec::new())
    }

    fn both(mut self, inbound: Vec<i16>, outbound: Vec<i16>) -> Self {
        self.inbound.extend(inbound);
        self.outbound.extend(outbound);
        let length = self.inbound.len().max(self.outbound.len());
        self.inbound.resize(length, 0);
        self.outbound.resize(length, 0);
        self
    }
}
