//! What may leave: each sentence is checked before it is spoken, and kept back where nothing holds it (S2, S3).
use super::Call;
use super::output::Output;
use super::turn::{Patience, Phase};
use crate::equipment::{Catalogue, Model};
use crate::event::Kind;
use crate::generation::Grounding;
use crate::leak::Leaks;
use crate::mask::{contains_long_number, mask};
use crate::phrases::CALLBACK_PROMISE;
use crate::retrieval::filter::known_sources;
use crate::retrieval::{Chunk, LessonCandidate};
use crate::speech::{Style, plain, speakable};
use crate::support::{Support, Verdict};
use crate::transcript::Speaker;
use serde_json::json;
use std::collections::BTreeSet;

/// Rows that were injected in this call and still count as evidence, the newest.
const EVIDENCE: usize = 8;
/// Rows before them that a summary still knows.
const OLDER: usize = 24;

/// The patient's last lines that are evidence for naming a code, a light or an alarm.
const HEARD: usize = 12;

/// What this call's answers have rested on so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    pub rows: Vec<Chunk>,
    pub lessons: Vec<String>,
    /// Rows that count no more: nothing is said by them, but a summary quotes what was.
    pub older: Vec<Chunk>,
}

/// What a turn's sentences are held against; read once, and not before it is needed: it takes as long as
/// all else that stands between a question and its request.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    unread: Option<Box<Unread>>,
    support: Support,
}

/// The texts as they stood when the model was asked.
#[derive(Debug)]
struct Unread {
    rows: Vec<Chunk>,
    lessons: Vec<String>,
    heard: Vec<String>,
    said: BTreeSet<Model>,
    catalogue: &'static Catalogue,
}

impl Unread {
    fn read(&self, question: &str) -> Support {
        let lessons: Vec<&str> = self.lessons.iter().map(String::as_str).collect();
        let heard: Vec<&str> = self.heard.iter().map(String::as_str).collect();
        Support::new(&self.rows, &lessons, &heard, question, &self.said, self.catalogue)
    }
}

impl Grounds {
    fn read(&mut self, question: &str) -> &Support {
        if let Some(unread) = self.unread.take() {
            self.support = unread.read(question);
        }
        &self.support
    }
}

impl Evidence {
    fn add(&mut self, rows: &[Chunk], lessons: &[LessonCandidate]) {
        self.older.retain(|known| !rows.contains(known));
        let forgotten = keep(&mut self.rows, rows.iter().cloned(), EVIDENCE);
        keep(&mut self.older, forgotten.into_iter(), OLDER);
        keep(&mut self.lessons, lessons.iter().map(|lesson| lesson.answer.clone()), EVIDENCE);
    }

    /// Every row that is known, the newest last.
    pub fn ever(&self) -> Vec<Chunk> {
        self.older.iter().chain(&self.rows).cloned().collect()
    }
}

/// Appends what is new; what is oldest is over the bound and forgotten.
fn keep<T: PartialEq>(kept: &mut Vec<T>, new: impl Iterator<Item = T>, most: usize) -> Vec<T> {
    for item in new {
        kept.retain(|known| *known != item);
        kept.push(item);
    }
    let over = kept.len().saturating_sub(most);
    kept.drain(..over).collect()
}

impl Call {
    /// Remembers what this turn's prompt carries as evidence for it and for later turns.
    pub(super) fn learn(&mut self, rows: &[Chunk], lessons: &[LessonCandidate]) {
        self.evidence.add(rows, lessons);
    }

    /// What the running turn's sentences are checked against: rows injected now or earlier that today's
    /// filter still admits (DECISIONS 17) and whose device is in play; none while it is unknown (S6).
    pub(super) fn grounds(&self) -> Grounds {
        let Some(turn) = &self.running else { return Grounds::default() };
        let filter = turn.plan.search.filter.as_ref();
        let unknown = turn.grounding == Grounding::AskEquipment;
        let admitted = |row: &&Chunk| {
            !unknown
                && turn.plan.permits(&row.source, self.spec.catalogue)
                && filter.is_none_or(|filter| filter.admits(&row.source))
        };
        let rows: Vec<Chunk> = self.evidence.rows.iter().filter(admitted).cloned().collect();
        let lessons = if unknown { Vec::new() } else { self.evidence.lessons.clone() };
        let patient = self.transcript.iter().filter(|line| line.speaker == Speaker::Patient);
        let newest = patient.rev().take(HEARD).map(|line| line.text.clone());
        let mut heard: Vec<String> = newest.collect();
        heard.reverse();
        let (said, catalogue) = (self.sticky.ever(), self.spec.catalogue);
        let unread = Unread { rows, lessons, heard, said, catalogue };
        Grounds { unread: Some(Box::new(unread)), support: Support::default() }
    }

