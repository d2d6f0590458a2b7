//! The pane of the live calls.
use super::screen::framed;
use super::state::UiState;
use super::text::{clock, cut, ends, look};
use super::view;
use aura::channel::Channel;
use aura::phrases::console::{channel, danger, pane, state as stands, word};
use aura::phrases::desk;
use aura::protocol::desk::{Row, State};
use aura::transcript::Speaker;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Rows of the screen that a call takes.
const TALL: usize = 3;

/// Draws it; the chosen call is always in view.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let inner = framed(frame, area, pane::CALLS.es, None);
    let most: usize = inner.width.into();
    let order = view::order(&state.mirror.rows, state.me());
    if order.is_empty() {
        frame.render_widget(Line::styled(cut(pane::NO_CALLS.es, most), look::FAINT), inner);
        return;
    }
    let fit = (usize::from(inner.height) / TALL).max(1);
    let at = order.iter().position(|row| Some(&row.call) == state.picked.as_ref()).unwrap_or(0);
    let first = (at + 1).saturating_sub(fit);
    let lines: Vec<Line<'static>> =
        order.iter().skip(first).take(fit).flat_map(|row| call(state, row, most)).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn call(state: &UiState, row: &Row, most: usize) -> [Line<'static>; TALL] {
    let picked = state.picked.as_ref() == Some(&row.call);
    let open = state.open.as_ref().is_some_and(|open| open.call == row.call);
    let alarm = row.state != State::Closed && (row.danger.is_some() || row.overdue);
    let style = if alarm { look::ALARM } else { look::PLAIN };
    let place = match (picked, open) {
        (true, true) => '▶',
        (true, false) => '▸',
        (false, true) => '│',
        (false, false) => ' ',
    };
    let since = row.waiting_since.unwrap_or(row.since);
    let time = clock(state.server_now().saturating_sub(since));
    let head = ends(&format!("{place}{} {}", mark(state, row), named(row)), &time, most);
    let head = Line::styled(head, if picked { style.patch(look::CHOSEN) } else { style.patch(look::STRONG) });
    let who = Line::styled(cut(&format!("  {}", who(state, row)), most), style);
    [head, who, last(row, most)]
}

/// Danger, too long a wait, a wait, one's own, a bot's own, somebody else's, over.
fn mark(state: &UiState, row: &Row) -> char {
    match row {
        row if row.state == State::Closed => '×',
        row if row.danger.is_some() => '⚠',
        row if row.overdue => '!',
        row if row.claimed_by.as_deref() == Some(state.me()) => '★',
        row if row.waiting_since.is_some() => '○',
        _ => '·',
    }
}

fn who(state: &UiState, row: &Row) -> String {
    let by = match row.claimed_by.as_deref() {
        Some(by) if by == state.me() => word::MINE.es,
        Some(by) => by,
        None if row.source.profile().bot => word::BOT.es,
        None => word::FREE.es,
    };
    let mut text = match row.danger.filter(|_| row.state != State::Closed) {
        Some(flag) => format!("{} · {by}", danger(flag).es),
        None => format!("{by} · {}", stands(row.state).es),
    };
    if let Some(step) = row.step.filter(|_| row.state == State::Live && row.danger.is_none()) {
        text.push_str(" · ");
        text.push_str(desk::step(step).es);
    }
    text
}

fn last(row: &Row, most: usize) -> Line<'static> {
    let style: Style = look::FAINT;
    let Some(last) = &row.last else { return Line::styled(String::new(), style) };
    let who = match last.speaker {
        Speaker::Patient => word::PATIENT.es,
        Speaker::Agent if row.source.profile().bot => word::AURA.es,
        Speaker::Agent => word::OPERATOR.es,
    };
    Line::styled(cut(&format!("  {who} {}", last.text), most), style)
}

/// A telephone by its extension, anything else by its channel and the end of its id, which tells two apart.
pub fn named(row: &Row) -> String {
    match (&row.extension, row.source) {
        (Some(at), Channel::AudioFork) => format!("int. {at}"),
        (_, source) => format!("{} {}", channel(source).es, tail(row.call.as_str())),
    }
}

/// The end of an id.
fn tail(id: &str) -> String {
    let letters = id.chars().count();
    if letters <= 8 {
        id.to_owned()
    } else {
        format!("…{}", id.chars().skip(letters - 7).collect::<String>())
    }
}
