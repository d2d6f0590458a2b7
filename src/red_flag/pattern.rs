//! One way of saying something: words, classes and gaps in a row.

use super::hearing::Heard;
use super::lexicon::Lexicon;
use super::source::ListError;
use crate::tokens::Gap;
use std::collections::BTreeMap;

/// How many words a gap may hold for each dot past the first.
const PER_DOT: usize = 3;

#[derive(Debug, Clone)]
enum Item {
    Word {
        class: usize,
        optional: bool,
    },
    Gap(usize),
    /// No word of its own: the next one isn't of this class.
    Not(usize),
    /// No word of its own: a clause ends here.
    End,
}

/// A pattern ready to be looked for.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Vec<Item>);

impl Pattern {
    /// Reads the notation that the list explains.
    pub(super) fn parse(
        text: &str,
        lexicon: &mut Lexicon,
        words: &BTreeMap<String, String>,
    ) -> Result<Self, ListError> {
        let items = text.split_whitespace().map(|item| read(item, lexicon, words));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        match items.first() {
            Some(Item::Word { optional: false, .. }) => Ok(Pattern(items)),
            _ => Err(ListError::NoStart(text.to_owned())),
        }
    }

    /// The class that it begins with.
    pub(super) fn first(&self) -> Option<usize> {
        match self.0.first() {
            Some(Item::Word { class, .. }) => Some(*class),
            _ => None,
        }
    }

    /// Where it ends if it begins at word `at`.
    pub(super) fn end(&self, heard: &Heard<'_>, at: usize) -> Option<usize> {
        // 'no, respira bien': an answer of its own denies nothing.
        let answer = heard.is(at, heard.list.named.not) && heard.pauses(at + 1) && self.0.len() > 1;
        if answer { None } else { rest(&self.0, heard, at, at) }
    }
}

fn read(text: &str, lexicon: &mut Lexicon, words: &BTreeMap<String, String>) -> Result<Item, ListError> {
    if text.bytes().all(|b| b == b'.') {
        return Ok(Item::Gap((text.len() - 1) * PER_DOT));
    }
    if text == "$" {
        return Ok(Item::End);
    }
    if let Some(item) = text.strip_prefix('!') {
        return Ok(Item::Not(lexicon.item(item, words)?));
    }
    let (item, optional) = match text.strip_suffix('?') {
        Some(item) => (item, true),
        None => (text, false),
    };
    Ok(Item::Word { class: lexicon.item(item, words)?, optional })
}

/// The nearest end of `items` from `at` on. Sentences aren't crossed; a gap passes no wall.
fn rest(items: &[Item], heard: &Heard<'_>, start: usize, at: usize) -> Option<usize> {
    let Some((item, others)) = items.split_first() else { return Some(at) };
    let word = heard.words.get(at).filter(|word| at == start || word.gap != Gap::Break);
    match item {
        Item::Word { class, optional } => {
            let taken = word.filter(|word| word.classes.has(*class));
            let end = taken.and_then(|_| rest(others, heard, start, at + 1));
            if *optional { end.or_else(|| rest(others, heard, start, at)) } else { end }
        }
        Item::Not(class) => {
            let other = word.is_none_or(|word| !word.classes.has(*class));
            if other { rest(others, heard, start, at) } else { None }
        }
        Item::End => {
            if heard.ends_clause(at) {
                rest(others, heard, start, at)
            } else {
                None
            }
        }
        Item::Gap(most) => {
            let open = heard.words[at..].iter().take_while(|word| !word.wall && word.gap != Gap::Break);
            let most = open.take(*most).count();
            (at..=at + most).find_map(|at| rest(others, heard, start, at))
        }
    }
}
