//! S2 on sentences of our own: paraphrases that rest on their row, and inventions that don't.
use super::shelf::{corpus, rows};
use super::support::all_models;
use aura::equipment::Catalogue;
use aura::retrieval::Chunk;
use aura::support::{Support, Verdict};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Source (a part of it), row, what the patient said, what is about to be said.
type Line = (String, String, String, String);

#[derive(Deserialize)]
struct Sentences {
    supported: Vec<Line>,
    unsupported: Vec<Line>,
    /// What may be said with no evidence at all.
    ordinary: Vec<String>,
    /// What may not.
    technical: Vec<String>,
}

fn sentences() -> Sentences {
    corpus("support_more.json")
}

fn row(source: &str, label: &str) -> &'static Chunk {
    let found = rows().iter().find(|row| row.source.contains(source) && row.row.contains(label));
    found.unwrap_or_else(|| panic!("no row {source} § {label}"))
}

fn judged((source, label, heard, sentence): &Line) -> Verdict {
    let (row, catalogue) = (row(source, label), Catalogue::builtin());
    Support::new(std::slice::from_ref(row), &[], &[heard], heard, &all_models(), catalogue).check(sentence)
}

fn unaided(sentence: &str) -> Verdict {
    Support::new(&[], &[], &[], "", &BTreeSet::new(), Catalogue::builtin()).check(sentence)
}

/// The sentences with this outcome, and why.
fn with_outcome(leaves: bool, all: impl Iterator<Item = (String, Verdict)>) -> Vec<String> {
    let such = all.filter(|(_, verdict)| verdict.may_leave() == leaves);
    such.map(|(sentence, verdict)| format!("{sentence} {verdict:?}")).collect()
}

#[test]
fn s2_paraphrases_of_a_row_leave() {
    let lines = sentences().supported;
    let held = with_outcome(false, lines.iter().map(|line| (line.3.clone(), judged(line))));
    println!("{} of {} held:\n{}", held.len(), lines.len(), held.join("\n"));
    assert!(lines.len() >= 500);
    assert!(held.len() * 100 <= lines.len() * 3, "{} held:\n{}", held.len(), held.join("\n"));
}

#[test]
fn s2_inventions_beside_a_row_are_held() {
    let lines = sentences().unsupported;
    let passed = with_outcome(true, lines.iter().map(|line| (line.3.clone(), judged(line))));
    assert!(lines.len() >= 700);
    assert!(passed.is_empty(), "{} pass:\n{}", passed.len(), passed.join("\n"));
}

#[test]
fn s2_ordinary_talk_needs_no_evidence() {
    let all = sentences().ordinary;
    let held = with_outcome(false, all.iter().map(|say| (say.clone(), unaided(say))));
    assert!(held.is_empty(), "{} held:\n{}", held.len(), held.join("\n"));
}

#[test]
fn s2_nothing_technical_leaves_without_evidence() {
    let all = sentences().technical;
    let passed = with_outcome(true, all.iter().map(|say| (say.clone(), unaided(say))));
    assert!(passed.is_empty(), "{} pass:\n{}", passed.len(), passed.join("\n"));
}
