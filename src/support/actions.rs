//! What a sentence tells to do, or says that is done: each verb, as the row has it, to what the row has it.
use super::alike::one;
use super::comparison::{NAMES, name_of_person, related};
use super::conditions::{RETURNS, STOPS, comes_back};
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::{Kind, VerbKind};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

/// A verb of the row, with its sentence's place.
type Held<'a> = (usize, &'a Predicate);

/// One verb of the claim, with what it is said of, beside the row.
struct Said<'a> {
    claim: &'a Reading,
    verb: &'a Predicate,
    arguments: Vec<&'a Term>,
    row: &'a Evidence,
}

/// Checks one verb of the claim; a reason where the row doesn't say it.
pub(super) fn missing(claim: &Reading, verb: &Predicate, row: &Evidence) -> Option<String> {
    let thing = |term: &&Term| term.thing() && !name_of_person(claim, term);
    let arguments: Vec<&Term> = claim.arguments(verb).into_iter().filter(thing).collect();
    let said = Said { claim, verb, arguments, row };
    let held: Vec<Held<'_>> = row.predicates().filter(|(_, p)| one(claim, verb, p, row)).collect();
    if let Some(reason) = said.left() {
        return Some(reason);
    }
    let strict = verb.kind == VerbKind::Action || verb.polarity == Polarity::Needless;
    if strict { said.acted(&held) } else { said.spoken(&held) }
}

