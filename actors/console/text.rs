//! Text in a pane: cut at words, by the width that it takes on a terminal; times as minutes and seconds.
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// How the panes look. No colour says anything that a mark or a word doesn't.
pub mod look {
    use super::{Color, Modifier, Style};

    /// Danger, and what has waited too long.
    pub const ALARM: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
    /// What is missing or doubtful.
    pub const WANTING: Style = Style::new().fg(Color::Yellow);
    /// What is settled.
    pub const GOOD: Style = Style::new().fg(Color::Green);
    /// What may still change, and what matters less.
    pub const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
    /// What is to be read first.
    pub const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
    /// The chosen one.
    pub const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
    /// As the terminal has it.
    pub const PLAIN: Style = Style::new();
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The text in rows of at most `most` columns, cut between words; a word that is wider is cut within.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    wrap_behind(text, most, most)
}

/// The same, where the first row has `first` columns only.
pub fn wrap_behind(text: &str, first: usize, most: usize) -> Vec<String> {
    let mut wrapped =
        Wrapped { rows: Vec::new(), row: String::new(), first: first.max(1), most: most.max(1) };
    for paragraph in text.lines() {
        paragraph.split_whitespace().for_each(|word| wrapped.word(word));
        wrapped.end();
    }
    wrapped.rows
}

struct Wrapped {
    rows: Vec<String>,
    row: String,
    first: usize,
    most: usize,
}

impl Wrapped {
    fn room(&self) -> usize {
        if self.rows.is_empty() { self.first } else { self.most }
    }

    fn word(&mut self, word: &str) {
        let gap = usize::from(!self.row.is_empty());
        if width(&self.row) + gap + width(word) <= self.room() {
            self.row.extend(std::iter::repeat_n(' ', gap));
            self.row.push_str(word);
            return;
        }
        if gap > 0 || (self.rows.is_empty() && width(word) <= self.most) {
            self.rows.push(std::mem::take(&mut self.row));
        }
        for letter in word.chars() {
            self.row.push(letter);
            if width(&self.row) > self.room() && self.row.pop().is_some() {
                self.end();
                self.row.push(letter);
            }
        }
    }

    fn end(&mut self) {
        if !self.row.is_empty() {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }
}

/// The text in one row, with `…` where it was cut.
pub fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if width(&kept) >= most {
            kept.pop();
            break;
        }
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// `left` and `right` at the two ends of a row; `left` gives way.
pub fn ends(left: &str, right: &str, most: usize) -> String {
    let room = most.saturating_sub(width(right) + 1);
    let left = cut(left, room);
    let gap = most.saturating_sub(width(&left) + width(right));
    format!("{left}{}{right}", " ".repeat(gap))
}

/// Wrapped rows of one style, each behind `indent` columns.
pub fn rows(text: &str, indent: &str, most: usize, style: Style) -> Vec<Line<'static>> {
    let wrapped = wrap(text, most.saturating_sub(width(indent)));
    wrapped.into_iter().map(|row| Line::styled(format!("{indent}{row}"), style)).collect()
}

/// `mm:ss`; hours where there are.
pub fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

/// `{name}` in a phrase, filled in.
pub fn fill(phrase: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(phrase.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
