//! The pane of what is offered to be said: one card in front, why and by what it was made, the earlier ones below.
//! What a card rests on stands at the same place however long its text grows.
use super::screen::framed;
use super::state::UiState;
use super::text::{cut, look, rows, width};
use super::view::{Face, Shown, faces, gone, is_over, summaries};
use aura::desk::CallView;
use aura::phrases::console::{pane, verdict, word};
use aura::protocol::desk::{CardView, Happening};
use aura::suggestion::Label;
use aura::summary::Of;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// How long it is said why a card is gone, in milliseconds.
const GONE_MS: u64 = 12_000;
/// A confidence from which a card's is high: it is 0.9 on a hit, else 0.7.
const HIGH: f64 = 0.85;

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let bot = state.row().is_some_and(|row| row.source.profile().bot);
    let name = if bot { pane::ANSWER.es } else { pane::SUGGESTION.es };
    if let Some(text) = state.view().and_then(|(_, view)| whole_call(view)) {
        let inner = framed(frame, area, pane::SUMMARY.es, None);
        frame.render_widget(Paragraph::new(rows(text, "", inner.width.into(), look::PLAIN)), inner);
        return;
    }
    let below = farewell(state, usize::from(area.width).saturating_sub(4));
    let Some((shown, covered)) = state.face() else {
        let inner = framed(frame, area, name, below);
        let unclaimed = !bot && state.row().is_some_and(|row| row.claimed_by.is_none());
        let most = usize::from(inner.width);
        let mut lines = earlier(state, None, most);
        let text = match (lines.is_empty(), unclaimed) {
            (_, true) => pane::UNCLAIMED,
            (true, false) => pane::NO_SUGGESTION,
            (false, false) => pane::EARLIER,
        };
        lines.splice(0..0, rows(text.es, "", most, look::FAINT));
        if state.open.is_some() {
            frame.render_widget(Paragraph::new(lines), inner);
        }
        return;
    };
    if covered {
        let inner = framed(frame, area, name, below);
        let badge = rows(pane::BADGE.es, "", inner.width.into(), look::STRONG);
        frame.render_widget(Paragraph::new(badge), inner);
        return;
    }
    let inner = framed(frame, area, &title(name, &shown), below);
    frame.render_widget(Paragraph::new(content(state, &shown, inner)), inner);
}

/// A call that is over needs no suggestion any more: what it was stands in their place.
fn whole_call(view: &CallView) -> Option<&str> {
    let of_all = summaries(view).into_iter().find(|(of, ..)| *of == Of::After);
    of_all.filter(|_| is_over(view)).map(|(.., text)| text)
}

fn title(name: &str, shown: &Shown<'_>) -> String {
    let mut parts = vec![name.to_owned(), standing(&shown.face).to_owned()];
    parts.extend(shown.mark.map(|mark| verdict(mark).es.to_owned()));
    parts.join(" · ")
}

fn standing(face: &Face<'_>) -> &'static str {
    match face {
        Face::Card(CardView { done: true, .. }) | Face::Answer { done: true, ending: None, .. } => {
            word::WHOLE.es
        }
        Face::Failed { .. } => word::FAILED.es,
        Face::Answer { ending: Some(""), .. } => word::ABORTED.es,
        Face::Answer { ending: Some(_), .. } => word::FAILED.es,
        Face::Card(_) | Face::Answer { .. } => word::WRITING.es,
    }
}

/// The text above, what it rests on below; earlier ones where there is room.
fn content(state: &UiState, shown: &Shown<'_>, inner: Rect) -> Vec<Line<'static>> {
    let (most, fit) = (usize::from(inner.width), usize::from(inner.height));
    let mut text = rows(text(&shown.face), "", most, look::STRONG);
    let mut foot = foot(&shown.face, most);
    let mut earlier = earlier(state, Some(shown), most);
    // The words to be said come first, then why, then what was said before.
    let least = text.len().min(fit.saturating_sub(2));
    earlier.truncate(fit.saturating_sub(least.max(fit / 3) + foot.len()));
    foot.truncate(fit.saturating_sub(least + earlier.len()).max(1));
    let room = fit.saturating_sub(foot.len() + earlier.len());
    if text.len() > room {
        text.truncate(room.saturating_sub(1));
        text.push(Line::styled(cut(pane::MORE.es, most), look::WANTING));
    }
    text.resize(room, Line::default());
    text.into_iter().chain(foot).chain(earlier).collect()
}

/// The words.
pub fn text<'a>(face: &Face<'a>) -> &'a str {
    match face {
        Face::Card(card) => &card.text,
        Face::Failed { text, .. } | Face::Answer { text, .. } => text,
    }
}

