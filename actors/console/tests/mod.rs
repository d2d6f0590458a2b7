//! Tests of the terminal client, without a terminal and without a server.
mod course;
mod keys;
mod link;
mod looks;
mod moments;
mod reconnection;
mod text;

use super::screen;
use super::state::UiState;
use aura::ids::CallId;
use aura::protocol::desk::{Ask, read_message};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};

/// The time at which the tests play, in milliseconds since 1970; the server's clock is 2 s ahead.
const NOW: u64 = 1_780_000_000_000;
const SERVER: u64 = NOW + 2_000;

/// The call that the tests are about.
const CALL: &str = "fork-204";

fn call() -> CallId {
    CallId::parse(CALL).unwrap()
}

/// A client that tells what it would ask.
struct Seat {
    state: UiState,
    seq: u64,
}

impl Seat {
    /// Ana's, before the server said anything.
    fn new() -> Self {
        Self { state: UiState::new(NOW), seq: 0 }
    }

    /// Ana's, welcomed with these rows.
    fn welcomed(rows: Value) -> Self {
        let mut seat = Self::new();
        seat.told(welcome(7, rows, &[]));
        seat
    }

    /// Ana's, who has the one call and watches it; nothing has been told of it yet.
    fn claimed() -> Self {
        let mut seat = Self::welcomed(json!([row(CALL, json!({ "claimedBy": "ana" }))]));
        seat.press(KeyCode::Enter);
        seat.watching(true);
        seat.caught_up();
        seat
    }

    /// A frame as the server writes it.
    fn told(&mut self, frame: Value) -> Vec<Ask> {
        self.answered(frame, None)
    }

    fn answered(&mut self, frame: Value, of: Option<Ask>) -> Vec<Ask> {
        let message = read_message(&frame.to_string()).unwrap();
        assert_ne!(
            message,
            aura::protocol::desk::Message::Unknown,
            "the test's frame isn't the protocol's: {frame}"
        );
        self.state.told(message, of.as_ref())
    }

    /// An event of [`CALL`], now.
    fn event(&mut self, happening: Value) -> Vec<Ask> {
        self.event_at(SERVER, happening)
    }

    fn event_at(&mut self, at: u64, happening: Value) -> Vec<Ask> {
        self.seq += 1;
        let mut frame = json!({ "type": "event", "call": CALL, "seq": self.seq, "at": at });
        frame.as_object_mut().unwrap().extend(happening.as_object().unwrap().clone());
        let before = self.state.mirror.watched.get(&call()).map(|view| view.events().count());
        let asks = self.told(frame.clone());
        let known = self.state.mirror.watched.get(&call()).is_some_and(|view| {
            view.events().all(|event| event.happening != aura::protocol::desk::Happening::Unknown)
        });
        assert!(before.is_none() || known, "the test's event isn't the protocol's: {frame}");
        asks
    }

    fn line(&mut self, index: usize, speaker: &str, at_ms: u64, text: &str, partial: bool) {
        let track = if speaker == "patient" { "inbound" } else { "outbound" };
        self.event(json!({
            "event": "line", "index": index, "speaker": speaker, "text": text, "track": track, "atMs": at_ms,
            "partial": partial,
        }));
    }

    fn watching(&mut self, anew: bool) -> Vec<Ask> {
        self.told(
            json!({ "type": "watching", "id": 2, "call": CALL, "epoch": 7, "anew": anew, "cut": false }),
        )
    }

    fn caught_up(&mut self) -> Vec<Ask> {
        self.told(json!({ "type": "caught_up", "call": CALL, "seq": self.seq }))
    }

    fn row(&mut self, row: Value) -> Vec<Ask> {
        self.told(json!({ "type": "rows", "rows": [row] }))
    }

    fn press(&mut self, code: KeyCode) -> Vec<Ask> {
        self.state.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    /// Types letters one by one; what the last of them asks.
    fn types(&mut self, letters: &str) -> Vec<Ask> {
        letters.chars().map(|letter| self.press(KeyCode::Char(letter))).last().unwrap_or_default()
    }

    /// The screen as text.
    fn screen(&self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| screen::draw(frame, &self.state)).unwrap();
        terminal.backend().to_string()
    }

    fn toast(&self) -> &str {
        self.state.toast.as_ref().map_or("", |toast| &toast.text)
    }
}

fn welcome(epoch: u64, rows: Value, down: &[&str]) -> Value {
    json!({
        "type": "welcome", "id": 1, "version": 1, "epoch": epoch, "now": SERVER, "operator": "ana",
        "may": ["claim", "release"], "rows": rows, "down": down,
    })
}

/// A forked call that nobody has and that came 25 s ago, but for `changes`. Claimed, it waits no more.
fn row(id: &str, changes: Value) -> Value {
    let mut row = json!({
        "call": id, "source": "audio_fork", "state": "live", "since": SERVER - 25_000, "waitingSince": SERVER - 25_000,
        "overdue": false, "claimedBy": null, "mode": "push", "extension": "204", "last": null, "danger": null,
        "step": null, "identity": null, "lookUp": "waiting", "outage": null,
    });
    if !changes["claimedBy"].is_null() {
        row["waitingSince"] = Value::Null;
    }
    row.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    row
}

fn card(turn: u32, text: &str, done: bool) -> Value {
    json!({
        "event": "suggestion", "suggestionId": format!("{CALL}/{turn}"), "turn": turn,
        "createdAt": SERVER - 2_000 + u64::from(turn), "text": text, "done": done, "confidence": 0.9, "ragHit": true,
        "ragScore": 0.83, "source": "sysmed_m50.md", "section": "Alarmas", "identity": "unconfirmed", "cause": "turn",
        "quote": "en la pantalla me aparece H08",
    })
}
