//! A folder of manuals that a test writes and changes.
use std::path::{Path, PathBuf};

/// Removed with the test.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        let path = std::env::temp_dir().join(format!("aura-folder-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir(&path).expect("a temporary folder");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, source: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(source);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }

    /// Writes a manual with these rows: label and text.
    pub fn manual(&self, source: &str, rows: &[(&str, &str)]) {
        let rows: String = rows.iter().map(|(row, text)| format!("### {row}\n{text}\n\n")).collect();
        self.write(source, format!("# Manual de {source}\n\n## Alarmas\n\n{rows}"));
    }

    /// Deletes a file.
    pub fn remove(&self, source: &str) {
        std::fs::remove_file(self.0.join(source)).expect("a file to delete");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
