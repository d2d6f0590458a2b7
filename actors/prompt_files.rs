//! The record of prompts on disk, `prompts/<key>/<version>.txt`, read for seeding (E14).
use crate::store::PromptFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Why the prompts can't be seeded.
#[derive(Debug, thiserror::Error)]
#[error("prompt {}: {why}", path.display())]
pub struct PromptFileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it and what was expected.
    pub why: String,
}

/// Reads every version of every key, in order of their names.
pub fn read(dir: &Path) -> Result<Vec<PromptFile>, PromptFileError> {
    let mut files = Vec::new();
    for folder in entries(dir)? {
        if !folder.is_dir() {
            continue;
        }
        for path in entries(&folder)? {
            if path.extension().is_some_and(|extension| extension == "txt") {
                files.push(read_one(&folder, &path)?);
            }
        }
    }
    if files.is_empty() {
        return Err(refuse(dir, "no prompt found; expected files like copilot_identity/1.4.0.txt"));
    }
    Ok(files)
}

fn read_one(folder: &Path, path: &Path) -> Result<PromptFile, PromptFileError> {
    let (Some(key), Some(version)) =
        (folder.file_name().and_then(|name| name.to_str()), path.file_stem().and_then(|name| name.to_str()))
    else {
        return Err(refuse(path, "its name is not UTF-8"));
    };
    if version.is_empty() || !version.split('.').all(|part| part.parse::<u32>().is_ok()) {
        return Err(refuse(path, "its name is no version; expected numbers and dots, like 1.4.0.txt"));
    }
    let bytes = fs::read(path).map_err(|error| refuse(path, &format!("not readable: {error}")))?;
    let body = String::from_utf8(bytes).map_err(|_| refuse(path, "not UTF-8; save it as UTF-8"))?;
    if body.trim().is_empty() {
        return Err(refuse(path, "it is empty; write the prompt or delete the file"));
    }
    Ok(PromptFile { key: key.to_owned(), version: version.to_owned(), body })
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, PromptFileError> {
    let unreadable = |error: std::io::Error| {
        refuse(dir, &format!("folder not readable: {error}; set AURA_PROMPTS to the prompts' folder"))
    };
    let mut paths = fs::read_dir(dir)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(unreadable)?;
    paths.retain(|path| {
        path.file_name().and_then(|name| name.to_str()).is_none_or(|name| !name.starts_with('.'))
    });
    paths.sort();
    Ok(paths)
}

fn refuse(path: &Path, why: &str) -> PromptFileError {
    PromptFileError { path: path.to_owned(), why: why.to_owned() }
}
