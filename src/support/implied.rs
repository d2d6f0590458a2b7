//! What a row says in other words than a verb: a state that something is left in, a noun, its first line.
use super::actions::{Held, Said, told};
use super::comparison::related;
use super::conditions::{RETURNS, STOPS, comes_back};
use super::evidence::Evidence;
use super::lexicon::Kind;
use super::objects::shares;
use super::order::waits_for;
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

const PLACES: [&str; 11] = [
    "encima", "arriba", "abajo", "dentro", "fuera", "afuera", "adentro", "cerca", "lejos", "delante",
    "detras",
];

/// Ways to change a setting.
const CHANGES: [&str; 7] = ["mover", "tocar", "cambiar", "girar", "modificar", "subir", "bajar"];

impl Said<'_> {
    /// 'Deje la perilla por encima': where the row only describes that, it doesn't tell anybody to.
    pub(super) fn left(&self) -> Option<String> {
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
    pub(super) fn without_verb(&self) -> bool {
        let (lemma, row) = (self.verb.lemma.as_str(), self.row);
        let left_as = |state: String| row.sentences.iter().filter(move |reading| leaves(reading, &state));
        match self.verb.polarity {
            Polarity::Needless => false,
            Polarity::Denied => self.without_denial(),
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
                // 'Deje libres las rejillas' is to clear them.
                let freed = |reading: &Reading| leaves(reading, "libre") || leaves(reading, "libr");
                let mut freed = row.sentences.iter().filter(|reading| lemma == "despejar" && freed(reading));
                if freed.any(|reading| self.arguments.iter().all(|argument| same(reading, argument))) {
                    return true;
                }
                taken.any(|reading| self.arguments.iter().all(|argument| same(reading, argument)))
                    || left_as(format!("{lemma}#"))
                        .any(|reading| self.arguments.iter().all(|argument| same(reading, argument)))
            }
            Polarity::Plain => {
                let state = row.terms.get(&format!("{lemma}#")).is_some_and(|occurs| occurs.plain);
                let again = RETURNS.contains(&lemma) && self.verb.conditional && comes_back(row);
                let tested = lemma == "probar" && row.terms.contains_key("prueba");
                tested
                    || again
                    || state
                    || row.terms.keys().any(|term| related(term, lemma))
                    || implied(self.verb)
            }
        }
    }

    /// What the row keeps from being done in other words than a denial of this verb.
    fn without_denial(&self) -> bool {
        let (lemma, row) = (self.verb.lemma.as_str(), self.row);
        let left_as = |state: String| row.sentences.iter().filter(move |reading| leaves(reading, &state));
        // 'Se abre despacio, nunca de golpe'
        let against = |(n, p): Held<'_>| {
            let around = row.around(n, p);
            let denied =
                |argument: &&Term| around.iter().any(|term| term.class == argument.class && term.denied);
            p.lemma == lemma && !self.arguments.is_empty() && self.arguments.iter().all(denied)
        };
        // 'Deje la perilla donde la indicó el médico' is not to move it.
        let stays_put = |reading: &Reading| {
            let same = |argument: &&Term| reading.terms.iter().any(|term| term.class == argument.class);
            let left = |p: &Predicate| p.lemma == "dejar" && p.directive && p.polarity == Polarity::Plain;
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
        // 'Sin llevar respaldo' is without it.
        let without = self.verb.at > 0
            && self.claim.words[self.verb.at - 1].is(&["sin"])
            && matches!(lemma, "llevar" | "usar")
            && !self.arguments.is_empty();
        let lacked = |term: &&Term| row.terms.get(&term.class).is_some_and(|occurs| occurs.denied);
        if without && self.arguments.iter().all(lacked) {
            return true;
        }
        if row.sentences.iter().any(|reading| waits_for(self.claim, self.verb, reading)) {
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

    /// 'Quiere decir que hay una falla' beside a row that says of nothing else what it means.
    pub(super) fn meant(&self) -> bool {
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
}

/// Whether it tells to leave something in a state.
fn leaves(reading: &Reading, state: &str) -> bool {
    let left = |p: &Predicate| p.lemma == "dejar" && p.directive && p.polarity == Polarity::Plain;
    reading.predicates.iter().any(left)
        && reading.terms.iter().any(|term| term.class == state && !term.denied)
}

/// What any row's first line says of what it explains.
fn implied(said: &Predicate) -> bool {
    said.lemma == "indicar" && !said.directive && said.polarity == Polarity::Plain
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

/// Whether a quality is what the row tells to bring about: `recto` where it has `enderezar`.
pub(super) fn result(quality: &str, row: &Evidence) -> bool {
    const RESULTS: [(&str, &str); 6] = [
        ("derecho", "enderezar"),
        ("recto", "enderezar"),
        ("libre", "despejar"),
        ("firme", "ajustar"),
        ("seco", "secar"),
        ("limpio", "limpiar"),
    ];
    let brings = |verb: &str| {
        let told = |p: &Predicate| p.lemma == verb && told(p) && p.polarity == Polarity::Plain;
        row.predicates().any(|(_, p)| told(p))
    };
    RESULTS.iter().any(|(result, verb)| *result == quality && brings(verb))
}
