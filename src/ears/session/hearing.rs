//! What the recogniser's links tell, as lines and gaps of the call.
use super::{Session, Stream, Streams, Want};
use crate::call::Input;
use crate::ears::{Lack, Leg, Line, Spoken, Track};
use crate::stt::{Assembled, Report, Utterance};
use std::time::{Duration, Instant};

impl Session {
    /// A link tells what was heard.
    pub fn report(&mut self, stream: Stream, report: &Report, now: Instant) {
        if self.over {
            return;
        }
        for assembler in &mut self.assemblers {
            assembler.hear(report, now);
        }
        self.assembled(now);
        if *report == Report::Finished {
            self.closed(stream, now);
        }
    }

    /// A link is over: nothing more comes from it.
    pub fn closed(&mut self, stream: Stream, now: Instant) {
        if let Some((_, waiting)) = &mut self.ending {
            waiting.remove(&stream);
        }
        self.settle(now);
    }

    /// A link lost audio: from here to there, in its own time.
    pub fn lost(&mut self, stream: Stream, from: Duration, to: Duration) {
        let Some(line) = self.open.get(&stream).filter(|_| !self.over) else { return };
        let (from_ms, to_ms) = (line.at_ms(from), line.at_ms(to));
        self.gap(stream, from_ms, to_ms, Lack::Unrecognised);
    }

    pub(super) fn assembled(&mut self, _now: Instant) {
        for track in Track::ALL {
            while let Some(assembled) = self.assemblers[track.channel()].poll() {
                match assembled {
                    Assembled::Utterance(utterance) => self.utterance(utterance),
                    Assembled::Finalize => {
                        let link = self.stream_of(track).filter(|stream| self.open.contains_key(stream));
                        self.outbox.extend(link.map(Want::Finalize));
                    }
                }
            }
        }
    }

    fn utterance(&mut self, utterance: Utterance) {
        let Utterance { id, track, text, done, start, .. } = utterance;
        let line = self.stream_of(track).and_then(|stream| self.open.get(&stream));
        let at_ms = line.map_or(0, |line| line.began_ms(start));
        let leg = if track == self.patient { Leg::Patient } else { Leg::Operator };
        self.outbox.push_back(Want::Transcription(Line { leg, text: text.clone(), done }));
        self.tell(Input::Spoken(Spoken { track, utterance: id, text, done, at_ms }));
    }

    fn stream_of(&self, track: Track) -> Option<Stream> {
        match self.streams {
            Streams::Joined => Some(Stream::Joined),
            Streams::Apart => Some(Stream::Of(track)),
            Streams::None => None,
        }
    }
}
