//! What each key does.
use super::prompt::{Answered, Overlay, Pick, Prompt, Sure, Typed};
use super::reading::scrolled;
use super::state::UiState;
use super::view;
use aura::ids::CallId;
use aura::phrases::console::note;
use aura::protocol::desk::{Ask, Private, State, Verdict};
use aura::suggestion::Mode;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Rows of a card that can be scrolled through.
const LONGEST_CARD: usize = 60;

impl UiState {
    /// A key was pressed: what is to be asked of the server.
    pub fn key(&mut self, key: KeyEvent) -> Vec<Ask> {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            self.quit = true;
            return Vec::new();
        }
        if let Some(prompt) = self.prompt.take() {
            return self.answer(prompt, key);
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Vec::new();
        }
        if let Some(overlay) = self.overlay.take() {
            return self.over(overlay, key.code);
        }
        match key.code {
            KeyCode::Char(letter) => self.letter(letter),
            code => self.other(code),
        }
    }

    /// A text was pasted: it goes where a text is asked for, and nowhere else.
    pub fn paste(&mut self, text: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.paste(text);
        }
    }

    fn answer(&mut self, prompt: Prompt, key: KeyEvent) -> Vec<Ask> {
        match prompt.key(key) {
            Answered::Asks(prompt) => self.prompt = Some(prompt),
            Answered::Quit => self.quit = true,
            Answered::Done(ask) => {
                if let (Some(Ask::Search { .. }), Some(open)) = (&ask, &mut self.open) {
                    open.searching = true;
                }
                return ask.into_iter().collect();
            }
        }
        Vec::new()
    }

    fn over(&mut self, overlay: Overlay, code: KeyCode) -> Vec<Ask> {
        if matches!(code, KeyCode::Esc | KeyCode::Char('q')) {
            return Vec::new();
        }
        let (overlay, ask) = match overlay {
            Overlay::Help => return Vec::new(),
            Overlay::Card { .. } if code == KeyCode::Char(' ') => return Vec::new(),
            Overlay::Results { at } => {
                let last =
                    self.view().map_or(0, |(_, view)| view::found(view).map_or(0, |found| found.rows.len()));
                (Overlay::Results { at: scrolled(at, code).min(last.saturating_sub(1)) }, None)
            }
            Overlay::Card { top } => (Overlay::Card { top: scrolled(top, code).min(LONGEST_CARD) }, None),
            Overlay::Summary { top } => {
                (Overlay::Summary { top: scrolled(top, code).min(LONGEST_CARD) }, None)
            }
            Overlay::Callbacks { at, shown } => self.callbacks(at, shown, code),
        };
        self.overlay = Some(overlay);
        ask.into_iter().collect()
    }

    fn callbacks(
        &self,
        at: usize,
        shown: Option<(String, Option<String>)>,
        code: KeyCode,
    ) -> (Overlay, Option<Ask>) {
        let rows = &self.mirror.callbacks;
        let at = scrolled(at, code).min(rows.len().saturating_sub(1));
        let callback = rows.get(at).map(|row| row.callback.clone());
        let ask = match (code, callback) {
            (KeyCode::Enter, Some(callback)) => Some(Ask::SeeTelephone { callback }),
            (KeyCode::Char('h'), Some(callback)) => Some(Ask::CallbackDone { callback }),
            _ => None,
        };
        (Overlay::Callbacks { at, shown }, ask)
    }

    fn letter(&mut self, letter: char) -> Vec<Ask> {
        match letter {
            '?' => self.overlay = Some(Overlay::Help),
            'q' => match self.claimed() {
                0 => self.quit = true,
                calls => self.prompt = Some(Prompt::Sure(Box::new(Sure::Quit(calls)))),
            },
            'l' => {
                self.overlay = Some(Overlay::Callbacks { at: 0, shown: None });
                return vec![Ask::Callbacks];
            }
            't' => return self.claim(),
            'T' => self.take_over(),
            ' ' => self.uncover(),
            _ => return self.in_call(letter),
        }
        Vec::new()
    }

    /// Keys that are about the open call.
    fn in_call(&mut self, letter: char) -> Vec<Ask> {
        if !"smgdcpefvbrx+-=un".contains(letter) {
            return Vec::new();
        }
        let Some(call) = self.open.as_ref().map(|open| open.call.clone()) else {
            self.warn(note::OPEN_FIRST.es.to_owned());
            return Vec::new();
        };
        match letter {
            's' => vec![Ask::Release { call }],
            'm' => {
                let mode = next(self.row().map(|row| row.mode).unwrap_or_default());
                vec![Ask::Mode { call, mode }]
            }
            'g' => vec![Ask::Suggest { call }],
            'p' => self.see(call),
            'c' => self.confirm(call),
            'r' => {
                self.overlay = Some(Overlay::Summary { top: 0 });
                Vec::new()
            }
            '+' => self.mark(call, Verdict::Right),
            '-' => self.mark(call, Verdict::Wrong),
            '=' => self.mark(call, Verdict::Divergent),
            'u' => self.mark(call, Verdict::Used),
            'n' => self.annotate(call),
            'd' => self.ask(Prompt::Line(call, Typed::Dni, String::new())),
            'b' => self.ask(Prompt::Line(call, Typed::Search, String::new())),
            'e' => self.ask(Prompt::Pick(call, Pick::Step)),
            'f' => self.ask(Prompt::Pick(call, Pick::Datum)),
            'v' => self.ask(Prompt::Pick(call, Pick::Vouch)),
            _ => self.ask(Prompt::Sure(Box::new(Sure::Swap(call)))),
        }
    }

    fn ask(&mut self, prompt: Prompt) -> Vec<Ask> {
        self.prompt = Some(prompt);
        Vec::new()
    }

    fn other(&mut self, code: KeyCode) -> Vec<Ask> {
        match code {
            KeyCode::Up => self.step(false),
            KeyCode::Down => self.step(true),
            KeyCode::Enter => return self.enter(),
            KeyCode::Backspace => {
                if let Some(call) = self.open.as_ref().map(|open| open.call.clone()) {
                    return self.mark(call, Verdict::Dismissed);
                }
            }
            KeyCode::Tab => self.turn_to(false),
            KeyCode::BackTab => self.turn_to(true),
            KeyCode::PageUp => self.read_back(true),
            KeyCode::PageDown => self.read_back(false),
            KeyCode::End => self.follow_the_end(),
            KeyCode::Esc => {
                self.toast = None;
                self.follow_the_end();
                if let Some(open) = &mut self.open {
                    open.chosen = None;
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn enter(&mut self) -> Vec<Ask> {
        let Some(call) = self.picked.clone() else { return Vec::new() };
        if self.open.as_ref().is_some_and(|open| open.call == call) {
            self.uncover();
            return Vec::new();
        }
        self.open_call(call)
    }

    fn claim(&mut self) -> Vec<Ask> {
        let Some(call) = self.picked.clone() else { return Vec::new() };
        let mut asks = self.open_call(call.clone());
        asks.push(Ask::Claim { call });
        asks
    }

    fn take_over(&mut self) {
        let row = self.picked.as_ref().and_then(|call| self.mirror.rows.get(call));
        if let Some(row) = row.filter(|row| row.state != State::Closed)
            && let Some(by) = row.claimed_by.clone().filter(|by| by != self.me())
        {
            if !self.may("take_over") {
                return self.warn(note::SUPERVISORS.es.to_owned());
            }
            self.prompt = Some(Prompt::Sure(Box::new(Sure::TakeOver(row.call.clone(), by))));
        }
    }

    /// Space shows what is covered, or all of what is shown.
    fn uncover(&mut self) {
        let Some((turn, covered)) = self.face().map(|(face, covered)| (face.turn, covered)) else { return };
        match &mut self.open {
            Some(open) if covered => open.uncovered = Some(turn),
            _ => self.overlay = Some(Overlay::Card { top: 0 }),
        }
    }

    fn see(&mut self, call: CallId) -> Vec<Ask> {
        match &mut self.open {
            Some(open) if !open.looking => {
                open.looking = true;
                vec![Ask::SeePatient { call }]
            }
            _ => Vec::new(),
        }
    }

    /// Vouches for the document that is on the screen, never for one that isn't.
    fn confirm(&mut self, call: CallId) -> Vec<Ask> {
        let patient = self.open.as_ref().and_then(|open| open.patient.as_ref());
        match patient.map(|patient| patient.dni.clone()) {
            Some(Some(dni)) => vec![Ask::ConfirmDni { call, dni: Private(dni) }],
            Some(None) => {
                self.warn(note::NO_DNI.es.to_owned());
                Vec::new()
            }
            None => {
                self.say(note::LOOK_FIRST.es.to_owned());
                self.see(call)
            }
        }
    }

    fn mark(&mut self, call: CallId, verdict: Verdict) -> Vec<Ask> {
        let shown = self.face().filter(|(_, covered)| !covered).map(|(face, _)| face.id);
        let (Some(id), Some(open)) = (shown, &mut self.open) else {
            self.warn(note::NO_CARD.es.to_owned());
            return Vec::new();
        };
        open.marked = Some((id.clone(), verdict));
        vec![Ask::Mark { call, suggestion_id: id, verdict, note: None }]
    }

    fn annotate(&mut self, call: CallId) -> Vec<Ask> {
        match self.open.as_ref().and_then(|open| open.marked.clone()) {
            Some((id, verdict)) => self.ask(Prompt::Line(call, Typed::Note(id, verdict), String::new())),
            None => {
                self.warn(note::MARK_FIRST.es.to_owned());
                Vec::new()
            }
        }
    }
}

const fn next(mode: Mode) -> Mode {
    match mode {
        Mode::Push => Mode::Quiet,
        Mode::Quiet => Mode::OnDemand,
        Mode::OnDemand => Mode::Push,
    }
}
