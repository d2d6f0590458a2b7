//! The block that carries manual rows and lessons into the prompt (R18, DECISIONS 9).
use super::{Chunk, LessonCandidate, filter};
use crate::equipment::{Catalogue, Model};
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
        block.push_str(&format!("{} — {}\n{}", row.section, row.row, row.content));
    }
    Some(block)
}

/// Which rows' manuals may be named: those that are no device's, and those whose model was named (R20).
pub fn titled(catalogue: &Catalogue, named: &BTreeSet<Model>) -> impl Fn(&Chunk) -> bool {
    let sources = filter::known_sources(named, &BTreeSet::new(), catalogue);
    let always = catalogue.always_allowed().to_vec();
    move |row| sources.contains(&row.source) || always.iter().any(|prefix| row.source.starts_with(prefix.as_str()))
}

/// Renders supervisors' lessons, nearest first.
pub fn lessons(lessons: &[LessonCandidate]) -> Option<String> {
    if lessons.is_empty() {
        return None;
    }
    let mut block = LESSONS_HEADER.to_owned();
    for lesson in lessons {
        block.push_str(&format!("\n\nConsulta: {}\nRespuesta: {}", lesson.complaint, lesson.answer));
    }
    Some(block)
}
