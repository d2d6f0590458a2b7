//! One track's utterances: from results to text that changes until it is done, each word once (FAULTS D).
use super::dictation;
use super::{Heard, Report, Utterance};
use crate::ears::Track;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Bytes of an utterance: who speaks on beyond that begins another.
const LONGEST: usize = 4096;

/// How long an assembler waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Without new text, before an utterance ends by itself: noise may hide every end.
    pub quiet: Duration,
    /// After the recogniser was asked for the rest, before what is settled is taken without it. Words that
    /// aren't settled stay a partial until they are, or until [`Assembler::closed`]: a link that breaks hears
    /// them again, and they must not be told twice.
    pub flush: Duration,
    /// After an end in the middle of a document number.
    pub dictation: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(3),
            flush: Duration::from_millis(1500),
            dictation: Duration::from_millis(2500),
        }
    }
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembled {
    /// An utterance as it stands now; one that is `done` isn't told again and has text. A partial becomes
    /// empty where what was shown turned out to be noise; the next words take its id.
    Utterance(Utterance),
    /// The recogniser should be asked for what it holds back.
    Finalize,
}

/// Words that may still change.
#[derive(Clone, Debug)]
struct Interim {
    text: String,
    start: Duration,
    end: Duration,
}

/// Why an utterance that stands still hasn't ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// Somebody may be speaking.
    Speech,
    /// The rest was asked for.
    Flush,
    /// The recogniser took the speaker for done, in the middle of a document number.
    Dictation,
}

/// The machine for one track. Deals with its own track's reports and passes over others.
#[derive(Debug)]
pub struct Assembler {
    track: Track,
    patience: Patience,
    next_id: u32,
    parts: Vec<String>,
    /// Where the utterance begins and ends, once it has parts.
    span: Option<(Duration, Duration)>,
    interim: Option<Interim>,
    /// Up to where finals were counted.
    counted: Duration,
    wait: Wait,
    /// When the wait is over; `None` while nothing is pending.
    until: Option<Instant>,
    /// The text that was last told.
    told: String,
    out: VecDeque<Assembled>,
}

impl Assembler {
    /// An assembler for `track`.
    #[must_use]
    pub fn new(track: Track, patience: Patience) -> Self {
        Self {
            track,
            patience,
            next_id: 0,
            parts: Vec::new(),
            span: None,
            interim: None,
            counted: Duration::ZERO,
            wait: Wait::Speech,
            until: None,
            told: String::new(),
            out: VecDeque::new(),
        }
    }

    /// Takes a report in; other tracks', and what isn't speech, change nothing.
    pub fn hear(&mut self, report: &Report, now: Instant) {
        match report {
            Report::Heard(heard) if heard.track == self.track => self.heard(heard, now),
            Report::UtteranceEnd { track, last_word_end } if *track == self.track => {
                self.utterance_end(*last_word_end, now);
            }
            Report::Heard(_) | Report::UtteranceEnd { .. } | Report::Finished | Report::Trouble(_) => {}
        }
    }

    /// A deadline may have passed.
    pub fn tick(&mut self, now: Instant) {
        if self.until.is_none_or(|until| now < until) {
            return;
        }
        match (self.wait, self.interim.is_some()) {
            // It wasn't answered: what is settled needn't wait for what may still change.
            (Wait::Flush, true) if !self.parts.is_empty() => self.end_settled(now),
            (Wait::Speech | Wait::Flush, true) => self.ask_for_rest(now),
            _ => self.end(),
        }
    }

