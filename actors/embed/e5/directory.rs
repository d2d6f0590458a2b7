//! The file's table of contents: which tensor lies where, each span checked against the file.

use std::collections::BTreeMap;
use std::ops::Range;

use super::file::shape::{BLOCK, BLOCK_BYTES};
use super::file::{Cursor, Flaw};

/// Bytes of a directory entry besides its name.
const ENTRY_BYTES: usize = 2 + 1 + 4 + 8 + 8;

/// How a tensor's values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 32-bit floats.
    F32,
    /// ggml's Q4_0 blocks.
    Q4,
}

/// One line of the directory.
struct Entry {
    kind: Kind,
    elements: usize,
    bytes: Range<usize>,
}

/// Where each tensor is.
pub struct Directory<'a> {
    file: &'a [u8],
    entries: BTreeMap<&'a [u8], Entry>,
}

impl<'a> Directory<'a> {
    /// Reads the directory, which the cursor has reached; its offsets are from the start of `file`.
    pub fn read(file: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, Flaw> {
        let count = cursor.count("the number of tensors")?;
        if count > cursor.left() / ENTRY_BYTES {
            return Err(Flaw::damaged(
                format!("the directory says {count} tensors"),
                format!("no more than the {} bytes left can name", cursor.left()),
            ));
        }
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let (name, entry) = Entry::read(cursor, file.len())?;
            if entries.insert(name, entry).is_some() {
                return Err(Flaw::damaged(format!("tensor {} is listed twice", name.escape_ascii()), "once"));
            }
        }
        Ok(Self { file, entries })
    }

    /// The floats of a tensor with exactly `elements` of them.
    pub fn floats(&self, name: &str, elements: usize) -> Result<Box<[f32]>, Flaw> {
        let bytes = &self.file[self.find(name, Kind::F32, elements)?];
        let (quads, _) = bytes.as_chunks::<4>();
        let floats: Box<[f32]> = quads.iter().map(|quad| f32::from_le_bytes(*quad)).collect();
        if floats.iter().all(|value| value.is_finite()) {
            return Ok(floats);
        }
        Err(Flaw::damaged(format!("tensor {name} holds an infinity or not-a-number"), "finite values"))
    }

    /// Where a 4-bit matrix of `rows` × `columns` is, in bytes of the file.
    pub fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Range<usize>, Flaw> {
        let elements = rows.checked_mul(columns).ok_or_else(|| {
            Flaw::damaged(format!("tensor {name} has {rows} rows"), "as many as memory could hold")
        })?;
        self.find(name, Kind::Q4, elements)
    }

    fn find(&self, name: &str, kind: Kind, elements: usize) -> Result<Range<usize>, Flaw> {
        let entry = self
            .entries
            .get(name.as_bytes())
            .ok_or_else(|| Flaw::damaged(format!("tensor {name} is missing"), "it in the directory"))?;
        if entry.kind != kind || entry.elements != elements {
            return Err(Flaw::damaged(
                format!("tensor {name} has {} values stored as {:?}", entry.elements, entry.kind),
                format!("{elements} stored as {kind:?}"),
            ));
        }
        Ok(entry.bytes.clone())
    }
}

impl Entry {
    fn read<'a>(cursor: &mut Cursor<'a>, file_len: usize) -> Result<(&'a [u8], Self), Flaw> {
        let length = usize::from(cursor.u16("a tensor's name")?);
        let name = cursor.take(length, "a tensor's name")?;
        let kind = cursor.u8("a tensor's kind")?;
        let elements = cursor.u32("a tensor's size")?;
        let (offset, bytes) = (cursor.u64("a tensor's offset")?, cursor.u64("a tensor's bytes")?);
        let wrong = |expected: String| {
            let name = name.escape_ascii();
            Flaw::damaged(
                format!("tensor {name}: kind {kind}, {elements} values, {bytes} bytes at {offset}"),
                expected,
            )
        };
        let elements = usize::try_from(elements).map_err(|_| wrong("a size memory could hold".into()))?;
        let (kind, needed) = match kind {
            0 => (Kind::F32, elements.checked_mul(4)),
            1 if elements.is_multiple_of(BLOCK) => (Kind::Q4, (elements / BLOCK).checked_mul(BLOCK_BYTES)),
            _ => return Err(wrong("kind 0 (f32), or 1 (Q4_0) in blocks of 32".into())),
        };
        let span = usize::try_from(offset)
            .ok()
            .and_then(|start| Some(start..start.checked_add(usize::try_from(bytes).ok()?)?))
            .filter(|span| span.end <= file_len)
            .ok_or_else(|| wrong(format!("bytes inside the file's {file_len}")))?;
        if needed != Some(span.len()) {
            return Err(wrong("as many bytes as its values take".into()));
        }
        Ok((name, Self { kind, elements, bytes: span }))
    }
}
