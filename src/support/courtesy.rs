//! What is said in a call without claiming anything: courtesy, the patient's own words, what one doesn't know.
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::{Kind, VerbKind};
use super::lights;
use super::ordinary::technical_terms;
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

/// 'No hay problema, lo anoto': courtesy of somebody who does something himself, where the patient has just
/// asked nothing of equipment.
pub(super) fn courteous(reading: &Reading, heard: &Evidence) -> bool {
    const PHRASES: [&[&str]; 6] = [
        &["no", "hay", "problema"],
        &["no", "hay", "ningun", "problema"],
        &["no", "es", "problema"],
        &["no", "es", "ningun", "problema"],
        &["ningun", "problema"],
        &["sin", "problema"],
    ];
    let words: Vec<&str> = reading.words.iter().map(|word| word.text.as_str()).collect();
    let parted = (0..words.len()).filter(|at| reading.words[*at].breaks()).any(|at| {
        let opened = PHRASES.iter().find(|phrase| words[at..].starts_with(phrase));
        opened.is_some_and(|phrase| reading.words.get(at + phrase.len()).is_some_and(Word::breaks))
    });
    let office = |p: &Predicate| p.mood == Mood::First && p.polarity == Polarity::Plain;
    let told = |p: &Predicate| p.directive && !p.to_me;
    let of_equipment = |line: &Reading| {
        technical_terms(line)
            || line.terms.iter().any(|term| term.kind == Kind::Generic)
            || line.predicates.iter().any(|p| p.kind == VerbKind::Action)
    };
    parted
        && reading.predicates.iter().any(office)
        && !reading.predicates.iter().any(told)
        && !heard.sentences.iter().rev().take(3).any(of_equipment)
}

/// 'No encuentro el E9 en la información que tengo': says only what the speaker doesn't know.
pub(super) fn lacks(reading: &Reading, heard: &Evidence) -> bool {
    let sources = [
        "informacion",
        "dato",
        "datos",
        "manual",
        "manuales",
        "registro",
        "indicaciones",
        "detalle",
        "detalles",
        "significado",
    ];
    const FINDS: [&str; 7] = ["encontrar", "tener", "figurar", "aparecer", "ver", "contar", "saber"];
    let finds = |p: &Predicate| {
        FINDS.contains(&p.lemma.as_str()) && p.kind != VerbKind::Action && !p.directive && !p.conditional
    };
    let named = |term: &Term| {
        let seen = !matches!(term.kind, Kind::Adjective | Kind::Health | Kind::Claim | Kind::Done);
        matches!(term.kind, Kind::Generic | Kind::Weighty)
            || term.class == "significado"
            || seen && heard.terms.contains_key(&term.class)
    };
    reading.has(&sources)
        && reading.quantities.is_empty()
        && reading.predicates.iter().all(finds)
        && reading.predicates.iter().any(|p| p.mood == Mood::First)
        && reading.predicates.iter().any(|p| p.polarity == Polarity::Denied)
        && reading.terms.iter().all(named)
}

/// What displays, lights and alarms do.
const SHOWS: [&str; 11] = [
    "encender",
    "apagar",
    "titilar",
    "sonar",
    "marcar",
    "mostrar",
    "aparecer",
    "salir",
    "pitar",
    "figurar",
    "funcionar",
];

/// Whether all that it says of what is shown are the patient's own words for it.
pub(super) fn repeats(reading: &Reading, heard: &Evidence) -> bool {
    let listens = [
        "dice",
        "muestra",
        "aparece",
        "aparecio",
        "entiendo",
        "veo",
        "tiene",
        "comprendo",
        "ve",
        "marca",
        "sale",
        "salio",
        "anoto",
        "anotado",
        "cuenta",
        "conto",
        "nombro",
        "menciona",
    ];
    let explains = ["es", "son", "significa", "indica", "avisa", "porque", "por", "debe", "quiere", "senala"];
    if !reading.has(&listens) || reading.has(&explains) || !reading.quantities.is_empty() {
        return false;
    }
    let says = |p: &Predicate| {
        let shows = SHOWS.contains(&p.lemma.as_str());
        let known =
            heard.predicates().any(|(_, other)| other.lemma == p.lemma) || p.to_me || reading.has(&["me"]);
        !p.directive
            && p.polarity == Polarity::Plain
            && (p.kind != VerbKind::Action || shows && (known || p.weak))
    };
    let named = |kind: Kind| {
        matches!(kind, Kind::Name | Kind::Colour | Kind::State | Kind::Unknown | Kind::Done | Kind::Claim)
    };
    let seen = |term: &Term| {
        let generic = matches!(term.kind, Kind::Generic | Kind::Weighty);
        generic || named(term.kind) && heard.terms.contains_key(&term.class)
    };
    let paired: Vec<_> = heard.sentences.iter().flat_map(lights::pairs).collect();
    reading.predicates.iter().all(says)
        && reading.terms.iter().all(seen)
        && lights::pairs(reading).iter().all(|pair| paired.contains(pair))
}

/// 'Si le falta el aire, llame a emergencias': true of everybody, and nothing about equipment.
pub(super) fn calls_for_help(reading: &Reading) -> bool {
    let helps = ["emergencia", "emergencias", "ambulancia", "bomberos", "guardia"];
    let people = |p: &Predicate| {
        let symptom = matches!(p.lemma.as_str(), "faltar" | "empeorar" | "respirar") && p.conditional;
        (p.kind != VerbKind::Action || symptom) && !(p.directive && p.polarity != Polarity::Plain)
    };
    let body = |term: &Term| matches!(term.kind, Kind::Health | Kind::Weighty) || term.class == "air";
    reading.has(&helps)
        && reading.predicates.iter().any(|p| p.lemma == "llamar" && p.polarity == Polarity::Plain)
        && reading.predicates.iter().all(people)
        && reading.terms.iter().all(body)
}
