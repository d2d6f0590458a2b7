//! The terminal: taken over, given back whatever happens, and its keys.
use super::screen;
use super::state::UiState;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{EnterAlternateScreen, enable_raw_mode};
use ratatui::{DefaultTerminal, Terminal, backend::CrosstermBackend};
use std::io::{self, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver};

/// How long the keys' thread waits before it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// Keys that wait.
const KEYS: usize = 64;

/// The terminal while it is ours.
pub struct Taken {
    terminal: DefaultTerminal,
    wanted: Arc<AtomicBool>,
}

impl Taken {
    /// Takes it over; a panic gives it back before it says where it was.
    pub fn over() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        enable_raw_mode()?;
        // From here on dropping this gives it back.
        let wanted = Arc::new(AtomicBool::new(true));
        let taken = Terminal::new(CrosstermBackend::new(stdout()))
            .map(|terminal| Self { terminal, wanted })
            .inspect_err(|_| give_back())?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(taken)
    }

    /// Draws; only what changed goes to the terminal.
    pub fn draw(&mut self, state: &UiState) -> io::Result<()> {
        self.terminal.draw(|frame| screen::draw(frame, state)).map(drop)
    }

    /// Sounds the bell.
    pub fn ring(&self) -> io::Result<()> {
        execute!(stdout(), Print('\u{7}'))
    }

    /// What is pressed, pasted and resized, read by a thread of its own.
    pub fn keys(&self) -> io::Result<Receiver<Event>> {
        let (pressed, keys) = mpsc::channel(KEYS);
        let wanted = Arc::clone(&self.wanted);
        let read = move || {
            while wanted.load(Ordering::Relaxed) {
                let event = match event::poll(LOOK) {
                    Ok(false) => continue,
                    Ok(true) => event::read(),
                    Err(_) => return,
                };
                // A terminal that is gone ends the client: its keys' end is seen.
                if event.is_err() || event.is_ok_and(|event| pressed.blocking_send(event).is_err()) {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(keys)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        give_back();
    }
}

fn give_back() {
    // There is nobody to tell of a terminal that can't be written to.
    drop(execute!(stdout(), DisableBracketedPaste));
    drop(ratatui::try_restore());
}
