//! What stands around a letter and a number: addresses, amounts, times and documents look like equipment.

use super::sentence::{Sentence, Word};
use super::source;
use crate::numerals::Num;
use crate::tokens::{Gap, Key, phonetic};
use std::collections::HashSet;

/// How far a walk to the left goes.
const REACH: usize = 8;
/// How near a word about a display or a television must be.
const NEAR: usize = 4;

/// Word lists of the catalogue's `[guards]`, folded as they sound.
pub(super) struct Guards {
    address: HashSet<Key>,
    weak_address: HashSet<Key>,
    residence: HashSet<Key>,
    after_address: HashSet<Key>,
    document: HashSet<Key>,
    quantity: HashSet<Key>,
    money: HashSet<Key>,
    cues: HashSet<Key>,
    hesitant: HashSet<Key>,
    screens: HashSet<Key>,
}

impl Guards {
    pub(super) fn new(source: &source::Guards) -> Self {
        let set = |words: &[String]| words.iter().map(|word| phonetic(word)).collect();
        Guards {
            address: set(&source.address),
            weak_address: set(&source.weak_address),
            residence: set(&source.residence),
            after_address: set(&source.after_address),
            document: set(&source.document),
            quantity: set(&source.quantity),
            money: set(&source.money),
            cues: set(&source.cues),
            hesitant: set(&source.hesitant),
            screens: set(&source.screens),
        }
    }
}

/// A sentence, the catalogue's guards, and which words already belong to a name.
pub(super) struct Context<'a> {
    pub(super) text: &'a str,
    pub(super) sentence: &'a Sentence<'a>,
    pub(super) guards: &'a Guards,
    pub(super) taken: Vec<bool>,
    /// Words at which a name that may yet be found begins.
    pub(super) begins: Vec<bool>,
}

impl<'a> Context<'a> {
    pub(super) fn word(&self, at: usize) -> Option<&'a Word<'a>> {
        self.sentence.words.get(at)
    }

    pub(super) fn before(&self, at: usize) -> Option<&'a Word<'a>> {
        self.word(at.checked_sub(1)?)
    }

    /// The next word, unless a comma or the end of a clause comes first.
    pub(super) fn close_after(&self, end: usize) -> Option<&'a Word<'a>> {
        self.word(end).filter(|word| !parts(word.gap) && word.gap != Gap::Comma)
    }

    /// Whether the words from `start` are said as part of a place or a number of something else.
    pub(super) fn place_before(&self, start: usize) -> bool {
        let (mut article, mut comma) = (false, false);
        for at in (start.saturating_sub(REACH)..start).rev() {
            let (word, next) = (&self.sentence.words[at], &self.sentence.words[at + 1]);
            let known = self.guards.address.contains(&word.sound);
            let dotted = known && self.text[word.token.end()..next.token.start].trim_end() == ".";
            if (parts(next.gap) && !dotted) || self.taken[at] {
                return false;
            }
            comma |= next.gap == Gap::Comma;
            if known {
                return !article;
            }
            if self.guards.weak_address.contains(&word.sound) {
                return !article && !comma;
            }
            if self.guards.residence.contains(&word.sound) {
                return !comma;
            }
            article |= is_article(word);
            if !(is_article(word) || labels(word)) || self.written_code(at) {
                return false;
            }
        }
        false
    }

    /// Whether an address goes on after `end`: `E 2, entre Mitre y Belgrano`.
    pub(super) fn place_after(&self, start: usize, end: usize) -> bool {
        let Some(next) = self.word(end).filter(|word| !parts(word.gap)) else { return false };
        if self.cue_before(start) || !self.guards.after_address.contains(&next.sound) {
            return false;
        }
        let hours = |word: &Word<'_>| word.is("las") || word.is("los") || word.counts();
        !(next.is("entre") && self.word(end + 1).is_some_and(hours))
    }

