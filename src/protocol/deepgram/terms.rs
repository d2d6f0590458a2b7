//! Which names a session is told to listen for: the catalogue's, within what the server bears.
use crate::equipment::Catalogue;
use std::collections::BTreeSet;

/// The most terms of a session.
pub const MAX_TERMS: usize = 100;

/// The most tokens of all terms together. One more and the server stops transcribing without an error.
pub const MAX_TOKENS: usize = 500;

/// The terms to boost for this catalogue's equipment, the worthiest first: what must be told apart, then
/// what displays say, then the neighbours.
#[must_use]
pub fn keyterms(catalogue: &Catalogue) -> Vec<String> {
    within_limits(catalogue.spoken_terms())
}

/// Those of `terms` that fit, in order: each once, blank ones not at all, one that doesn't fit passed over.
///
/// The server's tokeniser isn't public. A token is a byte at the least, so bytes are counted, and one
/// more a term for whatever parts them: never fewer than the server counts.
#[must_use]
pub fn within_limits(terms: impl IntoIterator<Item = String>) -> Vec<String> {
    let (mut taken, mut seen, mut tokens) = (Vec::new(), BTreeSet::new(), 0);
    for term in terms {
        let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
        let cost = term.len() + 1;
        let fits = taken.len() < MAX_TERMS && tokens + cost <= MAX_TOKENS;
        if !term.is_empty() && fits && seen.insert(term.to_lowercase()) {
            tokens += cost;
            taken.push(term);
        }
    }
    taken
}