/// What the words rest on: source, identity, the words that they answer.
pub fn foot(face: &Face<'_>, most: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut line = |text: String, style| lines.push(Line::styled(cut(&text, most), style));
    match face {
        Face::Card(card) => {
            line(source(card), if card.rag_hit { look::GOOD } else { look::WANTING });
            let (identity, style) = match card.identity {
                Label::Unknown => (word::UNIDENTIFIED, look::WANTING),
                Label::Unconfirmed => (word::UNCONFIRMED, look::WANTING),
                Label::Confirmed => (word::CONFIRMED, look::GOOD),
            };
            let sure = if card.confidence >= HIGH { word::SURE } else { word::LESS_SURE };
            line(format!("{} · {}", identity.es, sure.es), style);
            if !card.quote.is_empty() {
                line(format!("{}: «{}»", word::QUOTE.es, card.quote), look::FAINT);
            }
        }
        Face::Failed { cause, .. } => lines.extend(rows(cause, "✗ ", most, look::ALARM)),
        Face::Answer { rag_hit, score, unconfirmed, ending, .. } => {
            let score = score.map_or(String::new(), |score| format!(" ({score:.2})"));
            let found =
                if *rag_hit { format!("{}{score}", word::SOURCE.es) } else { word::NO_MANUAL.es.to_owned() };
            line(found, if *rag_hit { look::GOOD } else { look::WANTING });
            if *unconfirmed {
                line(word::UNCONFIRMED.es.to_owned(), look::WANTING);
            }
            if let Some(cause) = ending.filter(|cause| !cause.is_empty()) {
                lines.extend(rows(cause, "✗ ", most, look::ALARM));
            }
        }
    }
    lines
}

fn source(card: &CardView) -> String {
    if !card.rag_hit {
        return word::NO_MANUAL.es.to_owned();
    }
    let named = [card.source.as_deref(), card.section.as_deref()];
    let named: Vec<&str> = named.into_iter().flatten().collect();
    let score = card.rag_score.map_or(String::new(), |score| format!(" ({score:.2})"));
    format!("{}: {}{score}", word::SOURCE.es, named.join(" · "))
}

/// The other ones, newest first, a row each.
fn earlier(state: &UiState, shown: Option<&Shown<'_>>, most: usize) -> Vec<Line<'static>> {
    let Some((open, view)) = state.view() else { return Vec::new() };
    let all = faces(view, &open.call, state.me());
    let mut lines = Vec::new();
    let before = |one: &&Shown<'_>| shown.is_none_or(|shown| one.turn < shown.turn);
    let newer = |last: &Shown<'_>| shown.is_some_and(|shown| last.turn > shown.turn);
    if open.chosen.is_some() && all.last().is_some_and(newer) {
        lines.push(Line::styled(cut(pane::NEWER.es, most), look::STRONG));
    }
    for one in all.iter().rev().filter(before).take(3) {
        let mark = one.mark.and_then(|mark| verdict(mark).es.chars().next()).unwrap_or('·');
        lines.push(Line::styled(cut(&format!("{mark} {}", text(&one.face)), most), look::FAINT));
    }
    lines
}

/// Why the last card is gone, for a moment.
fn farewell(state: &UiState, most: usize) -> Option<Line<'static>> {
    let (_, view) = state.view()?;
    let (at, happening) = gone(view)?;
    if state.server_now().saturating_sub(at) > GONE_MS {
        return None;
    }
    let text = match happening {
        Happening::SuggestionWithdrawn { cause, .. } => format!("{}: {cause}", word::WITHDRAWN.es),
        Happening::SuggestionWithheld { cause, .. } => format!("{}: {cause}", word::WITHHELD.es),
        _ => word::REPEATED.es.to_owned(),
    };
    let text = cut(&text, most);
    (width(&text) > 0).then(|| Line::styled(format!(" {text} "), look::FAINT))
}
