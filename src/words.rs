//! How long a turn is, in words: the one count that the gate and the copilot share.

use crate::numerals::{Num, number};
use crate::tokens::{plain, tokens};

/// Figures dictated one by one from this many on are one word.
const DICTATED: usize = 5;

/// Words of a raw turn: what stands between white space and holds a letter or a figure.
/// Five or more digits spelled one by one, as words or as numerals, count as one word
/// (`dos tres cuatro cinco seis`, `2, 3, 4, 5, 6`), so that a dictated document isn't a question.
pub fn count_words(raw: &str) -> usize {
    let (mut words, mut spelled) = (0, 0);
    for word in raw.split_whitespace() {
        let mut parts = tokens(word);
        let Some(part) = parts.next() else { continue };
        let alone = parts.next().is_none();
        if alone && is_digit(part.text, part.figures) {
            spelled += 1;
        } else {
            words += 1 + settled(spelled);
            spelled = 0;
        }
    }
    words + settled(spelled)
}

fn settled(spelled: usize) -> usize {
    if spelled >= DICTATED { 1 } else { spelled }
}

fn is_digit(word: &str, figures: bool) -> bool {
    if figures { word.len() == 1 } else { matches!(number(&plain(word)), Some(Num::Unit(_))) }
}
