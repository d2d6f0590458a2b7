//! A forked call's lines as they are recognised: partials replace each other, finals stay, late ones keep
//! their place in time.
use super::{Call, Output};
use crate::ears::{Gap, Spoken, Track};
use crate::event::News;
use crate::mask::contains_long_number;
use crate::transcript::{Place, Speaker, Turn};
use std::collections::BTreeMap;
use std::time::Instant;

/// Which lines still grow, and who is on which track.
#[derive(Debug)]
pub(super) struct Tracks {
    pub patient: Track,
    /// The line of each utterance that may still change.
    open: BTreeMap<(Track, u32), usize>,
}

impl Default for Tracks {
    fn default() -> Self {
        Self { patient: Track::Inbound, open: BTreeMap::new() }
    }
}

impl Tracks {
    fn speaker(&self, track: Track) -> Speaker {
        if track == self.patient { Speaker::Patient } else { Speaker::Agent }
    }
}

impl Call {
    /// A line is new, has grown or is final. A line's index never changes; its time says where it belongs.
    pub(super) fn spoken(&mut self, spoken: &Spoken, now: Instant) {
        let key = (spoken.track, spoken.utterance);
        let known = self.tracks.open.get(&key).copied();
        let speaker = self.tracks.speaker(spoken.track);
        let place = Place { track: spoken.track, at_ms: spoken.at_ms, partial: !spoken.done };
        // A final without words takes back what its partials seemed to say.
        let nothing = || Turn { speaker, text: String::new(), unclear: true, place: None };
        let Some(turn) = Turn::heard(speaker, &spoken.text).or_else(|| known.map(|_| nothing())) else {
            return;
        };
        let index = known.unwrap_or(self.transcript.len());
        if spoken.done {
            self.tracks.open.remove(&key);
        } else {
            self.tracks.open.insert(key, index);
        }
        let line = Turn { place: Some(place), ..turn };
        self.hear(index, line.clone());
        self.attend((spoken.track, spoken.utterance), &line, now);
        if spoken.done {
            self.read_document(index, &line);
            self.take_down(index, &line);
        }
    }

    /// Who is on which track, told by the switch or put right by the operator: lines change their speaker.
    pub(super) fn patient_on(&mut self, patient: Track) {
        if self.tracks.patient == patient {
            return;
        }
        self.tracks.patient = patient;
        for index in 0..self.transcript.len() {
            let Some(turn) = self.transcript.get(index).cloned() else { continue };
            if let Some(place) = turn.place {
                self.hear(index, Turn { speaker: self.tracks.speaker(place.track), ..turn });
            }
        }
        self.read_documents_again();
        self.take_down_again();
        self.outbox.push_back(Output::Remember);
    }

    /// The call is over: no line changes any more.
    pub(super) fn settle_lines(&mut self) {
        for index in std::mem::take(&mut self.tracks.open).into_values() {
            let Some(turn) = self.transcript.get(index).cloned() else { continue };
            if let Some(place) = turn.place {
                self.hear(index, Turn { place: Some(Place { partial: false, ..place }), ..turn });
            }
        }
    }

    /// Where the call's operator sits. What is as long as a telephone is one, and nobody's seat (S4).
    pub(super) fn rings_at(&mut self, extension: String) {
        if !contains_long_number(&extension) {
            self.tell(News::Extension { extension });
        }
    }

    /// Nobody heard a stretch of the call.
    pub(super) fn gap(&mut self, gap: Gap) {
        self.tell(News::Gap(gap));
    }

    /// The transcript as it was spoken, with each line's index: late lines stand where they belong. In a forked
    /// call a line without words was taken back, or nobody knows since a restart what it said.
    pub(super) fn in_order(&self) -> Vec<(usize, &Turn)> {
        let forked = self.transcript.iter().any(|line| line.place.is_some());
        let words = |(_, line): &(usize, &Turn)| !forked || !line.text.is_empty();
        let mut lines: Vec<(usize, &Turn)> = self.transcript.iter().enumerate().filter(words).collect();
        lines.sort_by_key(|(_, line)| line.place.map_or(0, |place| place.at_ms));
        lines
    }
}
