//! Retell's rules on answers: which id may still speak, and what counts as a breach. No socket, no clock.
use super::agent_frame::Piece;
use std::collections::BTreeSet;

/// What a piece of an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It belongs to the answer that is waited for.
    Current,
    /// It was on its way when a newer answer was asked for: dropped, nobody's fault.
    Late,
    /// It breaks a rule: dropped and written down.
    Breach,
}

/// The state of the answers of one call, across sockets.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The newest id that was asked for; 0, the greeting, is asked for by dialling.
    latest: u64,
    /// The newest id of which the agent is known to have read that it was asked for.
    read: u64,
    complete: BTreeSet<u64>,
    redialled: bool,
    /// What was broken, in order.
    pub breaches: Vec<String>,
    /// Pieces that came too late through nobody's fault.
    pub late: usize,
}

impl Rules {
    /// The next id, now asked for.
    pub fn ask(&mut self) -> u64 {
        self.latest += 1;
        self.latest
    }

    /// The newest id that was asked for.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    /// The agent has read everything up to the request for `id`: a ping sent after it came back.
    pub fn has_read(&mut self, id: u64) {
        self.read = self.read.max(id);
    }

    /// The call goes on over a new socket.
    pub fn redialled(&mut self) {
        self.redialled = true;
    }

    /// Something else was broken.
    pub fn breach(&mut self, what: String) {
        self.breaches.push(what);
    }

    /// Judges a piece.
    pub fn judge(&mut self, piece: &Piece) -> Verdict {
        let id = piece.id;
        let breach = if id > self.latest {
            Some(format!("a piece of id {id}, which was never asked for (the newest is {})", self.latest))
        } else if id == 0 && self.redialled {
            Some("a piece of id 0 after redialling: the caller is greeted twice".to_owned())
        } else if id < self.read {
            Some(format!("a piece of id {id} after the request for id {} was read", self.read))
        } else if self.complete.contains(&id) {
            Some(format!("a piece of id {id} after its content_complete"))
        } else {
            None
        };
        if let Some(breach) = breach {
            self.breaches.push(breach);
            return Verdict::Breach;
        }
        // An answer to the newest request proves that the request was read.
        self.has_read(id);
        if piece.complete {
            self.complete.insert(id);
        }
        if id == self.latest {
            return Verdict::Current;
        }
        self.late += 1;
        Verdict::Late
    }
}
