//! An open fork's messages, as pieces.
use super::plan::Plan;
use super::twins::Twins;
use crate::audio::{Decoder, Samples};
use crate::ears::{Layout, Line, Piece, Told, Track};

/// Pieces a second, at least: one huge frame gives many pieces.
const PIECES: usize = 5;

#[derive(Debug)]
pub(super) struct Reader {
    plan: Plan,
    /// Of messages without a track of their own.
    whole: Decoder,
    /// Of messages of one track: [`Track::Inbound`] first.
    tracks: [Decoder; 2],
    twins: Twins,
    /// Whether both channels are the same, so that one is left out.
    duplicated: bool,
    finished: bool,
}

impl Reader {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            plan,
            whole: Decoder::new(plan.format()),
            tracks: Track::ALL.map(|track| Decoder::new(plan.format_of(track))),
            twins: Twins::new(plan.rate),
            duplicated: false,
            finished: false,
        }
    }

    pub(super) fn carried(&self) -> u64 {
        self.whole.carried() + self.tracks.iter().map(Decoder::carried).sum::<u64>()
    }

    /// From here the audio is read like this; tells if other tracks come of it, or the patient's is another.
    pub(super) fn change(&mut self, plan: Plan) -> Option<Piece> {
        let before = std::mem::replace(&mut self.plan, plan);
        self.whole.change(plan.format());
        for track in Track::ALL {
            self.tracks[track.channel()].change(plan.format_of(track));
        }
        if before.rate != plan.rate {
            self.twins = Twins::new(plan.rate);
        }
        let Plan { layout, patient, .. } = plan;
        (before.layout != layout || before.patient != patient).then_some(Piece::Changed { layout, patient })
    }

    pub(super) fn read(&mut self, told: Told) -> Vec<Piece> {
        match told {
            Told::Audio { .. } if self.finished => Vec::new(),
            Told::Audio { track, bytes } => self.audio(track, &bytes),
            Told::Line(line) => vec![Piece::Line(line)],
            Told::TrackLine { track, text, done } => {
                vec![Piece::Line(Line { leg: self.plan.speaker(track), text, done })]
            }
            Told::Dtmf(key) => vec![Piece::Dtmf(key)],
            Told::Hold(on) => vec![Piece::Hold(on)],
            Told::Bridged => vec![Piece::Bridged],
            Told::Flush if std::mem::replace(&mut self.finished, true) => Vec::new(),
            Told::Flush => vec![Piece::Finished],
            Told::HungUp => vec![Piece::HungUp],
            // The intake's own business.
            Told::Metadata(_) | Told::Unreadable(_) => Vec::new(),
        }
    }

    fn audio(&mut self, track: Option<Track>, bytes: &[u8]) -> Vec<Piece> {
        let decoder = match track {
            Some(track) => &mut self.tracks[track.channel()],
            None => &mut self.whole,
        };
        let Samples { inbound, outbound } = decoder.decode(bytes);
        let stereo = track.is_none() && self.plan.layout == Layout::Stereo;
        let rate = self.plan.rate;
        let longest = rate as usize / PIECES;
        let mut pieces = Vec::new();
        for from in (0..inbound.len().max(outbound.len())).step_by(longest) {
            let inbound = cut(&inbound, from, longest);
            let mut outbound = cut(&outbound, from, longest);
            if stereo && !self.duplicated && self.twins.same(inbound, outbound) {
                self.duplicated = true;
                pieces.push(Piece::Duplicated);
            }
            if stereo && self.duplicated {
                outbound = &[];
            }
            pieces.push(Piece::Samples { rate, inbound: inbound.to_vec(), outbound: outbound.to_vec() });
        }
        pieces
    }
}

fn cut(samples: &[i16], from: usize, longest: usize) -> &[i16] {
    let from = from.min(samples.len());
    &samples[from..(from + longest).min(samples.len())]
}
