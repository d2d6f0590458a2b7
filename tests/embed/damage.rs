//! A damaged, cut or foreign file is an error that names it, whatever is wrong with it.

use std::fs;
use std::path::{Path, PathBuf};

use aura_actors::embed::e5::{DIMENSIONS, E5, Text, WeightsError};

use crate::weights;

/// Bytes before the tensors: header, pieces, normaliser, directory.
const FRONT: usize = 4_638_248;
/// Where `emb.ln.w` is.
const FIRST_NORM: usize = 59_435_776;
/// Where the pieces' offsets start.
const OFFSETS: usize = 72;

/// A file of its own, gone when the test ends.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("aura-e5-{}-{name}.bin", std::process::id()));
        fs::write(&path, bytes).expect("a temporary file");
        Self(path)
    }

    /// The error that opening it gives, checked to help whoever reads it.
    fn error(&self) -> WeightsError {
        let error = E5::open(&self.0).expect_err("an error");
        let text = error.to_string();
        assert!(text.contains(&*self.0.to_string_lossy()), "{text}");
        assert!(text.contains("deploy/up"), "{text}");
        error
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

fn read() -> Vec<u8> {
    fs::read(weights()).expect("the weights")
}

#[test]
fn a_missing_file_says_how_to_get_it() {
    let error = E5::open(Path::new("/nowhere/e5-small-q4.bin")).expect_err("an error");
    assert!(matches!(error, WeightsError::Unreadable { .. }));
    let text = error.to_string();
    assert!(text.contains("/nowhere/e5-small-q4.bin") && text.contains("deploy/up"), "{text}");
}

#[test]
fn a_file_cut_anywhere_is_damaged() {
    let whole = read();
    let early = (0..200).step_by(3).chain([OFFSETS, 1_000_083, 2_000_092, 4_581_437, 4_620_000]);
    let late = [FRONT - 1, FRONT, FRONT + 1, 58_000_000, whole.len() / 2, whole.len() - 1];
    let copy = Copy::new("cut", &whole);
    // From long to short, so that each cut is a truncation of the same file.
    let mut lengths: Vec<usize> = early.chain(late).collect();
    lengths.sort_unstable();
    for length in lengths.into_iter().rev() {
        let file = fs::OpenOptions::new().write(true).open(&copy.0).expect("the copy");
        file.set_len(u64::try_from(length).expect("a length")).expect("cut");
        copy.error();
    }
}

#[test]
fn a_foreign_file_is_told_apart() {
    let version = [b"E5S1".as_slice(), &2_u32.to_le_bytes()].concat();
    for bytes in [b"".as_slice(), b"E5", b"GGUF\x03\0\0\0", b"%PDF-1.7 manual", &[0xff; 4096], &version] {
        let error = Copy::new("foreign", bytes).error();
        assert!(matches!(error, WeightsError::Foreign { .. }), "{error}");
    }
    E5::open(&std::env::temp_dir()).expect_err("a directory is no file");
}

#[test]
fn every_altered_header_byte_is_found() {
    let whole = read();
    let copy = Copy::new("header", &whole);
    for (at, byte) in whole.iter().enumerate().take(OFFSETS) {
        for flip in [0x01, 0x80, 0xff] {
            patch(&copy.0, at, &[byte ^ flip]);
            copy.error();
        }
        patch(&copy.0, at, &[*byte]);
    }
    E5::open(&copy.0).expect("whole again");
}

#[test]
fn absurd_lengths_are_found_before_memory_is_asked_for() {
    let whole = read();
    let copy = Copy::new("absurd", &whole);
    let pieces = u32::from_le_bytes(whole[44..48].try_into().expect("four bytes"));
    let pieces = usize::try_from(pieces).expect("a count");
    let text = usize::try_from(u64::from_le_bytes(whole[64..72].try_into().expect("eight bytes")))
        .expect("a length");
    let normaliser = OFFSETS + 4 * (pieces + 1) + 4 * pieces + text;
    let length = u32::from_le_bytes(whole[normaliser + 4..normaliser + 8].try_into().expect("four bytes"));
    let directory = normaliser + 8 + usize::try_from(length).expect("a length");
    // A count of entries, a length in bytes, a count of tensors, a name's length, then sizes in the first entry.
    let first = directory + 4 + 2 + "emb.word".len();
    let places = [
        28,
        44,
        64,
        OFFSETS + 40,
        normaliser,
        normaliser + 4,
        directory,
        directory + 4,
        first + 1,
        first + 5,
    ];
    for at in places.into_iter().chain([first + 13, normaliser + 8]) {
        for value in [[0xff; 4], [0xff, 0xff, 0xff, 0x7f], [0, 0, 0, 0x80], [0xfe, 0xff, 0x00, 0x10]] {
            patch(&copy.0, at, &value);
            copy.error();
        }
        patch(&copy.0, at, &whole[at..at + 4]);
    }
    E5::open(&copy.0).expect("whole again");
}

#[test]
fn altered_bytes_in_the_tables_never_panic() {
    let whole = read();
    let copy = Copy::new("tables", &whole);
    let mut found = 0;
    let directory = (FRONT - 4_500..FRONT).step_by(61);
    let normaliser = (4_583_000..4_630_000).step_by(1_999);
    for at in directory.chain(normaliser).chain((OFFSETS..FRONT).step_by(99_991)) {
        patch(&copy.0, at, &[whole[at] ^ 0xff]);
        // A changed score or spelling can't be seen; it must only not panic, here and when used.
        match E5::open(&copy.0) {
            Err(_) => found += 1,
            Ok(model) => drop(model.embed(Text::Query, "¿qué es H08?")),
        }
        patch(&copy.0, at, &[whole[at]]);
    }
    assert!(found > 50, "{found} found");
}

#[test]
fn weights_that_give_no_number_are_an_error() {
    let copy = Copy::new("numbers", &read());
    // The first layer norm's weights: a pattern of bits that is no number is found when the file is opened.
    patch(&copy.0, FIRST_NORM, &f32::NAN.to_le_bytes());
    copy.error();
    // The largest number is one, but what comes of it isn't.
    patch(&copy.0, FIRST_NORM, &f32::MAX.to_le_bytes().repeat(DIMENSIONS));
    let model = E5::open(&copy.0).expect("a whole layout");
    let error = model.embed(Text::Query, "¿qué es H08?").expect_err("no vector");
    assert!(matches!(error, WeightsError::Damaged { .. }), "{error}");
}

fn patch(path: &Path, at: usize, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = fs::OpenOptions::new().write(true).open(path).expect("the copy");
    file.write_all_at(bytes, u64::try_from(at).expect("an offset")).expect("written");
}
