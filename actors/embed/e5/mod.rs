//! The local embedding model: multilingual-e5-small in 4 bits, run inside the process.

mod bert;
mod cache;
mod directory;
mod file;
mod kernel;
mod math;
mod normaliser;
pub mod pool;
mod tokenizer;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use bert::{Bert, Scratch};
use directory::Directory;
pub use file::WeightsError;
use file::{Cursor, Flaw, Header};
pub use kernel::Kernel;
use kernel::Map;
use tokenizer::{Lattice, Tokenizer};

/// What stored vectors are marked with; vectors of another model never meet these in one search.
pub const MODEL: &str = "multilingual-e5-small-q4";
/// Components of a vector.
pub const DIMENSIONS: usize = file::shape::HIDDEN;

/// What a text is; the model was trained to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Text {
    /// Something asked.
    Query,
    /// Something that may answer.
    Passage,
}

impl Text {
    /// What the model expects before the text.
    fn prefix(self) -> &'static str {
        match self {
            Self::Query => "query: ",
            Self::Passage => "passage: ",
        }
    }
}

/// The model, ready to embed from as many threads as like.
pub struct E5 {
    path: PathBuf,
    map: Map,
    kernel: Kernel,
    tokenizer: Tokenizer,
    bert: Bert,
}

impl std::fmt::Debug for E5 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("E5").field("path", &self.path).field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

thread_local! {
    /// About 200 kB after a question, 9 MB after a text of 512 tokens; kept as long as the thread.
    static ROOM: RefCell<(Lattice, Scratch)> = RefCell::default();
}

impl E5 {
    /// Maps the weights and checks their layout: about 50 ms. Their content is set-up's to check, by SHA-256.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        Self::open_with(path, Kernel::best())
    }

    /// The same with chosen instructions.
    pub fn open_with(path: &Path, kernel: Kernel) -> Result<Self, WeightsError> {
        let map = Map::open(path).map_err(|source| WeightsError::Unreadable { path: path.into(), source })?;
        let (tokenizer, bert) = parse(map.bytes()).map_err(|flaw| flaw.of(path.into()))?;
        Ok(Self { path: path.into(), map, kernel, tokenizer, bert })
    }

    /// The text's vector: 384 components, length 1. Space around the text doesn't count; what lies beyond 512 tokens
    /// isn't seen. Fails only if the weights were altered in a way their layout doesn't show.
    pub fn embed(&self, kind: Text, text: &str) -> Result<Vec<f32>, WeightsError> {
        let vector = ROOM.with_borrow_mut(|(lattice, scratch)| {
            self.tokenizer.encode(self.map.bytes(), kind.prefix(), text, lattice);
            self.bert.forward(self.map.bytes(), self.kernel, &lattice.ids, scratch)
        });
        if vector.iter().all(|component| component.is_finite()) {
            return Ok(vector);
        }
        Err(Flaw::damaged("its weights give a vector that is no number", "finite weights")
            .of(self.path.clone()))
    }

    /// The pieces the model sees, `<s>` to `</s>`, at most 512: to measure a text before cutting it.
    pub fn tokens(&self, kind: Text, text: &str) -> Vec<u32> {
        ROOM.with_borrow_mut(|(lattice, _)| {
            self.tokenizer.encode(self.map.bytes(), kind.prefix(), text, lattice);
            lattice.ids.clone()
        })
    }
}

fn parse(file: &[u8]) -> Result<(Tokenizer, Bert), Flaw> {
    let mut cursor = Cursor::new(file);
    let header = Header::read(&mut cursor)?;
    let tokenizer = Tokenizer::read(file, &mut cursor, header.vocabulary)?;
    let directory = Directory::read(file, &mut cursor)?;
    let bert = Bert::read(&directory, header.vocabulary)?;
    Ok((tokenizer, bert))
}
