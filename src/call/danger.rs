//! Red flags come before everything: gate, lock, debounce, model (S1, DECISIONS 16).
use super::Call;
use super::output::{Closing, Output};
use crate::event::{Kind, News};
use crate::generation::Usage;
use crate::phrases::{EMERGENCY_BREATHING, EMERGENCY_FIRE, EMERGENCY_OTHER};
use crate::red_flag::{RedFlag, red_flag};
use crate::settings;
use crate::suggestion::Gone;
use crate::transcript::Speaker;
use serde_json::json;
use std::time::Instant;

/// Who speaks what isn't a model's, in events.
pub(super) const FIXED: &str = "aura/fixed";

impl Call {
    /// The gravest danger in the patient's lines that are new or changed since the last question, wherever
    /// they stand, and in the last line again where the patient spoke it. A nudge is no reason to forget the
    /// former.
    pub(super) fn danger(&mut self, reminder: bool) -> Option<RedFlag> {
        let unanswered = std::mem::take(&mut self.unanswered);
        let changed = unanswered.into_iter().filter_map(|index| self.transcript.get(index).cloned());
        let last = self.talk().next_back().filter(|_| !reminder);
        let lines = changed.chain(last).filter(|line| line.speaker == Speaker::Patient);
        lines.filter_map(|line| red_flag(&line.text)).min()
    }

    /// Answers the running turn with the fixed text, and transfers where the channel can.
    pub(super) fn alarm(&mut self, flag: RedFlag, now: Instant) {
        self.emergency = Some(flag);
        self.record_unsearched("red_flag");
        let text = self.emergency_text(flag);
        self.say(&text);
        let profile = self.spec.profile;
        let number = self.settings.text(&settings::TRANSFER_NUMBER, profile.channel);
        let then = match number {
            number if profile.transfers && !number.is_empty() => Closing::Transfer(number.to_owned()),
            _ => Closing::Stay,
        };
        if then == Closing::Stay {
            self.request_callback(flag.as_str());
        }
        self.complete(then, Usage::default(), FIXED, now);
    }

    /// Shows an alert card the moment a line is dangerous, whoever is to speak next.
    pub(super) fn alert(&mut self, index: usize, text: &str) {
        let Some(flag) = red_flag(text) else { return };
        self.unanswered.insert(index);
        if self.alerted.insert((index, flag)) {
            let text = self.emergency_text(flag);
            self.outbox.push_back(Output::Tell(News::RedFlag { index, flag, text }));
            self.clear_cards(Gone::Danger);
            self.record(Kind::RedFlag, json!({ "flag": flag, "line": index }));
        }
        self.outbox.push_back(Output::Remember);
    }

    /// The operator wants to be told what to say, and somebody is in danger: the alert card, once more.
    pub(super) fn alert_again(&mut self, flag: RedFlag, lines: &[usize]) {
        let of = |index: &&usize| {
            self.transcript.get(**index).is_some_and(|line| red_flag(&line.text) == Some(flag))
        };
        let Some(index) = lines.iter().rev().find(of).copied() else { return };
        let text = self.emergency_text(flag);
        self.tell(News::RedFlag { index, flag, text });
    }

    fn emergency_text(&self, flag: RedFlag) -> String {
        let phrase = match flag {
            RedFlag::Fire => EMERGENCY_FIRE,
            RedFlag::Breathing => EMERGENCY_BREATHING,
            RedFlag::Other => EMERGENCY_OTHER,
        };
        let number = self.settings.text(&settings::EMERGENCY_NUMBER, self.spec.profile.channel);
        phrase.es.replace("{numero}", number)
    }
}
