//! Whether a sentence says anything technical at all.
use super::assurance::dismisses;
use super::comparison::{amount, proposes, reason};
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::{Kind, VerbKind, lexicon};
use super::lights;
use super::quantities::{Measure, Quantity};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::schedule::promised;
use super::values::ONE;
use super::verbs::Mood;

/// Whether it needs a row. What only repeats the patient's own names for what is shown doesn't.
pub(super) fn technical(reading: &Reading, heard: &Evidence) -> bool {
    if reading.obscure {
        return true;
    }
    if reading.quantities.iter().any(|quantity| !everyday(reading, quantity)) {
        return true;
    }
    if promised(reading, heard).is_some() {
        return true;
    }
    if reading.asked() && !proposes(reading) {
        return asks_technically(reading, heard);
    }
    if repeats(reading, heard) {
        return false;
    }
    if calls_for_help(reading) || lacks(reading, heard) {
        return false;
    }
    let (office, courteous) = (office(reading), courteous(reading, heard));
    acts(reading, office) || describes(reading, office, courteous) || soothes(reading) && !courteous
}

/// 'Si le falta el aire, llame a emergencias': true of everybody, and nothing about equipment.
fn calls_for_help(reading: &Reading) -> bool {
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

/// Why, where there is no row at all.
pub(super) fn reasons(readings: &[&Reading]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for reading in readings {
        reasons.extend(reading.quantities.iter().map(amount));
        reasons.extend(
            reading
                .predicates
                .iter()
                .filter(|p| p.kind == VerbKind::Action)
                .map(|p| format!("verb: {}", p.lemma)),
        );
        reasons.extend(reading.terms.iter().filter(|term| term.kind != Kind::Weighty).map(reason));
    }
    if reasons.is_empty() {
        reasons.push("claim without evidence".to_owned());
    }
    reasons
}

/// Numbers of no equipment: two questions, a document, one moment.
fn everyday(reading: &Reading, quantity: &Quantity) -> bool {
    let lexicon = lexicon();
    let before = &reading.words[quantity.at.saturating_sub(4)..quantity.at];
    let whole = quantity.low % ONE == 0;
    let number = whole && matches!(quantity.measure, Measure::Bare | Measure::Count(_));
    if number && before.iter().any(|word| lexicon.is_free("labels", &word.text)) {
        return true;
    }
    let street =
        number && before.last().is_some_and(|word| word.capital && lexicon.verb(&word.text).is_none());
    if street
        && !technical_terms(reading)
        && reading.has(&["calle", "piso", "vive", "direccion", "domicilio", "altura", "entre"])
    {
        return true;
    }
    let emergency = [107_000, 911_000, 100_000, 103_000].contains(&quantity.low);
    if emergency && reading.predicates.iter().any(|p| p.lemma == "llamar") {
        return true;
    }
    match &quantity.measure {
        Measure::Count(thing) => {
            lexicon.is_free("countable", thing)
                || reading
                    .words
                    .get(quantity.end)
                    .is_some_and(|word| lexicon.is_free("countable", &word.text))
        }
        Measure::Of(unit) if unit == "time" => {
            let soon = quantity.high <= 3_600_000;
            let one = quantity.high == 1_000 || quantity.high == 60_000;
            let spoken = reading
                .predicates
                .iter()
                .any(|p| p.to_me || (p.mood == Mood::First && p.kind == VerbKind::Talk));
            let alone =
                reading.predicates.iter().all(|p| p.kind == VerbKind::Talk || p.kind == VerbKind::Light);
            soon && (spoken || reading.words.len() <= 4 && one) && alone && !technical_terms(reading)
        }
        _ => false,
    }
}

fn technical_terms(reading: &Reading) -> bool {
    let ordinary = |term: &Term| {
        matches!(term.kind, Kind::Weighty | Kind::Unknown | Kind::Generic) || everyday_term(term)
    };
    !reading.terms.iter().all(ordinary)
}

/// A question that proposes nothing may name what anybody sees; parts and values are a row's or the patient's.
fn asks_technically(reading: &Reading, heard: &Evidence) -> bool {
    reading.terms.iter().any(|term| {
        let technical = matches!(
            term.kind,
            Kind::Part | Kind::Stuff | Kind::Measure | Kind::Health | Kind::Colour | Kind::Name
        );
        // '¿Le falta el aire?'
        let breath = term.class == "air" && reading.has(&["falta", "faltando", "falto"]);
        technical && !breath && !heard.terms.contains_key(&term.class) && !everyday_term(term)
    })
}

/// Things of the trade that an office speaks of every day.
fn everyday_term(term: &Term) -> bool {
    matches!(term.class.as_str(), "casa" | "piso" | "carga" | "recarga" | "ropa" | "cabl" | "respaldo")
}

/// Whether the speaker, or an office, does something: 'le mando', 'el técnico pasa'.
fn office(reading: &Reading) -> bool {
    let first = |p: &Predicate| p.mood == Mood::First && (p.kind != VerbKind::Action || p.weak) || p.to_me;
    let people = [
        "tecnico",
        "operador",
        "operadora",
        "logistica",
        "proveedor",
        "administracion",
        "supervisor",
        "area",
        "empresa",
        "companero",
    ];
    reading.predicates.iter().any(first)
        || reading.has(&people)
        || reading.has(&["voy", "vamos", "puedo", "podemos"]) && !reading.says(&["vamos", "a"])
}

/// Verbs that are done to equipment or by it.
fn acts(reading: &Reading, office: bool) -> bool {
    // 'Si se siente peor, espere'
    const WORSE: [&str; 5] = ["sentir", "empeorar", "faltar", "respirar", "ahogar"];
    let worse = |p: &Predicate| p.conditional && WORSE.contains(&p.lemma.as_str());
    let waits = |p: &Predicate| p.lemma == "esperar" && p.directive && p.polarity == Polarity::Plain;
    if reading.predicates.iter().any(worse) && reading.predicates.iter().any(waits) {
        return true;
    }
    let terms = technical_terms(reading) || reading.terms.iter().any(|term| term.kind == Kind::Generic);
    reading.predicates.iter().any(|p| {
        if p.kind == VerbKind::Light && p.directive && !p.to_me && matches!(p.lemma.as_str(), "dar" | "dejar")
        {
            return terms && !office;
        }
        if p.kind != VerbKind::Action {
            return p.polarity == Polarity::Needless && !p.to_me
                || p.polarity == Polarity::Denied && p.directive && terms && p.kind != VerbKind::Light;
        }
        // 'No corte, por favor.'
        let hangs_up = p.lemma == "cortar" && p.polarity == Polarity::Denied && !terms && !p.pronoun;
        if hangs_up || p.mood == Mood::First && !p.directive {
            return false;
        }
        if p.weak {
            let unknown = reading
                .terms
                .iter()
                .any(|term| term.kind == Kind::Unknown && !reading.words[term.at].capital);
            let told = p.directive && !p.to_me;
            return if told { terms || p.pronoun || unknown } else { !office && terms };
        }
        !(office && p.mood == Mood::Infinitive && !p.directive)
    })
}

/// Things, qualities and states of the trade.
fn describes(reading: &Reading, office: bool, courteous: bool) -> bool {
    let generic = reading.terms.iter().any(|term| term.kind == Kind::Generic);
    reading.terms.iter().any(|term| match term.kind {
        Kind::Part | Kind::Stuff | Kind::Health => !office && !everyday_term(term),
        Kind::Claim if courteous && term.class == "problema" => false,
        Kind::Measure | Kind::Claim => !everyday_term(term),
        Kind::Colour | Kind::Name | Kind::State => true,
        Kind::Done => generic || !office,
        Kind::Adjective => generic || lexicon().weighs(&term.class),
        Kind::Unknown => generic && !office && !reading.words[term.at].capital,
        Kind::Generic | Kind::Weighty => false,
    })
}

/// 'No pasa nada', 'está bien así': safety without a reason.
fn soothes(reading: &Reading) -> bool {
    reading.says(&["no", "pasa", "nada"])
        || reading.says(&["no", "hay", "peligro"])
        || reading.says(&["sin", "problema"])
        || reading.says(&["no", "es", "nada"])
        || reading.says(&["es", "seguro"])
        || dismisses(reading)
}

/// 'No hay problema, lo anoto': courtesy of somebody who does something himself, where the patient has just
/// asked nothing of equipment.
fn courteous(reading: &Reading, heard: &Evidence) -> bool {
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
fn lacks(reading: &Reading, heard: &Evidence) -> bool {
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
fn repeats(reading: &Reading, heard: &Evidence) -> bool {
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
