//! The transcript as it grows, for whoever looks on.
use super::report::person;
use aura::ears::Line;
use std::io::Write;
use std::time::Duration;

/// So much of the end of an open line is shown, in characters: it has to stay one row.
const OPEN_WIDTH: usize = 60;

/// Where the transcript is shown. On a terminal what was heard so far is replaced in place; elsewhere each
/// line is written once, when it is final.
pub struct Live {
    out: Box<dyn Write + Send>,
    terminal: bool,
    /// Rows of open lines, the last on the screen.
    open: usize,
}

impl Live {
    /// Shows it there.
    pub fn new(out: impl Write + Send + 'static, terminal: bool) -> Self {
        Self { out: Box::new(out), terminal, open: 0 }
    }

    /// Shows nothing.
    #[must_use]
    pub fn off() -> Self {
        Self::new(std::io::sink(), false)
    }

    /// Something happened to the call; these lines are open.
    pub(super) fn happened(&mut self, at: Duration, what: &str, open: &[Line]) {
        self.put(&format!("{}  — {what} —\n", clock(at)), open);
    }

    /// The desk shows something; these lines are open.
    pub(super) fn shown(&mut self, at: Duration, what: &str, open: &[Line]) {
        self.put(&format!("{}  » {what}\n", clock(at)), open);
    }

    /// A line is final; these are open.
    pub(super) fn line(&mut self, at: Duration, line: &Line, open: &[Line]) {
        self.put(&format!("{}  {:<9} {}\n", clock(at), person(line.leg), line.text.trim()), open);
    }

    /// These lines are open.
    pub(super) fn open(&mut self, open: &[Line]) {
        if self.terminal {
            self.put("", open);
        }
    }

    fn put(&mut self, text: &str, open: &[Line]) {
        let mut all = String::new();
        if self.open > 0 {
            all.push_str(&format!("\x1b[{}A\r\x1b[J", self.open));
            self.open = 0;
        }
        all.push_str(text);
        if self.terminal {
            self.open = open.len();
            open.iter().for_each(|line| all.push_str(&row(line)));
        }
        // A transcript that nobody can see is no reason to end the call.
        let _ = self.out.write_all(all.as_bytes()).and_then(|()| self.out.flush());
    }
}

/// A line that isn't final, on one row however narrow the terminal is.
fn row(line: &Line) -> String {
    let text: Vec<char> = line.text.trim().chars().collect();
    let hidden = text.len().saturating_sub(OPEN_WIDTH);
    let (more, end) = (if hidden > 0 { "…" } else { "" }, text[hidden..].iter().collect::<String>());
    format!("\x1b[?7l       {:<9} {more}{end} …\x1b[?7h\n", person(line.leg))
}

fn clock(at: Duration) -> String {
    format!("{:>2}:{:02}", at.as_secs() / 60, at.as_secs() % 60)
}
