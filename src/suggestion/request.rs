//! What the copilot asked for itself, read from its own words, and whether the patient has said it since (E8).
use crate::dni::Dictation;
use crate::equipment::Catalogue;
use crate::mask::contains_long_number;
use crate::sentence::Sentences;
use crate::transcript::{Speaker, Turn};
use crate::wording::{Said, Wordings, asks};
use crate::words::count_words;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// The document.
    Document,
    /// The telephone for a call back.
    Telephone,
    /// What the display shows: a code, a light, a message.
    Code,
    /// Which equipment it is.
    Model,
    /// Who is speaking, or of whom.
    Name,
    /// What the call is about.
    Reason,
    /// A yes or a no.
    Confirmation,
}

/// Where the copilot's own last request stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Its last suggestions asked for nothing.
    #[default]
    Nothing,
    /// Nobody has said it.
    Open(Wanted),
    /// It has appeared.
    Answered(Wanted),
}

/// A request of the copilot's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    wanted: Wanted,
    answered: bool,
    /// A document may be dictated over several lines.
    dictation: Dictation,
}

/// Words of a reason; fewer are an evasion.
const REASON: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    asks: Vec<Entry>,
    answers: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    wanted: Wanted,
    say: Vec<String>,
}

struct Lists {
    asks: Vec<(Wanted, Wordings)>,
    answers: Vec<(Wanted, Wordings)>,
}

fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| {
        let source: Source = toml::from_str(include_str!("requests.toml")).unwrap_or_else(|error| {
            // Every test of this room reads it; a build whose own data is broken must not start.
            unreachable!("src/suggestion/requests.toml: {error}")
        });
        let read = |entries: Vec<Entry>| {
            let words = |entry: Entry| (entry.wanted, Wordings::of(entry.say.iter().map(String::as_str)));
            entries.into_iter().map(words).collect()
        };
        Lists { asks: read(source.asks), answers: read(source.answers) }
    });
    &LISTS
}

impl Request {
    /// What a suggestion asks for: the last of its sentences that asks for something known. `None` where it
    /// asks for nothing, or for something that can't be told from an evasion.
    pub fn of(suggestion: &str) -> Option<Self> {
        let mut cutter = Sentences::default();
        let mut sentences = cutter.push(suggestion);
        sentences.extend(cutter.flush());
        let wanted = sentences.iter().rev().filter(|sentence| asks(sentence)).find_map(|sentence| {
            let said = Said::of(sentence);
            lists().asks.iter().find(|(_, words)| words.found_in(&said)).map(|(wanted, _)| *wanted)
        })?;
        Some(Self { wanted, answered: false, dictation: Dictation::of(Speaker::Patient) })
    }

    /// What it asks for.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        if self.answered { Standing::Answered(self.wanted) } else { Standing::Open(self.wanted) }
    }

    /// Takes in a final line of either side; whether what was asked for has appeared with it.
    pub fn heard(&mut self, line: &Turn, catalogue: &Catalogue) -> bool {
        let dictated = self.dictation.hear(line).to_use().is_some();
        if self.answered || line.speaker != Speaker::Patient || line.text.is_empty() {
            return false;
        }
        self.answered = appeared(self.wanted, &line.text, dictated, catalogue);
        self.answered
    }

    /// It is known by other ways, e.g. the operator typed it.
    pub fn settle(&mut self, wanted: Wanted) -> bool {
        let now = !self.answered && self.wanted == wanted;
        self.answered |= now;
        now
    }
}

fn appeared(wanted: Wanted, text: &str, dictated: bool, catalogue: &Catalogue) -> bool {
    let said = Said::of(text);
    let by_words =
        || lists().answers.iter().any(|(answer, words)| *answer == wanted && words.found_in(&said));
    match wanted {
        Wanted::Document => dictated,
        Wanted::Telephone => contains_long_number(text) || by_words(),
        Wanted::Model => {
            let read = catalogue.normalise(text);
            !(read.models.is_empty() && read.others.is_empty())
        }
        Wanted::Code => {
            let read = catalogue.normalise(text);
            let named = !(read.codes.is_empty() && read.text_codes.is_empty());
            named || crate::equipment::mentions_alarm(&read.text) || by_words()
        }
        Wanted::Reason => count_words(text) >= REASON,
        Wanted::Name | Wanted::Confirmation => by_words(),
    }
}
