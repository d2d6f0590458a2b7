//! The pane of the transcript: in the order of time, its end in view, still while the operator reads back.
use super::list::named;
use super::screen::framed;
use super::state::UiState;
use super::text::{clock, fill, look, rows, width, wrap_behind};
use super::view::{Entry, Said, talk};
use aura::desk::CallView;
use aura::phrases::console::{lack, pane, state as stands, word};
use aura::protocol::desk::{Happening, Key, LineView};
use aura::transcript::Speaker;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let Some((open, view)) = state.view() else {
        let inner = framed(frame, area, pane::TALK.es, None);
        // Told of the open call is nothing yet, or none is open.
        let text = if state.open.is_some() { pane::CATCHING_UP } else { pane::NONE_OPEN };
        frame.render_widget(Paragraph::new(rows(text.es, "", inner.width.into(), look::FAINT)), inner);
        return;
    };
    let said = talk(view);
    let end =
        open.anchor.and_then(|id| said.iter().position(|said| said.id == id)).map_or(said.len(), |at| at + 1);
    let below = said.len() - end;
    let notice = (below > 0).then(|| {
        let text = fill(pane::BELOW.es, &[("n", &below.to_string())]);
        Line::styled(format!(" {text} "), look::STRONG).right_aligned()
    });
    let inner = framed(frame, area, &title(state, view), notice);
    let bot = state.row().is_some_and(|row| row.source.profile().bot);
    let (most, fit) = (usize::from(inner.width), usize::from(inner.height));
    let mut lines = banners(view, most);
    let room = fit.saturating_sub(lines.len());
    let mut body: Vec<Line<'static>> = Vec::new();
    for said in said[..end].iter().rev() {
        if body.len() >= room {
            break;
        }
        let mut entry = entry(said, bot, most);
        entry.append(&mut body);
        body = entry;
    }
    lines.extend(body.split_off(body.len().saturating_sub(room)));
    frame.render_widget(Paragraph::new(lines), inner);
}

fn title(state: &UiState, view: &CallView) -> String {
    let mut title = match state.row() {
        Some(row) => format!("{} · {}", named(row), stands(row.state).es),
        None => format!("{} · {}", pane::TALK.es, pane::NOT_THERE.es),
    };
    if !view.caught_up {
        title = format!("{title} · {}", pane::CATCHING_UP.es);
    }
    title
}

fn banners(view: &CallView, most: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if view.of(&Key::One("one_voice")).is_some_and(|told| *told == Happening::OneVoice) {
        lines.extend(rows(pane::ONE_VOICE.es, "", most, look::WANTING));
    }
    if view.cut {
        lines.extend(rows(pane::CUT.es, "", most, look::FAINT));
    }
    lines
}

fn entry(said: &Said<'_>, bot: bool, most: usize) -> Vec<Line<'static>> {
    let time = said.at_ms.map_or(String::new(), |at| format!("{} ", clock(at)));
    match said.entry {
        Entry::Line(line) => spoken(line, &time, bot, most),
        Entry::Gap { ms, why, .. } => {
            let text = format!("{time}── {} {} s: {} ──", word::GAP.es, ms.div_ceil(1000), lack(why).es);
            rows(&text, "", most, look::WANTING)
        }
    }
}

fn spoken(line: &LineView, time: &str, bot: bool, most: usize) -> Vec<Line<'static>> {
    let (who, style) = match line.speaker {
        Speaker::Patient => (word::PATIENT.es, look::STRONG),
        Speaker::Agent if bot => (word::AURA.es, look::PLAIN),
        Speaker::Agent => (word::OPERATOR.es, look::PLAIN),
    };
    let head = format!("{time}{who} ");
    let body = if line.partial { look::FAINT } else { look::PLAIN };
    let text = if line.partial { format!("{} …", line.text) } else { line.text.clone() };
    // A narrow pane has no columns for an indent under the speaker's name.
    let indent = if most >= 50 { width(&head) } else { 2 };
    let first = most.saturating_sub(width(&head));
    let mut wrapped = wrap_behind(&text, first, most.saturating_sub(indent)).into_iter();
    let mut lines = vec![Line::from(vec![
        Span::styled(head, style),
        Span::styled(wrapped.next().unwrap_or_default(), body),
    ])];
    lines.extend(wrapped.map(|row| Line::styled(format!("{}{row}", " ".repeat(indent)), body)));
    lines
}
