//! What the copilot of a forked call knows beside the call: when the patient paused, the cards, the script, what
//! was taken down (E8, E9, E13, E15).
use super::identity::Caller;
use super::{Call, Output};
use crate::capture::{self, Captured};
use crate::event::News;
use crate::identity::Source;
use crate::script::{Script, Step};
use crate::settings;
use crate::suggestion::context::{self, Document};
use crate::suggestion::{Change, Debounce, Deck, Gone, Heard, Mode, Pace, Standing, Utterance, Wanted};
use crate::transcript::{Speaker, Turn};
use std::time::Instant;

/// One call's copilot; a channel that doesn't suggest never fills it.
#[derive(Debug, Default)]
pub(super) struct Copilot {
    pub wait: Debounce,
    pub deck: Deck,
    /// How many of the patient's last final lines have had no decision yet.
    pub owed: usize,
    pub mode: Mode,
    pub script: Script,
    pub captured: Captured,
    /// Whether a suggestion was withdrawn that is to be made anew.
    pub anew: bool,
}

impl Call {
    /// A line has grown or is final: the patient's words interrupt what is being written, and set the pause (E9).
    pub(super) fn attend(&mut self, of: Utterance, line: &Turn, now: Instant) {
        if !self.spec.profile.suggests || line.speaker != Speaker::Patient {
            return;
        }
        let (pace, done) = (self.pace(), is_final(line));
        let busy = self.copilot.deck.writing().is_some();
        let wait = &mut self.copilot.wait;
        let heard = match done {
            true => wait.last(of, &line.text, busy, pace, now),
            false => wait.partial(of, &line.text, busy, pace, now),
        };
        if heard == Heard::Interrupts {
            self.abandon_for(Gone::Overtaken);
            self.copilot.owed = self.copilot.owed.max(1); // its question is still to be answered
        }
        self.copilot.owed += usize::from(done && !line.text.is_empty());
    }

    fn pace(&self) -> Pace {
        let ms = self.settings.count(&settings::SUGGESTION_DEBOUNCE_MS, self.spec.profile.channel);
        Pace::of(ms as u64)
    }

    /// A final line of either side, for the cards, the script and what is taken down.
    pub(super) fn take_down(&mut self, index: usize, line: &Turn) {
        if !self.spec.profile.suggests || line.text.is_empty() {
            return;
        }
        let catalogue = self.spec.catalogue;
        // Both as they were before the line: it may be the answer, and open the next step.
        let telephone_asked = self.copilot.deck.own_request() == Standing::Open(Wanted::Telephone);
        let step = self.copilot.script.open();
        let answered = self.copilot.deck.heard(line, catalogue);
        self.tell_cards(answered);
        self.with_script(|script| script.heard(line, catalogue));
        if line.speaker == Speaker::Patient {
            let text = self.without_pieces(index, line).text;
            let pass = capture::read(&text, telephone_asked, step, catalogue);
            if !self.copilot.captured.take(&pass).is_empty() {
                self.tell_captured();
            }
        }
    }

    /// Patient and operator were the other way round: nothing that was suggested or taken down of the operator's
    /// words stands.
    pub(super) fn take_down_again(&mut self) {
        if !self.spec.profile.suggests {
            return;
        }
        self.clear(Gone::Swapped);
        let catalogue = self.spec.catalogue;
        let lines: Vec<(usize, Turn)> =
            self.in_order().into_iter().map(|(index, line)| (index, line.clone())).collect();
        let last = lines.iter().rev().take_while(|(_, line)| line.speaker == Speaker::Patient);
        self.copilot.owed = last.filter(|(_, line)| is_final(line)).count();
        self.copilot.anew = self.copilot.owed > 0; // what the patient said last is still to be answered
        let before = self.copilot.captured.view();
        self.copilot.captured.forget_said();
        let mut anew = Script::default();
        for (index, line) in &lines {
            let step = anew.open();
            anew.heard(line, catalogue);
            if line.speaker == Speaker::Patient && is_final(line) {
                let text = self.without_pieces(*index, line).text;
                self.copilot.captured.take(&capture::read(&text, false, step, catalogue));
            }
        }
        if self.copilot.captured.view() != before {
            self.tell_captured();
        }
        let lines: Vec<&Turn> = lines.iter().map(|(_, line)| line).collect();
        self.with_script(|script| script.reread(&lines, catalogue));
    }

