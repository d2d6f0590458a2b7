//! How a socket's audio is to be read, by what is known of it so far.
use crate::audio::{BadRate, check_rate};
use crate::ears::{Door, Encoding, Format, Layout, Leg, Metadata, Shape, Track};
use std::time::Duration;

/// What the largest usual fork sends a second, 16 kHz stereo: where nothing is announced.
const UNKNOWN: u32 = 64_000;

/// Whose leg is forked, if the patient is on that track.
pub(super) fn forked(patient: Track) -> Leg {
    match patient {
        Track::Inbound => Leg::Patient,
        Track::Outbound => Leg::Operator,
    }
}

/// What is known, or taken for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub encoding: Encoding,
    pub rate: u32,
    /// In the call's terms: of an operator's mono fork it is the outbound track.
    pub layout: Layout,
    pub patient: Track,
    /// Whose leg is forked.
    pub leg: Leg,
    announced: bool,
}

impl Plan {
    /// Where nothing is said: 8 kHz, one channel, and the leg of the door's setting.
    pub(super) fn new(door: Door, facts: &Metadata, default_patient: Track) -> Result<Self, BadRate> {
        let leg = facts.leg.unwrap_or(forked(default_patient));
        let of_leg = match leg {
            Leg::Patient => Track::Inbound,
            Leg::Operator => Track::Outbound,
        };
        let (layout, patient) = match facts.layout.unwrap_or(Shape::Mono) {
            Shape::Stereo => (Layout::Stereo, of_leg),
            Shape::Mixed => (Layout::Mixed, Track::Inbound),
            Shape::Mono => (Layout::Mono(of_leg), Track::Inbound),
        };
        let usual = match door {
            Door::AudioFork | Door::AudioSocket => Encoding::L16,
            Door::Twilio | Door::Asterisk => Encoding::Mulaw,
        };
        let rate = facts.rate.unwrap_or(*crate::audio::RATES.start());
        check_rate(rate)?;
        let encoding = facts.encoding.unwrap_or(usual);
        Ok(Self { encoding, rate, layout, patient, leg, announced: facts.rate.is_some() })
    }

    /// How a message without a track of its own is read.
    pub(super) fn format(&self) -> Format {
        Format { encoding: self.encoding, rate: self.rate, layout: self.layout }
    }

    /// How a message of one track of the forked leg is read.
    pub(super) fn format_of(&self, track: Track) -> Format {
        let track = match self.layout {
            Layout::Mono(Track::Outbound) => track.other(),
            Layout::Mono(Track::Inbound) | Layout::Stereo => track,
            Layout::Mixed => Track::Inbound,
        };
        Format { layout: Layout::Mono(track), ..self.format() }
    }

    /// Who speaks on a track of the forked leg.
    pub(super) fn speaker(&self, track: Track) -> Leg {
        match track {
            Track::Inbound => self.leg,
            Track::Outbound => self.leg.other(),
        }
    }

    /// The bytes of so much audio.
    pub(super) fn bytes(&self, time: Duration) -> usize {
        let second = if self.announced { self.second() } else { UNKNOWN as usize };
        second * time.as_millis() as usize / 1000
    }

    /// How long so many bytes of audio last.
    pub(super) fn time(&self, bytes: usize) -> Duration {
        Duration::from_millis((bytes * 1000 / self.second()) as u64)
    }

    fn second(&self) -> usize {
        let sample = if self.encoding == Encoding::L16 { 2 } else { 1 };
        let channels = if self.layout == Layout::Stereo { 2 } else { 1 };
        (self.rate * sample * channels) as usize
    }
}
