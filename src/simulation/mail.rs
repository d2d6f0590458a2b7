//! The network and the mailbox: what is under way, and when it arrives. Nothing overtakes within one sender.
use crate::call::Input;
use crate::ids::TurnId;
use std::collections::BTreeMap;

/// Milliseconds since the simulation began.
pub(super) type Ms = u64;

/// Who sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sender {
    /// One socket of the peer.
    Socket(u32),
    /// One search.
    Stores(u32),
    /// One answer of the model.
    Model(u32),
    /// The look-up of the patient.
    LookUp,
    /// One search by hand.
    ByHand,
    /// Whoever is on call.
    OnCall,
    /// The world itself: people who make up their minds, machines that break.
    World,
}

/// What arrives.
#[derive(Clone, Debug)]
pub(super) enum Letter {
    /// For the call.
    For(Input),
    /// The peer does the next thing.
    PeerActs,
    /// Somebody changes the settings.
    SettingsChange,
    /// The process dies.
    Crash,
    /// The call panics, and is rebuilt where it stands.
    Panic,
    /// The process is back.
    Back,
}

/// Everything that is under way.
#[derive(Debug, Default)]
pub(super) struct Mail {
    letters: BTreeMap<(Ms, u64), (Sender, Letter)>,
    latest: BTreeMap<Sender, Ms>,
    posted: u64,
}

impl Mail {
    /// Sends a letter that takes `delay`, or longer: behind what its sender sent before.
    pub(super) fn post(&mut self, from: Sender, now: Ms, delay: Ms, letter: Letter) {
        let latest = self.latest.entry(from).or_default();
        let at = if from == Sender::World { now + delay } else { (now + delay).max(*latest) };
        *latest = at;
        self.posted += 1;
        self.letters.insert((at, self.posted), (from, letter));
    }

    /// When the next one arrives.
    pub(super) fn soonest(&self) -> Option<Ms> {
        self.letters.keys().next().map(|(at, _)| *at)
    }

    pub(super) fn open(&mut self) -> Option<(Ms, Sender, Letter)> {
        self.letters.pop_first().map(|((at, _), (from, letter))| (at, from, letter))
    }

    /// Work for a turn that was cancelled in time.
    pub(super) fn cancel(&mut self, turn: TurnId) {
        let work = [Sender::Stores(turn.0), Sender::Model(turn.0)];
        self.letters.retain(|_, (from, _)| !work.contains(from));
    }

    /// The process dies: what its own tasks had under way is gone, and what its sockets held.
    pub(super) fn lose_process(&mut self) {
        self.letters.retain(|_, (from, _)| *from == Sender::World);
    }

    /// The call alone breaks: its searches and answers are cancelled.
    pub(super) fn lose_work(&mut self) {
        self.letters.retain(|_, (from, _)| !matches!(from, Sender::Stores(_) | Sender::Model(_)));
    }
}
