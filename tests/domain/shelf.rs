//! What tests of the domain read from disk: the manuals that are shipped, and the corpora in tests/data.
use aura::manual;
use aura::retrieval::Chunk;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            found.push(entry);
        }
    }
}

/// Every manual that is shipped: how rows name it, and its text.
fn manuals() -> Vec<(String, String)> {
    let root = root("manuals");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let read = |path: &PathBuf| {
        let source = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        (source, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

/// Every row of the manuals that are shipped.
pub fn rows() -> &'static [Chunk] {
    static ROWS: LazyLock<Vec<Chunk>> = LazyLock::new(|| {
        manuals().iter().flat_map(|(source, text)| manual::parse(source, text).unwrap().chunks).collect()
    });
    &ROWS
}

/// A corpus of tests/data, or one at a path of its own.
pub fn corpus<T: DeserializeOwned>(file: &str) -> T {
    let path = root("tests/data").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
