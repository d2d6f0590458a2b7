//! What a call gathers for its summary, and when one is written down: as it ends, and as it changes hands.
use super::turn::{Occasion, Phase, Running};
use super::{Call, Output};
use crate::capture::{self, Captured, Telephone};
use crate::channel::Profile;
use crate::event::{Kind, News};
use crate::generation::Grounding;
use crate::ids::{AgentId, TurnId};
use crate::mask::{mask, mask_piece};
use crate::patient::{Cause, Outage};
use crate::red_flag::RedFlag;
use crate::script::{Script, Step, tells_reason};
use crate::settings;
use crate::suggestion::{Label, State};
use crate::summary::{self, Assignment, By, Callback, Given, Note, Of, Record};
use crate::transcript::{Speaker, Turn};
use crate::wording::asks;
use crate::words::count_words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;

/// Answers that are kept, the newest.
const GIVEN: usize = 64;
/// Characters that are kept of a question, and of its answer.
const LENGTHS: (usize, usize) = (300, 1200);
/// Words of a question at least: `¿Hola?` asks for nothing.
const ASKS: usize = 4;

/// What a call knows for its summary alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Notes {
    /// Answers, and questions that had none.
    given: Vec<Given>,
    callbacks: Vec<Callback>,
    /// Why the patients' system gave no answer, when it was last asked.
    outage: Option<Cause>,
    /// The operator who knows the call as it stands.
    informed: Option<AgentId>,
}

impl Notes {
    /// A question that is asked again, as its answer was cut short, is told once.
    pub(super) fn add(&mut self, given: Given) {
        let again = |last: &mut Given| {
            last.question == given.question && (last.unanswered || given.text.starts_with(&last.text))
        };
        drop(self.given.pop_if(again));
        self.given.push(given);
        let over = self.given.len().saturating_sub(GIVEN);
        self.given.drain(..over);
    }

    /// A call back is on the desk.
    pub(super) fn called_back(&mut self, reason: &str, question: Option<&str>) {
        let question = question.map(|question| cut(question, LENGTHS.0));
        self.callbacks.push(Callback { reason: reason.to_owned(), question });
    }

    /// The patients' system answered or didn't, or another document's owner is asked for. One that isn't there
    /// by choice fails nobody.
    pub(super) fn looked_up(&mut self, outage: Option<Outage>) {
        self.outage = outage.map(|outage| outage.cause).filter(|cause| *cause != Cause::Disabled);
    }
}

impl Call {
    /// Notes how the running turn ends: with what was said in it, or in failure.
    pub(super) fn note(&mut self, failed: bool) {
        let Some(turn) = &self.running else { return };
        if turn.reply.is_none() && !failed {
            let card = self.copilot.deck.card(turn.id);
            if card.is_none_or(|card| card.state() != State::Done) {
                return; // it repeats one that stands
            }
        }
        let spoken = turn.reply.is_some();
        let Some(given) =
            given(turn, failed, self.spec.profile, |text| tells_reason(text, self.spec.catalogue))
        else {
            return;
        };
        self.notes.add(given);
        if spoken && self.agent.is_none() {
            self.notes.informed = None; // nobody heard it
        }
    }

    /// The peer is gone while an answer was under way.
    pub(super) fn note_cut(&mut self) {
        if let Some(turn) = self.running.as_ref().filter(|turn| turn.reply.is_some()) {
            self.note(turn.said.is_empty());
        }
    }

    /// The notes as a rebuilt call knows them: an answer under way is none.
    pub(super) fn noted(&self) -> Notes {
        let mut notes = self.notes.clone();
        let cut = self.running.as_ref().filter(|turn| turn.reply.is_some() && turn.said.is_empty());
        let cut = cut.and_then(|turn| given(turn, true, self.spec.profile, |_| true));
        cut.into_iter().for_each(|given| notes.add(given));
        notes
    }

    /// An operator has the call from now on: told what went before, unless it is known.
    pub(super) fn hand_to(&mut self, agent: &AgentId) {
        let known = self.notes.informed.replace(agent.clone());
        if known.as_ref() != Some(agent) && (self.spec.profile.bot || known.is_some()) {
            self.write_down(Of::HandOver);
        }
    }

