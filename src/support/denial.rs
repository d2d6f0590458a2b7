//! Where a sentence follows a row word for word, it denies exactly what the row denies.
use super::evidence::Evidence;
use super::fold::Word;
use super::lexicon::{VerbKind, lexicon, stem};
use super::reading::{Polarity, Predicate, Reading};
use super::verbs::Mood;
use std::sync::Arc;

/// A word as it is compared, and whether a denial stands right before it.
pub(super) type Step = (String, bool);

/// Words that carry nothing here: articles, pronouns, and 'con', which takes the place of 'sin'.
const SKIPPED: [&str; 22] = [
    "el", "la", "los", "las", "lo", "le", "les", "se", "me", "te", "nos", "un", "una", "unos", "unas", "con",
    "su", "sus", "usted", "ya", "al", "del",
];

/// The words that are compared, between a beginning and an end.
pub(super) fn steps(words: &[Word]) -> Vec<Step> {
    let lexicon = lexicon();
    let mut steps = vec![("^".to_owned(), false)];
    let (mut denied, mut whole) = (false, false);
    for word in words {
        // 'No se usa con humidificador ni nebulizador': the verb's denial is the whole list's.
        if word.is(&["ni"]) && whole && !verb_next(words, word) {
            continue;
        }
        whole |= word.is(&["no"]) && !answers(words, word) && verb_next(words, word);
        whole |= word.is(&["sin"]) && infinitive_next(words, word);
        if word.is(&["no", "ni", "sin", "nunca", "jamas", "tampoco"]) {
            denied |= !word.is(&["no"]) || !answers(words, word);
            continue;
        }
        if word.is(&SKIPPED) {
            continue;
        }
        let name = match lexicon.verb(&word.text).and_then(|(found, _)| found.first()) {
            Some((verb, _)) => lexicon.verbs[*verb].lemma.clone(),
            None => lexicon.canonical(&stem(&word.text)),
        };
        // 'Sin que toque' denies what 'que no toque' does.
        let flag = if word.is(&["que"]) { false } else { std::mem::take(&mut denied) };
        steps.push((name, flag));
    }
    steps.push(("$".to_owned(), denied));
    steps
}

/// Whether a verb follows, with nothing but pronouns or the like between.
fn verb_next(words: &[Word], no: &Word) -> bool {
    let at = words.iter().position(|word| std::ptr::eq(word, no)).unwrap_or_default();
    let next = words[at + 1..].iter().find(|word| !word.is(&SKIPPED));
    next.is_none_or(|word| lexicon().verb(&word.text).is_some())
}

/// 'Sin tocar', and not 'sin alargue'.
fn infinitive_next(words: &[Word], sin: &Word) -> bool {
    let at = words.iter().position(|word| std::ptr::eq(word, sin)).unwrap_or_default();
    let forms = words.get(at + 1).and_then(|next| lexicon().verb(&next.text));
    forms.is_some_and(|(found, _)| found.iter().any(|(_, mood)| *mood == Mood::Infinitive))
}

/// 'No, …': a 'no' that answers.
fn answers(words: &[Word], no: &Word) -> bool {
    let at = words.iter().position(|word| std::ptr::eq(word, no)).unwrap_or_default();
    words.get(at + 1).is_none_or(Word::breaks)
}

/// Three words in a row that the row has too, but with a denial more or less.
pub(super) fn turned(claim: &Reading, row: &Evidence) -> Option<String> {
    steps(&claim.words).windows(3).find_map(|said| {
        let words = |run: &[Step]| run.iter().zip(said).all(|(a, b)| a.0 == b.0);
        if said[0].0 == "^" && said[1].0 == "equipo" {
            return None;
        }
        // 'Que el filtro esté…': what it is like is in the words behind.
        if matches!(said[2].0.as_str(), "estar" | "ser" | "haber" | "tener") {
            return None;
        }
        // 'Puede ser que la perilla esté cerrada' is the row's cause.
        if said[1].0 == "estar" && claim.supposes() {
            return None;
        }
        let mut same = row.steps.iter().flat_map(|line| line.windows(3)).filter(|run| words(run)).peekable();
        same.peek()?;
        let agrees = |run: &[Step]| run[1].1 == said[1].1 && run[2].1 == said[2].1;
        (!same.any(agrees)).then(|| format!("denial: {} {} {}", said[0].0, said[1].0, said[2].0))
    })
}

/// The same against several rows, of which none agrees.
pub(super) fn turned_everywhere(claim: &Reading, rows: &[Arc<Evidence>]) -> Option<String> {
    let reasons: Vec<String> = rows.iter().filter_map(|row| turned(claim, row)).collect();
    reasons.into_iter().next()
}

/// 'Espere a que se repita' beside rows that only say not to, or the other way round.
pub(super) fn opposed(claim: &Reading, rows: &[Arc<Evidence>]) -> Option<String> {
    let told =
        claim.predicates.iter().filter(|p| p.directive && p.polarity != Polarity::Needless && !p.to_me);
    told.into_iter().find_map(|said| {
        let same = |p: &Predicate| p.lemma == said.lemma && p.kind != VerbKind::Light;
        let mut held = rows.iter().flat_map(|row| row.predicates()).filter(|(_, p)| same(p)).peekable();
        held.peek()?;
        held.all(|(_, p)| p.polarity != said.polarity).then(|| format!("verb: {}", said.lemma))
    })
}