impl Said<'_> {
    fn reason(&self) -> String {
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
        let looks = |p: &Predicate| p.kind == VerbKind::Check && p.directive && p.at < verb.at;
        let light = verb.kind == VerbKind::Light;
        if light
            && verb.polarity == Polarity::Denied
            && !verb.directive
            && self.claim.predicates.iter().any(looks)
        {
            return None;
        }
        if light
            && verb.lemma == "dar"
            && verb.directive
            && !verb.to_me
            && held.is_empty()
            && !self.arguments.is_empty()
        {
            return Some(self.reason());
        }
        // 'Puede esperar' is an instruction too.
        if verb.lemma == "esperar"
            && verb.directive
            && !verb.to_me
            && verb.polarity == Polarity::Plain
            && held.is_empty()
        {
            return Some(self.reason());
        }
        let remains = (verb.lemma == "quedar" && verb.mood != Mood::Infinitive
            || verb.lemma == "haber" && verb.mood == Mood::Present && !verb.conditional)
            && !verb.directive
            && verb.polarity == Polarity::Plain;
        // 'El olor se va solo': that it passes is the row's to say.
        let goes = verb.lemma == "ir"
            && verb.at > 0
            && self.claim.words[verb.at - 1].is(&["se"])
            && verb.polarity == Polarity::Plain
            && !verb.conditional
            && !self.claim.asked();
        let passes = |p: &Predicate| p.polarity == Polarity::Plain && STOPS.contains(&p.lemma.as_str());
        if goes && !self.row.predicates().any(|(_, p)| passes(p)) {
            return Some(self.reason());
        }
        if held.is_empty()
            && remains
            && !self.meant()
            && self.arguments.iter().any(|term| term.at > verb.at && term.class != "respaldo")
        {
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

    /// 'Quiere decir que hay una falla' beside a row that says of nothing else what it means.
    fn meant(&self) -> bool {
        let (verb, claim) = (self.verb, self.claim);
        let before = &claim.words[verb.at.saturating_sub(3)..verb.at];
        let says = before.windows(2).any(|pair| pair[0].is(&["decir"]) && pair[1].is(&["que"]));
        let means = |p: &Predicate| p.lemma == "indicar" && !p.directive && p.polarity == Polarity::Plain;
        let leads = |p: &Predicate| means(p) && p.at < verb.at && verb.at - p.at <= 3;
        if verb.lemma != "haber" || !(says || claim.predicates.iter().any(leads)) {
            return false;
        }
        let mut behind = claim.terms.iter().filter(|term| term.at > verb.at).peekable();
        let explains = |reading: &&Reading| {
            reading.predicates.iter().any(|p| means(p) || p.lemma == "ser" && p.polarity == Polarity::Plain)
        };
        let says: Vec<&Reading> = self.row.sentences.iter().filter(explains).collect();
        let held = |term: &Term| {
            let same = |held: &Term| held.class == term.class && held.denied == term.denied;
            term.class == "equipo" || says.iter().any(|reading| reading.terms.iter().any(same))
        };
        behind.peek().is_some() && behind.all(held)
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
        !self.verb.directive
            || told(p)
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

    /// Whether the row's verb is said of all that the claim's is.
    fn suits(&self, n: usize, p: &Predicate) -> bool {
        let (around, own) = (self.row.around(n, p), self.row.sentences[n].around(p));
        let aside = |argument: &Term| {
            let device = argument.class == "equipo" && self.arguments.len() > 1;
            let lead = &self.claim.words[argument.at.saturating_sub(3)..argument.at];
            device || lead.iter().any(|word| word.is(&["cerca", "lejos"]))
        };
        let has = |argument: &Term| match self.oblique(argument) {
            true => {
                within(argument, &own, p) || argument.class == "respaldo" || self.on_the_way(argument, n, p)
            }
            false => within(argument, &around, p) || !self.verb.directive && self.shown(argument, &around),
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

    /// 'Deje la perilla por encima': where the row only describes that, it doesn't tell anybody to.
    fn left(&self) -> Option<String> {
        let verb = self.verb;
        if !(verb.lemma == "dejar" && verb.directive && verb.polarity == Polarity::Plain) {
            return None;
        }
        let all = self.claim.arguments(verb);
        let state = |term: &&&Term| term.kind == Kind::Done && !term.denied && !self.left_so(&term.class);
        if let Some(term) = all.iter().find(state) {
            return Some(format!("state: dejar {}", term.class));
        }
        let around = all.into_iter();
        let placed =
            around.filter(|term| term.kind == Kind::Weighty && PLACES.contains(&term.class.as_str()));
        let mut wanted = self.arguments.iter().copied().chain(placed).filter(|term| term.class != "equipo");
        let tells =
            |p: &Predicate| p.directive && p.polarity == Polarity::Plain && p.mood == Mood::Imperative;
        let telling = || self.row.sentences.iter().filter(|reading| reading.predicates.iter().any(tells));
        let has = |term: &&Term| {
            let same = |held: &Term| held.class == term.class || related(&held.class, &term.class);
            telling().any(|reading| reading.terms.iter().any(same))
        };
        let lacking = wanted.find(|term| !has(term))?;
        Some(format!("object: dejar {}", lacking.class))
    }

    /// Whether the row leaves something so, or brings it there and doesn't bring it back.
    fn left_so(&self, state: &str) -> bool {
        let tells = |lemma: &str| {
            self.row.predicates().any(|(_, p)| p.lemma == lemma && told(p) && p.polarity == Polarity::Plain)
        };
        let verb = state.trim_end_matches('#');
        self.row.sentences.iter().any(|reading| leaves(reading, state))
            || tells(verb) && !opposites(verb).any(tells)
    }

    /// Whether the row says without such a verb what the claim says with it: 'falla', 'queda cerrada', 'a la fuerza'.
    fn without_verb(&self) -> bool {
        let (lemma, row) = (self.verb.lemma.as_str(), self.row);
        let left_as = |state: String| row.sentences.iter().filter(move |reading| leaves(reading, &state));
        match self.verb.polarity {
            Polarity::Needless => false,
            Polarity::Denied => {
                // 'Se abre despacio, nunca de golpe'
                let against = |(n, p): Held<'_>| {
                    let around = row.around(n, p);
                    let denied = |argument: &&Term| {
                        around.iter().any(|term| term.class == argument.class && term.denied)
                    };
                    p.lemma == lemma && !self.arguments.is_empty() && self.arguments.iter().all(denied)
                };
                // 'Deje la perilla donde la indicó el médico' is not to move it.
                let stays_put = |reading: &Reading| {
                    let same =
                        |argument: &&Term| reading.terms.iter().any(|term| term.class == argument.class);
                    let left =
                        |p: &Predicate| p.lemma == "dejar" && p.directive && p.polarity == Polarity::Plain;
                    reading.has(&["donde", "como"])
                        && reading.predicates.iter().any(left)
                        && self.arguments.iter().all(same)
                };
                // Who may not change something may not touch it.
                let untouched = |(n, p): Held<'_>| {
                    CHANGES.contains(&p.lemma.as_str())
                        && p.polarity == Polarity::Denied
                        && !self.arguments.is_empty()
                        && shares(&self.arguments, &row.around(n, p))
                };
                let changes = CHANGES.contains(&lemma);
                if changes && (row.predicates().any(untouched) || row.sentences.iter().any(stays_put)) {
                    return true;
                }
                // 'Si el aviso no se va' is 'si sigue'.
                let stays = STOPS.contains(&lemma) && self.verb.conditional && comes_back(row);
                if stays || row.predicates().any(against) {
                    return true;
                }
                // 'Déjelo apagado' is not to switch it on.
                opposites(lemma).any(|other| left_as(format!("{other}#")).next().is_some())
                    || row.terms.iter().any(|(term, occurs)| occurs.denied && related(term, lemma))
            }
            Polarity::Plain if self.verb.directive => {
                // 'Deje las válvulas cerradas' is to close them.
                let same = |reading: &Reading, argument: &Term| {
                    reading.terms.iter().any(|term| term.class == argument.class)
                };
                // 'Llévelo fuera del bolso' is to take it out.
                let out = |reading: &Reading| {
                    reading.has(&["fuera", "afuera"]) && reading.predicates.iter().any(|p| p.directive)
                };
                let mut taken = row.sentences.iter().filter(|reading| lemma == "sacar" && out(reading));
                taken.any(|reading| self.arguments.iter().all(|argument| same(reading, argument)))
                    || left_as(format!("{lemma}#"))
                        .any(|reading| self.arguments.iter().all(|argument| same(reading, argument)))
            }
            Polarity::Plain => {
                let state = row.terms.get(&format!("{lemma}#")).is_some_and(|occurs| occurs.plain);
                let again = RETURNS.contains(&lemma) && self.verb.conditional && comes_back(row);
                again || state || row.terms.keys().any(|term| related(term, lemma)) || implied(self.verb)
            }
        }
    }
}

const PLACES: [&str; 11] = [
    "encima", "arriba", "abajo", "dentro", "fuera", "afuera", "adentro", "cerca", "lejos", "delante",
    "detras",
];

/// Ways to change a setting.
const CHANGES: [&str; 7] = ["mover", "tocar", "cambiar", "girar", "modificar", "subir", "bajar"];
/// Whether it tells to leave something in a state.
fn leaves(reading: &Reading, state: &str) -> bool {
    let left = |p: &Predicate| p.lemma == "dejar" && p.directive && p.polarity == Polarity::Plain;
    reading.predicates.iter().any(left)
        && reading.terms.iter().any(|term| term.class == state && !term.denied)
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

/// What any row's first line says of what it explains.
fn implied(said: &Predicate) -> bool {
    said.lemma == "indicar" && !said.directive && said.polarity == Polarity::Plain
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

fn shares(arguments: &[&Term], around: &[&Term]) -> bool {
    arguments.iter().any(|argument| around.iter().any(|term| term.class == argument.class))
}

/// Whether the row tells somebody to do it: an imperative or the like, 'se abre despacio'.
fn told(p: &Predicate) -> bool {
    p.directive && p.mood != Mood::Present || p.mood == Mood::Gerund || p.reflexive && !p.conditional
}

/// Whether the row states it of something.
fn stated(p: &Predicate) -> bool {
    matches!(p.mood, Mood::Present | Mood::Past) || p.mood == Mood::Imperative && !p.directive
}

/// Verbs that undo each other.
pub(super) fn opposites(verb: &str) -> impl Iterator<Item = &'static str> {
    const PAIRS: [(&str, &str); 12] = [
        ("apagar", "encender"),
        ("abrir", "cerrar"),
        ("conectar", "desconectar"),
        ("enchufar", "desenchufar"),
        ("tapar", "destapar"),
        ("subir", "bajar"),
        ("llenar", "vaciar"),
        ("poner", "sacar"),
        ("parar", "acostar"),
        ("apretar", "aflojar"),
        ("mojar", "secar"),
        ("trabar", "soltar"),
    ];
    let verb = verb.to_owned();
    PAIRS.into_iter().filter_map(move |(a, b)| if verb == a { Some(b) } else { (verb == b).then_some(a) })
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
