//! The house's own rules, where no compiler checks them (I1).
use std::fs;
use std::path::{Path, PathBuf};

/// What the domain may depend on: nothing that reads a clock, waits or touches the outside.
const PURE: [&str; 14] = [
    "audio-codec-algorithms",
    "base64",
    "form_urlencoded",
    "hmac",
    "pulldown-cmark",
    "regex",
    "rubato",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "thiserror",
    "toml",
    "unicode-normalization",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        .collect()
}

#[test]
fn i1_the_domain_depends_on_pure_crates_only() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let dependencies: Vec<&String> = manifest["dependencies"].as_table().unwrap().keys().collect();
    let impure: Vec<_> = dependencies.iter().filter(|name| !PURE.contains(&name.as_str())).collect();
    assert!(impure.is_empty(), "the domain may not depend on {impure:?}");
}

#[test]
fn every_room_says_whose_it_is_and_stays_small() {
    let files: Vec<PathBuf> = ["src", "actors"].iter().flat_map(|dir| sources(&root().join(dir))).collect();
    assert!(files.len() > 60, "the sources were not found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} doesn't say whose room it is", file.display());
        assert!(text.lines().count() <= 400, "{} has outgrown its room", file.display());
    }
}

#[test]
fn unsafe_code_lives_in_one_room() {
    let allows = |file: &PathBuf| fs::read_to_string(file).unwrap().contains("allow(unsafe_code)");
    let rooms: Vec<PathBuf> =
        ["src", "actors"].iter().flat_map(|dir| sources(&root().join(dir))).filter(allows).collect();
    assert_eq!(rooms, [root().join("actors/embed/e5/kernel.rs")]);
}
