//! One recogniser's connection as a machine without IO: audio in, reports out, whatever the network does.
//!
//! Audio waits in a bounded buffer until the recogniser has settled it. A connection that breaks is dialled
//! again and hears the rest once more, with a little of what it knows already; what comes twice is told once.
//! Times in reports count the audio of the whole link.
mod hearing;
mod inputs;
mod loss;
mod spec;
mod time;

pub use spec::{Limits, Refusal, Spec};

use super::Report;
use super::mending::Mending;
use super::replay::Replay;
use super::retry::{Failure, Retry};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A message for the recogniser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A text frame.
    Text(String),
    /// Audio: 16 bits, little-endian, channels interleaved; never empty.
    Binary(Vec<u8>),
}

/// What a link wants done, or tells.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkOut {
    /// Dial; everything that this connection does is told with its number.
    Connect {
        /// Counts from 1.
        connection: u32,
    },
    /// Write this on the newest connection.
    Send(Frame),
    /// Drop the newest connection, whatever its state.
    Disconnect,
    /// Something was heard.
    Report(Report),
    /// This stretch of audio was never recognised: a gap. One that touches the last one goes on with it.
    Lost {
        /// Where it begins, in the link's audio time.
        from: Duration,
        /// Where it ends.
        to: Duration,
    },
    /// Don't count on it: it is tried seldom from now on.
    GaveUp {
        /// Why, and what to do; safe to log.
        reason: String,
    },
    /// It answers again.
    Recovered,
}

/// What an open connection has been through.
#[derive(Debug)]
pub(super) struct Open {
    since: Instant,
    /// When anything was last sent, for the idle timer.
    last_sent: Instant,
    /// Since when audio has gone unanswered, and how many frames.
    unanswered: Option<(Instant, u64)>,
    /// Replies that are still to come, where each message has one: the link's frame up to which it was heard.
    outstanding: VecDeque<u64>,
    /// Up to where replies have come.
    acknowledged: u64,
    /// Since when the writer takes nothing.
    stalled: Option<Instant>,
    /// By when the recogniser must have said goodbye.
    goodbye_by: Option<Instant>,
    audio_sent: bool,
    mending: Mending,
}

#[derive(Debug)]
pub(super) enum Phase {
    Waiting { until: Instant },
    Dialling { since: Instant },
    Open(Box<Open>),
    Over,
}

/// The machine. Inputs change it, [`Link::poll`] hands out what it wants until `None`, [`Link::deadline`] says
/// when [`Link::tick`] is due.
#[derive(Debug)]
pub struct Link {
    spec: Spec,
    now: Instant,
    phase: Phase,
    connection: u32,
    retry: Retry,
    replay: Replay,
    out: VecDeque<LinkOut>,
    /// By track's channel: up to where all is settled.
    settled: [u64; 2],
    /// The same when this connection began: words before it were told by an earlier one.
    horizon: [u64; 2],
    /// Whether words come with their times, so that audio may be heard twice.
    timed: bool,
    /// Dropped and not told yet.
    losing: Option<(u64, u64)>,
    /// The newest stretch that was counted as lost.
    gone: (u64, u64),
    lost: u64,
    /// Whether less than a whole chunk may be sent.
    flush: bool,
    finalize: bool,
    finish_by: Option<Instant>,
}

impl Link {
    /// A link that dials at once.
    #[must_use]
    pub fn new(spec: Spec, now: Instant) -> Self {
        let bound = time::frames(spec.limits.buffer, spec.rate);
        let mut link = Self {
            now,
            phase: Phase::Waiting { until: now },
            connection: 0,
            retry: Retry::new(spec.seed),
            replay: Replay::new(spec.channels(), bound),
            out: VecDeque::new(),
            settled: [0; 2],
            horizon: [0; 2],
            timed: true,
            losing: None,
            gone: (0, 0),
            lost: 0,
            flush: false,
            finalize: false,
            finish_by: None,
            spec,
        };
        link.dial();
        link
    }

    /// The next thing to do or to know. Audio is handed out only as the writer and the recogniser take it.
    pub fn poll(&mut self) -> Option<LinkOut> {
        self.out.pop_front().or_else(|| self.next_frame())
    }

