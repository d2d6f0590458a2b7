//! What appears at the bottom for a moment.
use super::state::UiState;

/// How long it stays, in milliseconds.
const SHORT: u64 = 6_000;
/// The same of a refusal or an alert.
const LONG: u64 = 12_000;

/// A line that goes by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// When it goes, by this machine's clock.
    pub until: u64,
}

impl UiState {
    /// Says that something went well.
    pub(super) fn say(&mut self, text: String) {
        self.toast = Some(Toast { text, bad: false, until: self.now + SHORT });
    }

    /// Says that something didn't, or that somebody waits.
    pub(super) fn warn(&mut self, text: String) {
        self.toast = Some(Toast { text, bad: true, until: self.now + LONG });
    }
}
