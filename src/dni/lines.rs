//! A document dictated over several lines, with the other speaker's words between them.

use super::cue::{Cue, cue, is_bare};
use super::groups::Reading;
use super::judge::{Found, is_bare_around};
use super::words::{Role, Word, words};
use super::{Action, Asked, Extraction, find, run};
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
    asked: Asked,
    /// Lines for which the question still stands.
    patience: u8,
    /// What the pieces amounted to so far.
    given: Option<Dni>,
    /// The other speaker wants to hear it again.
    again: bool,
    unfinished: bool,
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
        Self {
            speaker,
            pieces: Vec::new(),
            asked: Asked::Nothing,
            patience: 0,
            given: None,
            again: false,
            unfinished: false,
        }
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
        let alone = find(&line.text, self.asked);
        let whole = alone.extraction.to_use().is_some();
        let mut found = if bare && !self.pieces.is_empty() {
            self.pieces.push(line.text.clone());
            joined(&self.pieces, self.asked)
        } else {
            self.forget();
            if bare || alone.extraction.action != Action::Ignore {
                self.pieces.push(line.text.clone());
            }
            alone
        };
        if self.pieces.len() > PIECES {
            self.pieces.remove(0);
        }
        let nothing = found.extraction.may_be().is_empty() && !found.extraction.corrects;
        self.unfinished = found.open || (found.extraction.action == Action::AskAgain && nothing);
        hold_open(&mut found);
        if let Some(dni) = found.extraction.to_use() {
            // What went on is what it was to be from the start.
            found.extraction.corrects |=
                self.again || (!whole && self.given.is_some_and(|given| given != dni));
            (self.given, self.again) = (Some(dni), false);
        }
        found.extraction
    }

    /// Whether the speaker's last number may be the beginning of one: ask for it only when they stop.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// A line without a number: a correction waits for its digits, other words end the dictation.
    fn without_number(&mut self, text: &str, said: &[Word<'_>], bare: bool) {
        let fixes =
            said.iter().any(|word| matches!(word.role, Role::Fix | Role::Again | Role::Reverse | Role::Tail));
        if bare && fixes && !self.pieces.is_empty() {
            self.pieces.push(text.to_owned());
        } else if !bare && (said.len() > ASIDE || text.contains('?')) {
            self.forget();
        }
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            self.asked = Asked::Nothing;
        }
    }

    fn forget(&mut self) {
        self.pieces.clear();
        self.given = None;
    }

    fn expect(&mut self, asked: Asked) {
        (self.asked, self.patience) = (asked, PATIENCE);
        self.forget();
    }

    fn other(&mut self, said: &[Word<'_>], text: &str) {
        let cues: Vec<Cue> = said.iter().filter_map(|word| cue(&word.key)).collect();
        let asks = cues.contains(&Cue::Document);
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
            self.expect(Asked::Document);
        } else if asks && !number {
            self.expect(Asked::Document);
        } else if !aside || refuses {
            self.again = false;
            let other = text.contains('?') && !asks && !cues.is_empty();
            self.expect(if other { Asked::Else } else { Asked::Nothing });
        }
    }
}

/// Which of `lines` have a part of a document in them, by either speaker: dictated over several of them, read
/// back in pieces, or begun (S4).
pub(crate) fn dictated(lines: &[Turn]) -> Vec<bool> {
    let mut dictated = vec![false; lines.len()];
    for speaker in [Speaker::Patient, Speaker::Agent] {
        let (mut dictation, mut pieces) = (Dictation::of(speaker), Vec::new());
        for (at, line) in lines.iter().enumerate() {
            let found = dictation.hear(line);
            if line.speaker == speaker {
                pieces.push(at);
            }
            let kept = pieces.len().saturating_sub(dictation.pieces.len());
            pieces.drain(..kept);
            if found.action != Action::Ignore {
                pieces.iter().for_each(|piece| dictated[*piece] = true);
            }
        }
    }
    dictated
}

/// What the lines amount to together: every stretch of them that ends in the newest is tried, as the speaker
/// may have begun anew in any.
fn joined(pieces: &[String], asked: Asked) -> Found {
    let mut ways: Vec<Found> =
        (0..pieces.len()).map(|from| find(&pieces[from..].join(", "), asked)).collect();
    let mut whole: Vec<Dni> = Vec::new();
    for dni in ways.iter().filter_map(|way| way.extraction.to_use()) {
        if !whole.contains(&dni) {
            whole.push(dni);
        }
    }
    let alone = ways.last().is_some_and(|way| way.extraction.to_use().is_some());
    let anew = begun_anew(pieces);
    if (whole.len() > 1 && alone) || (!whole.is_empty() && !alone && anew) {
        let extraction = Extraction { action: Action::AskAgain, candidates: whole, ..Extraction::default() };
        return Found { extraction, ..Found::default() };
    }
    if anew {
        ways.reverse();
    }
    let used = ways.iter().position(|way| way.extraction.to_use().is_some());
    let told = |way: &Found| !way.extraction.may_be().is_empty();
    let asks = |way: &Found| way.extraction.action == Action::AskAgain;
    let best = used.or_else(|| ways.iter().position(told)).or_else(|| ways.iter().position(asks));
    best.map(|at| ways[at].clone()).unwrap_or_default()
}

/// Whether the number may have been begun again: a later line begins as the first did, or says the same as the
/// one before it.
fn begun_anew(pieces: &[String]) -> bool {
    let groups = |piece: &String| {
        let said = words(piece);
        let stretch = run::runs(&said).into_iter().next()?.stretches.into_iter().next()?;
        super::groups::readings(&stretch.parts).into_iter().next()
    };
    let groups: Vec<Reading> = pieces.iter().filter_map(groups).collect();
    let start = |reading: &Reading| {
        let single = reading.first()?.digits.len() == 1;
        Some(super::groups::joined(reading.get(..1 + usize::from(single))?))
    };
    let Some(first) = groups.first().and_then(start) else { return false };
    let repeated = |pair: &[Reading]| {
        let digits = [0, 1].map(|at| super::groups::joined(&pair[at]));
        digits[0].len() > 1 && digits[0] == digits[1]
    };
    groups[1..].iter().filter_map(start).any(|other| other == first) || groups.windows(2).any(repeated)
}

fn hold_open(found: &mut Found) {
    if found.open
        && let Some(dni) = found.extraction.to_use()
    {
        found.extraction.action = Action::AskAgain;
        (found.extraction.dni, found.extraction.candidates) = (None, vec![dni]);
    }
}
