//! Days and hours at which somebody comes or something is brought: nobody's to promise without a row.
use super::evidence::Evidence;
use super::lexicon::VerbKind;
use super::reading::{Predicate, Reading};
use super::verbs::Mood;

const DAYS: [&str; 11] = [
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "sabados",
    "domingo",
    "domingos",
    "feriado",
    "feriados",
];
/// Days that only stand for one beside a verb of [`BRINGS`].
const SOON: [&str; 4] = ["hoy", "manana", "mediodia", "finde"];
const BRINGS: [&str; 15] = [
    "pasar",
    "llegar",
    "llevar",
    "entregar",
    "visitar",
    "ir",
    "venir",
    "traer",
    "instalar",
    "mandar",
    "enviar",
    "salir",
    "agendar",
    "coordinar",
    "recibir",
];
/// Of these, what the speaker may not promise either.
const PROMISES: [&str; 8] = ["llevar", "entregar", "visitar", "ir", "traer", "mandar", "enviar", "agendar"];
const VISITS: [&str; 10] = [
    "turno", "turnos", "entrega", "entregas", "reparto", "repartos", "visita", "visitas", "retiro", "recarga",
];

/// The day or hour that a sentence promises; none where it asks, supposes, or notes down what the patient said.
pub(super) fn promised<'a>(reading: &'a Reading, heard: &Evidence) -> Option<&'a str> {
    if reading.asked() {
        return None;
    }
    let day = (0..reading.words.len()).find(|at| day(reading, *at) && !noted(reading, *at, heard));
    let soon = || (0..reading.words.len()).find(|at| soon(reading, *at) && brings(reading));
    day.or_else(soon).map(|at| reading.words[at].text.as_str())
}

/// A promise that the row doesn't make.
pub(super) fn missing(claim: &Reading, row: &Evidence, heard: &Evidence) -> Option<String> {
    let day = promised(claim, heard)?;
    (!row.sentences.iter().any(|reading| reading.has(&[day]))).then(|| format!("day: {day}"))
}

fn day(reading: &Reading, at: usize) -> bool {
    let wishes = ["buen", "buenos", "feliz", "lindo", "lindos", "hermoso"];
    let wished = reading.words[at.saturating_sub(2)..at].iter().any(|word| word.is(&wishes));
    let weekend = reading.words[at].is(&["semana"])
        && at >= 2
        && reading.words[at - 1].is(&["de"])
        && reading.words[at - 2].is(&["fin", "fines"])
        && !reading.words[at.saturating_sub(4)..at].iter().any(|word| word.is(&wishes));
    (reading.words[at].is(&DAYS) || weekend) && !wished
}

/// 'Hoy', 'mañana', 'a la tarde', 'la semana que viene'.
fn soon(reading: &Reading, at: usize) -> bool {
    let word = |at: usize, list: &[&str]| reading.words.get(at).is_some_and(|word| word.is(list));
    let before = |list: &[&str]| at > 0 && word(at - 1, list);
    let part = word(at, &["tarde", "noche", "tardecita"]) && before(&["la", "esta"]);
    let week = word(at, &["semana", "mes"])
        && (before(&["esta", "este", "proxima", "proximo"]) || word(at + 1, &["que", "proxima", "entrante"]));
    word(at, &SOON) || part || week
}

/// Whether somebody comes, or brings something.
fn brings(reading: &Reading) -> bool {
    let brings = |p: &Predicate| {
        let lemma = p.lemma.as_str();
        let verb = BRINGS.contains(&lemma) || reading.words[p.at].text.starts_with("retir");
        verb && !p.conditional && (p.mood != Mood::First || PROMISES.contains(&lemma))
    };
    let deals = reading.words.iter().any(|word| word.text.starts_with("reparti") || word.is(&["reparten"]));
    let has =
        |p: &Predicate| matches!(p.lemma.as_str(), "tener" | "ser" | "haber" | "quedar") && !p.conditional;
    // 'Puede esperar hasta mañana'
    let waits = |p: &Predicate| p.lemma == "esperar" && p.directive;
    deals
        || reading.has(&["hasta"]) && reading.predicates.iter().any(waits)
        || reading.predicates.iter().any(brings)
        || reading.has(&VISITS) && reading.predicates.iter().any(has)
}

/// 'Anoto que el jueves no está': the patient's own day, written down.
fn noted(reading: &Reading, at: usize, heard: &Evidence) -> bool {
    let day = reading.words[at].text.as_str();
    let said = heard.sentences.iter().any(|line| line.has(&[day]));
    let notes = |p: &Predicate| {
        p.mood == Mood::First && p.kind == VerbKind::Talk && !BRINGS.contains(&p.lemma.as_str())
    };
    said && reading.predicates.iter().any(notes)
}
