//! What lies over the panes: keys, search results, a whole card, call backs.
use super::cards;
use super::prompt::Overlay;
use super::state::UiState;
use super::text::{clock, cut, ends, look, rows};
use super::view::{found, summaries};
use aura::phrases::console::{self, KEYS, pane, word};
use aura::protocol::desk::Callback;
use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &UiState, overlay: &Overlay) {
    let area = area.inner(Margin::new(3, 1));
    let most = usize::from(area.width).saturating_sub(2);
    let (title, keys, lines) = match overlay {
        Overlay::Help => (pane::HELP.es.to_owned(), "Esc", help(state, most)),
        Overlay::Results { at } => results(state, *at, most),
        Overlay::Card { top } => card(state, *top, most),
        Overlay::Summary { top } => summary(state, *top, most),
        Overlay::Callbacks { at, shown } => {
            let fit = usize::from(area.height).saturating_sub(2);
            let lines = callbacks(state, *at, shown.as_ref(), (most, fit));
            (pane::CALLBACKS.es.to_owned(), pane::CALLBACK_KEYS.es, lines)
        }
    };
    let keys = Line::styled(format!(" {keys} "), look::FAINT).right_aligned();
    let block =
        Block::bordered().title(format!(" {} ", cut(&title, most.saturating_sub(4)))).title_bottom(keys);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// The keys in columns, and what doesn't work in full.
fn help(state: &UiState, most: usize) -> Vec<Line<'static>> {
    let columns = (most / 33).clamp(1, 3);
    let wide = most / columns;
    let tall = KEYS.len().div_ceil(columns);
    let cell = |at: usize| {
        let (key, does) = KEYS.get(at)?;
        let text = cut(&format!("{key:>11}  {}", does.es), wide.saturating_sub(1));
        Some(format!("{text:<wide$}"))
    };
    let row =
        |row| Line::raw((0..columns).filter_map(|column| cell(column * tall + row)).collect::<String>());
    let mut lines: Vec<Line<'static>> = (0..tall).map(row).collect();
    for down in &state.mirror.down {
        lines.extend(rows(down, "⚠ ", most, look::ALARM));
    }
    lines
}

type Content = (String, &'static str, Vec<Line<'static>>);

fn results(state: &UiState, at: usize, most: usize) -> Content {
    let found = state.view().and_then(|(_, view)| found(view));
    let Some(found) = found else { return (pane::RESULTS.es.to_owned(), "Esc", Vec::new()) };
    let mut lines = Vec::new();
    if let Some(failed) = found.failed {
        lines.extend(rows(failed, "✗ ", most, look::ALARM));
    } else if found.rows.is_empty() {
        lines.extend(rows(pane::NO_RESULTS.es, "", most, look::WANTING));
    }
    for row in found.rows.iter().skip(at) {
        // What no suggestion could rest on is shown as what it is.
        let (mark, style) = if row.holds { (word::HOLDS.es, look::GOOD) } else { ("?", look::WANTING) };
        let head = format!("{mark} {} · {} · {}", row.title, row.section, row.row);
        lines.push(Line::styled(ends(&head, &format!("{:.2}", row.score), most), style));
        lines.extend(rows(&row.content, "  ", most, look::PLAIN));
        lines.push(Line::default());
    }
    (format!("{}: {}", pane::RESULTS.es, found.query), pane::SCROLL_KEYS.es, lines)
}

fn card(state: &UiState, top: usize, most: usize) -> Content {
    let mut lines = Vec::new();
    if let Some((shown, _)) = state.face() {
        lines.extend(rows(cards::text(&shown.face), "", most, look::STRONG));
        lines.push(Line::default());
        lines.extend(cards::foot(&shown.face, most));
    }
    let top = top.min(lines.len().saturating_sub(1));
    (pane::SUGGESTION.es.to_owned(), pane::SCROLL_KEYS.es, lines.split_off(top))
}

fn summary(state: &UiState, top: usize, most: usize) -> Content {
    let written = state.view().map(|(_, view)| summaries(view)).unwrap_or_default();
    let mut lines: Vec<Line<'static>> = Vec::new();
    if written.is_empty() {
        lines.extend(rows(pane::NO_SUMMARY.es, "", most, look::FAINT));
    }
    for (of, by, text) in written {
        let head = format!("{} ({})", console::summary(of).es, console::words(by).es);
        lines.push(Line::styled(cut(&head, most), look::STRONG));
        lines.extend(rows(text, "", most, look::PLAIN));
        lines.push(Line::default());
    }
    let top = top.min(lines.len().saturating_sub(1));
    (pane::SUMMARY.es.to_owned(), pane::SCROLL_KEYS.es, lines.split_off(top))
}

fn callbacks(
    state: &UiState,
    at: usize,
    shown: Option<&(String, Option<String>)>,
    (most, fit): (usize, usize),
) -> Vec<Line<'static>> {
    let all = &state.mirror.callbacks;
    if all.is_empty() {
        return rows(pane::NO_CALLBACKS.es, "", most, look::FAINT);
    }
    let at = at.min(all.len() - 1);
    let tall = 3;
    let first = (at + 1).saturating_sub((fit / tall).max(1));
    let draw = |(number, callback): (usize, &Callback)| {
        let style = if number == at { look::CHOSEN } else { look::PLAIN };
        let since = clock(state.server_now().saturating_sub(callback.since));
        let telephone = match shown {
            Some((of, told)) if *of == callback.callback => {
                format!("☎ {}", told.as_deref().unwrap_or(word::NO_TELEPHONE.es))
            }
            _ => callback.telephone.clone().unwrap_or_else(|| word::NO_TELEPHONE.es.to_owned()),
        };
        let question = callback.question.clone().unwrap_or_default();
        [
            Line::styled(ends(&format!("{} · {}", callback.text, callback.source), &since, most), style),
            Line::styled(cut(&format!("  {telephone}"), most), look::STRONG),
            Line::styled(cut(&format!("  «{question}»"), most), look::FAINT),
        ]
    };
    all.iter().enumerate().skip(first).flat_map(draw).collect()
}
