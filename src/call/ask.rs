//! From a question to a search: what a turn says, and what the call already knows.
use super::release::Grounds;
use super::turn::{Occasion, Phase, Running};
use super::{Call, Output, is_farewell};
use crate::equipment::{Model, codes_in};
use crate::event::Kind;
use crate::generation::Grounding;
use crate::ids::ReplyId;
use crate::retrieval::decide::Thresholds;
use crate::retrieval::plan::{self, Known, Plan, Step};
use crate::retrieval::reading::{self, Reading};
use crate::retrieval::report::{KnowledgeQueried, Rag};
use crate::sentence::Sentences;
use crate::settings;
use crate::transcript::{Speaker, Turn};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a search may take; the turn goes on without it [`LATE`] after that, answer or none.
pub(super) const RETRIEVAL: Duration = Duration::from_millis(1800);
/// How much later than its limit a search may say that it failed.
pub(super) const LATE: Duration = Duration::from_millis(200);
/// Patient turns for which a question waits for the equipment to be named.
const PENDING_TURNS: usize = 10;

/// What is answered, and to whom.
pub(super) struct Answering {
    /// The peer's number; none for a card.
    pub reply: Option<ReplyId>,
    pub occasion: Occasion,
    /// The turns before the one to answer.
    pub history: Vec<Turn>,
    /// The turn to answer.
    pub last: String,
}

impl Call {
    pub(super) fn asked(&mut self, reply: ReplyId, turns: Option<Vec<Turn>>, reminder: bool, now: Instant) {
        if self.reply.is_some_and(|newest| reply <= newest) {
            return; // an older question, or the same one again
        }
        self.reply = Some(reply);
        self.greeting = super::Greeting::Told;
        self.abandon();
        if let Some(turns) = turns {
            self.heard(turns);
        }
        self.freeze_extras();
        self.turn = self.turn.next();
        let danger = self.danger(reminder);
        let reminder = reminder && danger.is_none();
        let named = if reminder { BTreeSet::new() } else { self.hear_patient(now) };
        let query = self.query_text();
        let reading = reading::read(&query, self.spec.catalogue);
        let plan = self.plan(&reading, &named, now);
        let occasion = match (reminder, is_farewell(&query) && self.patient_spoke_last()) {
            (true, _) => Occasion::Reminder,
            (false, true) => Occasion::Farewell,
            (false, false) => Occasion::Question,
        };
        let mut history: Vec<Turn> = self.talk().collect();
        let last = history.pop().map(|last| last.for_prompt().to_owned()).unwrap_or_default();
        self.start(Answering { reply: Some(reply), occasion, history, last }, reading, plan, now);
        match danger {
            Some(flag) => self.alarm(flag, now),
            None if self.on_hold() => self.answer_on_hold(now),
            None => self.decide_step(now),
        }
        self.outbox.push_back(Output::Remember);
    }

    pub(super) fn start(&mut self, what: Answering, reading: Reading, plan: Plan, now: Instant) {
        let Answering { reply, occasion, history, last } = what;
        // Answering 'which equipment?', the question that waited is the one that is asked.
        let (question, codes) = match plan.step {
            Step::AnsweredAsk => (plan.search.text.clone(), codes_in(&plan.search.text)),
            Step::Search | Step::ShortTurn => (reading.text, reading.codes),
        };
        self.running = Some(Running {
            id: self.turn,
            reply,
            occasion,
            phase: Phase::Retrieving,
            question,
            codes,
            messages: reading.text_codes,
            plan,
            history,
            last,
            settings: Arc::clone(&self.settings),
            rag: Rag::default(),
            grounding: Grounding::Nothing,
            grounds: Grounds::default(),
            sentences: Sentences::default(),
            said: String::new(),
            replaced: false,
            technical: false,
            due: now + RETRIEVAL + LATE,
            patience: self.patience(now),
            asked_at: now,
            generated_at: None,
            first_delta_at: None,
            unconfirmed: self.is_unconfirmed(),
        });
    }

    /// The talk without Aura's own fillers, which the peer repeats as if they were answers.
    pub(super) fn talk(&self) -> impl DoubleEndedIterator<Item = Turn> {
        let filler = self.spec.profile.filler;
        self.in_order().into_iter().filter_map(move |(index, turn)| match filler {
            Some(filler) if turn.speaker == Speaker::Agent => without(turn, filler),
            _ => Some(self.without_pieces(index, turn)),
        })
    }

    /// Held, gated, nudged or searched: exactly one, and one `knowledge_queried` for it (R28).
    pub(super) fn decide_step(&mut self, now: Instant) {
        let Some(turn) = &self.running else { return };
        if turn.occasion == Occasion::Reminder {
            return self.without_search("reminder", now);
        }
        if !turn.settings.text(&settings::FIXED_CONTEXT, self.spec.profile.channel).is_empty() {
            return self.without_search("fixed_context", now);
        }
        let filter = turn.plan.search.filter.as_ref();
        if self
            .held
            .as_ref()
            .is_some_and(|held| held.released_by(&turn.named(), &turn.plan.equipment, filter))
        {
            self.held = None;
        }
        if self.held.is_some() {
            return self.with_held(now);
        }
        if turn.plan.step == Step::ShortTurn {
            return self.without_search("short_turn", now);
        }
        if turn.occasion == Occasion::Farewell {
            return self.without_search("farewell", now);
        }
        let (turn, search) = (turn.id, turn.plan.search.clone());
        self.outbox.push_back(Output::Retrieve { turn, search, within: RETRIEVAL });
    }

