//! Text as tones: what a recogniser that listens can check bit by bit, and a telephone line carries.
//!
//! An utterance is a preamble, its length in bytes and the length's complement, the text, and a CRC-32; four bits a
//! tone, 200 tones a second, one of sixteen from 300 to 3,300 Hz. The tones are orthogonal over one symbol,
//! so a second voice, a hole or a shifted sample shows.
#[path = "tones/correlator.rs"]
mod correlator;
#[path = "tones/listener.rs"]
pub mod listener;

pub use listener::{Damaged, Heard, Listener};

use std::f64::consts::TAU;

/// Symbols a second.
const BAUD: f64 = 200.0;
/// How many tones: a symbol is four bits.
const TONES: usize = 16;
/// The first symbols of each utterance.
const PREAMBLE: [usize; 8] = [0, 15, 5, 10, 0, 10, 15, 5];
/// The peak of what is spoken; a quarter of full scale, so that two may be mixed.
const LOUDNESS: f64 = 8_000.0;
/// A longer text, in bytes, isn't one utterance.
pub const LONGEST: usize = 512;

/// The tone of a symbol in hertz.
fn hertz(symbol: usize) -> f64 {
    300.0 + 200.0 * symbol as f64
}

/// Where symbol `n` begins, in samples after the utterance's beginning.
fn begins(n: usize, rate: u32) -> usize {
    (n as f64 * f64::from(rate) / BAUD).round() as usize
}

/// A text as sound: 0.12 s and 10 ms for each byte of it.
pub fn speak(text: &str, rate: u32) -> Vec<i16> {
    assert!(text.len() <= LONGEST, "{} bytes are more than one utterance holds", text.len());
    assert!(rate >= 8_000, "the tones need 8,000 samples a second");
    let symbols: Vec<usize> = PREAMBLE.into_iter().chain(frame(text).into_iter().flat_map(nibbles)).collect();
    let mut samples = Vec::with_capacity(begins(symbols.len(), rate));
    let mut phase = 0.0f64;
    for (n, symbol) in symbols.into_iter().enumerate() {
        for _ in begins(n, rate)..begins(n + 1, rate) {
            samples.push((LOUDNESS * phase.sin()) as i16);
            phase = (phase + TAU * hertz(symbol) / f64::from(rate)) % TAU;
        }
    }
    samples
}

/// How long an utterance of so many bytes takes, in seconds.
pub fn lasts(bytes: usize) -> f64 {
    (PREAMBLE.len() + 2 * (bytes + 8)) as f64 / BAUD
}

/// Samples of silence.
pub fn silence(seconds: f64, rate: u32) -> Vec<i16> {
    vec![0; (seconds * f64::from(rate)) as usize]
}

fn frame(text: &str) -> Vec<u8> {
    let length = text.len() as u16;
    let mut bytes = [length.to_be_bytes(), (!length).to_be_bytes()].concat();
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(&crc32fast::hash(text.as_bytes()).to_be_bytes());
    bytes
}

fn nibbles(byte: u8) -> [usize; 2] {
    [usize::from(byte >> 4), usize::from(byte & 0x0F)]
}
