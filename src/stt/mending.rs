//! A connection's time and the link's: where in the whole call a moment of one connection lies.
use std::collections::VecDeque;

/// Breaks that are remembered; results so old that they lie before the oldest don't come any more.
const BREAKS: usize = 64;

/// Which side of a break a moment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start,
    End,
}

/// What was sent on a connection, as stretches of the link without a gap. In frames.
#[derive(Debug, Default)]
pub(super) struct Mending {
    /// Where a stretch begins: on the connection, in the link.
    breaks: VecDeque<(u64, u64)>,
    sent: u64,
}

impl Mending {
    /// So many frames were sent, the first of which is the link's frame `from`.
    pub(super) fn sent(&mut self, from: u64, frames: u64) {
        let goes_on = self.breaks.back().is_some_and(|(conn, link)| link + (self.sent - conn) == from);
        if !goes_on {
            self.breaks.push_back((self.sent, from));
            if self.breaks.len() > BREAKS {
                self.breaks.pop_front();
            }
        }
        self.sent += frames;
    }

    /// The connection's frame as one of the link's; never one that wasn't sent.
    pub(super) fn at(&self, frame: u64, edge: Edge) -> u64 {
        let frame = frame.min(self.sent);
        let before = |conn: u64| if edge == Edge::Start { conn <= frame } else { conn < frame };
        let found = self.breaks.iter().rev().find(|(conn, _)| before(*conn)).or_else(|| self.breaks.front());
        found.map_or(0, |(conn, link)| link + frame.saturating_sub(*conn))
    }
}
