//! Bytes to samples, track by track, whatever lengths they come in.
use crate::ears::{Encoding, Format, Layout, Track};
use audio_codec_algorithms::{decode_alaw, decode_ulaw};

/// The samples of some bytes, one list a track.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Of [`Track::Inbound`]; of a mixed stream, both summed.
    pub inbound: Vec<i16>,
    /// Of [`Track::Outbound`].
    pub outbound: Vec<i16>,
}

/// Reads one stream: what is left of a sample, or of a group of both channels, waits for the next bytes.
///
/// A dropped byte would swap the bytes or the channels of all that follows, so none is dropped (fault 51).
#[derive(Clone, Debug)]
pub struct Decoder {
    format: Format,
    rest: Vec<u8>,
    carried: u64,
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new(format: Format) -> Self {
        Self { format, rest: Vec::new(), carried: 0 }
    }

    /// How the bytes are read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How often bytes had to wait for the rest of their sample.
    pub fn carried(&self) -> u64 {
        self.carried
    }

    /// From here the bytes are read like this. If samples are still written alike, those of one that was
    /// cut in two are kept; otherwise they are forgotten, as nothing can complete them.
    pub fn change(&mut self, format: Format) {
        if group(format) != group(self.format) || format.encoding != self.format.encoding {
            self.rest.clear();
        }
        self.format = format;
    }

    /// All whole samples that the bytes complete.
    pub fn decode(&mut self, bytes: &[u8]) -> Samples {
        let group = group(self.format);
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        self.rest = all.split_off(all.len() - all.len() % group);
        if !self.rest.is_empty() && !bytes.is_empty() {
            self.carried += 1;
        }
        self.spread(samples(self.format.encoding, &all))
    }

    fn spread(&self, samples: Vec<i16>) -> Samples {
        let mut out = Samples::default();
        match self.format.layout {
            Layout::Mono(Track::Outbound) => out.outbound = samples,
            Layout::Mono(Track::Inbound) | Layout::Mixed => out.inbound = samples,
            Layout::Stereo => {
                out.inbound = samples.iter().step_by(2).copied().collect();
                out.outbound = samples.iter().skip(1).step_by(2).copied().collect();
            }
        }
        out
    }
}

/// Bytes of one moment: a sample of each channel.
fn group(format: Format) -> usize {
    let channels = if format.layout == Layout::Stereo { 2 } else { 1 };
    channels * if format.encoding == Encoding::L16 { 2 } else { 1 }
}

fn samples(encoding: Encoding, bytes: &[u8]) -> Vec<i16> {
    match encoding {
        Encoding::L16 => bytes.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect(),
        Encoding::Mulaw => bytes.iter().map(|byte| decode_ulaw(*byte)).collect(),
        Encoding::Alaw => bytes.iter().map(|byte| decode_alaw(*byte)).collect(),
    }
}
