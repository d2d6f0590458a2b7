//! What a sentence says: its verbs with their polarity, its terms, quantities and codes.
use super::fold::{Word, spelled, words};
use super::lexicon::{Kind, VerbKind, lexicon};
use super::quantities::Quantity;
use super::verbs::Mood;
use super::walk::{foreign, part};
use crate::tokens::Gap;

/// Said, denied, or declared unnecessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Plain,
    Denied,
    Needless,
}

/// A verb in the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Predicate {
    pub(super) lemma: String,
    pub(super) kind: VerbKind,
    pub(super) weak: bool,
    pub(super) unknown: bool,
    pub(super) mood: Mood,
    pub(super) polarity: Polarity,
    /// Tells somebody to do it, or lets them.
    pub(super) directive: bool,
    /// Has an object pronoun.
    pub(super) pronoun: bool,
    /// Said to or for the speaker: `dígame`.
    pub(super) to_me: bool,
    /// `se` stands before it.
    pub(super) reflexive: bool,
    /// Behind 'si', 'cuando' and the like.
    pub(super) conditional: bool,
    pub(super) at: usize,
}

/// A noun, adjective or adverb in the sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) class: String,
    pub(super) kind: Kind,
    /// Behind 'sin', 'ni', 'ningún', or denied by 'no es', 'no hay'.
    pub(super) denied: bool,
    /// Governed by a denied verb: whether it is denied itself isn't told.
    pub(super) shaded: bool,
    pub(super) at: usize,
}

/// A sentence, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    pub(super) words: Vec<Word>,
    pub(super) terms: Vec<Term>,
    pub(super) predicates: Vec<Predicate>,
    pub(super) quantities: Vec<Quantity>,
    /// Letters of another script, a spaced word, another language.
    pub(super) obscure: bool,
}

/// Reads a sentence, clause group by clause group (a colon, a semicolon or a question's mark parts them).
/// Models' names must have been taken out.
pub(super) fn read(text: &str) -> Vec<Reading> {
    let lexicon = lexicon();
    let words = words(text);
    let obscure = spelled(&words) || foreign(&words, lexicon);
    let mut readings = Vec::new();
    let mut start = 0;
    for at in 1..=words.len() {
        if at == words.len() || words[at].gap == Gap::Break || words[at].asked != words[at - 1].asked {
            let mut reading = part(words[start..at].to_vec(), lexicon);
            reading.obscure |= obscure;
            readings.push(reading);
            start = at;
        }
    }
    readings
}

