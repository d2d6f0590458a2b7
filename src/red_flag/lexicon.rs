//! Which classes a heard word belongs to: by its sound, its beginning, its end, or one slip away.

use super::source::ListError;
use super::trie::Trie;
use crate::tokens::phonetic;
use std::collections::{BTreeMap, HashMap};

/// Words this short are taken as they are heard: one slip away there is always another word.
const FUZZY: usize = 6;

/// A set of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes([u64; Classes::BLOCKS]);

impl Classes {
    const BLOCKS: usize = 28;
    pub(super) const LIMIT: usize = Classes::BLOCKS * 64;
    pub(super) const NONE: Classes = Classes([0; Classes::BLOCKS]);

    pub(super) fn add(&mut self, class: usize) {
        if let Some(block) = self.0.get_mut(class / 64) {
            *block |= 1 << (class % 64);
        }
    }

    pub(super) fn join(&mut self, other: &Classes) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, its)| *mine |= its);
    }

    pub(super) fn meets(&self, other: &Classes) -> bool {
        self.0.iter().zip(other.0).any(|(mine, its)| mine & its != 0)
    }

    pub(super) fn has(&self, class: usize) -> bool {
        self.0.get(class / 64).is_some_and(|block| block & (1 << (class % 64)) != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Classes::NONE
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, block)| {
            let mut left = *block;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then(|| at * 64 + bit as usize)
            })
        })
    }
}

/// Words of the list and the classes that they are in.
#[derive(Default)]
pub(super) struct Lexicon {
    ids: HashMap<String, usize>,
    words: Trie,
    /// Ends, from their last letter on.
    ends: Trie,
    fuzzy: Vec<(String, usize)>,
}

impl Lexicon {
    /// The lexicon of the classes of `[words]`.
    pub(super) fn new(words: &BTreeMap<String, String>) -> Result<Self, ListError> {
        let mut lexicon = Lexicon::default();
        for name in words.keys() {
            let class = lexicon.id(&format!("{{{name}}}"));
            lexicon.fill(class, name, words, words.len())?;
        }
        Ok(lexicon)
    }

    fn fill(
        &mut self,
        class: usize,
        name: &str,
        words: &BTreeMap<String, String>,
        depth: usize,
    ) -> Result<(), ListError> {
        let unknown = || ListError::UnknownClass(name.to_owned());
        let list = words.get(name).filter(|_| depth > 0).ok_or_else(unknown)?;
        for word in list.split_whitespace() {
            match braced(word) {
                Some(other) => self.fill(class, other, words, depth - 1)?,
                None => self.enter(word, class)?,
            }
        }
        Ok(())
    }

    /// The class of this name, made where it isn't there yet.
    fn id(&mut self, name: &str) -> usize {
        let next = self.ids.len();
        *self.ids.entry(name.to_owned()).or_insert(next)
    }

    /// A class of `[words]`.
    pub(super) fn class(&self, name: &str) -> Result<usize, ListError> {
        let known = self.ids.get(&format!("{{{name}}}")).copied();
        known.ok_or_else(|| ListError::UnknownClass(name.to_owned()))
    }

    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The class of a pattern's item: one or more words and classes of `words`, with `|` between.
    pub(super) fn item(&mut self, item: &str, words: &BTreeMap<String, String>) -> Result<usize, ListError> {
        if let Some(known) = self.ids.get(item) {
            return Ok(*known);
        }
        let class = self.id(item);
        for word in item.split('|') {
            match braced(word) {
                Some(name) => self.fill(class, name, words, words.len())?,
                None => self.enter(word, class)?,
            }
        }
        Ok(class)
    }

    /// `word` as itself, `stem*` by its beginning, `*end` by its end, `~stem*` also one slip away.
    fn enter(&mut self, word: &str, class: usize) -> Result<(), ListError> {
        let bare = word.trim_matches(['*', '~']);
        if bare.is_empty() || !bare.chars().all(char::is_alphanumeric) {
            return Err(ListError::NoWord(word.to_owned()));
        }
        let bare = sound(bare);
        if word.starts_with('~') {
            self.fuzzy.push((bare.clone(), class));
        }
        match (word.starts_with('*'), word.ends_with('*') || word.starts_with('~')) {
            (true, _) => self.ends.enter(bare.bytes().rev(), true, class),
            (_, stem) => self.words.enter(bare.bytes(), stem, class),
        }
        Ok(())
    }

    /// The classes of a word by its sound.
    pub(super) fn classes(&self, sound: &str) -> Classes {
        let mut found = Classes::NONE;
        self.words.find(sound.bytes(), &mut found);
        self.ends.find(sound.bytes().rev(), &mut found);
        if found.is_empty() && sound.len() >= FUZZY {
            let near = self.fuzzy.iter().filter(|(stem, _)| one_slip(sound.as_bytes(), stem.as_bytes()));
            near.for_each(|(_, class)| found.add(*class));
        }
        found
    }
}

/// The name of a class in braces.
fn braced(word: &str) -> Option<&str> {
    word.strip_prefix('{')?.strip_suffix('}')
}

/// Whether `word` begins with `stem` but for one letter that is wrong, missing, too much, or two swapped.
fn one_slip(word: &[u8], stem: &[u8]) -> bool {
    if stem.len() < FUZZY - 1 || word.first() != stem.first() {
        return false;
    }
    let same = word.iter().zip(stem).take_while(|(a, b)| a == b).count();
    let (word, stem) = (&word[same..], &stem[same..]);
    let Some((_, missing)) = stem.split_first() else { return true };
    let begins = |skip: usize, rest: &[u8]| word.get(skip..).is_some_and(|word| word.starts_with(rest));
    let swapped = missing.split_first().is_some_and(|(next, rest)| {
        word.first() == Some(next) && word.get(1) == stem.first() && begins(2, rest)
    });
    swapped || begins(1, missing) || begins(1, stem) || begins(0, missing)
}

/// How a word sounds; beyond [`phonetic`], `x` is `cs` and `mb` can't be told from `nv`.
pub(super) fn sound(word: &str) -> String {
    let key =
        if word.contains(['x', 'X']) { phonetic(&word.replace(['x', 'X'], "cs")) } else { phonetic(word) };
    key.as_str().replace("mb", "nb").replace("mp", "np")
}
