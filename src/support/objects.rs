//! What a verb is done to, where and with what: the row's verb must be said of all that the claim's is.
use super::actions::Said;
use super::comparison::{NAMES, related};
use super::evidence::Evidence;
use super::implied::result;
use super::lexicon::{Kind, VerbKind};
use super::reading::{Polarity, Predicate, Term};
use super::verbs::Mood;

impl Said<'_> {
    /// Whether the row's verb is said of all that the claim's is.
    pub(super) fn suits(&self, n: usize, p: &Predicate) -> bool {
        let (around, own) = (self.row.around(n, p), self.row.sentences[n].around(p));
        let aside = |argument: &Term| {
            let device = argument.class == "equipo" && self.arguments.len() > 1;
            let lead = &self.claim.words[argument.at.saturating_sub(3)..argument.at];
            device || lead.iter().any(|word| word.is(&["cerca", "lejos"]))
        };
        let has = |argument: &Term| {
            self.spared(argument, n, p)
                || match self.oblique(argument) {
                    true => {
                        within(argument, &own, p)
                            || argument.class == "respaldo"
                            || self.on_the_way(argument, n, p)
                    }
                    false => {
                        within(argument, &around, p) || !self.verb.directive && self.shown(argument, &around)
                    }
                }
        };
        // 'Siga usándolo' isn't 'use el respaldo'.
        let bare = self.verb.pronoun && self.arguments.is_empty() && self.verb.lemma == "usar";
        let own_things = own.iter().filter(|term| term.thing());
        if bare && !p.pronoun && own_things.clone().any(|term| term.class == "respaldo") {
            return false;
        }
        let sentence = &self.row.sentences[n].terms;
        let state = |term: &Term| {
            !self.verb.directive
                || sentence.iter().any(|held| held.class == term.class)
                || p.lemma.as_str() == term.class.trim_end_matches('#')
        };
        let arguments = self.claim.arguments(self.verb);
        let mut states = arguments.iter().filter(|term| term.kind == Kind::Done && term.at > self.verb.at);
        self.arguments.iter().all(|argument| aside(argument) || has(argument))
            && states.all(|term| state(term))
    }

    /// 'Las puntas de la cánula': what its owner is only says whose they are.
    fn owner(&self, argument: &Term, n: usize, p: &Predicate) -> bool {
        let own = self.row.sentences[n].around(p);
        let lead = &self.claim.words[argument.at.saturating_sub(2)..argument.at];
        let of = lead.iter().any(|word| word.is(&["de", "del"]));
        let head = self.arguments.iter().rfind(|head| head.at < argument.at);
        let near = head.is_some_and(|head| head.at + 3 >= argument.at && within(head, &own, p));
        let known = self.row.sentences[n].terms.iter().any(|term| term.class == argument.class);
        argument.kind == Kind::Part && of && near && known
    }

    /// 'Con la boca cerrada', 'con la cánula derecha' where the row has it closed or straightened.
    fn brought(&self, argument: &Term) -> bool {
        let Some(quality) = self.claim.terms.iter().find(|term| term.at == argument.at + 1) else {
            return false;
        };
        let root = quality.class.strip_suffix('#');
        let does = |(n, held): (usize, &Predicate)| {
            Some(held.lemma.as_str()) == root
                && held.directive
                && held.polarity == Polarity::Plain
                && self.row.around(n, held).iter().any(|term| term.class == argument.class)
        };
        let known = self.row.terms.contains_key(&argument.class);
        quality.kind == Kind::Adjective && known && result(&quality.class, self.row)
            || quality.kind == Kind::Done && self.row.predicates().any(does)
    }

    /// What needn't stand by the row's own verb.
    fn spared(&self, argument: &Term, n: usize, p: &Predicate) -> bool {
        let looks = |p: &Predicate| p.kind == VerbKind::Check && p.directive && p.at < self.verb.at;
        let seen_to = argument.denied
            && self.verb.polarity == Polarity::Denied
            && self.claim.predicates.iter().any(looks)
            && self.row.terms.contains_key(&argument.class);
        seen_to || self.owner(argument, n, p) || self.brought(argument) || by_hand(argument, self.row)
    }

    /// 'Si el H08 vuelve' beside a row of H08 that has 'si el código vuelve', and the other way round.
    fn shown(&self, argument: &Term, around: &[&Term]) -> bool {
        let code = |class: &str| self.row.codes.contains(class);
        let name = |class: &str| NAMES.contains(&class);
        let class = argument.class.as_str();
        (code(class) || name(class) && !self.row.codes.is_empty())
            && around.iter().any(|term| code(&term.class) || name(&term.class))
    }

    /// 'No lo acueste, tampoco para llevarlo en el auto' forbids it in the car.
    fn on_the_way(&self, argument: &Term, n: usize, p: &Predicate) -> bool {
        let reading = &self.row.sentences[n];
        let next = reading.predicates.iter().find(|other| other.at > p.at);
        let Some(purpose) = next.filter(|next| {
            let lead = &reading.words[next.at.saturating_sub(2)..next.at];
            next.mood == Mood::Infinitive && next.pronoun && lead.iter().any(|word| word.is(&["para", "al"]))
        }) else {
            return false;
        };
        self.verb.polarity == Polarity::Denied && within(argument, &reading.around(purpose), purpose)
    }

    /// Whether something is where, with what or from what it is done, and not what it is done to.
    fn oblique(&self, argument: &Term) -> bool {
        if argument.at < self.verb.at {
            return false;
        }
        const LEADS: [&str; 11] =
            ["en", "sobre", "con", "por", "hacia", "contra", "sin", "a", "al", "desde", "hasta"];
        let lead = argument.at.saturating_sub(3).max(self.verb.at + 1);
        let noun = |at: &usize| self.claim.terms.iter().any(|term| term.at == *at && term.thing());
        let preposition = (lead..argument.at).rev().find(|at| self.claim.words[*at].is(&LEADS));
        preposition.is_some() && preposition > (lead..argument.at).rev().find(noun)
    }
}

pub(super) fn shares(arguments: &[&Term], around: &[&Term]) -> bool {
    arguments.iter().any(|argument| around.iter().any(|term| term.class == argument.class))
}

/// 'A mano, sin herramientas'
pub(super) fn by_hand(term: &Term, row: &Evidence) -> bool {
    let hand =
        || row.sentences.iter().any(|reading| reading.says(&["a", "mano"]) && !reading.has(&["tenga"]));
    term.class == "herramienta" && term.denied && hand()
}

fn within(argument: &Term, around: &[&Term], p: &Predicate) -> bool {
    let same = around.iter().any(|term| {
        let sense = argument.denied == term.denied || argument.shaded || term.shaded;
        term.class == argument.class && sense
            || (argument.kind == Kind::Unknown && related(&term.class, &argument.class))
    });
    let device = argument.class == "equipo" && (p.pronoun || !around.iter().any(|term| term.thing()));
    same || device
}
