//! Never mute: what a caller hears when an answer takes too long, or when the channel is on hold. A model's
//! second try, before its first word, is its adapter's.
use super::Call;
use super::danger::FIXED;
use super::output::{Closing, Output};
use super::turn::{Occasion, Patience, Phase};
use crate::event::Kind;
use crate::generation::{Failure, FailureKind, Usage};
use crate::phrases::{FAREWELL, REMINDER};
use crate::retrieval::decide::Thresholds;
use crate::retrieval::report::KnowledgeQueried;
use crate::settings::{self, ANSWER};
use serde_json::json;
use std::time::{Duration, Instant};

impl Call {
    /// By when the caller must have heard something.
    pub(super) fn patience(&self, now: Instant) -> Patience {
        let profile = self.spec.profile;
        let after =
            |setting| now + Duration::from_millis(self.settings.count(setting, profile.channel) as u64);
        Patience {
            filler: profile.filler.map(|_| after(&settings::ANSWER_FILLER_MS)),
            hold: profile.bot.then(|| after(&settings::ANSWER_HOLD_MS)),
        }
    }

    /// Whatever of the running turn's deadlines has passed.
    pub(super) fn wait_no_longer(&mut self, now: Instant) {
        let past = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let Some(turn) = &mut self.running else { return };
        if past(turn.patience.hold) {
            return self.give_up(now);
        }
        if past(turn.patience.filler) {
            turn.patience.filler = None;
            let say = turn.reply.zip(self.spec.profile.filler);
            self.outbox.extend(say.map(|(reply, filler)| Output::Say { reply, text: filler.to_owned() }));
        }
        if self.running.as_ref().is_some_and(|turn| turn.due <= now) {
            self.overdue(now);
        }
    }

    /// The caller has waited long enough: the channel's sentence instead of an answer (S3).
    fn give_up(&mut self, now: Instant) {
        let Some(turn) = &self.running else { return };
        let waited = now.saturating_duration_since(turn.asked_at).as_millis();
        let (id, searching) = (turn.id, turn.phase == Phase::Retrieving);
        self.outbox.push_back(Output::Cancel { turn: id });
        let detail = format!("nothing could be said within {waited} ms; see answer.holdAfterMs");
        if searching {
            self.record_failed_search(&detail);
        }
        self.fail(&Failure { kind: FailureKind::Timeout, detail });
    }

    /// The running turn's phase took too long.
    fn overdue(&mut self, now: Instant) {
        let Some(turn) = &self.running else { return };
        let (id, phase) = (turn.id, turn.phase);
        self.outbox.push_back(Output::Cancel { turn: id });
        let failure =
            |what: &str| Failure { kind: FailureKind::Timeout, detail: format!("{what} took too long") };
        match phase {
            Phase::Retrieving => self.retrieved(id, Err(failure("the search")), now),
            Phase::Generating => self.fail(&failure("the model's answer")),
        }
    }

    pub(super) fn record_failed_search(&mut self, detail: &str) {
        let Some(turn) = &self.running else { return };
        let thresholds = Thresholds::resolve(&turn.settings, self.spec.profile);
        let payload = KnowledgeQueried::failed(&turn.plan, detail, self.spec.profile.channel, &thresholds);
        self.record(Kind::KnowledgeQueried, json!(payload));
    }

    /// Whether whoever is on call has switched the channel off or on hold.
    pub(super) fn on_hold(&self) -> bool {
        let profile = self.spec.profile;
        self.settings.text(profile.mode, profile.channel) != ANSWER
    }

    /// Neither search nor model: the channel's sentence, a nudge or a goodbye.
    pub(super) fn answer_on_hold(&mut self, now: Instant) {
        self.record_unsearched("on_hold");
        let occasion = self.running.as_ref().map_or(Occasion::Question, |turn| turn.occasion);
        let (text, then) = self.instead(occasion);
        self.say(text);
        self.complete(then, Usage::default(), FIXED, now);
    }

    /// What is said instead of an answer, and what follows it.
    pub(super) fn instead(&self, occasion: Occasion) -> (&'static str, Closing) {
        match occasion {
            Occasion::Farewell => (FAREWELL.es, Closing::HangUp),
            Occasion::Reminder => (REMINDER.es, Closing::Stay),
            Occasion::Question => (self.holding(), Closing::Stay),
        }
    }
}
