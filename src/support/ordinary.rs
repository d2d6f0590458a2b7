//! Whether a sentence says anything technical at all.
use super::assurance::dismisses;
use super::comparison::{amount, proposes, reason};
use super::courtesy::{calls_for_help, courteous, lacks, repeats};
use super::echo::{door, given};
use super::evidence::Evidence;
use super::lexicon::{Kind, VerbKind, lexicon};
use super::quantities::{Measure, Quantity};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::schedule::promised;
use super::urgent::{last, refuses};
use super::values::ONE;
use super::verbs::Mood;

/// Whether it needs a row. What only repeats the patient's own names for what is shown doesn't.
pub(super) fn technical(reading: &Reading, heard: &Evidence) -> bool {
    if reading.obscure {
        return true;
    }
    let own = |quantity: &Quantity| everyday(reading, quantity) || given(reading, quantity, heard);
    if !reading.quantities.iter().all(own) {
        return true;
    }
    if promised(reading, heard).is_some() || last(reading).is_some() || refuses(reading).is_some() {
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
    let claims = causes(reading) || lasts(reading) || lets(reading);
    claims
        || acts(reading, office)
        || describes(reading, office, courteous, heard)
        || soothes(reading) && !courteous
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
            let own = |p: &Predicate| p.kind != VerbKind::Light && p.mood == Mood::First;
            let alone = reading
                .predicates
                .iter()
                .all(|p| p.kind == VerbKind::Talk || p.kind == VerbKind::Light || own(p));
            soon && (spoken || reading.words.len() <= 4 && one) && alone && !technical_terms(reading)
        }
        _ => false,
    }
}

pub(super) fn technical_terms(reading: &Reading) -> bool {
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

/// 'Puede ser por estar encerrado': a cause, whatever it is.
fn causes(reading: &Reading) -> bool {
    let unknown = |term: &Term| term.kind == Kind::Unknown && !reading.words[term.at].capital;
    let because = reading.says(&["puede", "ser", "por"]) || reading.says(&["se", "debe", "a"]);
    because && reading.terms.iter().any(unknown)
}

/// 'Le alcanza hasta mañana': how long something lasts.
fn lasts(reading: &Reading) -> bool {
    let lasts = |p: &Predicate| {
        matches!(p.lemma.as_str(), "alcanzar" | "durar" | "aguantar")
            && matches!(p.mood, Mood::Present | Mood::Past)
            && p.polarity == Polarity::Plain
            && !p.conditional
    };
    !reading.asked() && reading.has(&["hasta"]) && reading.predicates.iter().any(lasts)
}

/// 'Lo puede hacer usted': a leave that is the row's to give.
fn lets(reading: &Reading) -> bool {
    reading.has(&["puede", "pueden"])
        && (reading.says(&["hacer", "usted"])
            || reading.says(&["hacerlo", "usted"])
            || reading.says(&["usted", "mismo"]))
}

/// Said of the call itself: 'se cortó la comunicación', 'acérquese al teléfono'.
pub(super) fn of_the_call(reading: &Reading) -> bool {
    const CALL: [&str; 9] =
        ["comunicacion", "llamada", "linea", "voz", "audio", "senal", "telefono", "celular", "microfono"];
    const VERBS: [&str; 8] =
        ["cortar", "perder", "volver", "acercar", "alejar", "subir", "escapar", "apagar"];
    let said = |p: &Predicate| p.kind != VerbKind::Action || VERBS.contains(&p.lemma.as_str()) || p.weak;
    let generic = reading.terms.iter().any(|term| term.kind == Kind::Generic);
    reading.has(&CALL) && !generic && !technical_terms(reading) && reading.predicates.iter().all(said)
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
    // 'Espere a ver si se le pasa'
    let own = |p: &Predicate| p.mood == Mood::First || p.to_me;
    let looks_on = reading.says(&["a", "ver", "si"]) && !reading.predicates.iter().any(own);
    if looks_on && reading.predicates.iter().any(waits) {
        return true;
    }
    let terms = technical_terms(reading) || reading.terms.iter().any(|term| term.kind == Kind::Generic);
    reading.predicates.iter().any(|p| {
        if p.kind == VerbKind::Light
            && p.directive
            && !p.to_me
            && matches!(p.lemma.as_str(), "dar" | "dejar" | "seguir")
        {
            return terms && !office;
        }
        if p.kind != VerbKind::Action {
            return p.polarity == Polarity::Needless && !p.to_me
                || p.polarity == Polarity::Denied && p.directive && terms && p.kind != VerbKind::Light;
        }
        // 'Se cortó la comunicación', 'acérquese al teléfono'
        if of_the_call(reading) {
            return false;
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
        // 'La tiene que abrir el técnico' says what is to be done all the same.
        let by_others =
            reading.words.get(p.at + 1).is_some_and(|word| word.is(&["el", "la"]) && !word.breaks());
        !office || p.mood != Mood::Infinitive || p.directive || by_others
    })
}

/// Things, qualities and states of the trade.
fn describes(reading: &Reading, office: bool, courteous: bool, heard: &Evidence) -> bool {
    let generic = reading.terms.iter().any(|term| term.kind == Kind::Generic);
    reading.terms.iter().any(|term| match term.kind {
        Kind::Part | Kind::Stuff | Kind::Health => !office && !everyday_term(term),
        Kind::Claim if courteous && term.class == "problema" => false,
        Kind::Name if door(term, heard) => false,
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
        || reading.says(&["es", "seguro"])
        || reading.says(&["de", "lo", "esperable"])
        || reading.says(&["de", "lo", "esperado"])
        || reading.says(&["todos", "los", "equipos"])
        || reading.says(&["todos", "los", "aparatos"])
        || dismisses(reading)
}
