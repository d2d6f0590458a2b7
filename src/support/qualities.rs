//! Qualities: an adjective is said of what the row says it of.
use super::comparison::related;
use super::evidence::Evidence;
use super::lexicon::{Kind, VerbKind};
use super::reading::{Polarity, Predicate, Reading, Term};
use crate::tokens::Gap;

/// An adjective must be said of what the row says it of.
pub(super) fn misplaced(claim: &Reading, term: &Term, row: &Evidence) -> Option<String> {
    if !matches!(term.kind, Kind::Adjective | Kind::State | Kind::Done) {
        return None;
    }
    let nouns = bearer(claim, term);
    let vague = |noun: &&Term| noun.class == "equipo" || matches!(noun.kind, Kind::Unknown | Kind::Name);
    if nouns.is_empty() || nouns.iter().any(vague) || term.class == "solo" {
        return None;
    }
    let is = |bearer: &Term| nouns.iter().any(|noun| noun.class == bearer.class);
    let mut seen = false;
    for (n, reading) in row.sentences.iter().enumerate() {
        // 'Puede ser el venteo: sale algo de oxígeno y es normal': a colon goes on about the same.
        let goes_on = reading.words.first().is_some_and(|word| word.gap == Gap::Break);
        let led = n.checked_sub(1).filter(|_| goes_on).map(|last| &row.sentences[last]);
        for held in reading.terms.iter().filter(|held| held.class == term.class) {
            seen = true;
            let bearers = bearers(reading, held);
            if bearers.is_empty() || bearers.into_iter().any(is) {
                return None;
            }
            let together = |led: &Reading| {
                let known = |term: &Term| {
                    term.kind == Kind::Weighty
                        || [led, reading].iter().any(|said| said.terms.iter().any(|t| t.class == term.class))
                };
                led.terms.iter().any(|noun| noun.thing() && is(noun)) && claim.terms.iter().all(known)
            };
            if led.is_some_and(together) {
                return None;
            }
        }
        let root = term.class.strip_suffix('#');
        for held in reading.predicates.iter().filter(|p| root == Some(p.lemma.as_str())) {
            if held.pronoun || reading.around(held).into_iter().any(is) {
                return None;
            }
        }
    }
    seen.then(|| format!("said of: {} {}", nouns[0].class, term.class))
}

/// The noun that an adjective stands by, and those that it is 'of': 'entradas de aire libres'.
fn bearer<'a>(reading: &'a Reading, term: &Term) -> Vec<&'a Term> {
    // 'Con las rejillas libres en un lugar fresco'
    let before = term.at.checked_sub(1).map(|at| &reading.words[at]);
    if before.is_some_and(|word| word.is(&["lugar", "sitio", "ambiente", "rincon", "parte"])) {
        return Vec::new();
    }
    let verb = |a: usize, b: usize| {
        reading.predicates.iter().any(|p| p.kind != VerbKind::Light && (a..b).contains(&p.at))
    };
    let parted = |a: usize, b: usize| (a + 1..=b).any(|at| reading.words[at].breaks());
    let mut nouns: Vec<&Term> = Vec::new();
    for noun in reading.terms.iter().rev().filter(|noun| noun.at < term.at && noun.thing()) {
        let near = match nouns.last() {
            None => term.at - noun.at <= 6 && !verb(noun.at, term.at) && !parted(noun.at, term.at),
            Some(last) => {
                (noun.at + 1..last.at).any(|at| reading.words[at].is(&["de", "del"]))
                    && last.at - noun.at <= 3
            }
        };
        if !near {
            break;
        }
        nouns.push(noun);
    }
    nouns
}

/// All nouns that a row's adjective may be said of.
fn bearers<'a>(reading: &'a Reading, term: &Term) -> Vec<&'a Term> {
    let from = term.at.saturating_sub(9);
    reading.terms.iter().filter(|noun| noun.thing() && (from..term.at + 5).contains(&noun.at)).collect()
}

/// 'Puede ir acostado' where the row says not to lay it down.
pub(super) fn forbidden(claim: &Reading, term: &Term, row: &Evidence) -> Option<String> {
    let state = matches!(term.kind, Kind::Done | Kind::Adjective) && !term.denied && !term.shaded;
    if !state || claim.predicates.iter().any(|p| p.conditional && p.at < term.at) {
        return None;
    }
    let root = term.class.trim_end_matches('#');
    let of = |lemma: &str| lemma == root || !term.class.ends_with('#') && related(&format!("{root}#"), lemma);
    let forbids = |p: &Predicate| p.directive && p.polarity == Polarity::Denied && of(&p.lemma);
    let says = |reading: &Reading| {
        let plain = |held: &Term| held.class == term.class && !held.denied && !held.shaded;
        reading.terms.iter().any(plain) && !reading.predicates.iter().any(|p| p.conditional)
    };
    let forbidden = row.predicates().any(|(_, p)| forbids(p)) && !row.sentences.iter().any(says);
    forbidden.then(|| format!("forbidden: {}", term.class))
}

/// 'Una falla de la pantalla' where the row has a failure of something else.
pub(super) fn of_another(claim: &Reading, term: &Term, row: &Evidence) -> Option<String> {
    let named = term.kind == Kind::Claim || matches!(term.class.as_str(), "aviso" | "alarma");
    let owner = claim.terms.iter().find(|other| other.at > term.at && other.thing())?;
    let between = claim.words.get(term.at + 1..owner.at)?;
    let genitive = between.len() <= 2 && between.first().is_some_and(|word| word.is(&["de", "del"]));
    if !named || !genitive || owner.class == "equipo" {
        return None;
    }
    // 'Un corte de luz', where 'se cortó la luz'
    let failure = |reading: &Reading| {
        term.class == "problema"
            && reading.terms.iter().any(|held| held.class == "fallo" || held.class == "falla")
    };
    let done = |reading: &Reading| reading.predicates.iter().any(|p| related(&term.class, &p.lemma));
    let together = |reading: &Reading| {
        let has = |class: &str| reading.terms.iter().any(|held| held.class == class);
        has(&owner.class) && (has(&term.class) || term.class == "aviso" || failure(reading) || done(reading))
    };
    (!row.sentences.iter().any(together)).then(|| format!("said of: {} {}", term.class, owner.class))
}