    /// Whether a document is being said: `mi documento es eme cincuenta…`.
    pub(super) fn document_before(&self, start: usize) -> bool {
        for at in (start.saturating_sub(REACH)..start).rev() {
            let (word, next) = (&self.sentence.words[at], &self.sentence.words[at + 1]);
            if self.guards.document.contains(&word.sound) {
                return true;
            }
            if self.taken[at]
                || next.gap == Gap::Comma
                || !(is_article(word) || labels(word))
                || self.written_code(at)
            {
                return false;
            }
        }
        false
    }

    /// Whether the figures at `at` end a code in one piece, which is no house number.
    fn written_code(&self, at: usize) -> bool {
        let word = &self.sentence.words[at];
        let letter = self.before(at).is_some_and(|letter| letter.is("e") || letter.is("h"));
        word.token.figures && word.gap == Gap::Glued && letter
    }

    /// Whether something was said of a display, an error or a model just before.
    pub(super) fn cue_before(&self, start: usize) -> bool {
        let near = start.saturating_sub(NEAR)..start;
        near.into_iter().any(|at| self.taken[at] || self.guards.cues.contains(&self.sentence.words[at].sound))
    }

    /// Whether the word before `start` makes a letter e a hesitation: `a las e ocho`.
    pub(super) fn hesitates(&self, start: usize) -> bool {
        self.before(start).is_some_and(|word| self.guards.hesitant.contains(&word.sound))
    }

    /// Whether the number that ends at `end` counts something.
    pub(super) fn counts_after(&self, end: usize) -> bool {
        self.close_after(end).is_some_and(|word| self.guards.quantity.contains(&word.sound))
    }

    /// Whether it is an amount of money, or thousands of anything.
    pub(super) fn money_after(&self, end: usize) -> bool {
        self.close_after(end).is_some_and(|word| {
            matches!(word.number, Some(Num::Thousand | Num::Million))
                || self.guards.money.contains(&word.sound)
        })
    }

    /// Whether a television or a telephone is spoken of.
    pub(super) fn screen_near(&self, start: usize, end: usize) -> bool {
        let words = &self.sentence.words;
        let (from, to) = (start.saturating_sub(NEAR), (end + NEAR).min(words.len()));
        words[from..to].iter().any(|word| self.guards.screens.contains(&word.sound))
    }

    /// Whether the number that ends at `end` goes on there, so that it is another one.
    pub(super) fn goes_on(&self, end: usize) -> bool {
        let Some(next) = self.word(end) else { return false };
        match next.gap {
            Gap::Glued => return true,
            Gap::Break | Gap::Colon => return false,
            Gap::Point => return next.token.figures,
            _ => {}
        }
        if self.begins[end] || self.taken[end] {
            return false;
        }
        if next.is("y") {
            return self.unit_after_and(end + 1);
        }
        if !next.counts() {
            return false;
        }
        let run = self.sentence.words[end..].iter().take_while(|word| word.counts()).count();
        let counted = self.counts_after(end + run) && !self.money_after(end + run);
        !(counted || (next.gap == Gap::Comma && run == 1))
    }

    /// `cincuenta y dos`, unless the two are something else.
    fn unit_after_and(&self, at: usize) -> bool {
        let Some(word) = self.word(at) else { return false };
        let unit = matches!(word.number, Some(Num::Unit(1..)));
        unit && !self.begins[at] && !self.counts_after(at + 1)
    }
}

fn parts(gap: Gap) -> bool {
    matches!(gap, Gap::Break | Gap::Colon)
}

fn is_article(word: &Word<'_>) -> bool {
    ["el", "la", "en", "del", "de", "al", "un", "una"].iter().any(|article| word.is(article))
}

/// What may stand between a kind of place and its letter: numbers, letters, `número`.
fn labels(word: &Word<'_>) -> bool {
    let conjunction = word.is("y") || word.is("a") || word.is("o");
    word.counts()
        || (word.letter() && !conjunction)
        || ["numero", "nro", "letra", "efe", "es"].iter().any(|l| word.is(l))
}
