//! What is done before what.
use super::evidence::Evidence;
use super::lexicon::{Kind, VerbKind};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

/// Words that say an order aloud.
const MARKERS: [&str; 9] =
    ["primero", "primera", "despues", "luego", "recien", "antes", "previo", "ultimo", "entonces"];

/// Verbs that may be done before or after such a one all the same.
const ANYTIME: [&str; 11] = [
    "apoyar",
    "llevar",
    "mirar",
    "despejar",
    "enderezar",
    "acomodar",
    "separar",
    "alejar",
    "trasladar",
    "mantener",
    "poner",
];

/// Verbs whose place among others matters even where no such word is said.
const ORDERED: [&str; 8] =
    ["encender", "abrir", "apagar", "cerrar", "esperar", "enchufar", "desenchufar", "secar"];

/// Of these, what nothing may come after that the row has before it.
const OPENS: [&str; 3] = ["encender", "abrir", "enchufar"];

/// The verbs in the order in which things are to happen: 'antes de' puts what follows it behind.
fn sequence(reading: &Reading) -> Vec<String> {
    let (mut ahead, mut middle, mut behind): (Vec<&str>, Vec<&str>, Vec<&str>) = Default::default();
    let meanwhile = reading.words.iter().position(|word| word.is(&["mientras"])).unwrap_or(usize::MAX);
    let counts = |p: &&Predicate| {
        let kind = p.kind == VerbKind::Action || p.kind == VerbKind::Check || p.lemma == "esperar";
        kind && p.at < meanwhile && p.polarity == Polarity::Plain
    };
    for predicate in reading.predicates.iter().filter(counts) {
        let line = match led_by(reading, predicate) {
            Some("antes") => &mut behind,
            Some(_) => &mut ahead,
            None => &mut middle,
        };
        line.push(&predicate.lemma);
    }
    [ahead, middle, behind].concat().into_iter().map(str::to_owned).collect()
}

/// 'antes' or 'despues' where that stands right before the verb.
pub(super) fn led_by(reading: &Reading, predicate: &Predicate) -> Option<&'static str> {
    let from = predicate.at.saturating_sub(5);
    let lead = &reading.words[from..predicate.at];
    let since = lead.windows(2).rposition(|pair| pair[0].is(&["antes", "despues"]) && pair[1].is(&["de"]))?;
    let start = from + since;
    let verb = reading.predicates.iter().any(|p| (start + 1..predicate.at).contains(&p.at));
    let parted = reading.words[start + 1..predicate.at].iter().any(|word| word.breaks());
    let name = if reading.words[start].is(&["antes"]) { "antes" } else { "despues" };
    (!verb && !parted).then_some(name)
}

/// 'No lo encienda hasta consultar' where the row has 'consulte antes de encenderlo'.
pub(super) fn waits_for(claim: &Reading, verb: &Predicate, reading: &Reading) -> bool {
    let until = claim.words.iter().skip(verb.at).position(|word| word.is(&["hasta"])).map(|n| n + verb.at);
    let Some(until) = until.filter(|_| verb.polarity == Polarity::Denied) else { return false };
    let parted = (verb.at + 1..=until).any(|at| claim.words[at].breaks());
    let Some(other) = claim.predicates.iter().find(|p| p.at > until).filter(|_| !parted) else {
        return false;
    };
    let held = |p: &Predicate| p.lemma == verb.lemma && led_by(reading, p) == Some("antes");
    let tells = |p: &Predicate| p.lemma == other.lemma && p.polarity == Polarity::Plain && p.directive;
    reading.predicates.iter().any(held) && reading.predicates.iter().any(tells)
}