    /// Equipment is on file no more: rows of its manual hold nothing from now on, of this turn's answer neither.
    pub(super) fn ground_again(&mut self) {
        let known: BTreeSet<Model> = self.on_file.iter().chain(&self.sticky.ever()).cloned().collect();
        let Some(turn) = &mut self.running else { return };
        if turn.plan.may_ask {
            let still = known_sources(&known, &BTreeSet::new(), self.spec.catalogue);
            turn.plan.known_sources.retain(|source| still.contains(source));
        }
        let grounds = self.grounds();
        if let Some(turn) = self.running.as_mut().filter(|turn| turn.phase == Phase::Generating) {
            turn.grounds = grounds;
        }
    }

    /// Reads what the answer will be held against while the model still thinks; nothing else changes by it.
    pub fn prepare(&mut self) {
        if let Some(turn) = &mut self.running {
            turn.grounds.read(&turn.question);
        }
    }

    /// Lets whole sentences of the model go, each on its own merits.
    pub(super) fn release(&mut self, sentences: Vec<String>) {
        for sentence in sentences {
            let style = if self.spec.profile.spoken { Style::Voice } else { Style::WhatsApp };
            let text = plain(&sentence, style);
            if text.is_empty() {
                continue;
            }
            // What a chat shows is judged by its words, without their marks.
            let words = if style == Style::Voice { text.clone() } else { speakable(&text) };
            let Some(turn) = &mut self.running else { return };
            let verdict = judge(&words, turn.grounds.read(&turn.question), &self.leaks);
            turn.technical |= verdict == Verdict::Supported;
            match verdict {
                Verdict::Plain | Verdict::Supported => self.say(&text),
                Verdict::Unsupported(findings) => self.block(&text, &findings),
            }
        }
    }

    /// Keeps a sentence back: the first is replaced, further ones of the turn are dropped.
    fn block(&mut self, text: &str, findings: &[String]) {
        let holding = self.holding();
        let Some(turn) = &mut self.running else { return };
        let replaced = !std::mem::replace(&mut turn.replaced, true);
        let payload = json!({ "sentence": mask(text), "findings": findings, "replaced": replaced });
        self.record(Kind::GroundingBlocked, payload);
        if replaced {
            self.say(holding);
        }
    }

    /// Says one text to the peer and shows it on the desk; a suggestion's goes onto its card.
    pub(super) fn say(&mut self, text: &str) {
        let Some(turn) = &mut self.running else { return };
        if !turn.said.is_empty() {
            turn.said.push(' ');
        }
        turn.said.push_str(&mask(text));
        turn.patience = Patience::default();
        let Some(reply) = turn.reply else { return self.copilot.deck.released(text) };
        let news = turn.answer(false);
        self.outbox.push_back(Output::Say { reply, text: text.to_owned() });
        self.tell(news);
        if text.contains(CALLBACK_PROMISE) {
            self.request_callback("holding");
        }
    }

    /// The channel's sentence for when nothing may be said; shorter once it was said (S3).
    pub(super) fn holding(&self) -> &'static str {
        if self.callback { self.spec.profile.holding_again } else { self.spec.profile.holding }
    }

    /// Puts a call back on the desk, once a call (S3): only a bot promises one.
    pub(super) fn request_callback(&mut self, reason: &str) {
        if !self.spec.profile.bot || self.callback {
            return;
        }
        self.callback = true;
        let question = self.running.as_ref().map(|turn| mask(&turn.question).into_owned());
        let payload = json!({ "reason": reason, "question": question, "phone": self.phone });
        self.notes.called_back(reason, question.as_deref());
        self.record(Kind::CallbackRequested, payload);
        self.outbox.push_back(Output::Remember); // lest a rebuilt call asks for it again
    }
}

/// Whether a sentence may leave, and why not.
fn judge(text: &str, support: &Support, leaks: &Leaks) -> Verdict {
    let refused = |why: &str| Verdict::Unsupported(vec![why.to_owned()]);
    if contains_long_number(text) {
        return refused("a long number: documents and telephones aren't read out");
    }
    if leaks.found_in(text) {
        return refused("words of the prompt");
    }
    support.check(text)
}
