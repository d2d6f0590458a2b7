//! What an instruction or a statement hangs on: its condition, its limit, what it explains.
use super::alike::one;
use super::evidence::Evidence;
use super::implied::opposites;
use super::lexicon::{Kind, VerbKind};
use super::order::waits_for;
use super::reading::{Polarity, Predicate, Reading, Term};
use super::verbs::Mood;

/// What an alarm does that doesn't go, and one that does.
pub(super) const RETURNS: [&str; 5] = ["volver", "aparecer", "persistir", "seguir", "insistir"];
/// What one does that goes.
pub(super) const STOPS: [&str; 9] =
    ["ir", "ceder", "cortar", "parar", "borrar", "callar", "arreglar", "mejorar", "cambiar"];

/// That something is there: 'si hay burbujas', 'si ve burbujas'.
const THERE: [&str; 4] = ["haber", "aparecer", "mirar", "figurar"];

/// How something is: 'si es un golpe', 'si suena a golpe'.
const SEEMS: [&str; 6] = ["ser", "estar", "sonar", "hacer", "tener", "parecer"];

/// 'Si hay burbujas, pase al respaldo' where the row says so of no bubbles.
pub(super) fn reversed(claim: &Reading, row: &Evidence) -> Option<String> {
    let conditions = claim.predicates.iter().filter(|p| p.conditional);
    let told: Vec<&Predicate> = claim.predicates.iter().filter(|p| p.directive && !p.conditional).collect();
    if told.is_empty() {
        return None;
    }
    let gives = |reading: &&Reading| {
        let same =
            |p: &Predicate| told.iter().any(|told| p.lemma == told.lemma && p.polarity == told.polarity);
        reading.predicates.iter().any(|p| !p.conditional && same(p))
    };
    let sentences: Vec<&Reading> = row.sentences.iter().filter(gives).collect();
    conditions.into_iter().find_map(|said| {
        let things: Vec<&Term> = claim.arguments(said).into_iter().filter(|term| term.thing()).collect();
        let about = |reading: &Reading, p: &Predicate| {
            p.conditional
                && reading.around(p).iter().any(|held| things.iter().any(|thing| thing.class == held.class))
        };
        let mut over = sentences
            .iter()
            .flat_map(|reading| reading.predicates.iter().filter(|p| about(reading, p)))
            .peekable();
        over.peek()?;
        let agrees = |p: &Predicate| p.polarity == said.polarity || stays(said) && stays(p);
        (!over.any(agrees)).then(|| format!("condition: {}", said.lemma))
    })
}

/// 'Sigue', 'no se va': that an alarm is still there.
pub(super) fn stays(p: &Predicate) -> bool {
    match p.polarity {
        Polarity::Plain => RETURNS.contains(&p.lemma.as_str()),
        Polarity::Denied => STOPS.contains(&p.lemma.as_str()),
        Polarity::Needless => false,
    }
}

/// Whether the row says what to do where an alarm stays or comes back.
pub(super) fn comes_back(row: &Evidence) -> bool {
    row.predicates().any(|(_, p)| p.conditional && stays(p))
}

/// What 'hasta que' waits for, and in rows what 'a que' does.
fn limits<'a>(reading: &'a Reading, words: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let starts = (1..reading.words.len())
        .filter(|at| reading.words[*at].is(&["que"]) && reading.words[at - 1].is(words));
    starts.filter_map(|at| {
        let next = reading.predicates.iter().find(|p| p.at > at);
        next.map(|p| (at, p.lemma.as_str()))
    })
}

/// 'Enciéndalo hasta que se vaya': a limit of one's own. Behind a denial it only waits.
pub(super) fn unlimited(claim: &Reading, row: &Evidence) -> Option<String> {
    let denied = |at: usize| {
        let main = claim.predicates.iter().rev().find(|p| p.at < at);
        main.is_some_and(|p| p.polarity == Polarity::Denied)
    };
    let held = |verb: &str| {
        // 'Hasta sentir la traba'
        let until = |reading: &Reading, p: &Predicate| {
            p.lemma == verb
                && p.mood == Mood::Infinitive
                && p.at > 0
                && reading.words[p.at - 1].is(&["hasta"])
        };
        row.sentences.iter().any(|reading| {
            limits(reading, &["hasta", "a"]).any(|(_, held)| held == verb)
                || reading.predicates.iter().any(|p| until(reading, p))
        })
    };
    limits(claim, &["hasta"])
        .find(|(at, verb)| !denied(*at) && !held(verb))
        .map(|(_, verb)| format!("limit: hasta que {verb}"))
}

