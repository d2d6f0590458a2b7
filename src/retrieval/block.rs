//! The block that carries manual rows and lessons into the prompt (R18, DECISIONS 9).
use super::{Chunk, LessonCandidate, filter};
use crate::equipment::{Catalogue, Model};
use crate::mask::mask;
use crate::phrases::{EXACT_ENTRY, LESSONS_HEADER, MANUAL_HEADER, SEVERAL_ENTRIES};
use std::collections::BTreeSet;

/// Renders rows, the one to follow first. `titled` says whether a row's manual may be named: a model
/// that the caller hasn't said isn't put into a prompt (R20).
pub fn manual(rows: &[Chunk], titled: impl Fn(&Chunk) -> bool) -> Option<String> {
    let intro = match rows {
        [] => return None,
        [_] => EXACT_ENTRY.es,
        _ => SEVERAL_ENTRIES.es,
    };
    let mut block = format!("{MANUAL_HEADER}\n{intro}");
    for (n, row) in rows.iter().enumerate() {
        block.push_str("\n\n");
        if rows.len() > 1 {
            block.push_str(&format!("{}. ", n + 1));
        }
        if titled(row) {
            block.push_str(&format!("{} — ", row.title));
        }
        let row = discreet(row.clone(), &titled);
        block.push_str(&format!("{} — {}\n{}", row.section, row.row, row.content));
    }
    Some(block)
}

/// Which rows' manuals may be named: those that are no device's, and those whose model was named (R20).
pub fn titled(catalogue: &Catalogue, named: &BTreeSet<Model>) -> impl Fn(&Chunk) -> bool + use<> {
    let sources = filter::known_sources(named, &BTreeSet::new(), catalogue);
    let always = catalogue.always_allowed().to_vec();
    move |row| {
        sources.contains(&row.source) || always.iter().any(|prefix| row.source.starts_with(prefix.as_str()))
    }
}

/// A row as it may be read or quoted: where its manual isn't `titled`, the model's name becomes 'equipo'.
pub fn discreet(mut row: Chunk, titled: impl Fn(&Chunk) -> bool) -> Chunk {
    if !titled(&row) {
        row.content = without_model(&row.title, &row.content);
    }
    row
}

/// What a title names: the words before its dash that are names, not kinds ('Concentrador portátil').
fn without_model(title: &str, content: &str) -> String {
    let heading = title.split(" — ").next().unwrap_or_default();
    let kind = |word: &&str| *word == "Concentrador" || word.chars().all(|c| c.is_lowercase());
    let names: Vec<&str> = heading.split_whitespace().filter(|word| !kind(word)).collect();
    let is_name = |word: &str| names.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    let lines = content.lines().map(|line| {
        let mut words: Vec<String> = Vec::new();
        let mut after_name = false;
        for word in line.split(' ') {
            let tail = word.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-');
            match (is_name(word), after_name) {
                (true, false) => words.push(format!("equipo{tail}")),
                (true, true) => words.last_mut().into_iter().for_each(|last| last.push_str(tail)),
                (false, _) => words.push(word.to_owned()),
            }
            after_name = is_name(word);
        }
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What rides on the last message before the turn itself, in order (E5): manual, lessons, situation.
pub fn context(
    rows: &[Chunk],
    of_supervisors: &[LessonCandidate],
    situation: Option<&str>,
    titled: impl Fn(&Chunk) -> bool,
) -> Vec<String> {
    let situation = situation.map(str::to_owned);
    [manual(rows, titled), lessons(of_supervisors), situation].into_iter().flatten().collect()
}

/// Renders supervisors' lessons, nearest first, masked (S4).
pub fn lessons(lessons: &[LessonCandidate]) -> Option<String> {
    if lessons.is_empty() {
        return None;
    }
    let mut block = LESSONS_HEADER.to_owned();
    for lesson in lessons {
        let (complaint, answer) = (mask(&lesson.complaint), mask(&lesson.answer));
        block.push_str(&format!("\n\nConsulta: {complaint}\nRespuesta: {answer}"));
    }
    Some(block)
}
