//! Where the walk stands: inside a 'que', behind a question's 'si', before an infinitive.
use super::lexicon::VerbKind;
use super::reading::Predicate;
use super::senses::{Sense, Verb};
use super::verbs::Mood;
use super::walk::{Walk, word_breaks};
use crate::tokens::Gap;

impl Walk<'_> {
    /// 'Sin luz el equipo no anda': a noun of its own behind what 'sin' was said of.
    pub(super) fn another(&self, at: usize) -> bool {
        let article = at > 0 && self.is(at - 1, &["el", "la", "los", "las"]);
        let sin = (0..at)
            .rfind(|word| self.is(*word, &["sin", "ni", "o", "ningun", "ninguna"]) || self.breaks(*word));
        let Some(sin) = sin.filter(|sin| article && self.is(*sin, &["sin"])) else { return false };
        self.reading.terms.iter().any(|term| term.at == sin + 1)
    }

    /// 'Lo tiene que determinar el service': told to nobody who listens.
    pub(super) fn done_by_others(&self, at: usize) -> bool {
        const OTHERS: [&str; 8] =
            ["service", "tecnico", "proveedor", "medico", "operador", "area", "logistica", "personal"];
        !self.breaks(at + 1) && self.is(at + 1, &["el", "la"]) && self.is(at + 2, &OTHERS)
    }

    /// 'Fíjese que la batería trabe': behind a 'que' with nothing but its subject between.
    pub(super) fn inside_that(&self, first: usize) -> bool {
        let last = self.reading.predicates.last().map_or(0, |p| p.at + 1);
        let from = (last..first).rev().find(|at| self.words[*at].breaks()).unwrap_or(last);
        (from..first).any(|at| self.is(at, &["que"]) && !self.opens(at))
    }

    pub(super) fn conditional_word(&self, first: usize) -> bool {
        first > 0 && self.is(first - 1, &["que"]) && !self.opens(first - 1)
    }

    /// A 'que' that begins a clause: 'que nadie fume'.
    pub(super) fn opens(&self, at: usize) -> bool {
        // 'Mire que esté en su lugar y que no haya nada'
        let looks = |p: &Predicate| p.kind == VerbKind::Check && !word_breaks(self.words, p.at, at);
        if self.is(at.wrapping_sub(1), &["y"]) && self.reading.predicates.iter().any(looks) {
            return false;
        }
        matches!(self.words[at].gap, Gap::Start | Gap::Break | Gap::Comma)
            || at > 0
                && self.is(at - 1, &["y"])
                && self.words[at].is(&["que"])
                && self.is(at + 1, &["nadie", "no"])
    }

    /// 'Fíjese si burbujea': what is asked isn't supposed.
    pub(super) fn asks(&self, at: usize) -> bool {
        // '… si hay luz y si la térmica está levantada'
        let joined = at > 0 && self.is(at - 1, &["y", "o"]) && !self.conditional;
        let start = (0..at).rfind(|word| self.words[*word].breaks()).unwrap_or(0);
        let earlier = || (start..at - 1).find(|word| self.is(*word, &["si", "que", "cual", "como"]));
        if joined && let Some(earlier) = earlier() {
            return self.asks_behind(earlier);
        }
        self.asks_behind(at)
    }

    pub(super) fn asks_behind(&self, at: usize) -> bool {
        let last = self
            .reading
            .predicates
            .iter()
            .rfind(|p| p.at < at)
            .filter(|p| p.at + 3 >= at && !word_breaks(self.words, p.at, at));
        last.is_some_and(|p| {
            p.kind == VerbKind::Check
                || matches!(p.lemma.as_str(), "mirar" | "decir" | "contar" | "preguntar" | "saber")
        })
    }

    pub(super) fn infinitive_next(&self, at: usize) -> bool {
        (at + 1..at + 3)
            .any(|next| matches!(self.sense(next), Sense::Verb(Verb { mood: Mood::Infinitive, .. })))
            && !matches!(self.sense(at + 1), Sense::Term(..))
    }
}
