//! The folder of manuals: which files count, under which name, and what each says.
use aura::manual::{self, Manual};
use std::fs;
use std::io;
use std::path::Path;

/// A manual's file, read or not.
pub(super) struct Found {
    /// Its path below the folder, `/`-separated.
    pub source: String,
    /// What it says, or why it is broken, with the line.
    pub outcome: Result<Manual, String>,
}

/// Every `.md` file below `dir`, by source. Hidden files and symbolic links are no manuals.
pub(super) fn read(dir: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    walk(dir, "", &mut found)?;
    found.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(found)
}

fn walk(dir: &Path, prefix: &str, found: &mut Vec<Found>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let raw = entry.file_name();
        let name = raw.to_string_lossy();
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        let source = format!("{prefix}{name}");
        if kind.is_dir() {
            walk(&entry.path(), &format!("{source}/"), found)?;
        } else if kind.is_file() && name.ends_with(".md") {
            let outcome = match raw.to_str() {
                Some(_) => read_file(&entry.path(), &source),
                None => Err("its name is not UTF-8; rename it".to_owned()),
            };
            found.push(Found { source, outcome });
        }
    }
    Ok(())
}

fn read_file(path: &Path, source: &str) -> Result<Manual, String> {
    let bytes = fs::read(path).map_err(|error| format!("not readable: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: not UTF-8; save the file as UTF-8")
    })?;
    // Postgres stores no NUL, and no text has one.
    if let Some(at) = text.find('\0') {
        let line = 1 + text[..at].matches('\n').count();
        return Err(format!("line {line}: a NUL character; this is no text file"));
    }
    manual::parse(source, &text).map_err(|error| error.to_string())
}