impl Reading {
    /// Whether the patient is asked this.
    pub(super) fn asked(&self) -> bool {
        self.words.iter().any(|word| word.asked)
    }

    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| word.is(words))
    }

    /// Whether `words` stand in it in this order, side by side.
    pub(super) fn says(&self, phrase: &[&str]) -> bool {
        self.words
            .windows(phrase.len())
            .any(|run| run.iter().zip(phrase).all(|(word, said)| word.text == **said))
    }

    /// 'Mire si la arandela está bien': asked of the equipment, and not said.
    pub(super) fn wonders(&self, p: &Predicate) -> bool {
        let looks = |q: &&Predicate| (q.kind == VerbKind::Check || q.lemma == "mirar") && q.at < p.at;
        self.predicates.iter().rfind(looks).is_some_and(|look| {
            let mut between = self.words[look.at + 1..p.at].iter();
            between.any(|word| word.is(&["si"])) && !self.words[look.at + 1..p.at].iter().any(Word::breaks)
        })
    }

    /// 'Puede ser que esté cerrada'.
    pub(super) fn supposes(&self) -> bool {
        self.says(&["puede", "ser", "que"]) || self.says(&["puede", "que"]) || self.has(&["quizas", "capaz"])
    }

    fn parts_at(&self, at: usize) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| word.breaks() || word.is(&["y", "que", "si", "pero", "o", "ni"]))
    }

    /// The terms around a verb: up to the verbs next to it, behind it; its clause before it.
    pub(super) fn around(&self, predicate: &Predicate) -> Vec<&Term> {
        let at = predicate.at;
        let last = self.predicates.iter().map(|p| p.at).filter(|p| *p < at).max();
        let next =
            self.predicates.iter().filter(|p| p.at > at && p.kind != VerbKind::Light).map(|p| p.at).min();
        let clause = (0..at).rev().find(|word| self.parts_at(*word)).unwrap_or(0);
        let thing =
            |from: usize, to: usize| self.terms.iter().any(|t| (from..to).contains(&t.at) && t.thing());
        let bare = !thing(clause, at) && !thing(at, next.unwrap_or(usize::MAX));
        let from = if last.is_none() || bare { 0 } else { clause };
        let to = self.shared_object(at, next.unwrap_or(usize::MAX));
        self.terms.iter().filter(|term| (from..to).contains(&term.at)).collect()
    }

    /// 'Saque y vuelva a poner la batería': the first verb's object stands behind the second.
    fn shared_object(&self, at: usize, next: usize) -> usize {
        let between = |term: &Term| (at + 1..next).contains(&term.at);
        let joined = next < self.words.len()
            && next < at + 6
            && self.words.get(at + 1).is_some_and(|word| word.is(&["y", "o", "ni"]) && !word.breaks())
            && !self.predicates.iter().any(|p| (p.at == at || p.at == next) && p.pronoun);
        if joined && !self.terms.iter().any(between) {
            return self.predicates.iter().map(|p| p.at).filter(|p| *p > next).min().unwrap_or(usize::MAX);
        }
        next
    }

    /// What a verb is said of, strictly: what follows it up to the next verb, or else what its clause begins with.
    pub(super) fn arguments(&self, predicate: &Predicate) -> Vec<&Term> {
        let at = predicate.at;
        let next = self.predicates.iter().map(|p| p.at).filter(|p| *p > at).min();
        let mut to = self.shared_object(at, next.unwrap_or(usize::MAX));
        let supposes = |word: &Word| word.is(&["si", "cuando", "porque", "aunque", "donde", "mientras"]);
        to = to.min((at + 1..self.words.len()).find(|at| supposes(&self.words[*at])).unwrap_or(usize::MAX));
        if !predicate.directive {
            to = to.min((at + 1..self.words.len()).find(|word| self.parts_at(*word)).unwrap_or(usize::MAX));
        }
        if let Some(next) = next.filter(|next| *next == to) {
            // A noun right before the next verb, behind a comma or 'y', is that verb's.
            let part = (at + 1..next).rev().find(|word| self.parts_at(*word));
            let directive = self.predicates.iter().any(|p| p.at == next && p.directive && !p.pronoun);
            if let Some(part) =
                part.filter(|part| !directive && self.terms.iter().any(|t| (*part..next).contains(&t.at)))
            {
                to = part;
            }
        }
        let behind: Vec<&Term> = self.terms.iter().filter(|term| (at + 1..to).contains(&term.at)).collect();
        if behind.iter().any(|term| term.thing()) {
            return behind;
        }
        // 'Un pitido cuando lo enciende': what is switched on isn't the beep.
        let lead = |word: usize| predicate.pronoun && supposes(&self.words[word]);
        let clause = (0..=at).rev().find(|word| self.parts_at(*word) || lead(*word)).unwrap_or(0);
        let last = self.predicates.iter().map(|p| p.at + 1).filter(|p| *p <= at).max().unwrap_or(0);
        let before = self.terms.iter().filter(|term| (clause.max(last)..at).contains(&term.at));
        behind.into_iter().chain(before).collect()
    }
}

impl Term {
    /// A thing, not a quality.
    pub(super) fn thing(&self) -> bool {
        !matches!(self.kind, Kind::Adjective | Kind::Colour | Kind::State | Kind::Done | Kind::Weighty)
    }
}
