//! An embedder for tests of SQL: a bag of hashed words, so that texts with the same words are near.
use async_trait::async_trait;
use aura::retrieval::score::Scale;
use aura_actors::embed::{EmbedError, Embedder, Purpose};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what it embeds, and can fail after so many texts.
pub struct Words {
    model: &'static str,
    dims: usize,
    /// Texts embedded so far.
    pub texts: AtomicUsize,
    /// From this count on it fails.
    pub fails_after: usize,
}

impl Words {
    /// A model of its own.
    pub fn new(model: &'static str, dims: usize) -> Self {
        Self { model, dims, texts: AtomicUsize::new(0), fails_after: usize::MAX }
    }

    /// How many texts were embedded since the last look.
    pub fn taken(&self) -> usize {
        self.texts.swap(0, Ordering::SeqCst)
    }

    /// The vector of one text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; self.dims];
        for word in text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
            let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            vector[usize::try_from(hash % self.dims as u64).expect("small")] += 1.0;
        }
        let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
        vector.iter().map(|part| part / length).collect()
    }
}

#[async_trait]
impl Embedder for Words {
    fn name(&self) -> &'static str {
        "words"
    }

    fn model(&self) -> &str {
        self.model
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn scale(&self) -> Scale {
        Scale::Identity
    }

    async fn embed(&self, _: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let before = self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        if before + texts.len() > self.fails_after {
            return Err(EmbedError::Failed("told to fail".to_owned()));
        }
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
