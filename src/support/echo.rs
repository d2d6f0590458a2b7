//! The patient's own numbers, said back: an address, an age, a date that they gave.
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::{Kind, VerbKind, lexicon};
use super::quantities::{Measure, Quantity};
use super::reading::{Predicate, Reading, Term};
use super::schedule::{DAYS, brings};

/// What tells that a line is about a person, a place or a day.
const GIVEN: [&str; 38] = [
    "vivo",
    "vive",
    "vivimos",
    "mudo",
    "mudamos",
    "mude",
    "mudanza",
    "calle",
    "direccion",
    "domicilio",
    "turno",
    "viajo",
    "viaje",
    "viajamos",
    "viaja",
    "cumple",
    "cumplio",
    "edad",
    "llamar",
    "llamen",
    "llamenme",
    "llamarme",
    "nacio",
    "naci",
    "nacimiento",
    "fecha",
    "medico",
    "medica",
    "neumologo",
    "doctor",
    "doctora",
    "anos",
    "afiliado",
    "entre",
    "barrio",
    "localidad",
    "esquina",
    "cita",
];

/// Whether a number only repeats one that the patient gave of themselves, in talk of the office.
pub(super) fn given(reading: &Reading, quantity: &Quantity, heard: &Evidence) -> bool {
    plain(reading)
        && !brings(reading)
        && of_people(quantity)
        && heard.sentences.iter().any(|line| {
            let same =
                |said: &Quantity| said.low == quantity.low && said.high == quantity.high && of_people(said);
            gives(line) && plain(line) && line.quantities.iter().any(same)
        })
}

/// A line that gives an address, an age or a day.
fn gives(line: &Reading) -> bool {
    let label = |word: &Word| lexicon().is_free("labels", &word.text);
    // 'Rivadavia 3450': a word that nobody knows, and its number
    let street = |term: &Term| {
        term.kind == Kind::Unknown && line.quantities.iter().any(|q| q.at == term.at + 1 && q.low >= 100_000)
    };
    let people = [
        "suegra", "suegro", "mama", "papa", "madre", "padre", "abuela", "abuelo", "esposo", "esposa", "hijo",
        "hija", "paciente", "marido", "mujer", "hermano", "hermana",
    ];
    let age = line.has(&["tiene", "tengo", "cumple"]) && line.has(&people);
    age || line.terms.iter().any(street)
        || line.has(&GIVEN)
        || line.has(&DAYS)
        || line.words.iter().any(label)
}

/// A number by itself, of people or of years: nothing that is set, given or waited for.
fn of_people(quantity: &Quantity) -> bool {
    const YEAR: i64 = 31_536_000_000;
    match &quantity.measure {
        Measure::Bare => true,
        Measure::Count(thing) => lexicon().noun(thing).is_none(),
        Measure::Of(unit) => unit == "time" && quantity.low >= YEAR && quantity.low % YEAR == 0,
        _ => false,
    }
}

/// Nothing of the trade in it, and nobody who comes or does anything.
fn plain(reading: &Reading) -> bool {
    let acts = |p: &Predicate| p.kind == VerbKind::Action && !p.weak;
    let ordinary = |term: &Term| match term.kind {
        Kind::Weighty | Kind::Unknown => true,
        Kind::Name => term.class.len() == 1,
        Kind::Adjective => !lexicon().weighs(&term.class),
        _ => false,
    };
    reading.terms.iter().all(ordinary) && !reading.predicates.iter().any(acts)
}

/// 'Cuarto B': a letter of the address that the patient gave.
pub(super) fn door(term: &Term, heard: &Evidence) -> bool {
    let letter = term.class.len() == 1;
    let same = |other: &Term| other.class == term.class;
    let address = |line: &Reading| {
        line.terms.iter().any(same) && plain(line) && !line.has(&["posicion", "letra", "codigo", "pantalla"])
    };
    letter && heard.sentences.iter().any(address)
}
