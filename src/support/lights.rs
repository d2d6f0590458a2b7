//! Lights: which colour does what.
use super::lexicon::Kind;
use super::reading::Reading;

/// How many words a state may stand from its colour.
const NEAR: usize = 5;

/// What a colour is said to do: (colour, state).
pub(super) fn pairs(reading: &Reading) -> Vec<(String, String)> {
    let states = states(reading);
    let colours: Vec<_> = reading.terms.iter().filter(|term| term.kind == Kind::Colour).collect();
    let mut pairs = Vec::new();
    for (n, colour) in colours.iter().enumerate() {
        let next = colours.get(n + 1).map_or(usize::MAX, |next| next.at);
        let last = n.checked_sub(1).map_or(0, |last| colours[last].at);
        let behind = states.iter().find(|(at, _)| (colour.at..next.min(colour.at + NEAR)).contains(at));
        let before =
            || states.iter().rev().find(|(at, _)| (last..colour.at).contains(at) && colour.at - at < NEAR);
        if let Some((_, state)) = behind.or_else(before) {
            pairs.push((colour.class.clone(), state.clone()));
        }
    }
    pairs
}

/// Words for what a light does, and where they stand.
fn states(reading: &Reading) -> Vec<(usize, String)> {
    let done = ["encender#", "apagar#", "titilar#"];
    let terms =
        reading.terms.iter().filter(|term| term.kind == Kind::State || done.contains(&term.class.as_str()));
    let mut states: Vec<(usize, String)> = terms.map(|term| (term.at, term.class.clone())).collect();
    let verbs = reading.predicates.iter().filter(|p| !p.directive || p.lemma == "titilar");
    states.extend(
        verbs
            .filter(|p| done.contains(&format!("{}#", p.lemma).as_str()))
            .map(|p| (p.at, format!("{}#", p.lemma))),
    );
    states.sort();
    states
}
