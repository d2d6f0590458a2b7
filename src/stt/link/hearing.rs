//! What a connection says, as the link tells it: each word once, in the link's own time.
use super::{Link, LinkOut, Phase, time};
use crate::ears::Track;
use crate::stt::mending::Edge;
use crate::stt::said::{Said, Stretch, Word};
use crate::stt::{Heard, Report};
use std::time::Duration;

/// Of silence that was answered, what may still be the beginning of a word.
const ONSET: Duration = Duration::from_secs(1);

impl Link {
    pub(super) fn read(&mut self, text: &str) {
        let last = self.acknowledge();
        let said = self.spec.dialect.read(text);
        let heard = matches!(said, Said::Stretch(_) | Said::UtteranceEnd { .. } | Said::Goodbye);
        if heard && self.retry.answered() {
            self.out.push_back(LinkOut::Recovered);
        }
        let goodbye = said == Said::Goodbye;
        match said {
            Said::Stretch(stretch) => self.stretch(stretch),
            Said::UtteranceEnd { channel, last_word_end } => self.utterance_end(channel, last_word_end),
            Said::Trouble(what) => self.tell(Report::Trouble(what)),
            Said::Goodbye | Said::Alive => {}
        }
        let leaving = matches!(&self.phase, Phase::Open(open) if open.goodbye_by.is_some());
        if leaving && (goodbye || last) {
            self.end(true);
        }
    }

    /// A sign of life, and which message it answers; whether it was the last one.
    fn acknowledge(&mut self) -> bool {
        let now = self.now;
        let replies = self.spec.dialect.replies();
        let Phase::Open(open) = &mut self.phase else { return false };
        if let Some(upto) = open.outstanding.pop_front() {
            open.acknowledged = open.acknowledged.max(upto);
        }
        let waiting = replies && !open.outstanding.is_empty();
        open.unanswered = waiting.then_some((now, 0));
        replies && open.outstanding.is_empty()
    }

    fn utterance_end(&mut self, channel: Option<usize>, last_word_end: Option<Duration>) {
        let Some(track) = self.spec.track(channel) else { return self.nobodys() };
        let end = last_word_end.map(|end| self.mended(end, Edge::End));
        let last_word_end = time::duration(end.unwrap_or(0), self.spec.rate);
        self.tell(Report::UtteranceEnd { track, last_word_end });
    }

    fn nobodys(&mut self) {
        self.tell(Report::Trouble(
            "a result names no channel of ours: it can't be told whose it is".to_owned(),
        ));
    }

    fn stretch(&mut self, stretch: Stretch) {
        let Some(track) = self.spec.track(stretch.channel) else { return self.nobodys() };
        let (spoke, (start, end)) = (!stretch.text.is_empty(), self.span(track, &stretch));
        let settled = self.settled[track.channel()];
        let again = stretch.span.is_some() && spoke && end <= settled;
        let (text, start) =
            if again { (String::new(), start) } else { self.news(track, &stretch, start, end) };
        if stretch.settled {
            self.settle(track, &stretch, end);
        }
        // Of an interim result without news nothing is left to say.
        if text.is_empty() && spoke && !stretch.settled {
            return;
        }
        let at = |frame| time::duration(frame, self.spec.rate);
        let (start, end) = (at(start.min(end)), at(end));
        let (settled, endpoint) = (stretch.settled, stretch.endpoint);
        self.tell(Report::Heard(Heard { track, text, settled, endpoint, start, end }));
    }

    /// From where to where, in the link's frames. Where the recogniser doesn't say: from what is settled to
    /// what it has answered.
    fn span(&self, track: Track, stretch: &Stretch) -> (u64, u64) {
        let words = || stretch.words.first().zip(stretch.words.last());
        let span = stretch.span.or_else(|| words().map(|(first, last)| (first.start, last.end)));
        match span {
            Some((start, end)) => (self.mended(start, Edge::Start), self.mended(end, Edge::End)),
            None => {
                let end = self.answered();
                (self.settled[track.channel()].min(end), end)
            }
        }
    }

    /// The words that no earlier connection has settled, and where they begin.
    fn news(&self, track: Track, stretch: &Stretch, start: u64, end: u64) -> (String, u64) {
        let horizon = self.horizon[track.channel()];
        if start >= horizon {
            // A stretch may begin with a long silence: the line belongs where its first word is.
            let first = stretch.words.first().map_or(start, |word| self.mended(word.start, Edge::Start));
            return (stretch.text.clone(), first.clamp(start, end.max(start)));
        }
        if stretch.words.is_empty() {
            // It can't be taken apart: it is news if most of it is.
            let news = start.midpoint(end) > horizon;
            return if news { (stretch.text.clone(), start.max(horizon)) } else { (String::new(), horizon) };
        }
        let middle =
            |word: &Word| self.mended(word.start, Edge::Start).midpoint(self.mended(word.end, Edge::End));
        let old = stretch.words.iter().take_while(|word| middle(word) <= horizon).count();
        let new = &stretch.words[old..];
        let text = match (old, new) {
            (0, _) => stretch.text.clone(),
            _ => new.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
        };
        let first = new.first().map_or(horizon, |word| self.mended(word.start, Edge::Start));
        (text, first.max(start))
    }

    fn settle(&mut self, track: Track, stretch: &Stretch, end: u64) {
        let upto = if !self.spec.dialect.replies() || !stretch.words.is_empty() {
            end
        } else if stretch.text.is_empty() {
            self.answered().saturating_sub(time::frames(ONSET, self.spec.rate))
        } else {
            self.answered()
        };
        if !stretch.text.is_empty() {
            self.timed = !stretch.words.is_empty();
        }
        let settled = &mut self.settled[track.channel()];
        *settled = (*settled).max(upto);
        let overlap = time::frames(self.spec.limits.overlap, self.spec.rate);
        let needless = self.settled_by_all().saturating_sub(overlap);
        self.replay.settle(needless);
    }

    /// Up to where the recogniser has surely heard.
    fn answered(&self) -> u64 {
        match &self.phase {
            Phase::Open(open) if self.spec.dialect.replies() => open.acknowledged,
            _ => self.replay.sent(),
        }
    }

    fn mended(&self, time: Duration, edge: Edge) -> u64 {
        match &self.phase {
            Phase::Open(open) => open.mending.at(time::frames(time, self.spec.rate), edge),
            _ => 0,
        }
    }

    fn tell(&mut self, report: Report) {
        self.out.push_back(LinkOut::Report(report));
    }
}