/// Two verbs that the claim puts in one order and the row in the other.
pub(super) fn inverted(claim: &Reading, row: &Evidence) -> Option<String> {
    // 'Si después de reiniciarlo vuelve' puts nothing in order.
    let supposed = |at: usize| {
        claim.words[at].is(&["despues"])
            && claim.words[at.saturating_sub(2)..at].iter().any(|word| word.is(&["si"]))
    };
    let marked = (0..claim.words.len()).any(|at| claim.words[at].is(&MARKERS) && !supposed(at));
    let said = sequence(claim);
    let held: Vec<Vec<String>> = row.sentences.iter().map(sequence).collect();
    // Where one sentence has both, it decides; else the row as a whole.
    let both = |a: &String, b: &String| held.iter().any(|line| line.contains(a) && line.contains(b));
    let follows = |line: &[String], a: &String, b: &String| {
        let first = line.iter().position(|other| other == a);
        let last = line.iter().rposition(|other| other == b);
        first.zip(last).is_some_and(|(first, last)| first > last)
    };
    let whole: Vec<String> = held.concat();
    let turned = |a: &String, b: &String| match both(a, b) {
        true => {
            held.iter().filter(|line| line.contains(a) && line.contains(b)).all(|line| follows(line, a, b))
        }
        false => follows(&whole, a, b),
    };
    said.windows(2).find_map(|pair| {
        let (a, b) = (&pair[0], &pair[1]);
        // Without such a word, order still matters where something is switched on or opened.
        let backup = [a, b].iter().any(|verb| matches!(verb.as_str(), "pasar" | "usar"));
        let placed = [a, b].iter().any(|verb| ANYTIME.contains(&verb.as_str()));
        let matters = marked
            || !backup && OPENS.contains(&a.as_str())
            || !placed && !backup && [a, b].iter().any(|verb| ORDERED.contains(&verb.as_str()));
        (a != b && matters && turned(a, b)).then(|| format!("order: {a} before {b}"))
    })
}

/// 'Enciéndalo mientras se enfría' where the row has one after the other.
pub(super) fn meanwhile(claim: &Reading, row: &Evidence) -> Option<String> {
    let at = (0..claim.words.len()).find(|at| {
        let tanto = claim.words.get(at + 1).is_some_and(|next| next.is(&["tanto"]));
        claim.words[*at].is(&["mientras"]) && !tanto
    })?;
    let along = claim.predicates.iter().find(|p| p.at > at && p.kind == VerbKind::Action)?;
    let backup = |p: &Predicate| claim.arguments(p).iter().any(|term| term.class == "respaldo");
    let held = |p: &Predicate, reading: &Reading| reading.predicates.iter().any(|held| held.lemma == p.lemma);
    // 'Llévelo a un lugar fresco y, mientras se enfría, use el respaldo': it goes with what follows it.
    let behind = claim.words[at].breaks()
        && claim.predicates.iter().any(|p| {
            p.directive
                && p.at > along.at
                && claim.words[..=p.at].iter().skip(along.at + 1).any(|word| word.breaks())
        });
    let told = claim.predicates.iter().find(|p| {
        p.directive
            && p.at != along.at
            && (!behind || p.at > along.at)
            && p.kind == VerbKind::Action
            && p.polarity == Polarity::Plain
            && !backup(p)
    })?;
    let meanwhile = |reading: &Reading| {
        let gerund = reading.predicates.iter().any(|p| p.mood == Mood::Gerund && p.lemma == along.lemma);
        (reading.has(&["mientras"]) || gerund) && (held(told, reading) || held(along, reading))
    };
    let known = |p: &Predicate| row.sentences.iter().any(|reading| held(p, reading));
    let apart = known(told) && known(along) && !backup(along) && !row.sentences.iter().any(meanwhile);
    apart.then(|| format!("order: {} mientras {}", told.lemma, along.lemma))
}

/// What comes in the row after a step that the patient says can't be taken: 'no puedo cerrar la válvula'.
/// What the row tells to do in that case may be said, and so may a claim that has the step in it.
pub(super) fn barred(claim: &Reading, row: &Evidence, heard: &Evidence) -> Option<String> {
    let told = |p: &&Predicate| {
        let does = p.kind == VerbKind::Action || p.lemma == "esperar";
        p.directive && p.polarity == Polarity::Plain && does
    };
    let stuck = |(n, p): &(usize, &Predicate)| {
        let lead = &heard.sentences[*n].words[p.at.saturating_sub(4)..p.at];
        let cannot = lead.iter().any(|word| word.is(&CANNOT));
        let happens = p.mood == Mood::Present && !p.pronoun;
        p.polarity == Polarity::Denied && p.kind == VerbKind::Action && (cannot || happens)
    };
    heard.predicates().filter(stuck).find_map(|(_, stuck)| {
        let of = |p: &&Predicate| p.lemma == stuck.lemma;
        if claim.predicates.iter().any(|p| of(&p)) {
            return None;
        }
        let steps: Vec<&Predicate> =
            row.predicates().map(|(_, p)| p).filter(told).filter(|p| !p.conditional).collect();
        let at = steps.iter().position(of)?;
        let behind = |lemma: &str| {
            steps[at..].iter().any(|p| p.lemma == lemma) && !steps[..at].iter().any(|p| p.lemma == lemma)
        };
        let backup = |p: &Predicate| claim.arguments(p).iter().any(|term| term.class == "respaldo");
        // 'Si no cierra, abra puertas y ventanas', and what comes after that.
        let foreseen = |verb: &Predicate| {
            let such = |p: &Predicate| of(&p) && p.polarity == Polarity::Denied && p.conditional;
            let from = row.sentences.iter().position(|reading| reading.predicates.iter().any(such));
            let gives = |p: &Predicate| p.lemma == verb.lemma && !p.conditional;
            from.is_some_and(|from| {
                row.sentences[from..].iter().any(|reading| reading.predicates.iter().any(gives))
            })
        };
        let skips = |p: &&Predicate| behind(&p.lemma) && !backup(p) && !foreseen(p);
        let said = claim.predicates.iter().filter(told).find(skips)?;
        Some(format!("step: {} without {}", said.lemma, stuck.lemma))
    })
}