    /// When [`Assembler::tick`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.until
    }

    /// No more reports come (the link is over, not only broken): what there is, is all there will be. Words
    /// that weren't settled make their utterance unconfirmed.
    pub fn closed(&mut self) {
        self.end();
    }

    /// The next result.
    pub fn poll(&mut self) -> Option<Assembled> {
        self.out.pop_front()
    }

    fn heard(&mut self, heard: &Heard, now: Instant) {
        let flushed = heard.settled && self.wait == Wait::Flush;
        if heard.settled {
            self.part(heard, now);
        } else {
            self.interim(heard, now);
        }
        self.tell(false);
        if heard.endpoint || flushed {
            self.endpoint(now);
        } else if self.parts.iter().map(String::len).sum::<usize>() > LONGEST {
            self.end_settled(now);
        }
    }

    fn part(&mut self, heard: &Heard, now: Instant) {
        let timed = heard.end > heard.start;
        let again = timed && heard.end <= self.counted;
        // What it settles isn't open any more, with words or without.
        if self.interim.as_ref().is_some_and(|interim| !timed || interim.start < heard.end) && !again {
            self.interim = None;
        }
        if self.parts.is_empty() && self.interim.is_none() {
            (self.wait, self.until) = (Wait::Speech, None);
        }
        let text = heard.text.trim();
        if again || text.is_empty() {
            return;
        }
        self.counted = self.counted.max(heard.end);
        let start = self.span.map_or(heard.start, |(start, _)| start);
        self.span = Some((start, heard.end));
        self.parts.push(text.to_owned());
        self.speaks(now);
    }

    fn interim(&mut self, heard: &Heard, now: Instant) {
        let text = heard.text.trim();
        let stale = heard.end > heard.start && heard.end <= self.counted;
        if text.is_empty() || stale {
            return;
        }
        let new = self.interim.as_ref().is_none_or(|before| before.text != text);
        self.interim = Some(Interim { text: text.to_owned(), start: heard.start, end: heard.end });
        if new {
            self.speaks(now);
        }
    }

    /// There is new text: whatever was waited for, the speaker goes on.
    fn speaks(&mut self, now: Instant) {
        if self.wait != Wait::Flush {
            self.wait = Wait::Speech;
            self.until = Some(now + self.patience.quiet);
        }
    }

    fn utterance_end(&mut self, last_word_end: Duration, now: Instant) {
        let told = !last_word_end.is_zero();
        let open = self.interim.as_ref().is_some_and(|interim| !told || interim.start < last_word_end);
        // It comes a second after the last word: speech that has begun since isn't its business.
        let earlier = told && self.span.is_some_and(|(start, _)| last_word_end <= start);
        if open && self.wait != Wait::Flush {
            self.ask_for_rest(now);
        } else if !open && !self.parts.is_empty() && !earlier {
            self.endpoint(now);
        }
    }

    fn ask_for_rest(&mut self, now: Instant) {
        let again = self.wait == Wait::Flush;
        self.wait = Wait::Flush;
        self.until = Some(now + if again { self.patience.quiet } else { self.patience.flush });
        self.out.push_back(Assembled::Finalize);
    }

    /// The speaker is taken for done: true, unless a document number has just begun.
    fn endpoint(&mut self, now: Instant) {
        if self.wait == Wait::Dictation || self.parts.is_empty() {
            return;
        }
        if !dictation::is_pending(&self.parts.join(" ")) {
            self.end_settled(now);
        } else if self.interim.is_none() {
            self.wait = Wait::Dictation;
            self.until = Some(now + self.patience.dictation);
        }
    }

    /// Ends what is settled; words still open begin the next utterance.
    fn end_settled(&mut self, now: Instant) {
        let open = self.interim.take();
        self.end();
        if open.is_some() {
            self.interim = open;
            self.speaks(now);
            self.tell(false);
        }
    }

    fn end(&mut self) {
        self.tell(true);
        self.parts.clear();
        (self.span, self.interim, self.until) = (None, None, None);
        self.wait = Wait::Speech;
        self.told.clear();
    }

    /// Tells the utterance if it has text, and a partial only if it is another than before.
    fn tell(&mut self, done: bool) {
        let open = self.interim.as_ref();
        let texts = self.parts.iter().chain(open.map(|interim| &interim.text));
        let text = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
        if text == self.told && (text.is_empty() || !done) {
            return;
        }
        let spans = self.span.into_iter().chain(open.map(|interim| (interim.start, interim.end)));
        let start = spans.clone().map(|(start, _)| start).min().unwrap_or_default();
        let end = spans.map(|(_, end)| end).max().unwrap_or_default();
        // Words that were shown and turned out to be none leave an empty partial, never a turn.
        let done = done && !text.is_empty();
        let (id, track, unconfirmed) = (self.next_id, self.track, done && open.is_some());
        self.told.clone_from(&text);
        self.next_id += u32::from(done);
        self.out.push_back(Assembled::Utterance(Utterance {
            id,
            track,
            text,
            done,
            unconfirmed,
            start,
            end,
        }));
    }
}
