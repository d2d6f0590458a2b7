//! A sentence as plain words: no accents, no look-alike letters, each word with its place in the text.
use crate::tokens::{Gap, tokens};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Stands for a letter or figure of another script: no word that holds one is ever known.
const FOREIGN: char = 'đ';

/// A word or a run of figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    /// Lower-case ASCII; with [`FOREIGN`] where it can't be read.
    pub(super) text: String,
    /// Where it begins in the text that was read.
    pub(super) start: usize,
    pub(super) gap: Gap,
    pub(super) figures: bool,
    /// Letters from the accented one to the end; 0 where there is no accent.
    pub(super) accent: usize,
    /// Whether it begins with a capital.
    pub(super) capital: bool,
    /// Whether it stands between '¿' and '?'.
    pub(super) asked: bool,
}

impl Word {
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Whether a clause may end before it.
    pub(super) fn breaks(&self) -> bool {
        matches!(self.gap, Gap::Start | Gap::Break | Gap::Comma | Gap::Colon)
    }

    pub(super) fn readable(&self) -> bool {
        self.text.is_ascii()
    }

    /// Stressed on its last letter: `apagá`, not `apaga`.
    pub(super) fn stressed_last(&self) -> bool {
        self.accent == 1
    }
}

/// The text folded, each byte with where it came from.
#[derive(Default)]
struct Folded {
    text: String,
    origin: Vec<usize>,
    accents: Vec<usize>,
    capitals: Vec<usize>,
}

impl Folded {
    fn push(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.origin.resize(self.text.len(), at);
    }

    fn of(text: &str) -> Self {
        let mut folded = Folded::default();
        for (at, c) in text.char_indices() {
            if let Some(words) = sign(c) {
                folded.push(words, at);
                continue;
            }
            if invisible(c) {
                continue;
            }
            if c.is_uppercase() {
                folded.capitals.push(folded.text.len());
            }
            for part in std::iter::once(c).nfkd() {
                folded.letter(part, at);
            }
        }
        folded
    }

    fn letter(&mut self, c: char, at: usize) {
        if is_combining_mark(c) {
            // The tilde of ñ is no stress.
            if c != '\u{303}' {
                self.accents.push(self.text.len().saturating_sub(1));
            }
            return;
        }
        for lower in c.to_lowercase() {
            let latin = look_alike(lower);
            let readable = latin.is_ascii() || !latin.is_alphanumeric();
            let mut buffer = [0; 4];
            self.push(if readable { latin } else { FOREIGN }.encode_utf8(&mut buffer), at);
        }
    }
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// Signs that are spoken as words.
fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        '%' => " porciento ",
        '°' | 'º' => " grado ",
        '½' => " y medio ",
        '¼' => " y cuarto ",
        '≥' | '>' => " al menos ",
        '≤' | '<' => " hasta ",
        _ => return None,
    })
}

/// Letters of other scripts that look like Latin ones.
fn look_alike(c: char) -> char {
    match c {
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'һ' => 'h',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        other => other,
    }
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let folded = Folded::of(text);
    let (mut asked, mut seen) = (false, 0);
    let words = tokens(&folded.text).map(|token| {
        let between = &folded.text[seen..token.start];
        asked = match (between.rfind('¿'), between.rfind('?')) {
            (Some(opens), closes) => closes.is_none_or(|closes| opens > closes),
            (None, Some(_)) => false,
            (None, None) => asked,
        };
        seen = token.end();
        let inside = |at: &&usize| (token.start..token.end()).contains(at);
        let accent = folded.accents.iter().rfind(inside).map_or(0, |at| token.end() - at);
        Word {
            text: token.text.to_owned(),
            start: folded.origin.get(token.start).copied().unwrap_or(text.len()),
            gap: token.gap,
            figures: token.figures,
            accent,
            capital: folded.capitals.contains(&token.start),
            asked,
        }
    });
    let mut words: Vec<Word> = words.collect();
    mark_unopened(&mut words, &folded.text);
    words
}

/// A question that nobody opened: all of the sentence before its '?' is asked.
fn mark_unopened(words: &mut [Word], folded: &str) {
    if folded.contains('?') && !folded.contains('¿') {
        words.iter_mut().for_each(|word| word.asked = true);
    }
}

/// Whether somebody spells, or hides a word by spacing it: three letters or more in a row.
pub(super) fn spelled(words: &[Word]) -> bool {
    words.windows(3).any(|run| run.iter().all(|word| !word.figures && word.text.len() == 1))
}
