//! What is written down of a call: after it, and when it changes hands. By rule, from plain values of its journal.
//!
//! Nothing technical is told that the rows don't hold (S2): answers left through the gate and are quoted as they
//! were given, with their row; the patient's own words pass the same gate before they are quoted.
mod model;
mod note;
mod text;

pub use model::{accept, request};
pub use note::{Assignment, By, Note, Of};

use crate::capture::{Captured, Field};
use crate::mask::mask;
use crate::red_flag::RedFlag;
use crate::retrieval::Chunk;
use crate::script::Step;
use crate::sentence::Sentences;
use crate::suggestion::Label;
use crate::support::Support;
use crate::transcript::{Speaker, Turn};
use crate::{equipment::Catalogue, patient::Cause};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An answer that was given or suggested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Given {
    /// The patient's words that it answers.
    pub question: String,
    /// What was released.
    pub text: String,
    /// Whether a row was injected.
    pub hit: bool,
    /// Its manual.
    pub source: Option<String>,
    /// Its section.
    pub section: Option<String>,
    /// Whether the turn ended in failure, or in the sentence that holds the call.
    pub unanswered: bool,
}

/// A call back that is on the desk (S3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// Why, as the event has it: `holding`, `broken`, a red flag.
    pub reason: String,
    /// The question that waits, masked.
    pub question: Option<String>,
}

/// What is known of a call, with nothing borrowed from it: it may be told once the call is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The talk in the order in which it was spoken.
    pub lines: Vec<Turn>,
    /// Answers and suggestions, in order.
    pub given: Vec<Given>,
    /// Rows that were injected in the call: what technical words may rest on.
    pub rows: Vec<Chunk>,
    /// Supervisors' lessons that were injected, which count as rows do.
    pub lessons: Vec<String>,
    /// Call backs that are pending.
    pub callbacks: Vec<Callback>,
    /// How far the caller's identity came.
    pub identity: Label,
    /// Why the patients' system gave no answer, where it gave none (DECISIONS 21).
    pub outage: Option<Cause>,
    /// What was taken down.
    pub captured: Captured,
    /// Dangers that were heard.
    pub flags: Vec<RedFlag>,
    /// The step that was open at the end.
    pub step: Step,
    /// Whether a bot had the call.
    pub bot: bool,
    /// Models, codes and manuals.
    pub catalogue: &'static Catalogue,
}

/// What was answered, and from which row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// What was asked.
    pub question: String,
    /// What was said or suggested.
    pub text: String,
    /// The manual; none where the answer rests on no row.
    pub source: Option<String>,
    /// Its section.
    pub section: Option<String>,
}

/// Something that is still to be done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "what", content = "about")]
pub enum Open {
    /// An emergency was heard: somebody should make sure.
    Emergency,
    /// The caller is to be called back, and why.
    Callback(String),
    /// A question without an answer.
    Question(String),
    /// The identity is not confirmed.
    Identity,
    /// A datum is in doubt.
    Datum(Field),
    /// The talk ended before its closing.
    Unfinished(Step),
}

/// A call in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// What was asked, each once, in the patient's words.
    pub asked: Vec<String>,
    /// What was answered.
    pub answered: Vec<Answered>,
    /// What is open, the gravest first.
    pub open: Vec<Open>,
    /// How far the identity came.
    pub identity: Label,
    /// The reason, as it was taken down.
    pub reason: Option<String>,
    /// Equipment that the patient named.
    pub equipment: Vec<String>,
    /// Codes that the patient named.
    pub codes: Vec<String>,
    /// The whole in Spanish, ready to be read and edited.
    pub text: String,
}

/// Questions that a summary tells, the newest.
const MOST: usize = 8;
/// Characters of a question.
const QUOTE: usize = 200;

/// The summary for the record, at the end of a call.
pub fn summary(record: &Record) -> Summary {
    let mut summary = facts(record);
    summary.text = text::after(&summary, record);
    summary
}