    /// Whether nothing comes any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over) && self.out.is_empty()
    }

    /// Whether a connection is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open(_))
    }

    /// How much audio waits to be sent.
    #[must_use]
    pub fn backlog(&self) -> Duration {
        time::duration(self.replay.unsent(), self.spec.rate)
    }

    /// How much audio was never recognised so far.
    #[must_use]
    pub fn lost(&self) -> Duration {
        time::duration(self.lost, self.spec.rate)
    }

    /// How much audio the link was given.
    #[must_use]
    pub fn heard(&self) -> Duration {
        time::duration(self.replay.head(), self.spec.rate)
    }

    /// What is to be written next, if it may be.
    fn next_frame(&mut self) -> Option<LinkOut> {
        let Phase::Open(open) = &self.phase else { return None };
        if open.stalled.is_some() || open.goodbye_by.is_some() {
            return None;
        }
        if self.spec.dialect.replies() && open.outstanding.len() >= self.spec.limits.window {
            return None;
        }
        let (least, most) = self.spec.dialect.chunk();
        let (least, most) = (time::frames(least, self.spec.rate), time::frames(most, self.spec.rate));
        let unsent = self.replay.unsent();
        if unsent >= least.max(1) || (self.flush && unsent > 0) {
            if let Some(lost) = self.lost_now() {
                return Some(lost);
            }
            return Some(self.audio_frame(most.max(1)));
        }
        self.flush = false;
        self.next_request()
    }

    fn audio_frame(&mut self, most: u64) -> LinkOut {
        let from = self.replay.sent();
        let bytes = self.replay.take(most);
        let frames = self.replay.sent() - from;
        if let Phase::Open(open) = &mut self.phase {
            open.mending.sent(from, frames);
            open.last_sent = self.now;
            open.audio_sent = true;
            let (since, before) = open.unanswered.unwrap_or((self.now, 0));
            open.unanswered = Some((since, before + frames));
            if self.spec.dialect.replies() {
                open.outstanding.push_back(from + frames);
            }
        }
        LinkOut::Send(Frame::Binary(bytes))
    }

    /// What was asked for and waited for the audio before it.
    fn next_request(&mut self) -> Option<LinkOut> {
        let sent = self.replay.sent();
        let Phase::Open(open) = &mut self.phase else { return None };
        let text = if self.finish_by.is_some() {
            open.goodbye_by = Some(self.now + self.spec.limits.goodbye);
            self.finalize = false;
            self.spec.dialect.goodbye()
        } else if std::mem::take(&mut self.finalize) {
            self.spec.dialect.finalize()
        } else {
            return None;
        };
        open.last_sent = self.now;
        if self.spec.dialect.replies() {
            open.outstanding.push_back(sent);
            open.unanswered.get_or_insert((self.now, 0));
        }
        Some(LinkOut::Send(Frame::Text(text.to_owned())))
    }

    fn dial(&mut self) {
        self.connection = self.connection.wrapping_add(1);
        self.phase = Phase::Dialling { since: self.now };
        self.out.push_back(LinkOut::Connect { connection: self.connection });
    }

    /// The connection is gone, or must go: what follows.
    fn fail(&mut self, failure: Failure) {
        let calm = self.spec.limits.keep_alive;
        let idle = matches!(&self.phase, Phase::Open(open) if !open.audio_sent
            && open.stalled.is_none() && open.since + calm <= self.now);
        if idle && matches!(failure, Failure::Passing { .. }) && !self.retry.given_up() {
            // Nothing was asked of it, so its end says nothing of its health.
            self.retry.answered();
        }
        let verdict = self.retry.failed(failure, &self.spec.limits);
        self.phase = Phase::Waiting { until: self.now + verdict.wait };
        self.rewind();
        if let Some(reason) = verdict.gave_up {
            self.out.push_back(LinkOut::GaveUp { reason });
        }
        let nothing_left = self.replay.head() <= self.settled_by_all();
        if self.finish_by.is_some() && (self.retry.given_up() || nothing_left) {
            self.end(nothing_left);
        }
    }

    /// The link is over: `whole` if all was answered.
    fn end(&mut self, whole: bool) {
        if matches!(self.phase, Phase::Dialling { .. } | Phase::Open(_)) {
            self.out.push_back(LinkOut::Disconnect);
        }
        if !whole {
            self.phase = Phase::Over;
            self.lose(self.settled_by_all(), self.replay.head());
        }
        let lost = self.lost_now();
        self.out.extend(lost);
        let report = if whole {
            Report::Finished
        } else {
            Report::Trouble(
                "the recogniser didn't answer to the end: the last words may be missing".to_owned(),
            )
        };
        self.out.push_back(LinkOut::Report(report));
        self.phase = Phase::Over;
    }

    fn settled_by_all(&self) -> u64 {
        self.spec.tracks().map(|track| self.settled[track.channel()]).min().unwrap_or(0)
    }
}