/// What something means must be in the row's description, not in what it tells to do.
pub(super) fn explained(claim: &Reading, row: &Evidence) -> Option<String> {
    let means = claim
        .predicates
        .iter()
        .find(|p| p.lemma == "indicar" && !p.directive && p.polarity == Polarity::Plain);
    let says = claim.words.windows(2).position(|pair| pair[0].is(&["quiere"]) && pair[1].is(&["decir"]));
    let from = means.map(|p| p.at).into_iter().chain(says).min()?;
    let tells = |p: &Predicate| p.directive && p.mood == Mood::Imperative;
    let describes = |reading: &&Reading| !reading.predicates.iter().any(tells);
    let known = |term: &&Term| {
        let class = |held: &Term| held.class == term.class;
        row.sentences.iter().filter(describes).any(|reading| reading.terms.iter().any(class))
    };
    let quality = |term: &&Term| matches!(term.kind, Kind::Done | Kind::Adjective | Kind::State);
    let held = |term: &&Term| row.terms.contains_key(&term.class);
    let claimed = claim.terms.iter().filter(|term| term.at > from);
    claimed
        .filter(quality)
        .find(|term| held(term) && !known(term))
        .map(|term| format!("meaning: {}", term.class))
}

/// An instruction under a condition for which the row has others: 'si se siente peor, siga usándolo'.
pub(super) fn elsewhere(claim: &Reading, row: &Evidence) -> Option<String> {
    let told = |p: &&Predicate| {
        let does = p.kind == VerbKind::Action
            || matches!(p.lemma.as_str(), "dejar" | "quedar" | "seguir" | "esperar");
        p.directive && !p.conditional && does
    };
    let told: Vec<&Predicate> = claim.predicates.iter().filter(told).collect();
    // 'Aunque la orden sea nueva, no lo modifique' forbids it all the more.
    if claim.has(&["aunque"]) && told.iter().all(|p| p.polarity == Polarity::Denied) {
        return None;
    }
    let conditions: Vec<&Predicate> = claim.predicates.iter().filter(|p| p.conditional).collect();
    if told.is_empty() || conditions.is_empty() || conditions.iter().any(|p| shown(claim, p, row)) {
        return None;
    }
    let gives = |reading: &Reading, verb: &Predicate| {
        let same = |p: &Predicate| p.polarity == verb.polarity && one(claim, verb, p, row);
        reading.predicates.iter().any(same) || waits_for(claim, verb, reading)
    };
    let meets = |reading: &Reading| conditions.iter().any(|said| supposed(claim, said, reading));
    let under: Vec<usize> = (0..row.sentences.len()).filter(|n| meets(&row.sentences[*n])).collect();
    let bound = |reading: &Reading| reading.predicates.iter().any(|p| p.conditional);
    let free = |verb: &Predicate, from: usize, to: usize| {
        let within = row.sentences.iter().take(to).skip(from);
        within.into_iter().any(|reading| !bound(reading) && gives(reading, verb))
    };
    let tells =
        |reading: &Reading| reading.predicates.iter().any(|p| p.directive && p.mood == Mood::Imperative);
    let first = row.sentences.iter().position(tells).unwrap_or(0);
    // What is forbidden altogether is forbidden under any condition.
    let always = |verb: &Predicate| verb.polarity == Polarity::Denied && free(verb, 0, usize::MAX);
    let alike = |n: usize| {
        let same = |p: &Predicate| {
            conditions
                .iter()
                .any(|said| p.lemma == said.lemma && p.polarity == said.polarity || stays(p) && stays(said))
        };
        row.sentences[n].predicates.iter().any(|p| p.conditional && same(p))
    };
    // What the row describes is what all of it is for; and what it goes on with holds under its condition too.
    let goes_on = |verb: &Predicate| {
        under
            .iter()
            .filter(|n| alike(**n))
            .any(|n| *n < first && free(verb, first, usize::MAX) || free(verb, n + 1, n + 3))
    };
    let lacking = told.iter().filter(|verb| !always(verb)).find(|verb| {
        if under.is_empty() || !conditions.iter().any(|said| governs(claim, said, verb)) {
            let mut given = row.sentences.iter().filter(|reading| gives(reading, verb)).peekable();
            given.peek().is_some() && given.all(bound)
        } else {
            !under.iter().any(|n| gives(&row.sentences[*n], verb)) && !goes_on(verb)
        }
    })?;
    Some(format!("condition: {}", lacking.lemma))
}

