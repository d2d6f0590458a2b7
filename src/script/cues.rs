//! What in a line belongs to a step of the script: phrases from a list, codes, models and documents by their own readers.
use super::Step;
use crate::call::is_farewell;
use crate::dni::{Action, extract};
use crate::equipment::Catalogue;
use crate::transcript::{Speaker, Turn};
use crate::wording::{Said, Wordings, asks};
use serde::Deserialize;
use std::sync::LazyLock;

/// How something is said, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Manner {
    /// In passing.
    Mention,
    /// The operator says what is to be done, or takes leave.
    Tell,
    /// The patient opens another topic.
    New,
    /// The operator asks.
    Ask,
}

impl Manner {
    /// Whether the talk may go back by it.
    pub(super) fn returns(self) -> bool {
        matches!(self, Self::New | Self::Ask)
    }
}

/// What a line says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cue {
    pub step: Step,
    pub manner: Manner,
    /// Whether what the step asks for is told by it.
    pub tells: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    cue: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    step: Step,
    by: Speaker,
    r#as: Manner,
    say: Vec<String>,
}

struct List(Vec<(Step, Speaker, Manner, Wordings)>);

fn list() -> &'static List {
    static LIST: LazyLock<List> = LazyLock::new(|| {
        let source: Source = toml::from_str(include_str!("cues.toml")).unwrap_or_else(|error| {
            // Every test of this room reads it; a build whose own data is broken must not start.
            unreachable!("src/script/cues.toml: {error}")
        });
        let read = |entry: Entry| {
            (entry.step, entry.by, entry.r#as, Wordings::of(entry.say.iter().map(String::as_str)))
        };
        List(source.cue.into_iter().map(read).collect())
    });
    &LIST
}

/// All that a line says of steps.
pub(super) fn read(line: &Turn, catalogue: &Catalogue) -> Vec<Cue> {
    let said = Said::of(&line.text);
    let asked = asks(&line.text);
    let fits = |(step, by, manner, say): &(Step, Speaker, Manner, Wordings)| {
        let right = *by == line.speaker && (*manner != Manner::Ask || asked) && say.found_in(&said);
        let tells = matches!((step, manner), (Step::Greeting, _) | (Step::Reason, Manner::Mention));
        right.then_some(Cue { step: *step, manner: *manner, tells })
    };
    let mut cues: Vec<Cue> = list().0.iter().filter_map(fits).collect();
    if line.speaker == Speaker::Patient {
        cues.extend(told(&line.text, catalogue));
    }
    cues
}

/// What a patient's line tells by more than its wording.
fn told(text: &str, catalogue: &Catalogue) -> impl Iterator<Item = Cue> {
    let read = catalogue.normalise(text);
    let model = !(read.models.is_empty() && read.others.is_empty());
    let trouble = !(read.codes.is_empty() && read.text_codes.is_empty());
    let document = extract(text).action == Action::Use;
    let cue = |there: bool, step, tells| there.then_some(Cue { step, manner: Manner::Mention, tells });
    [
        cue(document, Step::Identification, true),
        cue(trouble || crate::equipment::mentions_alarm(&read.text), Step::Reason, true),
        cue(model, Step::Equipment, true),
        cue(is_farewell(text), Step::Closing, false),
    ]
    .into_iter()
    .flatten()
}
