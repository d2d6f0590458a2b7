//! All that the screen shows: no IO, time is passed in. What the server tells changes it in `told`, keys in `keys`.
use super::prompt::{Overlay, Prompt};
use super::toast::Toast;
use super::view;
use aura::desk::{CallView, Mirror};
use aura::ids::{CallId, TurnId};
use aura::patient::Progress;
use aura::protocol::desk::{Ask, Patient, Row, State, Verdict};
use aura::suggestion::Mode;
use std::time::Duration;

/// How the connection stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It is being opened.
    Opening,
    /// It stands; the server has welcomed this client.
    Open,
    /// It is gone, or can't be opened.
    Broken {
        /// Why, in Spanish.
        why: String,
        /// When it is tried again.
        again: Duration,
        /// Requests that nobody answered.
        unanswered: usize,
    },
}

/// The call that is open.
#[derive(Clone, Debug)]
pub struct Open {
    /// Which.
    pub call: CallId,
    /// Whether the server tells what happens in it.
    pub watched: bool,
    /// Who the patient is, once somebody looked.
    pub patient: Option<Patient>,
    /// Whether a look is under way.
    pub looking: bool,
    /// What there was to see when it was last looked at, by itself.
    pub(super) seen: Option<Sight>,
    /// The event with which what was seen became another patient's: what was told before it is of the former.
    pub(super) stale: u64,
    /// The transcript's entry at the bottom, while the operator reads back.
    pub anchor: Option<u64>,
    /// The card that is looked at, where it isn't the newest.
    pub chosen: Option<TurnId>,
    /// The card that was uncovered in quiet mode.
    pub uncovered: Option<TurnId>,
    /// Whether a search of this operator's is under way.
    pub searching: bool,
    /// The last mark, for a note to it.
    pub marked: Option<(String, Verdict)>,
}

/// How far there is something to see of the patient.
pub(super) type Sight = (Progress, bool);

impl Open {
    pub(super) fn new(call: CallId) -> Self {
        Self {
            call,
            watched: true,
            patient: None,
            looking: false,
            seen: None,
            stale: 0,
            anchor: None,
            chosen: None,
            uncovered: None,
            searching: false,
            marked: None,
        }
    }
}

/// What the screen shows.
#[derive(Debug)]
pub struct UiState {
    /// What the server told.
    pub mirror: Mirror,
    /// How the connection stands.
    pub connection: Connection,
    /// The row that the arrows are at.
    pub picked: Option<CallId>,
    /// The call that is open.
    pub open: Option<Open>,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// What the line at the bottom asks.
    pub prompt: Option<Prompt>,
    /// What appears for a moment.
    pub toast: Option<Toast>,
    /// Why the server let this client go for good.
    pub farewell: Option<String>,
    /// Whether to leave.
    pub quit: bool,
    /// Whether the terminal's bell shall sound, once.
    pub ring: bool,
    /// This machine's clock, in milliseconds since 1970.
    pub(super) now: u64,
    /// How far the server's clock is ahead of it.
    pub(super) ahead: i64,
}

impl UiState {
    /// Nothing is known yet. `now`: milliseconds since 1970.
    pub fn new(now: u64) -> Self {
        Self {
            mirror: Mirror::default(),
            connection: Connection::Opening,
            picked: None,
            open: None,
            overlay: None,
            prompt: None,
            toast: None,
            farewell: None,
            quit: false,
            ring: false,
            now,
            ahead: 0,
        }
    }

    /// Time passes.
    pub fn clock(&mut self, now: u64) {
        self.now = now;
        if self.toast.as_ref().is_some_and(|toast| toast.until <= now) {
            self.toast = None;
        }
    }

    /// The server's clock, as near as it is known.
    pub fn server_now(&self) -> u64 {
        self.now.saturating_add_signed(self.ahead)
    }

    /// The operator's name.
    pub fn me(&self) -> &str {
        self.mirror.welcome.as_ref().map_or("", |welcome| &welcome.operator)
    }

    /// Whether the operator may ask this, by the request's name.
    pub fn may(&self, name: &str) -> bool {
        self.mirror.welcome.as_ref().is_some_and(|welcome| welcome.may.iter().any(|may| may == name))
    }

    /// The open call as it stands.
    pub fn view(&self) -> Option<(&Open, &CallView)> {
        let open = self.open.as_ref()?;
        Some((open, self.mirror.watched.get(&open.call)?))
    }

    /// The open call's row.
    pub fn row(&self) -> Option<&Row> {
        self.mirror.rows.get(&self.open.as_ref()?.call)
    }

    /// Whether the operator has the open call.
    pub fn is_mine(&self) -> bool {
        self.row().is_some_and(|row| row.claimed_by.as_deref() == Some(self.me()))
    }

    /// The card that is shown, or whose mark is shown in quiet mode; and whether it is covered.
    pub fn face(&self) -> Option<(view::Shown<'_>, bool)> {
        let (open, view) = self.view()?;
        let mut faces = view::faces(view, &open.call, self.me());
        let chosen = faces.iter().position(|face| Some(face.turn) == open.chosen);
        let face = match chosen {
            Some(at) => faces.swap_remove(at),
            // Where the newest is gone, none of the earlier ones comes forward: it is of before.
            None => faces.pop().filter(|face| Some(face.turn) > view::last_gone(view, self.me()))?,
        };
        let quiet = self.is_mine() && self.row().is_some_and(|row| row.mode == Mode::Quiet);
        let covered = quiet && chosen.is_none() && open.uncovered != Some(face.turn);
        let is_card = matches!(face.face, view::Face::Card(_));
        Some((face, covered && is_card))
    }

    /// Watches a call from where this client is.
    pub(super) fn watch(&self, call: CallId) -> Ask {
        let after = self.mirror.watched.get(&call).and_then(|view| view.cursor);
        Ask::Watch { call, after }
    }

    /// Opens a call and leaves the one that was open.
    pub(super) fn open_call(&mut self, call: CallId) -> Vec<Ask> {
        if self.open.as_ref().is_some_and(|open| open.call == call) {
            return Vec::new();
        }
        let mut asks = Vec::new();
        if let Some(left) = self.open.take() {
            self.mirror.watched.remove(&left.call);
            asks.push(Ask::Unwatch { call: left.call });
        }
        asks.push(Ask::Watch { call: call.clone(), after: None });
        self.open = Some(Open::new(call));
        asks
    }

    /// Calls of this operator's.
    pub(super) fn claimed(&self) -> usize {
        let mine = |row: &&Row| row.claimed_by.as_deref() == Some(self.me()) && row.state != State::Closed;
        self.mirror.rows.values().filter(mine).count()
    }
}
