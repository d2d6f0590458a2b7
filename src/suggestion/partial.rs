//! How much of a sentence that is still being written an operator may see (DECISIONS 17).
use crate::equipment::Catalogue;
use crate::leak::Leaks;
use crate::mask::contains_long_number;
use crate::speech::speakable;
use crate::support::first_technical;

/// The running sentence up to its first technical value: nothing of it where it holds a long number or words of
/// the prompt.
pub fn showable(running: &str, catalogue: &'static Catalogue, leaks: &Leaks) -> String {
    let text = speakable(running);
    if contains_long_number(&text) || leaks.found_in(&text) {
        return String::new();
    }
    let end = first_technical(&text, catalogue).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim().to_owned()
}
