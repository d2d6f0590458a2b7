//! Words in a tree of letters: one walk along a word finds it and every stem that it begins with.

use super::lexicon::Classes;

#[derive(Default)]
struct Node {
    next: Vec<(u8, usize)>,
    /// Classes of what begins so, and of the word that ends here.
    stem: Vec<usize>,
    whole: Vec<usize>,
}

/// The tree; its first node is the root.
pub(super) struct Trie(Vec<Node>);

impl Default for Trie {
    fn default() -> Self {
        Trie(vec![Node::default()])
    }
}

impl Trie {
    /// Puts a word in, or a stem.
    pub(super) fn enter(&mut self, letters: impl Iterator<Item = u8>, stem: bool, class: usize) {
        let mut at = 0;
        for letter in letters {
            at = match self.follow(at, letter) {
                Some(next) => next,
                None => self.grow(at, letter),
            };
        }
        if let Some(node) = self.0.get_mut(at) {
            let classes = if stem { &mut node.stem } else { &mut node.whole };
            classes.push(class);
        }
    }

    /// Adds to `found` the classes of a word.
    pub(super) fn find(&self, letters: impl Iterator<Item = u8>, found: &mut Classes) {
        let mut at = 0;
        for letter in letters {
            let Some(next) = self.follow(at, letter) else { return };
            at = next;
            self.0[at].stem.iter().for_each(|class| found.add(*class));
        }
        self.0[at].whole.iter().for_each(|class| found.add(*class));
    }

    fn follow(&self, at: usize, letter: u8) -> Option<usize> {
        self.0.get(at)?.next.iter().find(|(known, _)| *known == letter).map(|(_, next)| *next)
    }

    fn grow(&mut self, at: usize, letter: u8) -> usize {
        let new = self.0.len();
        self.0.push(Node::default());
        if let Some(node) = self.0.get_mut(at) {
            node.next.push((letter, new));
        }
        new
    }
}
