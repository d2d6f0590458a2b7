//! A socket's intake in a test: what comes of each message.
use aura::ears::intake::{Intake, IntakeOut};
use aura::ears::{Door, Fork, Metadata, Piece, Told, Track};
use aura::ids::CallId;
use aura::protocol::audio_fork;
use std::time::{Duration, Instant};

pub struct Socket {
    pub intake: Intake,
    pub now: Instant,
}

impl Socket {
    pub fn new(door: Door, query: &str) -> Self {
        Self::with_default(door, query, Track::Inbound)
    }

    pub fn with_default(door: Door, query: &str, default_patient: Track) -> Self {
        let now = Instant::now();
        let from_url: Metadata = aura::protocol::pbx::query(query).unwrap();
        let spare = CallId::parse("spare").unwrap();
        Self { intake: Intake::new(door, from_url, default_patient, spare, now), now }
    }

    pub fn tell(&mut self, told: Told) -> Vec<IntakeOut> {
        self.intake.handle(told, self.now);
        self.drain()
    }

    pub fn tell_all(&mut self, told: Vec<Told>) -> Vec<IntakeOut> {
        told.into_iter().flat_map(|told| self.tell(told)).collect()
    }

    /// A text frame of an audio fork; it must be readable.
    pub fn text(&mut self, frame: &str) -> Vec<IntakeOut> {
        let decoded = audio_fork::text(frame);
        assert_eq!(decoded.fault, None);
        self.tell_all(decoded.told)
    }

    pub fn audio(&mut self, bytes: &[u8]) -> Vec<IntakeOut> {
        self.tell(audio_fork::binary(bytes.to_vec()))
    }

    pub fn wait(&mut self, time: Duration) -> Vec<IntakeOut> {
        self.now += time;
        self.intake.tick(self.now);
        self.drain()
    }

    fn drain(&mut self) -> Vec<IntakeOut> {
        std::iter::from_fn(|| self.intake.poll()).collect()
    }
}

/// Signed 16-bit samples as bytes.
pub fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

/// Two tracks, interleaved, as bytes.
pub fn stereo(inbound: &[i16], outbound: &[i16]) -> Vec<u8> {
    bytes(&inbound.iter().zip(outbound).flat_map(|(x, y)| [*x, *y]).collect::<Vec<_>>())
}

/// The fork that the first of these opens; there must be one.
pub fn opened(out: &[IntakeOut]) -> &Fork {
    match out.first() {
        Some(IntakeOut::Open(fork)) => fork,
        other => panic!("no fork was opened: {other:?}"),
    }
}

/// The pieces among these.
pub fn pieces(out: &[IntakeOut]) -> Vec<Piece> {
    out.iter()
        .filter_map(|out| if let IntakeOut::Piece(piece) = out { Some(piece.clone()) } else { None })
        .collect()
}

/// All samples among these, by track, one after the other.
pub fn heard(out: &[IntakeOut]) -> (Vec<i16>, Vec<i16>) {
    let mut all = (Vec::new(), Vec::new());
    for piece in pieces(out) {
        if let Piece::Samples { inbound, outbound, .. } = piece {
            all.0.extend(inbound);
            all.1.extend(outbound);
        }
    }
    all
}
