//! What a sentence tells to do, or says that is done: each verb, as the row has it, to what the row has it.
use super::alike::one;
use super::comparison::name_of_person;
use super::conditions::STOPS;
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::VerbKind;
use super::objects::shares;
use super::order::led_by;
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

/// A verb of the row, with its sentence's place.
pub(super) type Held<'a> = (usize, &'a Predicate);

/// One verb of the claim, with what it is said of, beside the row.
pub(super) struct Said<'a> {
    pub(super) claim: &'a Reading,
    pub(super) verb: &'a Predicate,
    pub(super) arguments: Vec<&'a Term>,
    pub(super) row: &'a Evidence,
}

/// Checks one verb of the claim; a reason where the row doesn't say it.
pub(super) fn missing(claim: &Reading, verb: &Predicate, row: &Evidence) -> Option<String> {
    let thing = |term: &&Term| term.thing() && !name_of_person(claim, term);
    let arguments: Vec<&Term> = claim.arguments(verb).into_iter().filter(thing).collect();
    let asked = claim.wonders(verb) && !(verb.directive || verb.pronoun || verb.mood == Mood::Infinitive);
    if aims(claim, verb) || asked {
        return None;
    }
    let said = Said { claim, verb, arguments, row };
    let held: Vec<Held<'_>> = row.predicates().filter(|(_, p)| one(claim, verb, p, row)).collect();
    if let Some(reason) = said.left() {
        return Some(reason);
    }
    let strict = verb.kind == VerbKind::Action || verb.polarity == Polarity::Needless;
    if strict { said.acted(&held) } else { said.spoken(&held) }
}

/// 'No suba el flujo para que le dure': what a prohibition is against is nobody's advice.
fn aims(claim: &Reading, verb: &Predicate) -> bool {
    let Some(main) = claim.predicates.iter().rfind(|p| p.at < verb.at) else { return false };
    let mut between = claim.words[main.at + 1..verb.at].iter();
    let so_that =
        claim.words[main.at + 1..verb.at].windows(2).any(|run| run[0].is(&["para"]) && run[1].is(&["que"]));
    matches!(verb.lemma.as_str(), "durar" | "alcanzar" | "rendir" | "estirar")
        && main.directive
        && main.polarity == Polarity::Denied
        && so_that
        && !verb.directive
        && verb.polarity == Polarity::Plain
        && !between.any(Word::breaks)
}

