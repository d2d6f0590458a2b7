//! A sentence ready to be compared: folded words one mark apart, and the way back to the original.

use super::pattern::View;
use crate::numerals::{Num, sounded_number};
use crate::tokens::{Gap, Key, Token, phonetic, plain, tokens};

/// A word or figure of the sentence.
pub(super) struct Word<'a> {
    pub(super) token: Token<'a>,
    pub(super) gap: Gap,
    /// As it sounds; figures as they stand.
    pub(super) sound: Key,
    /// As it is spelled.
    spelling: Key,
    /// What it is worth as a number word.
    pub(super) number: Option<Num>,
}

impl Word<'_> {
    pub(super) fn is(&self, key: &str) -> bool {
        self.sound.as_str() == key
    }

    /// A number word or figures.
    pub(super) fn counts(&self) -> bool {
        self.token.figures || self.number.is_some()
    }

    /// One letter by itself.
    pub(super) fn letter(&self) -> bool {
        !self.token.figures && self.spelling.as_str().len() == 1
    }
}

/// The words of a text, without hesitations.
pub(super) struct Sentence<'a> {
    pub(super) words: Vec<Word<'a>>,
    sounds: Line,
    spellings: Line,
}

/// Folded words in one string.
struct Line {
    text: String,
    /// Where each word begins and ends in it.
    spans: Vec<(usize, usize)>,
}

impl<'a> Sentence<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut words: Vec<Word<'a>> = Vec::new();
        let mut hesitated = false;
        for token in tokens(text) {
            let spelling = plain(token.text);
            if matches!(spelling.as_str(), "eh" | "ehh" | "ehm" | "mm" | "mmm") {
                hesitated = true;
                continue;
            }
            let sound = if token.figures { spelling } else { phonetic(token.text) };
            let number = if token.figures { None } else { sounded_number(&sound) };
            let gap = match (words.is_empty(), hesitated) {
                (true, _) => Gap::Start,
                (_, true) => Gap::Comma,
                _ => token.gap,
            };
            hesitated = false;
            words.push(Word { token, gap, sound, spelling, number });
        }
        let sounds = line(&words, |word| &word.sound);
        let spellings = line(&words, |word| &word.spelling);
        Sentence { words, sounds, spellings }
    }

    /// The folded sentence: words with one mark between (`~` glued, `.` a point, `-`, `,`, space, `|`
    /// where a clause ends).
    pub(super) fn line(&self, view: View) -> &str {
        &self.pick(view).text
    }

    /// Which words a match in [`Self::line`] covers, if it begins and ends with whole ones.
    pub(super) fn covered(&self, view: View, start: usize, end: usize) -> Option<(usize, usize)> {
        let spans = &self.pick(view).spans;
        let first = spans.binary_search_by_key(&start, |span| span.0).ok()?;
        let last = spans.binary_search_by_key(&end, |span| span.1).ok()?;
        Some((first, last + 1))
    }

    fn pick(&self, view: View) -> &Line {
        match view {
            View::Sound => &self.sounds,
            View::Spelling => &self.spellings,
        }
    }
}

fn line(words: &[Word<'_>], key: for<'k> fn(&'k Word<'_>) -> &'k Key) -> Line {
    let mut line = Line { text: String::new(), spans: Vec::with_capacity(words.len()) };
    for word in words {
        match word.gap {
            Gap::Start => {}
            Gap::Glued => line.text.push('~'),
            Gap::Space => line.text.push(' '),
            Gap::Hyphen => line.text.push('-'),
            Gap::Comma => line.text.push(','),
            Gap::Point => line.text.push('.'),
            Gap::Colon | Gap::Break => line.text.push('|'),
        }
        let start = line.text.len();
        line.text.push_str(key(word).as_str());
        line.spans.push((start, line.text.len()));
    }
    line
}
