//! Words and figures of a sentence with their places in it, folded so that spellings can be compared.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longest folded word that is looked at; a longer one matches nothing.
const KEY_BYTES: usize = 32;

/// A folded word on the stack: lower-case ASCII, or `_` for what can't be an equipment or number word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    bytes: [u8; KEY_BYTES],
    len: u8,
}

impl Key {
    const OPAQUE: Key = {
        let mut bytes = [0; KEY_BYTES];
        bytes[0] = b'_';
        Key { bytes, len: 1 }
    };

    fn empty() -> Self {
        Key { bytes: [0; KEY_BYTES], len: 0 }
    }

    fn push(&mut self, byte: u8) -> bool {
        let at = usize::from(self.len);
        if at == KEY_BYTES {
            return false;
        }
        self.bytes[at] = byte;
        self.len += 1;
        true
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The folded word.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or("_")
    }
}

/// What stands between a token and the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// First of the text.
    Start,
    /// Letters against figures: `H08`.
    Glued,
    /// White space, quotes.
    Space,
    /// A hyphen or a slash.
    Hyphen,
    /// A comma and a space, dots of hesitation.
    Comma,
    /// A dot or comma without space: `456.789`, `2,5`.
    Point,
    /// Hours and minutes: `8:30`.
    Colon,
    /// The end of a sentence or clause.
    Break,
}

/// A run of letters or a run of figures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) gap: Gap,
    pub(crate) figures: bool,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits `text` without allocating.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> + Clone {
    let (mut at, mut first, mut single) = (0, true, false);
    std::iter::from_fn(move || {
        let offset = text[at..].find(is_token)?;
        let start = at + offset;
        let figures = text[start..].starts_with(|c: char| c.is_ascii_digit());
        let same = |c: char| if figures { c.is_ascii_digit() } else { is_letter(c) };
        let len = text[start..].find(|c| !same(c)).unwrap_or(text.len() - start);
        let gap = if first { Gap::Start } else { gap(&text[at..start], single) };
        let token = Token { text: &text[start..start + len], start, gap, figures };
        single = !figures && token.text.chars().count() == 1;
        (at, first) = (start + len, false);
        Some(token)
    })
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || is_combining_mark(c)
}

fn is_token(c: char) -> bool {
    c.is_ascii_digit() || is_letter(c)
}

fn gap(between: &str, after_single_letter: bool) -> Gap {
    let has = |set: &[char]| between.contains(set);
    let spaced = between.contains(char::is_whitespace);
    if between.is_empty() {
        Gap::Glued
    } else if between == ":" {
        Gap::Colon
    } else if has(&['?', '!', ';', ':', '\n', '(', ')', '·', '¿', '¡']) {
        Gap::Break
    } else if between.contains("..") || between.contains('…') {
        Gap::Comma
    } else if has(&['.']) && spaced {
        if after_single_letter { Gap::Hyphen } else { Gap::Break }
    } else if has(&['.', ',']) {
        if spaced { Gap::Comma } else { Gap::Point }
    } else if has(&['-', '–', '—', '‐', '/', '_']) {
        Gap::Hyphen
    } else {
        Gap::Space
    }
}

/// Lower case, no accents.
pub(crate) fn plain(word: &str) -> Key {
    spanish(word).unwrap_or_else(|| decomposed(word))
}

/// The letters of Spanish by a table: nearly every word, at a tenth of what decomposing costs.
fn spanish(word: &str) -> Option<Key> {
    let mut key = Key::empty();
    for c in word.chars() {
        let byte = match c {
            'a'..='z' | '0'..='9' => c as u8,
            'A'..='Z' => (c as u8).to_ascii_lowercase(),
            'á' | 'Á' => b'a',
            'é' | 'É' => b'e',
            'í' | 'Í' => b'i',
            'ó' | 'Ó' => b'o',
            'ú' | 'ü' | 'Ú' | 'Ü' => b'u',
            'ñ' | 'Ñ' => b'n',
            _ => return None,
        };
        if !key.push(byte) {
            return Some(Key::OPAQUE);
        }
    }
    Some(key)
}

fn decomposed(word: &str) -> Key {
    let mut key = Key::empty();
    let letters = word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    for c in letters {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii_alphanumeric() && key.push(byte) => {}
            _ => return Key::OPAQUE,
        }
    }
    key
}

/// As it sounds on the River Plate: seseo, yeísmo, b = v, silent h, doubled letters once.
/// One letter stays as it is, and in two the h counts (`he` isn't the letter e).
pub(crate) fn phonetic(word: &str) -> Key {
    let folded = plain(word);
    if folded.len < 2 || folded == Key::OPAQUE {
        return folded;
    }
    let bytes = folded.bytes();
    let mut key = Key::empty();
    let mut i = 0;
    while i < bytes.len() {
        let next = bytes.get(i + 1).copied().unwrap_or(0);
        let (sound, used) = sound(bytes[i], next, folded.len > 2);
        i += used;
        if let Some(sound) = sound
            && key.bytes().last() != Some(&sound)
        {
            key.push(sound);
        }
    }
    if key.len == 0 { Key::OPAQUE } else { key }
}

fn sound(letter: u8, next: u8, silent_h: bool) -> (Option<u8>, usize) {
    let soft = matches!(next, b'e' | b'i');
    match letter {
        b'c' | b's' if next == b'h' => (Some(b'x'), 2),
        b'l' if next == b'l' => (Some(b'y'), 2),
        b'q' if next == b'u' => (Some(b'k'), 2),
        b'p' if next == b'h' => (Some(b'f'), 2),
        b'c' if soft => (Some(b's'), 1),
        b'c' | b'q' => (Some(b'k'), 1),
        b'g' if soft => (Some(b'j'), 1),
        b'z' => (Some(b's'), 1),
        b'v' => (Some(b'b'), 1),
        b'w' => (Some(b'u'), 1),
        b'h' if silent_h => (None, 1),
        other => (Some(other), 1),
    }
}