impl Said<'_> {
    pub(super) fn reason(&self) -> String {
        format!("verb: {}{}", self.not(), self.verb.lemma)
    }

    fn not(&self) -> &'static str {
        match self.verb.polarity {
            Polarity::Plain => "",
            Polarity::Denied => "no ",
            Polarity::Needless => "needless ",
        }
    }

    fn alike(&self, p: &Predicate) -> bool {
        p.polarity == self.verb.polarity
    }

    /// Verbs of a call, copulas, looking: free, unless the row says the contrary, or forbidden by nobody else.
    fn spoken(&self, held: &[Held<'_>]) -> Option<String> {
        let verb = self.verb;
        // 'Mire que no estén tapadas' denies nothing that the row states.
        let tells = |p: &Predicate| p.directive || p.mood == Mood::Infinitive;
        let looks = |p: &Predicate| p.kind == VerbKind::Check && tells(p) && p.at < verb.at;
        let light = verb.kind == VerbKind::Light;
        if light && (self.claim.wonders(verb) || verb.lemma == "estar" && self.claim.supposes()) {
            return None;
        }
        // 'No tiene que hacer nada' is 'no hace falta hacer nada'.
        let nothing = |reading: &Reading| reading.says(&["hacer", "nada"]);
        if verb.lemma == "hacer" && nothing(self.claim) && self.row.sentences.iter().any(nothing) {
            return None;
        }
        if light
            && verb.polarity == Polarity::Denied
            && !verb.directive
            && self.claim.predicates.iter().any(looks)
        {
            return None;
        }
        let handed = light && verb.lemma == "dar" && !self.arguments.is_empty();
        // 'Puede esperar' is an instruction too.
        let waits = verb.lemma == "esperar" && verb.polarity == Polarity::Plain;
        // 'Espere que se enfríe' is to let it cool.
        let next = self.claim.predicates.iter().find(|p| p.at > verb.at);
        let lets = |reading: &Reading, lemma: &str| {
            let left = reading.words.iter().any(|word| word.is(&["deje", "dejelo", "dejela"]));
            left && reading.predicates.iter().any(|p| p.lemma == lemma && p.mood == Mood::Infinitive)
        };
        let until =
            |reading: &Reading| next.is_some_and(|next| next.at <= verb.at + 4 && lets(reading, &next.lemma));
        if waits && self.row.sentences.iter().any(until) {
            return None;
        }
        let told = verb.directive && !verb.to_me && held.is_empty();
        if told && (handed || waits) || self.goes() || held.is_empty() && self.remains() {
            return Some(self.reason());
        }
        if held.is_empty() {
            let forbids = verb.polarity == Polarity::Denied && verb.directive && !phatic(&verb.lemma);
            return forbids.then(|| self.reason());
        }
        let over = held.iter().filter(|(n, p)| shares(&self.arguments, &self.row.around(*n, p)));
        let over: Vec<&Held<'_>> = over.collect();
        let contrary = if over.is_empty() {
            verb.directive && !held.iter().any(|(_, p)| self.alike(p))
        } else {
            !over.iter().any(|(_, p)| self.alike(p))
        };
        let opposed = verb.directive || !self.arguments.is_empty();
        (opposed && contrary).then(|| self.reason())
    }

    /// 'El olor se va solo': that it passes is the row's to say.
    fn goes(&self) -> bool {
        let verb = self.verb;
        let leaves = verb.lemma == "ir" && verb.at > 0 && self.claim.words[verb.at - 1].is(&["se"]);
        let stated = verb.polarity == Polarity::Plain && !verb.conditional && !self.claim.asked();
        let passes = |p: &Predicate| p.polarity == Polarity::Plain && STOPS.contains(&p.lemma.as_str());
        leaves && stated && !self.row.predicates().any(|(_, p)| passes(p))
    }

    /// 'Queda oxígeno', 'hay una pérdida': that there is something.
    fn remains(&self) -> bool {
        let verb = self.verb;
        let there = verb.lemma == "quedar" && verb.mood != Mood::Infinitive
            || verb.lemma == "haber" && verb.mood == Mood::Present && !verb.conditional;
        let stated = there && !verb.directive && verb.polarity == Polarity::Plain;
        let what = |term: &&Term| term.at > verb.at && term.class != "respaldo";
        stated && !self.meant() && self.arguments.iter().any(what)
    }

    /// Verbs of the trade.
    fn acted(&self, held: &[Held<'_>]) -> Option<String> {
        if !self.verb.directive && stated(self.verb) && self.stated_otherwise(held) {
            return Some(self.reason());
        }
        let matching: Vec<&Held<'_>> =
            held.iter().filter(|(_, p)| self.alike(p) && self.told_so(p)).collect();
        if matching.is_empty() {
            return (!self.without_verb()).then(|| self.reason());
        }
        let suiting: Vec<&&Held<'_>> = matching.iter().filter(|(n, p)| self.suits(*n, p)).collect();
        if suiting.is_empty() {
            let objects: Vec<&str> = self.arguments.iter().map(|term| term.class.as_str()).collect();
            return Some(format!("object: {}{} {}", self.not(), self.verb.lemma, objects.join(" ")));
        }
        let free = self.claim.has(&["si", "cuando"]) || !self.verb.directive;
        let bound = suiting.iter().all(|(n, p)| only_if(&self.row.sentences[*n], p));
        (bound && !free).then(|| format!("condition: {}", self.verb.lemma))
    }

    /// An instruction needs an instruction; a statement may rest on either.
    fn told_so(&self, p: &Predicate) -> bool {
        let mood = self.verb.mood;
        // 'Apáguelo antes de secarlo' is to dry it afterwards.
        let afterwards = || {
            self.claim.has(&["despues", "luego", "recien"])
                && self
                    .row
                    .sentences
                    .iter()
                    .any(|reading| reading.predicates.contains(p) && led_by(reading, p) == Some("antes"))
        };
        !self.verb.directive
            || told(p)
            || p.mood == Mood::Infinitive && afterwards()
            || mood == Mood::Gerund
            || mood == Mood::Present && p.mood == Mood::Present
    }

    /// What the row states the other way round isn't saved by an instruction.
    fn stated_otherwise(&self, held: &[Held<'_>]) -> bool {
        let things: Vec<&Term> =
            self.arguments.iter().copied().filter(|term| term.class != "equipo").collect();
        let near = |n: usize, p: &Predicate| things.is_empty() || shares(&things, &self.row.around(n, p));
        let mut states = held.iter().filter(|(n, p)| stated(p) && near(*n, p)).peekable();
        states.peek().is_some() && !states.any(|(_, p)| self.alike(p))
    }
}

fn phatic(lemma: &str) -> bool {
    matches!(
        lemma,
        "preocupar"
            | "asustar"
            | "angustiar"
            | "alarmar"
            | "dudar"
            | "cortar"
            | "disculpar"
            | "molestar"
            | "olvidar"
            | "sentir"
    )
}

/// Whether the row tells somebody to do it: an imperative or the like, 'se abre despacio'.
pub(super) fn told(p: &Predicate) -> bool {
    p.directive && p.mood != Mood::Present || p.mood == Mood::Gerund || p.reflexive && !p.conditional
}

/// Whether the row states it of something.
fn stated(p: &Predicate) -> bool {
    matches!(p.mood, Mood::Present | Mood::Past) || p.mood == Mood::Imperative && !p.directive
}

/// 'Pase a flujo continuo sólo si el médico se lo indicó': nothing without its condition.
fn only_if(reading: &Reading, p: &Predicate) -> bool {
    let words = &reading.words[p.at.min(reading.words.len())..];
    let only =
        |pair: &[Word]| pair[0].is(&["solo", "solamente", "unicamente"]) && pair[1].is(&["si", "cuando"]);
    // 'Si el operador se lo indica, pruebe…'
    let leave = reading.has(&["operador", "medico", "proveedor", "service"])
        && reading
            .predicates
            .iter()
            .any(|told| told.lemma == "indicar" && told.conditional && told.at < p.at);
    words.windows(2).any(only) || leave
}
