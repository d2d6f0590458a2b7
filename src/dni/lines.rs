//! A document dictated over several lines, with the other speaker's words between them.

use super::cue::{Cue, cue, is_bare};
use super::judge::{Found, is_bare_around};
use super::words::{Role, Word, words};
use super::{Action, Extraction, find, run};
use crate::ids::Dni;
use crate::transcript::{Speaker, Turn};

/// Lines of a dictation that are kept, the newest.
const PIECES: usize = 10;

/// Lines of the speaker after which a question for the document counts as passed over.
const PATIENCE: u8 = 3;

/// Words of an aside (`un momento que lo anoto`) that doesn't end a dictation.
const ASIDE: usize = 6;

/// One speaker's document, line by line. Its `Debug` shows no line.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictation {
    speaker: Speaker,
    pieces: Vec<String>,
    asked: u8,
    /// The other speaker wants to hear it again.
    again: bool,
}

impl std::fmt::Debug for Dictation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dictation")
            .field("speaker", &self.speaker)
            .field("pieces", &self.pieces.len())
            .finish()
    }
}

impl Dictation {
    /// Listens for what `speaker` dictates.
    pub fn of(speaker: Speaker) -> Self {
        Self { speaker, pieces: Vec::new(), asked: 0, again: false }
    }

    /// Takes one line in, of either speaker, and says what the dictation amounts to with it. A number that
    /// stops at `mil` or `millones` is asked for, not used: the rest may be in the next line.
    pub fn hear(&mut self, line: &Turn) -> Extraction {
        let said = words(&line.text);
        if line.speaker != self.speaker {
            self.other(&said, &line.text);
            return Extraction::default();
        }
        let runs = run::runs(&said);
        let bare = is_bare_around(&said, &runs);
        if runs.is_empty() {
            self.without_number(&line.text, &said, bare);
            return Extraction::default();
        }
        let asked = self.asked > 0;
        let mut found = if bare && !self.pieces.is_empty() {
            self.pieces.push(line.text.clone());
            joined(&self.pieces, asked)
        } else {
            let alone = find(&line.text, asked);
            self.pieces.clear();
            if bare || alone.extraction.action != Action::Ignore {
                self.pieces.push(line.text.clone());
            }
            alone
        };
        if self.pieces.len() > PIECES {
            self.pieces.remove(0);
        }
        hold_open(&mut found);
        if found.extraction.to_use().is_some() {
            found.extraction.corrects |= self.again;
            (self.asked, self.again) = (0, false);
        }
        found.extraction
    }

    /// A line without a number: a correction waits for its digits, other words end the dictation.
    fn without_number(&mut self, text: &str, said: &[Word<'_>], bare: bool) {
        let fixes =
            said.iter().any(|word| matches!(word.role, Role::Fix | Role::Again | Role::Reverse | Role::Tail));
        if bare && fixes && !self.pieces.is_empty() {
            self.pieces.push(text.to_owned());
        } else if !bare && said.len() > ASIDE {
            self.pieces.clear();
        }
        self.asked = self.asked.saturating_sub(1);
    }

    fn other(&mut self, said: &[Word<'_>], text: &str) {
        let asks = said.iter().any(|word| cue(&word.key) == Some(Cue::Document));
        let repeats = said.iter().any(|word| {
            matches!(
                word.key.as_str(),
                "repita" | "repetir" | "repite" | "repetis" | "nuevo" | "completo" | "entero"
            )
        });
        let number = said.iter().any(Word::is_number);
        let echo = number
            && said.iter().all(|word| word.is_number() || word.role != Role::Other || is_bare(&word.key));
        let refuses = said.first().is_some_and(|word| word.key.as_str() == "no");
        let aside = echo
            || (!text.contains('?') && !number && said.len() <= ASIDE)
            || said.iter().all(|word| is_bare(&word.key));
        if repeats && !echo {
            self.again |= !self.pieces.is_empty();
            (self.asked, self.pieces) = (PATIENCE, Vec::new());
        } else if asks && !number {
            (self.asked, self.pieces) = (PATIENCE, Vec::new());
        } else if !aside || refuses {
            (self.asked, self.again, self.pieces) = (0, false, Vec::new());
        }
    }
}

/// What the lines amount to together: every stretch of them that ends in the newest is tried, as the speaker
/// may have begun anew in any.
fn joined(pieces: &[String], asked: bool) -> Found {
    let ways: Vec<Found> = (0..pieces.len()).map(|from| find(&pieces[from..].join(", "), asked)).collect();
    let mut whole: Vec<Dni> = Vec::new();
    for dni in ways.iter().filter_map(|way| way.extraction.to_use()) {
        if !whole.contains(&dni) {
            whole.push(dni);
        }
    }
    if let [_, _, ..] = whole[..] {
        let extraction = Extraction { action: Action::AskAgain, candidates: whole, ..Extraction::default() };
        return Found { extraction, ..Found::default() };
    }
    let used = ways.iter().position(|way| way.extraction.to_use().is_some());
    let told = |way: &Found| !way.extraction.may_be().is_empty();
    let asks = |way: &Found| way.extraction.action == Action::AskAgain;
    let best = used.or_else(|| ways.iter().position(told)).or_else(|| ways.iter().position(asks));
    best.map(|at| ways[at].clone()).unwrap_or_default()
}

fn hold_open(found: &mut Found) {
    if found.open
        && let Some(dni) = found.extraction.to_use()
    {
        found.extraction.action = Action::AskAgain;
        (found.extraction.dni, found.extraction.candidates) = (None, vec![dni]);
    }
}