    /// Who is calling is known, or known better: nothing asks for it any more, and labels follow (S5).
    pub(super) fn identified(&mut self) {
        let Some(held) = self.identity().copied().filter(|_| self.spec.profile.suggests) else { return };
        self.with_script(|script| script.settle(Step::Identification));
        if held.source() != Source::Dictated {
            self.settle_request(Wanted::Document);
        }
        if held.is_confirmed() {
            let shown = self.copilot.deck.confirmed();
            self.tell_cards(shown);
        }
    }

    /// It is somebody else's call than was believed: suggestions that may rest on the equipment on file are
    /// withdrawn, and the one that was being written is made anew.
    pub(super) fn withdraw_of_another(&mut self, corrected: bool) {
        if !(corrected && self.spec.profile.suggests && self.has_equipment()) {
            return;
        }
        if self.copilot.deck.writing().is_some() {
            self.copilot.owed = self.copilot.owed.max(1);
            self.copilot.anew = true;
        }
        self.clear_cards(Gone::Identity);
    }

    /// A suggestion that was withdrawn is due again, after a pause.
    pub(super) fn suggest_anew(&mut self, now: Instant) {
        if std::mem::take(&mut self.copilot.anew) && !self.ended {
            let pace = self.pace();
            self.copilot.wait.again(pace, now);
        }
    }

    /// What a card asks for is known by other ways.
    pub(super) fn settle_request(&mut self, wanted: Wanted) {
        let answered = self.copilot.deck.settle(wanted);
        self.tell_cards(answered);
    }

    /// No card stands any more, and nothing that was said waits for one.
    pub(super) fn clear(&mut self, reason: Gone) {
        self.clear_cards(reason);
        self.copilot.wait.settle();
        self.copilot.owed = 0;
    }

    /// No card stands any more; an answer to the peer goes on.
    pub(super) fn clear_cards(&mut self, reason: Gone) {
        if self.copilot.deck.writing().is_some() {
            self.abandon_for(reason);
        }
        let gone = self.copilot.deck.clear(reason);
        self.tell_cards(gone);
    }

    pub(super) fn tell_cards(&mut self, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            self.tell(News::Suggestion(change));
            self.outbox.push_back(Output::Remember);
        }
    }

    /// Changes the script; the desk is told if that shows.
    pub(super) fn with_script<T>(&mut self, change: impl FnOnce(&mut Script) -> T) {
        let before = self.copilot.script.view();
        let _ = change(&mut self.copilot.script);
        if self.copilot.script.view() != before {
            self.tell_script();
            self.outbox.push_back(Output::Remember);
        }
    }

    pub(super) fn tell_script(&mut self) {
        if self.spec.profile.suggests {
            self.tell(News::Script(self.copilot.script.view()));
        }
    }

    pub(super) fn tell_captured(&mut self) {
        self.tell(News::Captured { fields: self.copilot.captured.view() });
        self.outbox.push_back(Output::Remember);
    }

    /// After a restart the desk knows nothing of these.
    pub(super) fn copilot_again(&mut self, cut: Option<Change>) {
        if self.agent.is_some() {
            self.tell_claim();
        }
        self.tell_script();
        if self.copilot.captured != Captured::default() {
            self.tell_captured();
        }
        let standing = self.copilot.deck.again();
        self.tell_cards(cut.into_iter().chain(standing));
    }

    /// The copilot's blocks of a suggestion's context (E6).
    pub(super) fn copilot_blocks(&self) -> Vec<String> {
        let document = Document::of(self.identity(), Caller::asks_again(&self.caller));
        context::blocks(document, &self.copilot.captured, &self.copilot.deck.previous())
    }
}

fn is_final(line: &Turn) -> bool {
    line.place.is_none_or(|place| !place.partial)
}
