//! What a link is told at its birth, and what it is told of a refusal.
use crate::ears::{Layout, Track};
use crate::stt::Dialect;
use std::time::Duration;

/// Which recogniser, and what is sent to it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The recogniser's protocol.
    pub dialect: Dialect,
    /// Samples a second and channel.
    pub rate: u32,
    /// What the audio's channels are. A mixed one counts as [`Track::Inbound`].
    pub layout: Layout,
    /// What the waiting times are drawn from; another for each link.
    pub seed: u64,
    /// The rest.
    pub limits: Limits,
}

impl Spec {
    /// Samples of one moment.
    pub(in crate::stt) fn channels(&self) -> usize {
        if self.layout == Layout::Stereo { 2 } else { 1 }
    }

    /// The tracks that are heard.
    pub(in crate::stt) fn tracks(&self) -> impl Iterator<Item = Track> {
        let tracks: &[Track] = match self.layout {
            Layout::Mono(Track::Outbound) => &Track::ALL[1..],
            Layout::Mono(Track::Inbound) | Layout::Mixed => &Track::ALL[..1],
            Layout::Stereo => &Track::ALL,
        };
        tracks.iter().copied()
    }

    /// Whose a result is, by the channel that it names.
    pub(in crate::stt) fn track(&self, channel: Option<usize>) -> Option<Track> {
        match (self.layout, channel) {
            (Layout::Stereo, Some(0)) => Some(Track::Inbound),
            (Layout::Stereo, Some(1)) => Some(Track::Outbound),
            (Layout::Stereo, _) => None,
            (Layout::Mono(track), _) => Some(track),
            (Layout::Mixed, _) => Some(Track::Inbound),
        }
    }
}

/// A link's bounds.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Audio that waits to be sent or settled; what is older is lost.
    pub buffer: Duration,
    /// Settled audio that another connection hears again, so that no word is cut.
    pub overlap: Duration,
    /// How long a socket may be idle.
    pub keep_alive: Duration,
    /// How long a handshake may take.
    pub dial: Duration,
    /// How long audio may go unanswered, or unsent.
    pub mute: Duration,
    /// How long the goodbye may take.
    pub goodbye: Duration,
    /// How long the end may take in all, if it must dial again.
    pub finish: Duration,
    /// The first waiting time's most; it doubles.
    pub backoff_base: Duration,
    /// The waiting times' most.
    pub backoff_cap: Duration,
    /// Failures in a row that are taken lightly.
    pub attempts: u32,
    /// How often to dial after that.
    pub slow: Duration,
    /// How often to dial while somebody must act first.
    pub probe: Duration,
    /// Replies that may be outstanding where each message has one.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            buffer: seconds(30),
            overlap: Duration::from_millis(700),
            keep_alive: seconds(4),
            dial: seconds(10),
            mute: seconds(10),
            goodbye: seconds(5),
            finish: seconds(15),
            backoff_base: seconds(1),
            backoff_cap: seconds(10),
            attempts: 5,
            slow: seconds(30),
            probe: seconds(60),
            window: 16,
        }
    }
}

/// A handshake that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status; `None` if there was no answer at all.
    pub status: Option<u16>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The server's words or the network's (`dg-error`), shortened and masked before they are told.
    pub detail: String,
}
