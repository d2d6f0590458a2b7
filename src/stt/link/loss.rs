//! What another connection must hear again, and what nobody will hear any more.
use super::{Link, LinkOut, time};

impl Link {
    /// Whatever isn't settled is to be heard again.
    pub(super) fn rewind(&mut self) {
        let overlap = if self.timed { time::frames(self.spec.limits.overlap, self.spec.rate) } else { 0 };
        let settled = self.settled_by_all();
        let from = self.replay.rewind(settled.saturating_sub(overlap));
        self.lose(settled, from);
    }

    /// Audio that is gone, unless it was heard, or counted before.
    pub(super) fn lose(&mut self, from: u64, to: u64) {
        let from = from.max(self.settled_by_all());
        let (gone_from, gone_to) = self.gone;
        self.count_lost(from, to.min(gone_from));
        self.count_lost(from.max(gone_to), to);
        if !self.is_open() {
            // Nobody can settle it any more.
            for settled in &mut self.settled {
                *settled = (*settled).max(to);
            }
        }
    }

    fn count_lost(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        self.lost += to - from;
        self.gone = if self.gone.1 == from { (self.gone.0, to) } else { (from, to) };
        match &mut self.losing {
            Some((_, until)) if *until == from => *until = to,
            _ => {
                let before = self.lost_now();
                self.out.extend(before);
                self.losing = Some((from, to));
            }
        }
    }

    pub(super) fn lost_now(&mut self) -> Option<LinkOut> {
        let at = |frame| time::duration(frame, self.spec.rate);
        self.losing.take().map(|(from, to)| LinkOut::Lost { from: at(from), to: at(to) })
    }
}
