//! What may happen to a link. What an earlier connection still does changes nothing.
use super::{Link, LinkOut, Open, Phase, Refusal, time};
use crate::stt::mending::Mending;
use crate::stt::retry::Failure;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Loss is told at the latest when it is so long.
const LOST_AT_ONCE: Duration = Duration::from_secs(5);

impl Link {
    /// Samples came, channels interleaved; an incomplete last frame is dropped.
    pub fn audio(&mut self, samples: &[i16], now: Instant) {
        self.at(now);
        if matches!(self.phase, Phase::Over) || self.finish_by.is_some() {
            return;
        }
        if let Some((from, to)) = self.replay.push(samples) {
            self.lose(from, to);
            let long = time::frames(LOST_AT_ONCE, self.spec.rate);
            if self.losing.is_some_and(|(from, to)| to - from >= long) {
                let lost = self.lost_now();
                self.out.extend(lost);
            }
        }
    }

    /// The handshake is done.
    pub fn opened(&mut self, connection: u32, now: Instant) {
        self.at(now);
        if connection != self.connection || !matches!(self.phase, Phase::Dialling { .. }) {
            return;
        }
        self.rewind();
        self.horizon = self.settled;
        let lost = self.lost_now();
        self.out.extend(lost);
        let greetings = self.spec.dialect.greeting(self.spec.rate);
        let first = greetings.or_else(|| self.spec.dialect.keep_alive().map(str::to_owned));
        self.out.extend(first.map(|text| LinkOut::Send(super::Frame::Text(text))));
        self.phase = Phase::Open(Box::new(Open {
            since: now,
            last_sent: now,
            unanswered: None,
            outstanding: VecDeque::new(),
            acknowledged: self.replay.sent(),
            stalled: None,
            goodbye_by: None,
            audio_sent: false,
            mending: Mending::default(),
        }));
    }

    /// The handshake failed.
    pub fn refused(&mut self, connection: u32, refusal: &Refusal, now: Instant) {
        self.at(now);
        if connection == self.connection && matches!(self.phase, Phase::Dialling { .. }) {
            self.fail(Failure::refused(refusal));
        }
    }

    /// A text message came.
    pub fn message(&mut self, connection: u32, text: &str, now: Instant) {
        self.at(now);
        if connection == self.connection && matches!(self.phase, Phase::Open(_)) {
            self.read(text);
        }
    }

    /// The connection was closed by the recogniser or the network; `code` is the close frame's, if there
    /// was one.
    pub fn closed(&mut self, connection: u32, code: Option<u16>, reason: &str, now: Instant) {
        self.at(now);
        if connection != self.connection {
            return;
        }
        match &self.phase {
            Phase::Dialling { .. } => self.fail(Failure::closed(code, reason)),
            Phase::Open(open) if open.goodbye_by.is_some() && matches!(code, Some(1000 | 1005)) => {
                self.phase = Phase::Waiting { until: now };
                self.end(true);
            }
            Phase::Open(_) => self.fail(Failure::closed(code, reason)),
            Phase::Waiting { .. } | Phase::Over => {}
        }
    }

    /// Whether the newest connection's writer takes more. It does at first.
    pub fn writable(&mut self, writable: bool, now: Instant) {
        self.at(now);
        if let Phase::Open(open) = &mut self.phase {
            open.stalled = if writable { None } else { open.stalled.or(Some(now)) };
        }
    }

    /// All that was heard so far is wanted now.
    pub fn finalize(&mut self, now: Instant) {
        self.at(now);
        (self.finalize, self.flush) = (true, true);
    }

    /// No more audio comes: the rest is wanted, then the end.
    pub fn finish(&mut self, now: Instant) {
        self.at(now);
        if matches!(self.phase, Phase::Over) || self.finish_by.is_some() {
            return;
        }
        self.finish_by = Some(now + self.spec.limits.finish);
        self.flush = true;
        let nothing_left = self.replay.head() <= self.settled_by_all();
        if !self.is_open() && (nothing_left || self.retry.given_up()) {
            self.end(nothing_left);
        }
    }

    /// A deadline may have passed.
    pub fn tick(&mut self, now: Instant) {
        self.at(now);
        if self.finish_by.is_some_and(|by| by <= now) {
            return self.end(false);
        }
        let (dial, keep_alive) = (self.spec.limits.dial, self.keep_alive_at());
        match &self.phase {
            Phase::Waiting { until } if *until <= now => self.dial(),
            Phase::Dialling { since } if *since + dial <= now => {
                self.drop_it("the recogniser didn't answer the handshake");
            }
            Phase::Open(open) if open.goodbye_by.is_some_and(|by| by <= now) => {
                self.drop_it("the recogniser says no goodbye");
            }
            Phase::Open(_) if self.mute_at().is_some_and(|at| at <= now) => {
                self.drop_it("the recogniser takes audio and says nothing");
            }
            Phase::Open(_) if keep_alive.is_some_and(|at| at <= now) => self.keep_alive(),
            _ => {}
        }
    }

    fn drop_it(&mut self, why: &str) {
        self.out.push_back(LinkOut::Disconnect);
        self.fail(Failure::passing(why));
    }

    /// When [`Link::tick`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let phase = match &self.phase {
            Phase::Waiting { until } => Some(*until),
            Phase::Dialling { since } => Some(*since + self.spec.limits.dial),
            Phase::Open(open) => {
                [open.goodbye_by, self.mute_at(), self.keep_alive_at()].into_iter().flatten().min()
            }
            Phase::Over => return None,
        };
        [phase, self.finish_by].into_iter().flatten().min()
    }

    /// When an open connection counts as dead.
    fn mute_at(&self) -> Option<Instant> {
        let Phase::Open(open) = &self.phase else { return None };
        let enough = time::frames(self.spec.dialect.mute_after(), self.spec.rate);
        let unanswered = open.unanswered.filter(|(_, frames)| *frames >= enough).map(|(since, _)| since);
        let patience = self.spec.limits.mute;
        [unanswered, open.stalled].into_iter().flatten().min().map(|since| since + patience)
    }

    fn keep_alive_at(&self) -> Option<Instant> {
        self.spec.dialect.keep_alive()?;
        let Phase::Open(open) = &self.phase else { return None };
        let idle = open.stalled.is_none() && open.goodbye_by.is_none();
        idle.then(|| open.last_sent + self.spec.limits.keep_alive)
    }

    /// Whatever is left of the audio, and a sign of life.
    fn keep_alive(&mut self) {
        self.flush = true;
        let Phase::Open(open) = &mut self.phase else { return };
        open.last_sent = self.now;
        let text = self.spec.dialect.keep_alive().map(str::to_owned);
        self.out.extend(text.map(|text| LinkOut::Send(super::Frame::Text(text))));
    }

    /// Time never runs backwards here.
    fn at(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }
}