/// The note for whoever takes the call over, while it goes on.
pub fn hand_over(record: &Record) -> Summary {
    let mut summary = facts(record);
    summary.open.retain(|open| !matches!(open, Open::Unfinished(_)));
    summary.text = text::during(&summary, record);
    summary
}

/// What may be told of a call, each sentence on its own merits.
struct Gate(Support);

impl Gate {
    fn of(record: &Record) -> Self {
        let patient = record.lines.iter().filter(|line| line.speaker == Speaker::Patient);
        let heard: Vec<&str> = patient.map(|line| line.text.as_str()).collect();
        let named = heard.iter().flat_map(|line| record.catalogue.normalise(line).models);
        let said: BTreeSet<_> = named.collect();
        let lessons: Vec<&str> = record.lessons.iter().map(String::as_str).collect();
        // No question: every row of the call counts, not only those of the last code.
        Self(Support::new(&record.rows, &lessons, &heard, "", &said, record.catalogue))
    }

    /// The sentences that may be told, masked; empty where there are none.
    fn pass(&self, text: &str) -> String {
        let mut cutter = Sentences::default();
        let mut sentences = cutter.push(text.trim());
        sentences.extend(cutter.flush());
        let told = sentences.iter().filter(|sentence| self.0.check(sentence).may_leave());
        mask(&told.map(String::as_str).collect::<Vec<_>>().join(" ")).into_owned()
    }

    /// The same, short.
    fn quote(&self, text: &str) -> String {
        let told = self.pass(text);
        if told.chars().count() <= QUOTE { told } else { told.chars().take(QUOTE).chain(['…']).collect() }
    }
}

fn facts(record: &Record) -> Summary {
    let gate = Gate::of(record);
    let mut asked: Vec<String> = Vec::new();
    for question in record.given.iter().map(|given| gate.quote(&given.question)) {
        if !question.is_empty() && !asked.contains(&question) {
            asked.push(question);
        }
    }
    let over = asked.len().saturating_sub(MOST);
    asked.drain(..over);
    let answered = record.given.iter().filter(|given| !given.unanswered).map(|given| Answered {
        question: gate.quote(&given.question),
        text: gate.pass(&given.text),
        source: given.source.clone().filter(|_| given.hit),
        section: given.section.clone().filter(|_| given.hit),
    });
    let answered: Vec<Answered> = answered.filter(|answered| !answered.text.is_empty()).collect();
    let values = |field| record.captured.values(field).map(|datum| datum.value().to_owned()).collect();
    let reason: Vec<String> = values(Field::Reason);
    Summary {
        asked,
        answered,
        open: open(record, &gate),
        identity: record.identity,
        reason: reason.first().map(|reason| gate.quote(reason)).filter(|reason| !reason.is_empty()),
        equipment: values(Field::Equipment),
        codes: values(Field::Code),
        text: String::new(),
    }
}

fn open(record: &Record, gate: &Gate) -> Vec<Open> {
    let mut open = BTreeSet::new();
    if !record.flags.is_empty() {
        open.insert(Open::Emergency);
    }
    open.extend(record.callbacks.iter().map(|callback| Open::Callback(callback.reason.clone())));
    // A question that was answered later isn't open.
    for (at, given) in record.given.iter().enumerate().filter(|(_, given)| given.unanswered) {
        let later =
            record.given[at + 1..].iter().any(|other| !other.unanswered && other.question == given.question);
        if !later {
            open.insert(Open::Question(gate.quote(&given.question)));
        }
    }
    if record.identity != Label::Confirmed {
        open.insert(Open::Identity);
    }
    let fields = [Field::Name, Field::Reason, Field::Equipment, Field::Code, Field::Telephone];
    open.extend(fields.into_iter().filter(|field| record.captured.in_doubt(*field)).map(Open::Datum));
    if record.step != Step::Closing {
        open.insert(Open::Unfinished(record.step));
    }
    open.into_iter().collect()
}
