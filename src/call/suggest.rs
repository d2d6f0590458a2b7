//! From the patient's pause to a card: whether to suggest, for which lines, and how the card grows (E8, E9, E10).
use super::ask::Answering;
use super::turn::{Answered, Occasion};
use super::{Call, Output, is_farewell};
use crate::event::{Kind, News};
use crate::generation::FailureKind;
use crate::ids::TurnId;
use crate::phrases::desk;
use crate::retrieval::reading::{self, Reading};
use crate::suggestion::{Cause, Decision, Label, Opening, Reason, Situation, decide, showable};
use crate::transcript::{Speaker, Turn};
use crate::words::count_words;
use serde_json::{Value, json};
use std::time::Instant;

impl Call {
    /// Time passed: the patient may have paused.
    pub(super) fn paused(&mut self, now: Instant) {
        if self.copilot.wait.ring(now).is_some() {
            self.consider(false, now);
        }
    }

    /// The operator wants a suggestion now. One that is being written is it.
    pub(super) fn suggestion_wanted(&mut self, now: Instant) {
        if self.spec.profile.suggests && self.copilot.deck.writing().is_none() {
            self.copilot.wait.settle();
            self.consider(true, now);
        }
    }

    /// Decides about what the patient said since the last decision, before anything is spent (E8).
    fn consider(&mut self, requested: bool, now: Instant) {
        let order = self.in_order();
        let lines: Vec<&Turn> = order.iter().map(|(_, line)| *line).collect();
        let profile = self.spec.profile;
        let situation = Situation {
            lines: &lines,
            unanswered: undecided(&lines, self.copilot.owed),
            claimed: self.agent.is_some(),
            mode: self.copilot.mode,
            requested,
            min_words: profile.min_words.resolve(&self.settings, profile.channel),
            own: self.copilot.deck.own_request(),
            answers_ask: false,
        };
        let turn = situation.turn();
        let names = |line: &Turn| !reading::read(&line.text, self.spec.catalogue).named().is_empty();
        let answers_ask = self.pending.is_some() && turn.iter().any(|(_, line)| names(line));
        let decision = decide(&Situation { answers_ask, ..situation });
        let turn: Vec<usize> = turn.into_iter().filter_map(|(at, _)| Some(order.get(at)?.0)).collect();
        match decision {
            Decision::Suggest(_) if turn.is_empty() => self.withhold(Reason::NothingSaid),
            Decision::Suggest(cause) => self.suggest(cause, &turn, now),
            Decision::Silent(reason) => self.withhold(reason),
            Decision::Alert(flag) => {
                self.emergency = Some(flag);
                self.copilot.owed = 0;
                if requested {
                    self.alert_again(flag, &turn);
                }
                self.outbox.push_back(Output::Remember);
            }
        }
    }

    fn withhold(&mut self, reason: Reason) {
        self.copilot.owed = 0;
        self.tell(News::Withheld { reason, cause: desk::silence(reason).es });
        self.record(Kind::SuggestionWithheld, json!({ "reason": reason }));
    }

    /// Begins the turn that answers these lines of the patient's, and its card.
    fn suggest(&mut self, cause: Cause, lines: &[usize], now: Instant) {
        self.abandon();
        self.freeze_extras();
        self.turn = self.turn.next();
        let named = self.hear_patient_in(lines, now);
        let own: Vec<Turn> = lines.iter().filter_map(|index| self.line_for_prompt(*index)).collect();
        let question = joined(&own);
        let (query, words) = self.query_of(lines, &own);
        let reading = Reading { words, ..reading::read(&query, self.spec.catalogue) };
        let plan = self.plan(&reading, &named, now);
        let farewell = is_farewell(&query) && self.patient_spoke_last();
        let occasion = if farewell { Occasion::Farewell } else { Occasion::Question };
        let before = self.in_order().into_iter().filter(|(index, _)| !lines.contains(index));
        let history = before.map(|(index, line)| self.without_pieces(index, line)).collect();
        let what = Answering { reply: None, occasion, history, last: question.clone() };
        self.start(what, reading, plan, now);
        let identity = Label::of(self.identity());
        let (turn, created_at, call) = (self.turn, self.unix_ms(now), &self.spec.id);
        let opening = Opening { call, turn, created_at, cause, question: &question, identity };
        let overtaken = self.copilot.deck.begin(&opening);
        self.tell_cards(overtaken);
        if self.on_hold() {
            self.answer_on_hold(now);
        } else {
            self.decide_step(now);
        }
        self.outbox.push_back(Output::Remember);
    }

    fn line_for_prompt(&self, index: usize) -> Option<Turn> {
        self.transcript.get(index).map(|line| self.without_pieces(index, line))
    }

    /// What is searched for: the last line, or all of them where that alone is too short; and its words, which
    /// are counted as they were said (DECISIONS 5).
    fn query_of(&self, lines: &[usize], own: &[Turn]) -> (String, usize) {
        let profile = self.spec.profile;
        let least = profile.min_words.resolve(&self.settings, profile.channel);
        let raw: Vec<Turn> = lines.iter().filter_map(|index| self.transcript.get(*index).cloned()).collect();
        let words = raw.last().map_or(0, |line| count_words(&line.text));
        match own.last() {
            Some(last) if words >= least => (last.text.clone(), words),
            _ => (joined(own), count_words(&joined(&raw))),
        }
    }

    /// More of the answer came: every fourth time the card shows how far it is (E9).
    pub(super) fn show_partial(&mut self) {
        let Some(turn) = self.running.as_ref().filter(|turn| turn.reply.is_none()) else { return };
        let (catalogue, leaks) = (self.spec.catalogue, &self.leaks);
        let changes = self.copilot.deck.chunk(|| showable(turn.sentences.running(), catalogue, leaks));
        for change in changes {
            self.tell(News::Suggestion(change));
        }
    }

    /// The card is whole; what is kept of it, with the operator who has the call (E10).
    pub(super) fn show_whole(&mut self, turn: TurnId, answered: &Answered) -> Option<Value> {
        self.copilot.owed = 0;
        let changes = self.copilot.deck.finish();
        self.tell_cards(changes);
        self.copilot.deck.card(turn).and_then(|card| card.payload(answered, self.agent.as_ref()))
    }

    /// The model failed: the card says so (E9).
    pub(super) fn show_failure(&mut self, kind: FailureKind) {
        self.copilot.owed = 0;
        let failed = self.copilot.deck.fail(kind);
        self.tell_cards(failed);
    }
}

/// How many of the patient's last lines wait for a decision: those that are final, and what is being said.
fn undecided(lines: &[&Turn], owed: usize) -> usize {
    let mut left = owed;
    let waits = |line: &&&Turn| {
        let partial = line.place.is_some_and(|place| place.partial);
        let counts = partial || left > 0;
        left -= usize::from(counts && !partial);
        counts
    };
    lines.iter().rev().filter(|line| line.speaker == Speaker::Patient).take_while(waits).count()
}

fn joined(lines: &[Turn]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
}
