//! Three spoken sentences, or four where there is more to do, out of a manual's row: what it means, what to
//! do, when to call.
use crate::retrieval::Chunk;
use crate::sentence::Sentences;
use crate::speech::speakable;

/// The labelled lines that are quoted, in the order they are spoken, with how many sentences of each.
const QUOTED: [(&str, usize); 3] = [("Qué indica:", 1), ("Qué hacer:", 2), ("Cuándo llamar:", 1)];

/// Quotes a row. A row without labelled lines is quoted from its beginning; an empty one gives nothing.
pub fn quote(row: &Chunk) -> Vec<String> {
    let labelled: Vec<String> =
        QUOTED.iter().flat_map(|(label, most)| line(&row.content, label, *most)).collect();
    if labelled.is_empty() { sentences(&row.content, 3) } else { labelled }
}

fn line(content: &str, label: &str, most: usize) -> Vec<String> {
    let line = content.lines().find_map(|line| line.trim().strip_prefix(label));
    line.map(|text| sentences(text, most)).unwrap_or_default()
}

fn sentences(text: &str, most: usize) -> Vec<String> {
    let mut cutter = Sentences::default();
    let mut whole = cutter.push(&speakable(text));
    whole.extend(cutter.flush());
    whole.truncate(most);
    whole
}
