//! The whole screen: where its panes are, and the two rows at the bottom. Panes keep their size whatever comes in,
//! so that nothing jumps while it is read; only an alert takes room, above all.
use super::state::{Connection, UiState};
use super::text::{cut, ends, fill, look, rows, width};
use super::{cards, list, overlay, side, talk, view};
use aura::phrases::console::{self, HINTS, OWN_HINTS, danger, line, pane, word};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Paragraph};

/// The smallest window.
const SMALLEST: (u16, u16) = (60, 16);

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, state: &UiState) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        frame.render_widget(Paragraph::new(rows(pane::SMALL.es, "", area.width.into(), look::STRONG)), area);
        return;
    }
    let [body, prompt, status] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)]).areas(area);
    let flank = (area.width * 28 / 100).clamp(18, 38);
    let flanks = [Constraint::Length(flank), Constraint::Fill(1), Constraint::Length(flank)];
    let [left, middle, right] = Layout::horizontal(flanks).areas(body);
    list::draw(frame, left, state);
    conversation(frame, middle, state);
    side::draw(frame, right, state);
    if let Some(open) = &state.overlay {
        overlay::draw(frame, body, state, open);
    }
    bottom(frame, prompt, state);
    frame.render_widget(Line::raw(status_line(state, status.width.into())), status);
}

fn conversation(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let alerts = state.view().map(|(_, view)| view::alerts(view)).unwrap_or_default();
    let alert = if alerts.is_empty() { 0 } else { (area.height / 5).clamp(4, 6) };
    let card = (area.height * 2 / 5).clamp(if area.height < 20 { 7 } else { 10 }, 20);
    let parts = [Constraint::Length(alert), Constraint::Fill(1), Constraint::Length(card)];
    let [above, talked, below] = Layout::vertical(parts).areas(area);
    if let Some((flag, text)) = alerts.first() {
        let more = if alerts.len() > 1 { format!(" (+{})", alerts.len() - 1) } else { String::new() };
        let title = format!(" ⚠ {}: {}{more} ", word::EMERGENCY.es, danger(*flag).es);
        let block = Block::bordered().border_type(BorderType::Double).border_style(look::ALARM).title(title);
        let inner = block.inner(above);
        frame.render_widget(block, above);
        frame.render_widget(Paragraph::new(rows(text, "", inner.width.into(), look::ALARM)), inner);
    }
    talk::draw(frame, talked, state);
    cards::draw(frame, below, state);
}

/// What is asked, what appears for a moment, or which keys there are.
fn bottom(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let most: usize = area.width.into();
    if let Some(prompt) = &state.prompt {
        // The end of a long text is what is being typed.
        let text = prompt.to_string();
        let over = width(&text).saturating_sub(most.saturating_sub(1));
        let text: String = text.chars().skip(over).collect();
        frame.render_widget(Line::styled(format!("{text}▏"), look::STRONG), area);
    } else if let Some(toast) = &state.toast {
        let (mark, style) = if toast.bad { ("! ", look::ALARM) } else { ("✓ ", look::GOOD) };
        frame.render_widget(Line::styled(cut(&format!("{mark}{}", toast.text), most), style), area);
    } else {
        let hints = if state.is_mine() { OWN_HINTS } else { HINTS };
        frame.render_widget(Line::styled(cut(hints.es, most), look::FAINT), area);
    }
}

fn status_line(state: &UiState, most: usize) -> String {
    let mut parts = vec![match &state.connection {
        Connection::Open => line::OPEN.es.to_owned(),
        Connection::Opening => line::OPENING.es.to_owned(),
        Connection::Broken { why, again, .. } => {
            let seconds = again.as_secs_f64().ceil().to_string();
            fill(line::BROKEN.es, &[("por", why), ("s", &seconds)])
        }
    }];
    if !state.me().is_empty() {
        parts.push(state.me().to_owned());
    }
    if let Some(row) = state.row().filter(|_| state.is_mine()) {
        parts.push(format!("{}: {}", word::MODE.es, console::mode(row.mode).es));
    }
    // What doesn't work is never cut off by how many calls there are.
    match state.mirror.down.as_slice() {
        [] => parts.push(format!("{} {}", state.mirror.rows.len(), word::CALLS.es)),
        [one] => parts.push(format!("⚠ {one}")),
        [first, rest @ ..] => parts.push(format!("⚠ {first} (+{})", rest.len())),
    }
    ends(&parts.join(" · "), word::HELP.es, most)
}

/// A pane's frame, and what is within.
pub fn framed(frame: &mut Frame<'_>, area: Rect, title: &str, below: Option<Line<'static>>) -> Rect {
    let mut block =
        Block::bordered().title(cut(&format!(" {title} "), usize::from(area.width).saturating_sub(2)));
    if let Some(below) = below {
        block = block.title_bottom(below);
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}
