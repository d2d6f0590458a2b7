//! Verbs that say the same in their place.
use super::comparison::NAMES;
use super::evidence::Evidence;
use super::lexicon::Kind;
use super::reading::{Predicate, Reading, Term};

/// What happens by itself, in two words for it.
const HAPPENS: [(&str, &str); 5] = [
    ("salir", "entregar"),
    ("llegar", "salir"),
    ("llegar", "bajar"),
    ("arrancar", "encender"),
    ("parar", "apagar"),
];

/// Whether two verbs are one: by name, or both 'use the backup'.
pub(super) fn one(claim: &Reading, said: &Predicate, held: &Predicate, row: &Evidence) -> bool {
    let backup = |terms: &[&Term]| terms.iter().any(|term| term.class == "respaldo");
    if said.lemma == held.lemma {
        return true;
    }
    let code = |term: &Term| row.codes.contains(&term.class) || NAMES.contains(&term.class.as_str());
    const SHOWN: [&str; 4] = ["salir", "mostrar", "aparecer", "figurar"];
    if SHOWN.contains(&said.lemma.as_str())
        && SHOWN.contains(&held.lemma.as_str())
        && (claim.has(&["pantalla"]) || claim.arguments(said).into_iter().any(code))
    {
        return true;
    }
    // 'Siga la manguera con la mano' is to follow it along.
    let pair = (said.lemma.as_str(), held.lemma.as_str());
    let plug = |terms: &[&Term]| terms.iter().any(|term| matches!(term.class.as_str(), "enchuf" | "pared"));
    const PLUGGED: [&str; 3] = ["probar", "conectar", "enchufar"];
    if PLUGGED.contains(&pair.0) && PLUGGED.contains(&pair.1) && plug(&claim.arguments(said)) {
        return row
            .sentences
            .iter()
            .any(|reading| reading.predicates.contains(held) && plug(&reading.around(held)));
    }
    let happens = !said.directive && !held.directive;
    if happens && HAPPENS.iter().any(|(a, b)| pair == (*a, *b) || pair == (*b, *a)) {
        return true;
    }
    // 'Vuelva la perilla al flujo indicado', 'corra el equipo de la pared'
    let both = |class: &str| {
        let has = |terms: &[&Term]| terms.iter().any(|term| term.class == class);
        let around = |reading: &Reading| reading.predicates.contains(held) && has(&reading.around(held));
        has(&claim.arguments(said)) && row.sentences.iter().any(around)
    };
    if newly(claim, said, held, &both) {
        return true;
    }
    const SET: [&str; 3] = ["poner", "llevar", "volver"];
    if SET.contains(&pair.0) && SET.contains(&pair.1) && both("perilla") && both("flujo") {
        return true;
    }
    if pair == ("correr", "alejar") && both("pared") && claim.says(&["de", "la", "pared"]) {
        return true;
    }
    if matches!(pair, ("recorrer", "seguir") | ("llevar", "trasladar")) {
        return true;
    }
    const TO_BACKUP: [&str; 7] = ["pasar", "usar", "seguir", "quedar", "poner", "recurrir", "conectar"];
    TO_BACKUP.contains(&said.lemma.as_str())
        && TO_BACKUP.contains(&held.lemma.as_str())
        && backup(&claim.arguments(said))
        && row
            .sentences
            .iter()
            .any(|reading| reading.predicates.contains(held) && backup(&reading.around(held)))
}

/// The same of other verbs: 'póngale otra batería', 'que no supere la marca', 'si salen burbujas'.
fn newly(claim: &Reading, said: &Predicate, held: &Predicate, both: &dyn Fn(&str) -> bool) -> bool {
    let pair = (said.lemma.as_str(), held.lemma.as_str());
    let happens = !said.directive && !held.directive;
    const INTO: [&str; 2] = ["conectar", "enchufar"];
    if INTO.contains(&pair.0) && INTO.contains(&pair.1) && both("cargador") {
        return true;
    }
    // 'Póngale otra batería' is to change it for another.
    if pair == ("poner", "cambiar")
        && claim.has(&["otro", "otra", "nuevo", "nueva"])
        && claim.arguments(said).iter().any(|term| term.kind == Kind::Part && both(&term.class))
    {
        return true;
    }
    let device = |term: &&Term| matches!(term.class.as_str(), "equipo" | "tubo");
    if pair == ("mover", "trasladar") && claim.arguments(said).iter().any(device) {
        return true;
    }
    let shares = || claim.arguments(said).iter().any(|term| term.thing() && both(&term.class));
    if pair == ("echar", "usar") && shares() {
        return true;
    }
    if matches!(pair, ("superar" | "exceder", "pasar")) && happens && shares() {
        return true;
    }
    if said.conditional && held.conditional && matches!(pair, ("salir" | "aparecer", "haber")) && shares() {
        return true;
    }
    pair == ("traer", "tener") && happens
}