    fn without_search(&mut self, reason: &'static str, now: Instant) {
        self.record_unsearched(reason);
        self.generate(Vec::new(), Vec::new(), now);
    }

    fn with_held(&mut self, now: Instant) {
        let Some(held) = self.held.clone() else { return };
        let Some(turn) = &mut self.running else { return };
        let rows = held.rows_for(&turn.named());
        turn.rag = held.rag;
        turn.grounding = Grounding::Rows(rows.clone());
        self.record_unsearched("locked");
        self.generate(rows, held.lessons, now);
    }

    pub(super) fn record_unsearched(&mut self, reason: &'static str) {
        let Some(turn) = &self.running else { return };
        let scope = self.spec.profile.channel;
        let thresholds = Thresholds::resolve(&self.settings, self.spec.profile);
        let payload = KnowledgeQueried::unsearched(&turn.question, reason, scope, &thresholds, &turn.rag);
        self.record(Kind::KnowledgeQueried, json!(payload));
    }

    pub(super) fn plan(&mut self, reading: &Reading, named: &BTreeSet<Model>, now: Instant) -> Plan {
        let (profile, settings) = (self.spec.profile, &self.settings);
        let turns = settings.count(&settings::STICKY_TURNS, profile.channel);
        let minutes = settings.count(&settings::STICKY_MINUTES, profile.channel) as u64;
        let window = Duration::from_secs(60 * minutes);
        let sticky = if profile.sticky { self.sticky.active(turns, window, now) } else { BTreeSet::new() };
        plan::plan(
            reading,
            &Known {
                profile,
                settings,
                catalogue: self.spec.catalogue,
                on_file: &self.on_file,
                sticky: &sticky,
                named,
                earlier: &self.sticky.ever(),
                pending: self.pending.as_ref().map(|(question, _)| question.as_str()),
            },
        )
    }

    /// Reads what the patient said since the last question for the equipment it names. A line that is
    /// asked for again (it grew, or the peer redialled) names what it names, and is no further turn.
    fn hear_patient(&mut self, now: Instant) -> BTreeSet<Model> {
        self.hear_patient_in(&[], now)
    }

    /// The same, with these lines once more: a turn that was interrupted had read them.
    pub(super) fn hear_patient_in(&mut self, lines: &[usize], now: Instant) -> BTreeSet<Model> {
        let count = self.patient_lines().count();
        let new = count > self.read;
        let again = lines.iter().filter_map(|index| self.transcript.get(*index));
        let heard = self.unread().chain(again);
        let named = heard.flat_map(|line| reading::read(&line.text, self.spec.catalogue).named()).collect();
        self.sticky.hear(&named, new, now);
        if let Some((_, left)) = self.pending.as_mut().filter(|_| new) {
            *left = left.saturating_sub(1);
        }
        self.pending.take_if(|(_, left)| *left == 0);
        self.read = count;
        named
    }

    fn patient_lines(&self) -> impl Iterator<Item = &Turn> {
        self.transcript.iter().filter(|line| line.speaker == Speaker::Patient)
    }

    /// What the patient said since the last question, or the last line again: it may have grown.
    pub(super) fn unread(&self) -> impl Iterator<Item = &Turn> {
        let count = self.patient_lines().count();
        self.patient_lines().skip(self.read.min(count.saturating_sub(1)))
    }

    /// The last *patient's* turn (E6, DECISIONS 11); empty where none was understood.
    fn query_text(&self) -> String {
        let mut lines = self.transcript.iter().enumerate().rev();
        let last = lines.find(|(_, line)| line.speaker == Speaker::Patient);
        last.map(|(index, line)| self.without_pieces(index, line).text).unwrap_or_default()
    }

    pub(super) fn patient_spoke_last(&self) -> bool {
        self.talk().next_back().is_some_and(|line| line.speaker == Speaker::Patient)
    }

    pub(super) fn wait_for_equipment(&mut self, question: String) {
        self.pending = Some((question, PENDING_TURNS));
    }
}

/// An agent's line without this filler, or what a barge-in left of it; none if nothing else was said.
fn without(turn: &Turn, filler: &str) -> Option<Turn> {
    let heard = turn.text.trim_end_matches(['.', ',', '…', ' ']);
    if !heard.is_empty() && filler.starts_with(heard) {
        return None;
    }
    if !turn.text.contains(filler) {
        return Some(turn.clone());
    }
    Turn::heard(Speaker::Agent, &on_one_line(&turn.text.replace(filler, " ")))
}

pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
