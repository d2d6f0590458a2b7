//! What one is told to see to, and where one is told to put something, without a verb that says so.
use super::evidence::Evidence;
use super::implied::opposites;
use super::lexicon::{Kind, VerbKind};
use super::reading::{Polarity, Predicate, Reading, Term};

/// The states that are seen to behind 'fíjese que': each with the things around it.
fn seen_to(reading: &Reading) -> Vec<(&Term, Vec<&str>)> {
    let looks = |p: &&Predicate| p.kind == VerbKind::Check && p.polarity == Polarity::Plain;
    let mut found = Vec::new();
    for look in reading.predicates.iter().filter(looks) {
        let that =
            reading.words.iter().skip(look.at + 1).take(3).any(|word| word.is(&["que"]) && !word.breaks());
        let next = reading.predicates.iter().find(|p| p.at > look.at && p.kind != VerbKind::Light);
        let to = next.map_or(usize::MAX, |p| p.at);
        let within: Vec<&Term> = reading.terms.iter().filter(|t| (look.at..to).contains(&t.at)).collect();
        let things: Vec<&str> = within.iter().filter(|t| t.thing()).map(|t| t.class.as_str()).collect();
        let state = |term: &&&Term| matches!(term.kind, Kind::Done | Kind::Adjective | Kind::State);
        if that {
            found.extend(within.iter().filter(state).map(|term| (*term, things.clone())));
        }
    }
    found
}

/// 'Fíjese que la perilla quede cerrada' where the row wants it not to be closed, or open.
pub(super) fn contrary(claim: &Reading, row: &Evidence) -> Option<String> {
    let held: Vec<(&Term, Vec<&str>)> = row.sentences.iter().flat_map(seen_to).collect();
    seen_to(claim).into_iter().find_map(|(state, things)| {
        let about = |other: &[&str]| things.iter().any(|thing| other.contains(thing));
        let denies = |term: &Term| term.denied || term.shaded;
        let same = |(term, of): &(&Term, Vec<&str>)| {
            term.class == state.class && denies(term) == denies(state) && about(of)
        };
        let root = state.class.trim_end_matches('#');
        let turned = |(term, of): &(&Term, Vec<&str>)| {
            let opposite = opposites(root).any(|other| term.class == format!("{other}#"));
            let contrary = term.class == state.class && denies(term) != denies(state);
            about(of) && (contrary || opposite && denies(term) == denies(state))
        };
        (held.iter().any(turned) && !held.iter().any(same)).then(|| format!("seen to: {}", state.class))
    })
}

/// 'En el baúl, bien sujeto' where the row only says not to put it there.
pub(super) fn placed(claim: &Reading, row: &Evidence) -> Option<String> {
    const LEADS: [&str; 6] = ["en", "dentro", "adentro", "con", "sobre", "debajo"];
    // 'En el baúl no', 'con el CPAP no se usa'
    let refused = |term: &Term| {
        let behind = claim.words.iter().skip(term.at + 1).take(4);
        behind
            .take_while(|word| !word.breaks() || word.is(&["no", "tampoco", "nunca"]))
            .any(|word| word.is(&["no", "tampoco", "nunca", "jamas"]))
    };
    let first = claim
        .predicates
        .iter()
        .filter(|p| p.kind != VerbKind::Light)
        .map(|p| p.at)
        .min()
        .unwrap_or(usize::MAX);
    let led = |term: &&Term| {
        let lead = &claim.words[term.at.saturating_sub(4)..term.at];
        term.thing()
            && !term.denied
            && !term.shaded
            && term.at < first
            && lead.iter().any(|word| word.is(&LEADS))
    };
    claim.terms.iter().filter(led).filter(|term| !refused(term)).find_map(|term| {
        let mut held = row.sentences.iter().flat_map(|reading| {
            let same = |other: &&Term| other.class == term.class;
            reading.terms.iter().filter(same).map(move |other| other.denied || governed(reading, other))
        });
        let any = held.next()?;
        (any && held.all(|denied| denied)).then(|| format!("forbidden: {}", term.class))
    })
}

/// Whether the verb that a term stands behind is forbidden.
fn governed(reading: &Reading, term: &Term) -> bool {
    let verb = reading.predicates.iter().rfind(|p| p.at < term.at);
    verb.is_some_and(|p| p.polarity == Polarity::Denied && p.directive)
}
