//! Moving about: in the list of calls, in the transcript, among the cards.
use super::state::UiState;
use super::view;
use ratatui::crossterm::event::KeyCode;

impl UiState {
    /// The arrows go through the list as it is sorted now.
    pub(super) fn step(&mut self, down: bool) {
        let order = view::order(&self.mirror.rows, self.me());
        let at = order.iter().position(|row| Some(&row.call) == self.picked.as_ref());
        let next = match (at, down) {
            (None, _) => 0,
            (Some(at), true) => (at + 1).min(order.len().saturating_sub(1)),
            (Some(at), false) => at.saturating_sub(1),
        };
        self.picked = order.get(next).map(|row| row.call.clone());
    }

    /// An earlier or a later card is looked at.
    pub(super) fn turn_to(&mut self, later: bool) {
        let Some((open, view)) = self.view() else { return };
        let turns: Vec<_> =
            view::faces(view, &open.call, self.me()).into_iter().map(|face| face.turn).collect();
        let Some(last) = turns.len().checked_sub(1) else { return };
        let at = turns.iter().position(|turn| Some(*turn) == open.chosen).unwrap_or(last);
        let at = if later { at + 1 } else { at.saturating_sub(1) };
        let chosen = turns.get(at).copied().filter(|_| at < last);
        if let Some(open) = &mut self.open {
            open.chosen = chosen;
        }
    }

    /// Three entries of the transcript up or down; at its end it follows again.
    pub(super) fn read_back(&mut self, up: bool) {
        let Some((open, view)) = self.view() else { return };
        let talk = view::talk(view);
        let Some(last) = talk.len().checked_sub(1) else { return };
        let at = open.anchor.and_then(|id| talk.iter().position(|said| said.id == id)).unwrap_or(last);
        let at = if up { at.saturating_sub(3) } else { at + 3 };
        let anchor = talk.get(at).filter(|_| at < last).map(|said| said.id);
        if let Some(open) = &mut self.open {
            open.anchor = anchor;
        }
    }

    pub(super) fn follow_the_end(&mut self) {
        if let Some(open) = &mut self.open {
            open.anchor = None;
        }
    }
}

/// A list's position after a key.
pub(super) fn scrolled(at: usize, code: KeyCode) -> usize {
    match code {
        KeyCode::Up => at.saturating_sub(1),
        KeyCode::Down => at + 1,
        KeyCode::PageUp => at.saturating_sub(10),
        KeyCode::PageDown => at + 10,
        _ => at,
    }
}
