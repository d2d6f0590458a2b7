//! Makes a text the way the model's pieces expect it: composed (NFC), mapped, single spaces shown as `▁`.

use unicode_normalization::UnicodeNormalization;

use super::file::{Cursor, Flaw};

/// The character that stands for a space inside pieces.
const SPACE: char = '▁';
/// Normalised text beyond this many bytes can't reach the model: 510 pieces of the longest kind take less.
const LIMIT: usize = 32 * 1024;
/// Bytes of an entry without replacements: the code point and their number.
const ENTRY_BYTES: usize = 5;

/// Which characters are replaced by what, in the order of their code points.
pub struct Normaliser {
    entries: Box<[Entry]>,
    replacements: Box<[char]>,
}

/// One character, and where its replacements are.
struct Entry {
    from: char,
    start: usize,
    count: usize,
}

impl Normaliser {
    /// Reads the table, which the cursor has reached.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let count = cursor.count("the number of normaliser entries")?;
        let length = cursor.u32("the normaliser's length")?;
        let mut table =
            Cursor::new(cursor.take(usize::try_from(length).unwrap_or(usize::MAX), "the normaliser")?);
        if count > table.left() / ENTRY_BYTES {
            return Err(Flaw::damaged(
                format!("the normaliser says {count} entries"),
                format!("no more than its {length} bytes hold"),
            ));
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(count);
        let mut replacements = Vec::new();
        for _ in 0..count {
            let from = character(&mut table)?;
            if entries.last().is_some_and(|last| last.from >= from) {
                return Err(Flaw::damaged(format!("the normaliser's entry {from:?}"), "rising code points"));
            }
            let (start, count) = (replacements.len(), usize::from(table.u8("a normaliser entry")?));
            for _ in 0..count {
                replacements.push(character(&mut table)?);
            }
            entries.push(Entry { from, start, count });
        }
        if table.left() > 0 {
            return Err(Flaw::damaged(format!("{} bytes after the normaliser", table.left()), "none"));
        }
        Ok(Self { entries: entries.into(), replacements: replacements.into() })
    }

    /// What stands for one character, perhaps nothing.
    fn replace(&self, from: char) -> Option<&[char]> {
        let at = self.entries.binary_search_by_key(&from, |entry| entry.from).ok()?;
        let entry = &self.entries[at];
        self.replacements.get(entry.start..entry.start + entry.count)
    }

    /// Writes `prefix` and `text` to `out` in the pieces' spelling, without a space at the end.
    pub fn normalise(&self, prefix: &str, text: &str, out: &mut String) {
        out.clear();
        out.push(SPACE);
        for from in prefix.chars().chain(text.chars()).nfc() {
            for to in self.replace(from).unwrap_or(&[from]) {
                let to = if *to == ' ' { SPACE } else { *to };
                if to != SPACE || !out.ends_with(SPACE) {
                    out.push(to);
                }
            }
            if out.len() > LIMIT {
                break;
            }
        }
        out.truncate(out.trim_end_matches(SPACE).len());
    }
}

fn character(table: &mut Cursor<'_>) -> Result<char, Flaw> {
    let code = table.u32("a normaliser's code point")?;
    char::from_u32(code).ok_or_else(|| Flaw::damaged(format!("the normaliser's {code:#x}"), "a code point"))
}
