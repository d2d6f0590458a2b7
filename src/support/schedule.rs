//! Days and hours at which somebody comes or something is brought: nobody's to promise without a row.
use super::evidence::Evidence;
use super::lexicon::VerbKind;
use super::reading::{Polarity, Predicate, Reading};
use super::verbs::Mood;

pub(super) const DAYS: [&str; 11] = [
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
    let coming = || (0..reading.words.len()).find(|at| under_way(reading, *at));
    day.or_else(soon).or_else(coming).map(|at| reading.words[at].text.as_str())
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

/// Who comes, and what is brought.
const COMERS: [&str; 16] = [
    "tecnico",
    "tecnicos",
    "repartidor",
    "repartidores",
    "chofer",
    "camion",
    "camioneta",
    "reparto",
    "cadete",
    "movil",
    "pedido",
    "recarga",
    "tubo",
    "tubos",
    "entrega",
    "flete",
];

/// 'El técnico está yendo', 'ya salió el pedido', 'está en camino', 'le llega en un rato': said as a fact.
fn under_way(reading: &Reading, at: usize) -> bool {
    let word = |at: usize, list: &[&str]| reading.words.get(at).is_some_and(|word| word.is(list));
    if at > 0 && word(at, &["camino", "viaje"]) && word(at - 1, &["en"]) && reading.has(&COMERS) {
        return !reading.predicates.iter().any(|p| p.conditional);
    }
    if at > 0 && word(at, &["yendo", "viniendo", "llegando", "saliendo"]) {
        return word(at - 1, &["esta", "estan", "va", "van", "viene", "vienen"]) && reading.has(&COMERS);
    }
    if word(at, &["despache", "despachamos", "despacho", "despacharon"]) {
        return reading.has(&COMERS);
    }
    let Some(p) = reading.predicates.iter().find(|p| p.at == at) else { return false };
    let comes = ["salir", "llegar", "venir", "ir", "pasar", "visitar"].contains(&p.lemma.as_str());
    let stated =
        matches!(p.mood, Mood::Present | Mood::Past) && p.polarity == Polarity::Plain && !p.conditional;
    if !comes || !stated || !reading.has(&COMERS) || reading.has(&["logistica"]) {
        return false;
    }
    let ya = at > 0 && (word(at - 1, &["ya"]) || at > 1 && word(at - 2, &["ya"]));
    let there = (at + 1..at + 4).any(|next| {
        word(next, &["alla", "ahi"]) || word(next, &["su"]) && word(next + 1, &["casa", "domicilio"])
    });
    ya && p.lemma != "pasar" || there || shortly(reading)
}

/// 'En un rato', 'dentro de poco'.
fn shortly(reading: &Reading) -> bool {
    const TIMES: [&str; 7] = ["rato", "ratito", "momento", "momentito", "breve", "minutos", "instantes"];
    reading.says(&["dentro", "de", "poco"])
        || reading.words.windows(3).any(|run| run[0].is(&["en"]) && (run[1].is(&TIMES) || run[2].is(&TIMES)))
        || reading.has(&["enseguida"])
}

/// Whether somebody comes, or brings something.
pub(super) fn brings(reading: &Reading) -> bool {
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
    // 'Queda anotado el llamado para el martes'
    let kept = reading.has(&["anotado", "registrado", "anotada", "registrada"]) && !reading.has(&VISITS);
    said && (kept && !brings(reading) || reading.predicates.iter().any(notes))
}