    /// Writes the call down, as it is over or changes hands, unless the patient said nothing in it; answers what it
    /// was written from.
    pub(super) fn write_down(&mut self, of: Of) -> Option<Record> {
        let spoke = |line: &Turn| line.speaker == Speaker::Patient && !line.text.is_empty();
        let heard = self.transcript.iter().any(spoke);
        if !heard && self.notes.given.is_empty() && self.notes.callbacks.is_empty() {
            return None;
        }
        let record = self.as_record();
        let summary = match of {
            Of::After => summary::summary(&record),
            Of::HandOver => summary::hand_over(&record),
        };
        let note = Note { of, by: By::Rule, summary };
        self.record_in(TurnId(0), Kind::CallSummarised, json!(note));
        self.tell(News::Summary(Box::new(note)));
        Some(record)
    }

    /// The call is over: a model words its summary too, where the channel wants it.
    pub(super) fn assign(&mut self, record: Record) {
        let source = self.spec.profile.channel;
        if self.settings.flag(&settings::SUMMARY_BY_MODEL, source) {
            let (call, agent, request) =
                (self.spec.id.clone(), self.agent.clone(), summary::request(&record));
            let assignment = Assignment { call, source, agent, request, record };
            self.outbox.push_back(Output::Summarise(Box::new(assignment)));
        }
    }

    fn as_record(&self) -> Record {
        let (captured, step) = self.taken_down();
        let telephone = captured.telephone().cloned();
        let discreet = |text: &str| without_telephone(text, telephone.as_ref());
        let settled = self.talk().filter(|line| line.place.is_none_or(|place| !place.partial));
        let lines = settled.map(|line| Turn { text: discreet(&line.text), ..line }).collect();
        let given = self.notes.given.iter().map(|given| Given {
            question: discreet(&given.question),
            text: discreet(&given.text),
            ..given.clone()
        });
        let flags: BTreeSet<RedFlag> = self.alerted.iter().map(|(_, flag)| *flag).collect();
        Record {
            lines,
            given: given.collect(),
            rows: self.evidence.ever(),
            lessons: self.evidence.lessons.clone(),
            callbacks: self.notes.callbacks.clone(),
            identity: Label::of(self.identity()),
            outage: self.notes.outage,
            captured,
            flags: flags.into_iter().collect(),
            step,
            bot: self.spec.profile.bot,
            catalogue: self.spec.catalogue,
        }
    }

    /// What was taken down, and the open step. Nobody watches a bot's talk for them: it is read now.
    fn taken_down(&self) -> (Captured, Step) {
        if self.spec.profile.suggests {
            return (self.copilot.captured.clone(), self.copilot.script.open());
        }
        let (mut captured, mut script) = (Captured::default(), Script::default());
        for line in self.talk() {
            let step = script.open();
            script.heard(&line, self.spec.catalogue);
            if line.speaker == Speaker::Patient {
                captured.take(&capture::read(&line.text, false, step, self.spec.catalogue));
            }
        }
        (captured, script.open())
    }
}

/// What a turn gave: nothing where it was a nudge, a goodbye, or nothing was understood.
fn given(turn: &Running, failed: bool, profile: &Profile, tells: impl Fn(&str) -> bool) -> Option<Given> {
    if turn.occasion != Occasion::Question || turn.question.trim().is_empty() {
        return None;
    }
    let row = match &turn.grounding {
        Grounding::Rows(rows) => rows.first(),
        _ => None,
    };
    Some(Given {
        question: cut(&turn.question, LENGTHS.0),
        text: cut(&turn.said, LENGTHS.1),
        hit: row.is_some(),
        source: row.map(|row| row.source.clone()),
        section: row.map(|row| row.section.clone()),
        unanswered: failed || is_open(turn, profile, tells),
    })
}

/// Whether a turn that ended well leaves its question open: something was kept back, the holding sentence or
/// 'which equipment?' said; or nothing was found for what was asked, and nothing that a row holds was said.
fn is_open(turn: &Running, profile: &Profile, tells: impl Fn(&str) -> bool) -> bool {
    let asked = || (asks(&turn.question) && count_words(&turn.question) >= ASKS) || tells(&turn.question);
    let held = || [profile.holding, profile.holding_again].iter().any(|text| turn.said.contains(text));
    let nothing = turn.phase == Phase::Generating && turn.grounding == Grounding::Nothing && !turn.technical;
    turn.replaced || turn.grounding == Grounding::AskEquipment || held() || (nothing && asked())
}

/// Up to so many characters, at the end of a word.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => {
            let end = text[..at].rfind(char::is_whitespace).unwrap_or(at);
            text[..end].to_owned()
        }
    }
}

/// A text without documents, and without the digits of the telephone that was taken down, however few.
fn without_telephone(text: &str, telephone: Option<&Telephone>) -> String {
    match telephone {
        Some(telephone) if Telephone::said_in(text).as_ref() == Some(telephone) => mask_piece(text),
        _ => mask(text).into_owned(),
    }
}
