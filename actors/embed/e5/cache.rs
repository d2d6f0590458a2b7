//! Remembers vectors of recent texts: two generations, the older one forgotten when the newer is full.

use std::collections::HashMap;
use std::sync::Arc;

use super::Text;

/// Longer texts (bytes) aren't remembered: they are passages, rarely seen twice.
const LONGEST: usize = 2048;

type Generation = HashMap<String, Arc<[f32]>>;

/// At most `size` vectors, the recently used ones.
pub struct Cache {
    /// Vectors in a generation.
    half: usize,
    queries: [Generation; 2],
    passages: [Generation; 2],
}

impl Cache {
    /// Room for `size` vectors of each kind of text; 0 remembers nothing.
    pub fn new(size: usize) -> Self {
        Self { half: size / 2, queries: Default::default(), passages: Default::default() }
    }

    /// The vector of a text, if it is remembered.
    pub fn get(&mut self, kind: Text, text: &str) -> Option<Arc<[f32]>> {
        let half = self.half;
        let [young, old] = self.generations(kind);
        if let Some(vector) = young.get(text) {
            return Some(Arc::clone(vector));
        }
        let (text, vector) = old.remove_entry(text)?;
        insert(young, old, half, text, Arc::clone(&vector));
        Some(vector)
    }

    /// The vectors of all texts, or none if one is missing.
    pub fn all(&mut self, kind: Text, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        texts.iter().map(|text| self.get(kind, text).map(|vector| vector.to_vec())).collect()
    }

    /// Remembers a vector.
    pub fn put(&mut self, kind: Text, text: String, vector: Arc<[f32]>) {
        let half = self.half;
        if half > 0 && text.len() <= LONGEST {
            let [young, old] = self.generations(kind);
            insert(young, old, half, text, vector);
        }
    }

    fn generations(&mut self, kind: Text) -> &mut [Generation; 2] {
        match kind {
            Text::Query => &mut self.queries,
            Text::Passage => &mut self.passages,
        }
    }
}

fn insert(young: &mut Generation, old: &mut Generation, half: usize, text: String, vector: Arc<[f32]>) {
    if young.len() >= half {
        *old = std::mem::take(young);
    }
    young.insert(text, vector);
}
