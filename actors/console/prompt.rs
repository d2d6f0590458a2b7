//! What the line at the bottom asks, and what lies over the panes.
use aura::capture::Field;
use aura::ids::CallId;
use aura::phrases::console::{self, ask};
use aura::phrases::desk;
use aura::protocol::desk::{Ask, Private, Verdict};
use aura::script::Step;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// The fields in the order of their digits.
pub const FIELDS: [Field; 5] = [Field::Name, Field::Reason, Field::Equipment, Field::Code, Field::Telephone];

/// What lies over the panes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The keys, and what doesn't work.
    Help,
    /// What the last search found.
    Results {
        /// The one at the top.
        at: usize,
    },
    /// The whole card.
    Card {
        /// The row at the top.
        top: usize,
    },
    /// The call in short.
    Summary {
        /// The row at the top.
        top: usize,
    },
    /// Who is to be called back.
    Callbacks {
        /// The chosen one.
        at: usize,
        /// The telephone that was looked at: of which, and which; none where nobody left one.
        shown: Option<(String, Option<String>)>,
    },
}

/// What is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The patient's document.
    Dni,
    /// A datum.
    Datum(Field),
    /// A search.
    Search,
    /// A note to a mark.
    Note(String, Verdict),
}

/// What is chosen by a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The script's step.
    Step,
    /// The field to type.
    Datum,
    /// The field to vouch for.
    Vouch,
}

/// What is asked, and in which call.
#[derive(Clone, PartialEq, Eq)]
pub enum Prompt {
    /// A text.
    Line(CallId, Typed, String),
    /// A digit.
    Pick(CallId, Pick),
    /// Yes or no.
    Sure(Box<Sure>),
}

/// What is only done by whoever is sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sure {
    /// To take a call over from somebody.
    TakeOver(CallId, String),
    /// To swap patient and operator.
    Swap(CallId),
    /// To leave with so many calls.
    Quit(usize),
}

// What is typed may be a document.
impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(call, typed, _) => write!(f, "Line({call}, {typed:?}, ***)"),
            Self::Pick(call, pick) => write!(f, "Pick({call}, {pick:?})"),
            Self::Sure(sure) => write!(f, "Sure({sure:?})"),
        }
    }
}

/// What a key made of a prompt.
pub enum Answered {
    /// It still asks.
    Asks(Prompt),
    /// It is done, with what is to be asked of the server; none: it was given up.
    Done(Option<Ask>),
    /// The operator leaves.
    Quit,
}

impl Prompt {
    /// A key while it asks.
    pub fn key(self, key: KeyEvent) -> Answered {
        if key.code == KeyCode::Esc {
            return Answered::Done(None);
        }
        match self {
            Self::Line(call, typed, text) => line(call, typed, text, key),
            Self::Pick(call, pick) => digit(call, pick, key.code),
            Self::Sure(sure) => match key.code {
                KeyCode::Char('s' | 'S' | 'y' | 'Y') => yes(*sure),
                KeyCode::Char('n' | 'N') => Answered::Done(None),
                _ => Answered::Asks(Self::Sure(sure)),
            },
        }
    }

    /// A text that was pasted.
    pub fn paste(&mut self, pasted: &str) {
        if let Self::Line(_, typed, text) = self {
            let room = longest(typed).saturating_sub(text.chars().count());
            text.extend(pasted.chars().filter(|letter| !letter.is_control()).take(room));
        }
    }
}

fn line(call: CallId, typed: Typed, mut text: String, key: KeyEvent) -> Answered {
    let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Enter => return Answered::Done(typed_ask(call, typed, text.trim())),
        KeyCode::Backspace => _ = text.pop(),
        KeyCode::Char('u') if held => text.clear(),
        KeyCode::Char(letter) if !held && text.chars().count() < longest(&typed) => text.push(letter),
        _ => {}
    }
    Answered::Asks(Prompt::Line(call, typed, text))
}

const fn longest(typed: &Typed) -> usize {
    match typed {
        Typed::Dni => 20,
        Typed::Datum(_) => 200,
        Typed::Search => 500,
        Typed::Note(..) => 1000,
    }
}

/// An empty line asks nothing.
fn typed_ask(call: CallId, typed: Typed, text: &str) -> Option<Ask> {
    if text.is_empty() {
        return None;
    }
    let value = text.to_owned();
    Some(match typed {
        Typed::Dni => Ask::TypeDni { call, dni: Private(value) },
        Typed::Datum(field) => Ask::Capture { call, field, value: Private(value) },
        Typed::Search => Ask::Search { call, text: value },
        Typed::Note(suggestion_id, verdict) => Ask::Mark { call, suggestion_id, verdict, note: Some(value) },
    })
}

fn digit(call: CallId, pick: Pick, code: KeyCode) -> Answered {
    let number = match code {
        KeyCode::Char(letter) => letter.to_digit(10).and_then(|number| usize::try_from(number).ok()),
        _ => None,
    };
    let at = number.and_then(|number| number.checked_sub(1));
    match (pick, at) {
        (Pick::Step, Some(at)) if at < Step::ALL.len() => {
            Answered::Done(Some(Ask::Step { call, step: Step::ALL[at] }))
        }
        (Pick::Datum, Some(at)) if at < FIELDS.len() => {
            Answered::Asks(Prompt::Line(call, Typed::Datum(FIELDS[at]), String::new()))
        }
        (Pick::Vouch, Some(at)) if at < FIELDS.len() => {
            Answered::Done(Some(Ask::ConfirmCapture { call, field: FIELDS[at] }))
        }
        _ => Answered::Asks(Prompt::Pick(call, pick)),
    }
}

fn yes(sure: Sure) -> Answered {
    match sure {
        Sure::TakeOver(call, _) => Answered::Done(Some(Ask::TakeOver { call })),
        Sure::Swap(call) => Answered::Done(Some(Ask::Swap { call })),
        Sure::Quit(_) => Answered::Quit,
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(_, typed, text) => {
                let title = match typed {
                    Typed::Dni => ask::DNI.es,
                    Typed::Datum(field) => console::field(*field).es,
                    Typed::Search => ask::SEARCH.es,
                    Typed::Note(..) => ask::NOTE.es,
                };
                write!(f, "{title}: {text}")
            }
            Self::Pick(_, pick) => {
                let names: Vec<&str> = match pick {
                    Pick::Step => Step::ALL.iter().map(|step| desk::step(*step).es).collect(),
                    _ => FIELDS.iter().map(|field| console::field(*field).es).collect(),
                };
                let title = match pick {
                    Pick::Step => ask::STEP.es,
                    Pick::Datum => ask::DATUM.es,
                    Pick::Vouch => ask::VOUCH.es,
                };
                let names = names.iter().enumerate().map(|(at, name)| format!(" {} {name}", at + 1));
                write!(f, "{title}:{}", names.collect::<String>())
            }
            Self::Sure(sure) => match sure.as_ref() {
                Sure::TakeOver(_, who) => f.write_str(&ask::TAKE_OVER.es.replace("{quien}", who)),
                Sure::Swap(_) => f.write_str(ask::SWAP.es),
                Sure::Quit(calls) => f.write_str(&ask::QUIT.es.replace("{n}", &calls.to_string())),
            },
        }
    }
}
