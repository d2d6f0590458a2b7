//! How what came of a call is held against what was expected, and what is said of it in the end.
use std::fmt;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Without case and accents, on one line.
pub(super) fn folded(text: &str) -> String {
    let plain: String = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last line of a report for people.
pub(super) fn verdict(f: &mut fmt::Formatter<'_>, problems: usize) -> fmt::Result {
    if problems == 0 {
        writeln!(f, "✓ todo como se esperaba")
    } else {
        writeln!(f, "✗ problemas: {problems}")
    }
}
