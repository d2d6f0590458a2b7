//! The weights file's gatekeeper: reads the `E5S1` layout and believes no length or offset before checking it.

use std::ops::Range;
use std::path::PathBuf;

/// The first four bytes of every weights file.
const MAGIC: &[u8] = b"E5S1";
/// The one version of the layout that exists.
const VERSION: u32 = 1;

/// The size of the model, fixed: a file of another size is another model.
pub mod shape {
    /// Width of a token's state, and of a vector.
    pub const HIDDEN: usize = 384;
    /// Transformer layers.
    pub const LAYERS: usize = 12;
    /// Attention heads a layer.
    pub const HEADS: usize = 12;
    /// Width of the feed-forward part.
    pub const FEED: usize = 1536;
    /// Tokens the model can see at once, `<s>` and `</s>` included.
    pub const POSITIONS: usize = 512;
    /// Token types in the file; only the first is used.
    pub const TYPES: usize = 2;
    /// Added to the variance in layer norms.
    pub const EPSILON: f32 = 1e-12;
    /// Values in a Q4_0 block.
    pub const BLOCK: usize = 32;
    /// Bytes of a Q4_0 block: an fp16 scale and 32 nibbles.
    pub const BLOCK_BYTES: usize = 18;
}

/// Why the weights can't be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file isn't there or can't be read.
    #[error(
        "the embedding model {path} can't be opened ({source}): run `deploy/up` to fetch it, or fix the path"
    )]
    Unreadable {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error(
        "{path} isn't the embedding model: expected {expected}, found {found}; delete the file and run `deploy/up` again"
    )]
    Foreign {
        /// The file read.
        path: PathBuf,
        /// What the model's file has there.
        expected: String,
        /// What this one has.
        found: String,
    },
    /// The file is the model's, but cut short or altered.
    #[error(
        "the embedding model {path} is damaged: {what}, expected {expected}; delete the file and run `deploy/up` again"
    )]
    Damaged {
        /// The file read.
        path: PathBuf,
        /// The part that is wrong, and what it holds.
        what: String,
        /// What it should be.
        expected: String,
    },
}

/// What is wrong, before anybody has said in which file.
#[derive(Debug)]
pub enum Flaw {
    /// Another kind of file: expected, found.
    Foreign(String, String),
    /// A damaged one: what is wrong, what was expected.
    Damaged(String, String),
}

impl Flaw {
    /// A part of the file that isn't as expected.
    pub fn damaged(what: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Damaged(what.into(), expected.into())
    }

    /// The error that names the file.
    pub fn of(self, path: PathBuf) -> WeightsError {
        match self {
            Self::Foreign(expected, found) => WeightsError::Foreign { path, expected, found },
            Self::Damaged(what, expected) => WeightsError::Damaged { path, what, expected },
        }
    }
}

/// Reads a file's bytes from front to back.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes not yet read.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Where the next `count` bytes are, moving past them.
    pub fn skip(&mut self, count: usize, what: &str) -> Result<Range<usize>, Flaw> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len()).ok_or_else(|| {
            Flaw::damaged(
                format!("{what} at byte {} takes {count} bytes, {} are left", self.at, self.left()),
                "a whole file",
            )
        })?;
        let start = std::mem::replace(&mut self.at, end);
        Ok(start..end)
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Flaw> {
        let range = self.skip(count, what)?;
        Ok(&self.bytes[range])
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Flaw> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    /// The next byte.
    pub fn u8(&mut self, what: &str) -> Result<u8, Flaw> {
        Ok(self.array::<1>(what)?[0])
    }

    /// The next two bytes.
    pub fn u16(&mut self, what: &str) -> Result<u16, Flaw> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    /// The next four bytes.
    pub fn u32(&mut self, what: &str) -> Result<u32, Flaw> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// The next four bytes as a number.
    pub fn f32(&mut self, what: &str) -> Result<f32, Flaw> {
        Ok(f32::from_le_bytes(self.array(what)?))
    }

    /// The next eight bytes.
    pub fn u64(&mut self, what: &str) -> Result<u64, Flaw> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// The next four bytes as a count, which the file stores signed.
    pub fn count(&mut self, what: &str) -> Result<usize, Flaw> {
        let stored = self.u32(what)?;
        i32::try_from(stored).ok().and_then(|count| usize::try_from(count).ok()).ok_or_else(|| {
            Flaw::damaged(format!("{what} is {}", stored.cast_signed()), "a number that isn't negative")
        })
    }
}

/// What the first bytes say.
pub struct Header {
    /// Rows of the word embeddings.
    pub vocabulary: usize,
}

impl Header {
    /// Reads and checks it: this model's sizes or none.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let magic = cursor.take(MAGIC.len().min(cursor.left()), "the magic number")?;
        if magic != MAGIC {
            return Err(Flaw::Foreign(
                "a file that begins with E5S1".into(),
                magic.escape_ascii().to_string(),
            ));
        }
        let version = cursor.u32("the version")?;
        if version != VERSION {
            return Err(Flaw::Foreign(format!("version {VERSION}"), format!("version {version}")));
        }
        exactly(cursor, "hidden width", shape::HIDDEN)?;
        exactly(cursor, "layers", shape::LAYERS)?;
        exactly(cursor, "heads", shape::HEADS)?;
        exactly(cursor, "feed-forward width", shape::FEED)?;
        let vocabulary = cursor.count("the vocabulary's size")?;
        exactly(cursor, "positions", shape::POSITIONS)?;
        exactly(cursor, "token types", shape::TYPES)?;
        let epsilon = cursor.f32("the layer norm's epsilon")?;
        if epsilon.to_bits() != shape::EPSILON.to_bits() {
            return Err(Flaw::Foreign(format!("epsilon {}", shape::EPSILON), format!("epsilon {epsilon}")));
        }
        exactly(cursor, "block size", shape::BLOCK)?;
        Ok(Self { vocabulary })
    }
}

/// A size that makes this model what it is.
fn exactly(cursor: &mut Cursor<'_>, what: &str, expected: usize) -> Result<(), Flaw> {
    let found = cursor.u32(what)?;
    if usize::try_from(found) == Ok(expected) {
        return Ok(());
    }
    Err(Flaw::Foreign(format!("{what} {expected}"), format!("{what} {}", found.cast_signed())))
}
