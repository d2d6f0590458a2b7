//! `aura desk`: the operators' terminal client.
//!
//! [`link`] carries frames between the server and [`state::UiState`], which is pure: keys and frames go in, requests
//! come out, [`screen`] draws what it holds. Nothing of it is written anywhere.
mod cards;
mod course;
pub mod door;
mod keys;
pub(crate) mod link;
mod list;
mod overlay;
mod prompt;
mod reading;
mod screen;
mod side;
mod state;
mod talk;
mod terminal;
mod text;
mod toast;
mod told;
mod view;

#[cfg(test)]
mod tests;

use crate::stt::Socket;
use aura::phrases::console::line;
use aura::protocol::desk::Ask;
use door::Door;
use jiff::Timestamp;
use link::Told;
use ratatui::crossterm::event::{Event, KeyEventKind};
use state::UiState;
use std::io;
use std::time::Duration;
use terminal::Taken;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval};

/// How often the times on the screen are brought up to date.
const TICK: Duration = Duration::from_secs(1);
/// Frames that are taken in before the screen is drawn again.
const AT_ONCE: usize = 512;

/// Shows the desk behind `door` until the operator leaves, or may no longer: then why, in Spanish.
pub async fn run(door: Door, first: Socket, extension: Option<String>) -> io::Result<Option<String>> {
    let mut ends = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()].map(signal);
    let mut terminal = Taken::over()?;
    let mut keys = terminal.keys()?;
    let (asks, mut told) = link::start(door, first, extension);
    let mut state = UiState::new(now());
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    while !state.quit && state.farewell.is_none() {
        terminal.draw(&state)?;
        let wanted = tokio::select! {
            pressed = keys.recv() => match pressed {
                Some(event) => on_event(&mut state, event),
                None => break,
            },
            first = told.recv() => match first {
                Some(first) => on_told(&mut state, first, &mut told),
                None => break,
            },
            _ = tick.tick() => Vec::new(),
            () = ended(&mut ends) => break,
        };
        state.clock(now());
        send(&mut state, &asks, wanted);
        if std::mem::take(&mut state.ring) {
            terminal.ring()?;
        }
    }
    Ok(state.farewell.take())
}

fn on_event(state: &mut UiState, event: Event) -> Vec<Ask> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => return state.key(key),
        Event::Paste(text) => state.paste(&text),
        _ => {}
    }
    Vec::new()
}

/// Takes in what has come by now, so that a burst is drawn once.
fn on_told(state: &mut UiState, first: Told, told: &mut Receiver<Told>) -> Vec<Ask> {
    let mut asks = Vec::new();
    let mut next = Some(first);
    for _ in 0..AT_ONCE {
        match next {
            Some(Told::Frame(message, of)) => asks.extend(state.told(*message, of.as_ref())),
            Some(Told::Unreadable) => state.warn(line::UNREADABLE.es.to_owned()),
            Some(Told::Connection(connection)) => state.connected(connection),
            Some(Told::Unsent(ask)) => state.unsent(&ask),
            Some(Told::End(why)) => state.farewell = Some(why),
            None => break,
        }
        next = told.try_recv().ok();
    }
    asks
}

/// What can't be sent is said to be unsent, at once.
fn send(state: &mut UiState, asks: &Sender<Ask>, wanted: Vec<Ask>) {
    for ask in wanted {
        if let Err(unsent) = asks.try_send(ask) {
            state.unsent(&unsent.into_inner());
        }
    }
}

/// Until the process is to end.
async fn ended(signals: &mut [io::Result<Signal>; 3]) {
    let [term, hang, interrupt] = signals;
    tokio::select! {
        () = one(term) => {}
        () = one(hang) => {}
        () = one(interrupt) => {}
    }
}

async fn one(signal: &mut io::Result<Signal>) {
    match signal {
        Ok(signal) => drop(signal.recv().await),
        // One that can't be caught ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

fn now() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}