/// Whether an instruction hangs on a condition of its sentence. 'Párela sólo si puede, y abra la ventana' and
/// 'si hay burbujas, sale flujo, y después séquela' go on without it.
fn governs(claim: &Reading, said: &Predicate, told: &Predicate) -> bool {
    if told.at < said.at {
        // 'Enchufe el cargador y, si no carga, pase al respaldo'
        let si = (told.at..said.at).rfind(|at| claim.words[*at].is(&["si", "cuando"]));
        let own = si.is_some_and(|si| claim.words[si].breaks() && claim.words[si - 1].is(&["y"]));
        return !(own && claim.predicates.iter().any(|p| p.directive && p.at > said.at));
    }
    let breaks = |from: usize, to: usize| (from + 1..=to).find(|at| claim.words[*at].breaks());
    let behind = |p: &&Predicate| p.directive && p.at < said.at && breaks(p.at, said.at).is_none();
    let parted = breaks(said.at, told.at).is_some_and(|at| claim.words[at].is(&["y", "pero"]));
    if claim.predicates.iter().any(|p| behind(&p)) && parted {
        return false;
    }
    let states = |p: &&Predicate| p.at > said.at && p.at < told.at && !p.conditional && !p.directive;
    let then = |p: &Predicate| {
        breaks(p.at, told.at).is_some_and(|at| {
            let next = claim.words.get(at + 1);
            claim.words[at].is(&["y"]) && next.is_some_and(|word| word.is(&["despues", "luego"]))
        })
    };
    !claim.predicates.iter().filter(states).any(then)
}

/// Whether a row's sentence supposes what the claim does.
fn supposed(claim: &Reading, said: &Predicate, reading: &Reading) -> bool {
    let things: Vec<&Term> = claim.arguments(said).into_iter().filter(|term| term.thing()).collect();
    reading.predicates.iter().filter(|p| p.conditional).any(|p| {
        let around = reading.around(p);
        let shares = things.is_empty()
            || !around.iter().any(|held| held.thing())
            || things.iter().any(|thing| around.iter().any(|held| held.class == thing.class));
        let there = |p: &Predicate| THERE.contains(&p.lemma.as_str());
        let is = |p: &Predicate| there(p) || SEEMS.contains(&p.lemma.as_str());
        let told = things.iter().any(|thing| around.iter().any(|held| held.class == thing.class));
        let seen = said.polarity == p.polarity && (there(said) && there(p) || is(said) && is(p) && told);
        stays(said) && stays(p) || (p.lemma == said.lemma || seen) && shares
    })
}

/// Whether it only supposes what the row is about: 'si le aparece E2', 'si suena la alarma'.
fn shown(claim: &Reading, said: &Predicate, row: &Evidence) -> bool {
    let topic = |term: &&Term| {
        // The row's own label, not its manual's title.
        let headings = row.sentences.iter().take(row.headings).skip(row.headings.saturating_sub(2));
        headings.into_iter().any(|heading| heading.terms.iter().any(|held| held.class == term.class))
    };
    let things: Vec<&Term> = claim.arguments(said).into_iter().filter(|term| term.thing()).collect();
    said.polarity == Polarity::Plain && !stays(said) && !things.is_empty() && things.iter().all(topic)
}

/// 'Con olor a quemado, pase al respaldo': what leads an instruction must be what the row gives it for.
pub(super) fn led_otherwise(claim: &Reading, row: &Evidence) -> Option<String> {
    let comma = (1..claim.words.len()).find(|at| claim.words[*at].breaks())?;
    let told: Vec<&Predicate> = claim
        .predicates
        .iter()
        .filter(|p| p.at >= comma && p.directive && p.kind == VerbKind::Action)
        .collect();
    if !claim.words[0].is(&["con", "ante", "sin"]) || told.is_empty() {
        return None;
    }
    let gives =
        |reading: &&Reading| told.iter().any(|verb| reading.predicates.iter().any(|p| p.lemma == verb.lemma));
    let about = row.sentences.iter().take(row.headings + 3);
    let held: Vec<&Reading> = row.sentences.iter().filter(gives).chain(about).collect();
    let known =
        |term: &Term| held.iter().any(|reading| reading.terms.iter().any(|other| other.class == term.class));
    let lead = claim.terms.iter().filter(|term| term.at < comma && term.kind != Kind::Weighty);
    lead.into_iter()
        .find(|term| !known(term) && !brought_about(term, &told, row))
        .map(|term| format!("condition: con {}", term.class))
}

/// 'Con el equipo apagado, mire el filtro' where the row switches it off before that.
fn brought_about(term: &Term, told: &[&Predicate], row: &Evidence) -> bool {
    let Some(verb) = term.class.strip_suffix('#') else { return false };
    let steps: Vec<&Predicate> =
        row.predicates().map(|(_, p)| p).filter(|p| p.directive && p.polarity == Polarity::Plain).collect();
    let at = |lemma: &str| steps.iter().position(|p| p.lemma == lemma && !p.conditional);
    let Some(done) = at(verb) else { return false };
    let undone = opposites(verb).filter_map(at).min().unwrap_or(usize::MAX);
    let place = |p: &&Predicate| steps.iter().position(|step| step.lemma == p.lemma);
    told.iter().filter_map(place).all(|step| done < step && step < undone)
}
