//! What may not wait: help before anything else, a call that the row wants at once, an order that is taken anyway.
use super::evidence::Evidence;
use super::reading::{Polarity, Predicate, Reading};

/// Who is called in an emergency.
const HELP: [&str; 6] = ["emergencia", "emergencias", "ambulancia", "bomberos", "guardia", "same"];
/// What comes before the call all the same: getting away.
const AWAY: [&str; 3] = ["salir", "alejar", "evacuar"];
const AFTER: [&str; 5] = ["despues", "luego", "recien", "ultimo", "entonces"];

/// 'Avise primero al proveedor y después llame a emergencias': what is put before help.
pub(super) fn last(reading: &Reading) -> Option<&str> {
    (0..reading.words.len()).filter(|at| reading.words[*at].is(&HELP)).find_map(|help| before(reading, help))
}

fn before(reading: &Reading, help: usize) -> Option<&str> {
    let word = |at: usize, list: &[&str]| reading.words.get(at).is_some_and(|word| word.is(list));
    let behind = |p: &&Predicate| p.at < help && !AWAY.contains(&p.lemma.as_str());
    let done = |p: &Predicate| (p.directive || p.to_me) && !p.conditional && p.polarity == Polarity::Plain;
    let calls = reading.predicates.iter().rfind(|p| p.at < help)?;
    // 'Antes que a emergencias', 'antes de llamar a emergencias'
    let compared = (help.saturating_sub(5)..help)
        .filter(|at| word(*at, &["antes"]) && word(at + 1, &["que", "de"]))
        .any(|at| !(at + 1..=help).any(|at| reading.words[at].breaks()));
    let other = |p: &&Predicate| p.at != calls.at && !AWAY.contains(&p.lemma.as_str());
    if compared && reading.predicates.iter().any(|p| done(p) && (p.at < help || other(&p))) {
        return Some(calls.lemma.as_str());
    }
    // 'Avísenos primero a nosotros y después a los bomberos'
    let second = |at: &usize| word(*at, &AFTER) && !word(at + 1, &["de"]);
    if (calls.at + 2..help).any(|at| second(&at)) && calls.polarity == Polarity::Plain {
        return Some(calls.lemma.as_str());
    }
    let mut earlier = reading.predicates.iter().filter(behind).filter(|p| p.at < calls.at);
    let since = |p: &Predicate| (p.at + 1..help).any(|at| word(at, &AFTER) && !word(at + 1, &["de"]));
    // 'Y, cuando lo haya pedido, llame a emergencias'
    let since = |p: &Predicate| {
        let awaited =
            |c: &Predicate| c.conditional && [&p.lemma, "terminar", "acabar"].contains(&c.lemma.as_str());
        since(p) || reading.predicates.iter().any(|c| c.at > p.at && c.at < calls.at && awaited(c))
    };
    // 'Después de avisar al proveedor, llame a emergencias'
    let led = |p: &Predicate| {
        (p.at.saturating_sub(4)..p.at).any(|at| word(at, &["despues", "luego"]) && word(at + 1, &["de"]))
    };
    let first = |p: &Predicate| {
        let next = p.at + 1 < calls.at && word(p.at + 1, &["primero"]);
        let ahead = (p.at.saturating_sub(3)..p.at).any(|at| word(at, &["primero"]));
        let verb = reading.predicates.iter().any(|q| q.at < p.at && q.at + 3 >= p.at);
        next || ahead && !verb
    };
    let put = earlier.find(|p| done(p) && (since(p) || first(p)) || led(p))?;
    Some(put.lemma.as_str())
}

/// Something before help where the row doesn't have it so.
pub(super) fn help_last(claim: &Reading, row: &Evidence) -> Option<String> {
    let put = last(claim)?;
    (!row.sentences.iter().any(|reading| last(reading).is_some())).then(|| format!("before help: {put}"))
}

/// 'Llame igual', 'llame ya', 'apenas lo note'.
const AT_ONCE: [&str; 8] = ["igual", "siempre", "ya", "enseguida", "apenas", "primero", "antes", "cuanto"];

/// 'Espere a tenerlo para llamar', 'llame de nuevo cuando lo tenga' where a row wants the call at once.
pub(super) fn put_off(claim: &Reading, row: &Evidence) -> Option<String> {
    let calls =
        |p: &&Predicate| matches!(p.lemma.as_str(), "llamar" | "avisar") && p.polarity == Polarity::Plain;
    let told = |p: &Predicate| p.lemma == "esperar" && p.directive && p.polarity == Polarity::Plain;
    let leads = (0..claim.words.len()).any(|at| {
        let no = at > 0 && claim.words[at - 1].is(&["no"]);
        claim.words[at].is(&["espere", "esperen", "espera"])
            && !no
            && claim.words.get(at + 1).is_some_and(|w| w.is(&["a"]))
    });
    let waits = |p: &Predicate| told(p) || leads;
    let call = claim.predicates.iter().find(calls)?;
    let until = |from: usize| {
        claim.words[from..].iter().any(|word| word.is(&["cuando"]))
            && (claim.says(&["de", "nuevo"]) || claim.has(&["recien", "despues", "luego"]))
    };
    let later = call.directive && until(call.at);
    let at_once = |reading: &Reading| reading.predicates.iter().any(|p| calls(&p)) && reading.has(&AT_ONCE);
    let put_off = (later || claim.predicates.iter().any(waits)) && row.sentences.iter().any(at_once);
    let held = row.sentences.iter().any(|reading| reading.has(&["cuando"]) && !reading.has(&AT_ONCE));
    (put_off && (!held || claim.predicates.iter().any(waits))).then(|| format!("put off: {}", call.lemma))
}

/// What an office does with an order, and what one is.
const TAKES: [&str; 11] = [
    "tomar",
    "cargar",
    "registrar",
    "pasar",
    "gestionar",
    "tramitar",
    "entregar",
    "mandar",
    "enviar",
    "derivar",
    "hacer",
];
const ORDERS: [&str; 11] = [
    "pedido", "pedidos", "recarga", "reclamo", "reclamos", "entrega", "turno", "retiro", "tramite", "tubo",
    "tubos",
];

/// 'Sin el DNI no se puede tomar el pedido': a condition of the office that a row must set.
pub(super) fn refuses(reading: &Reading) -> Option<&Predicate> {
    let bound = reading.has(&["sin", "hasta"]) || reading.predicates.iter().any(|p| p.conditional);
    let can = ["puedo", "podemos", "puede", "pueden", "va", "vamos", "podra", "podre", "podria"];
    let able = |p: &Predicate| {
        reading.words[p.at.saturating_sub(4)..p.at].iter().any(|word| word.is(&can))
            || reading.words[p.at].text.ends_with("mos")
    };
    let refused =
        |p: &&Predicate| TAKES.contains(&p.lemma.as_str()) && p.polarity == Polarity::Denied && able(p);
    if !bound || reading.asked() || !reading.has(&ORDERS) {
        return None;
    }
    reading.predicates.iter().find(refused)
}

/// A refusal that the row doesn't have.
pub(super) fn refused(claim: &Reading, row: &Evidence) -> Option<String> {
    let p = refuses(claim)?;
    let same = |held: &Predicate| held.lemma == p.lemma && held.polarity == Polarity::Denied;
    (!row.predicates().any(|(_, held)| same(held))).then(|| format!("refusal: {}", p.lemma))
}
