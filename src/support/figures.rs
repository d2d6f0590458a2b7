//! A quantity beside a row's: the same amount, of the same thing.
use super::evidence::Evidence;
use super::lexicon::{Kind, VerbKind};
use super::quantities::{Measure, Quantity};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::values::Bound;

pub(super) fn quantified(claim: &Reading, quantity: &Quantity, row: &Evidence) -> bool {
    let held = row.sentences.iter().flat_map(|reading| reading.quantities.iter().map(move |q| (reading, q)));
    held.into_iter().any(|(reading, other)| {
        (same(quantity, other) || waited(claim, quantity, reading, other))
            && about(claim, quantity, row, reading, other)
    })
}

/// 'Después de 5 minutos, enciéndalo' where the row has to wait for 5 minutes.
fn waited(claim: &Reading, quantity: &Quantity, reading: &Reading, other: &Quantity) -> bool {
    let after = claim.words[quantity.at.saturating_sub(3)..quantity.at].iter().any(|w| w.is(&["despues"]));
    let waits = reading.predicates.iter().rev().find(|p| p.at < other.at);
    after
        && !claim.predicates.iter().any(|p| p.lemma == "esperar")
        && waits.is_some_and(|p| p.lemma == "esperar" && p.directive && p.polarity == Polarity::Plain)
        && quantity.measure == Measure::Of("time".to_owned())
        && quantity.measure == other.measure
        && (quantity.low, quantity.high) == (other.low, other.high)
        && quantity.bound == Bound::AtLeast
        && other.bound != Bound::AtMost
}

fn same(claim: &Quantity, row: &Quantity) -> bool {
    let measure = match (&claim.measure, &row.measure) {
        (Measure::Of(a), Measure::Of(b)) => a == b || (a == "litre" && b == "flow"),
        (Measure::Bare, Measure::Of(unit)) => unit != "time" && unit != "vez",
        (a, b) => a == b,
    };
    let bounds = claim.bound == row.bound
        || (claim.bound == Bound::Exact
            && row.bound == Bound::AtLeast
            && row.measure == Measure::Of("time".to_owned()));
    measure && claim.low == row.low && claim.high == row.high && bounds
}

/// Whether both are said of the same thing, as far as either sentence names one.
fn about(claim: &Reading, quantity: &Quantity, row: &Evidence, reading: &Reading, other: &Quantity) -> bool {
    let things = near(claim, quantity);
    // A number that is only described isn't one to be set.
    let tells =
        |reading: &Reading| reading.predicates.iter().any(|p| p.directive && p.polarity == Polarity::Plain);
    let set = claim.predicates.iter().rev().find(|p| p.at < quantity.at).is_some_and(|p| p.directive);
    if set && !tells(reading) || !governed(claim, quantity, reading, other) {
        return false;
    }
    let alone = reading.quantities.len() == 1;
    let held: Vec<&Term> = if alone { reading.terms.iter().collect() } else { near(reading, other) };
    let headed = |thing: &Term| {
        let headings = &row.sentences[..row.headings.min(row.sentences.len())];
        headings.iter().any(|heading| heading.terms.iter().any(|term| term.class == thing.class))
    };
    let single = !reading.quantities.iter().any(|q| q != other && same_kind(q, other));
    things.iter().all(|thing| {
        thing.class == "equipo"
            || held.iter().any(|term| term.class == thing.class)
            || single && (thing.kind == Kind::Generic || headed(thing))
    })
}

/// How often something is done is said of that: 'enciéndalo una sola vez' isn't 'apáguelo una sola vez'.
fn governed(claim: &Reading, quantity: &Quantity, reading: &Reading, other: &Quantity) -> bool {
    let governs = |reading: &Reading, at: usize| {
        let parted = |p: &&Predicate| !(p.at + 1..=at).any(|word| reading.words[word].breaks());
        let last = reading.predicates.iter().rev().find(|p| p.at < at).filter(parted);
        last.filter(|p| p.kind == VerbKind::Action && p.directive).map(|p| p.lemma.clone())
    };
    let (said, held) = (governs(claim, quantity.at), governs(reading, other.at));
    said.is_none() || held.is_none() || said == held
}

fn same_kind(a: &Quantity, b: &Quantity) -> bool {
    // 'El filtro cada 7 días y la cánula cada 15'
    let interval = |q: &Quantity| matches!(q.measure, Measure::Period | Measure::Bare);
    a.measure == b.measure || interval(a) && interval(b)
}

/// The things in a quantity's clause: from its verb's clause on, up to what else is counted or done.
fn near<'a>(reading: &'a Reading, quantity: &Quantity) -> Vec<&'a Term> {
    let parts = |at: &usize| reading.words[*at].breaks() || reading.words[*at].is(&["y", "e", "pero", "ni"]);
    let verbs = reading.predicates.iter().map(|p| p.at).filter(|at| *at < quantity.at);
    let governing = verbs.clone().max().unwrap_or(quantity.at);
    let before = verbs.filter(|at| *at < governing).max().map_or(0, |at| at + 1);
    let counted =
        reading.quantities.iter().map(|q| q.end).filter(|end| *end <= quantity.at).max().unwrap_or(0);
    let from =
        (before..quantity.at).rev().filter(|at| *at <= governing || reading.words[*at].breaks()).find(parts);
    let from = from.unwrap_or(before).max(counted);
    let next = reading.quantities.iter().map(|q| q.at).filter(|at| *at >= quantity.end).min();
    let to =
        (quantity.end..reading.words.len()).find(parts).unwrap_or(usize::MAX).min(next.unwrap_or(usize::MAX));
    let thing = |term: &&Term| matches!(term.kind, Kind::Part | Kind::Stuff | Kind::Measure | Kind::Generic);
    reading.terms.iter().filter(|term| (from..to).contains(&term.at)).filter(thing).collect()
}
