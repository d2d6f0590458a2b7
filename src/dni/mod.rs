//! Document numbers as people say and write them: found in what was said, or asked for again (R9, E13).
//!
//! [`extract`] reads one utterance, [`Dictation`] a number that is dictated over several lines,
//! [`parse_extraction`] a model's answer to the same question; [`merge`] puts them together (DECISIONS 22).
//! Whatever is found is still to be read back: a document has no check digit.

mod answer;
mod cardinal;
mod correct;
mod cue;
mod groups;
mod judge;
mod lines;
mod run;
mod sense;
mod words;

pub use answer::{Merged, merge, parse_extraction};
pub use lines::Dictation;
pub(crate) use lines::dictated;

use crate::ids::Dni;
use judge::{Found, Place, is_bare_around, judge};
use serde_json::{Value, json};

/// What to do about a document number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Take it. It is still to be read back.
    Use,
    /// Ask for it again: a digit is missing or too many, it was corrected in part, or it may be two numbers.
    AskAgain,
    /// No document was said.
    #[default]
    Ignore,
}

impl Action {
    /// The word for it in data.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::AskAgain => "ask_again",
            Self::Ignore => "ignore",
        }
    }
}

/// What was found of a document in an utterance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The number, where there is but one. With [`Action::AskAgain`] it isn't to be used yet.
    pub dni: Option<Dni>,
    /// What to do about it.
    pub action: Action,
    /// What it may be, where that is doubtful; without [`Extraction::dni`].
    pub candidates: Vec<Dni>,
    /// The speaker said that an earlier number was wrong: `no, es …`, `perdón`, `me equivoqué`.
    pub corrects: bool,
}

impl Extraction {
    /// The number to use.
    pub fn to_use(&self) -> Option<Dni> {
        self.dni.filter(|_| self.action == Action::Use)
    }

    /// All numbers that it may be.
    pub fn may_be(&self) -> Vec<Dni> {
        self.dni.iter().chain(&self.candidates).copied().collect()
    }

    /// One line of JSON: `id` where there is one, `dni` (digits or null), `action`, `candidates`. It holds
    /// digits: for the person who asked, never for a log (S4).
    pub fn json_line(&self, id: Option<&str>) -> String {
        let digits = |dni: Dni| Value::String(dni.digits());
        let candidates: Vec<Value> = self.candidates.iter().map(|dni| digits(*dni)).collect();
        let mut line = json!({
            "dni": self.dni.map(digits), "action": self.action.as_str(), "candidates": candidates
        });
        if let (Some(id), Some(fields)) = (id, line.as_object_mut()) {
            fields.insert("id".to_owned(), json!(id));
        }
        line.to_string()
    }
}

/// What one utterance says of a document, by itself.
pub fn extract(text: &str) -> Extraction {
    find(text, Asked::Nothing).extraction
}

/// What the other speaker has just asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Asked {
    /// Nothing that a number would answer.
    #[default]
    Nothing,
    /// The document.
    Document,
    /// A telephone, a date, what the display shows.
    Else,
}

/// What a correction of a part (`no, termina en 789`) makes of a number that was read back.
pub(crate) fn splice(read: Dni, text: &str) -> Vec<Dni> {
    let words = words::words(text);
    let runs = run::runs(&words);
    let stretches = runs.iter().flat_map(|run| &run.stretches);
    let digits = |stretch: &run::Stretch| groups::first_digits(&stretch.parts);
    stretches
        .map(|stretch| correct::splice(&read.digits(), &digits(stretch), stretch.mark.tail))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The same, by what was asked.
fn find(text: &str, asked: Asked) -> Found {
    let words = words::words(text);
    let runs = run::runs(&words);
    let found = judged(&words, &runs, asked);
    together(found.into_iter().filter(|found| found.extraction.action != Action::Ignore).collect())
}

fn judged(words: &[words::Word<'_>], runs: &[run::Run], asked: Asked) -> Vec<Found> {
    let bare = is_bare_around(words, runs);
    let mut found = Vec::with_capacity(runs.len());
    let strong = words.iter().position(|word| word.is_strong()).unwrap_or(words.len());
    for (at, run) in runs.iter().enumerate() {
        let from = if at == 0 { 0 } else { runs[at - 1].last + 1 };
        let to = runs.get(at + 1).map_or(words.len(), |next| next.first);
        found.push(judge(&Place { words, run, from, to, asked, bare, apologised: strong < run.first }));
    }
    found
}

/// Where in `text` something may be a document, in bytes, and which it may be: for the mask (S4).
pub(crate) fn spans(text: &str) -> Vec<(std::ops::Range<usize>, Vec<Dni>)> {
    if !words::may_hold(text) {
        return Vec::new();
    }
    let words = words::words(text);
    let runs = run::runs(&words);
    let found = judged(&words, &runs, Asked::Nothing);
    let spans = runs.iter().zip(found).map(|(run, found)| (place(&words, run), found.extraction.may_be()));
    spans.filter(|(_, may_be)| !may_be.is_empty()).collect()
}

/// Whether a text may hold a document, or a part of one.
pub(crate) fn may_hold(text: &str) -> bool {
    words::may_hold(text)
}

/// Whether a text holds a number, said or written.
pub(crate) fn has_number(text: &str) -> bool {
    words::words(text).iter().any(words::Word::is_number)
}

/// Where in `text` any number is, in bytes.
pub(crate) fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let words = words::words(text);
    run::runs(&words).iter().map(|run| place(&words, run)).collect()
}

fn place(words: &[words::Word<'_>], run: &run::Run) -> std::ops::Range<usize> {
    words[run.first].start..words[run.last].start + words[run.last].text.len()
}

/// One utterance's runs together: those that are said to be the document before the others, whole ones before
/// broken ones, a denied one not at all.
fn together(mut found: Vec<Found>) -> Found {
    if found.iter().any(|found| found.document) {
        found.retain(|found| found.document || found.corrected);
    }
    let denied = |found: &Found| found.denied;
    if found.iter().any(denied) && !found.iter().all(denied) {
        found.retain(|found| !denied(found));
        found.iter_mut().for_each(|found| found.extraction.corrects = true);
    }
    let mut whole: Vec<Dni> = found.iter().filter_map(|found| found.extraction.to_use()).collect();
    whole.dedup();
    let Some(last) = found.iter().rposition(|found| whole.is_empty() || found.extraction.to_use().is_some())
    else {
        return Found::default();
    };
    let mut last = found.swap_remove(last);
    let one = whole.len() <= 1 || last.corrected;
    if !one || last.denied {
        let (corrects, candidates) =
            (last.extraction.corrects, if one { last.extraction.may_be() } else { whole });
        last.extraction = Extraction { action: Action::AskAgain, candidates, corrects, dni: None };
    }
    last
}