const CANNOT: [&str; 12] = [
    "puedo", "puede", "pude", "pudo", "podemos", "pudimos", "logro", "logre", "consigo", "alcanzo", "deja",
    "dejo",
];

/// What 'antes de' and 'después de' are said of, by the word that follows.
fn relations(reading: &Reading) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for (at, word) in reading.words.iter().enumerate() {
        let name = match word.text.as_str() {
            "antes" => "antes",
            "despues" => "despues",
            _ => continue,
        };
        if !reading.words.get(at + 1).is_some_and(|next| next.is(&["de", "que"])) {
            continue;
        }
        // 'Después de los cinco minutos' is a quantity's.
        if reading.quantities.iter().any(|q| (at..at + 5).contains(&q.at)) {
            continue;
        }
        let verb =
            reading.predicates.iter().find(|p| p.at > at && p.at < at + 7).map(|p| (p.at, p.lemma.clone()));
        let term = reading.terms.iter().find(|t| t.at > at && t.at < at + 5).map(|t| (t.at, t.class.clone()));
        if let Some((_, head)) = verb.into_iter().chain(term).min() {
            found.push((name, head));
        }
    }
    found
}

/// A claim's 'antes de' that the row doesn't have, nor its verbs in that order.
pub(super) fn unrelated(claim: &Reading, row: &Evidence) -> Option<String> {
    let held: Vec<_> = row.sentences.iter().flat_map(relations).collect();
    let whole: Vec<String> = row.sentences.iter().flat_map(sequence).collect();
    let said = sequence(claim);
    let place = |verb: &String| whole.iter().position(|other| other == verb);
    let in_order = |name: &str, head: &String| {
        let at = said.iter().position(|verb| verb == head);
        let other = match name {
            "antes" => at.and_then(|at| said.get(at.checked_sub(1)?)),
            _ => at.and_then(|at| said.get(at + 1)),
        };
        let places = other.and_then(place).zip(place(head));
        places.is_some_and(|(other, head)| if name == "antes" { other < head } else { head < other })
    };
    // 'Después de la prueba' is 'cuando termina la prueba'.
    let over = |name: &str, head: &String| {
        let ends = |words: &[&str]| row.sentences.iter().any(|reading| reading.has(words));
        name == "despues" && row.terms.contains_key(head) && ends(&["despues", "luego", "termine", "termina"])
    };
    let missing = |(name, head): &(&str, String)| {
        !(held.contains(&(*name, head.clone())) || in_order(name, head) || over(name, head))
    };
    relations(claim).into_iter().find(missing).map(|(name, head)| format!("order: {name} de {head}"))
}

/// 'Primero la cánula y por último la válvula': things in an order of which a row's sentence has another.
pub(super) fn listed(claim: &Reading, row: &Evidence) -> Option<String> {
    let things = |reading: &Reading| -> Vec<String> {
        let thing = |term: &&Term| term.thing() && term.kind != Kind::Generic;
        reading.terms.iter().filter(thing).map(|term| term.class.clone()).collect()
    };
    let verbs = claim.predicates.iter().filter(|p| p.kind == VerbKind::Action).count();
    if verbs > 0 || !(claim.has(&MARKERS) || claim.has(&["orden"])) {
        return None;
    }
    let said = things(claim);
    let whole = |line: &Vec<String>| said.len() > 1 && said.iter().all(|thing| line.contains(thing));
    let held: Vec<Vec<String>> = row.sentences.iter().map(things).filter(whole).collect();
    let follows = |line: &[String]| {
        let places = said.iter().filter_map(|thing| line.iter().position(|other| other == thing));
        places.is_sorted()
    };
    (!held.is_empty() && !held.iter().any(|line| follows(line))).then(|| format!("order: {}", said.join(" ")))
}
