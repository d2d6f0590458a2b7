//! A talk that is masked as it is spoken: each line with those before it, for whoever gets it line by line.
use super::{AROUND, mask_lines};
use crate::transcript::{Speaker, Turn};
use std::collections::VecDeque;

/// The last lines of a talk. Its `Debug` shows none.
#[derive(Default)]
pub struct Talk(VecDeque<Turn>);

impl std::fmt::Debug for Talk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Talk({} lines)", self.0.len())
    }
}

impl Talk {
    /// A line, masked; `done`: it changes no more.
    pub fn line(&mut self, speaker: Speaker, text: &str, done: bool) -> String {
        self.0.push_back(Turn { speaker, text: text.to_owned(), unclear: false, place: None });
        let lines = self.0.make_contiguous();
        let masked = mask_lines(lines).pop().unwrap_or_default();
        if !done {
            self.0.pop_back();
        } else if self.0.len() > AROUND {
            self.0.pop_front();
        }
        masked
    }
}
