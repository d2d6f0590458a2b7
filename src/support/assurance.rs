//! Assurances: what is called normal, and what is said to hold all the same.
use super::conditions::stays;
use super::evidence::Evidence;
use super::reading::{Polarity, Predicate, Reading};
use super::verbs::Mood;

/// Verbs that carry nothing by themselves.
const EMPTY: [&str; 6] = ["ser", "estar", "haber", "tener", "poder", "deber"];

/// 'Aunque no se corte, es normal', 'siga usándolo aunque suene': holding all the same is the row's to say.
/// What is forbidden is only forbidden more strongly by it.
pub(super) fn conceded(claim: &Reading, row: &Evidence) -> Option<String> {
    let conceded = concession(claim)?;
    // 'Mande la orden y, aunque cambie, no toque el flujo': it goes with what follows, where something does.
    let follows = claim.predicates.iter().any(|p| p.directive && p.at > conceded.at);
    let told = |p: &&Predicate| p.directive && p.at != conceded.at && (!follows || p.at > conceded.at);
    let forbids = claim.predicates.iter().any(|p| told(&p))
        && claim.predicates.iter().filter(told).all(|p| p.polarity == Polarity::Denied);
    if forbids && !calls_normal(claim) {
        return None;
    }
    let same = |held: &Predicate| held.lemma == conceded.lemma && held.polarity == conceded.polarity;
    let held = row.sentences.iter().filter_map(concession).any(same);
    (!held).then(|| format!("concession: {}", conceded.lemma))
}

/// The verb behind 'aunque' and its like.
fn concession(reading: &Reading) -> Option<&Predicate> {
    let word = |at: usize, list: &[&str]| reading.words.get(at).is_some_and(|word| word.is(list));
    let opens = |at: &usize| {
        let at = *at;
        word(at, &["aunque"])
            || word(at, &["por"]) && word(at + 1, &["mas", "mucho"]) && word(at + 2, &["que"])
            || word(at, &["incluso", "aun", "inclusive"]) && word(at + 1, &["si", "cuando"])
            || word(at, &["pesar"]) && word(at + 1, &["de"])
            || word(at, &["importa"]) && word(at + 1, &["si", "que", "cuanto"])
    };
    let at = (0..reading.words.len()).find(opens)?;
    let of_haber =
        |p: &Predicate| p.lemma == "haber" && reading.predicates.iter().any(|next| next.at == p.at + 1);
    reading.predicates.iter().find(|p| p.at > at && !word(p.at, &["importa"]) && !of_haber(p))
}

/// 'No le haga caso', 'no le dé importancia'.
pub(super) fn dismisses(reading: &Reading) -> bool {
    let of = |at: usize| {
        let word = |back: usize, list: &[&str]| at >= back && reading.words[at - back].is(list);
        reading.words[at].is(&["caso", "importancia", "bola", "atencion", "pelota"])
            && word(
                1,
                &["haga", "hagas", "de", "des", "preste", "prestes", "hace", "hacer", "darle", "hacerle"],
            )
            && (2..5).any(|back| word(back, &["no", "sin", "nunca"]))
    };
    reading.says(&["no", "es", "nada"]) || (0..reading.words.len()).any(of)
}

/// That something needn't be heeded is the row's to say.
pub(super) fn dismissed(claim: &Reading, row: &Evidence) -> Option<String> {
    (dismisses(claim) && !row.sentences.iter().any(dismisses)).then(|| "dismissal".to_owned())
}

/// 'La concentración está bien', 'está todo bien': stated, and neither supposed nor asked.
fn calls_well(reading: &Reading) -> bool {
    let states = |p: &Predicate| {
        let well = reading.words[p.at + 1..].iter().take_while(|word| !word.breaks());
        let mut well = well.skip_while(|word| word.is(&["todo", "muy", "perfectamente"]));
        let said = well.next().is_some_and(|word| word.is(&["bien", "perfecto", "perfecta"]));
        matches!(p.lemma.as_str(), "estar" | "funcionar" | "ir")
            && matches!(p.mood, Mood::Present | Mood::Past)
            && p.polarity == Polarity::Plain
            && !(p.conditional || p.directive || reading.wonders(p))
            && said
            && well.next().is_none_or(|next| next.is(&["asi", "y", "pero"]))
    };
    !reading.asked() && reading.predicates.iter().any(states)
}

/// That something works or is as it should be is the row's to say.
pub(super) fn well(claim: &Reading, row: &Evidence) -> Option<String> {
    (calls_well(claim) && !row.sentences.iter().any(calls_well)).then(|| "assurance: bien".to_owned())
}

/// Normal, or nothing that one has to do something about.
fn calls_safe(reading: &Reading) -> bool {
    calls_normal(reading) || reading.predicates.iter().any(|p| p.polarity == Polarity::Needless)
}

fn calls_normal(reading: &Reading) -> bool {
    reading.terms.iter().any(|term| term.class == "normal" && !term.denied && !term.shaded)
}

/// What a sentence supposes: 'si la luz cambia, suena una alarma o no siente salir oxígeno'.
fn conditions(reading: &Reading) -> Vec<Predicate> {
    let mut supposing = false;
    let mut found = Vec::new();
    for p in &reading.predicates {
        supposing = p.conditional || supposing && !p.directive;
        if supposing && !EMPTY.contains(&p.lemma.as_str()) {
            found.push(p.clone());
        }
    }
    found
}

/// 'Si no se corta, es normal': what the row warns of, or the contrary of what it calls normal.
/// Where the claim says nothing of it, what the patient said counts.
pub(super) fn assured(claim: &Reading, row: &Evidence, heard: &Evidence) -> Option<String> {
    if !calls_safe(claim) {
        return None;
    }
    let supposed = |reading: &'_ &Reading| reading.predicates.iter().any(|p| p.conditional);
    let tells = |reading: &&Reading| reading.predicates.iter().any(|p| p.directive && !p.conditional);
    let bound = |reading: &&Reading| calls_normal(reading) && supposed(reading);
    let warned: Vec<Predicate> = row.sentences.iter().filter(tells).flat_map(conditions).collect();
    let needed: Vec<Predicate> = row.sentences.iter().filter(bound).flat_map(conditions).collect();
    let against = |p: &&Predicate| {
        let alike = |w: &Predicate| w.lemma == p.lemma && w.polarity == p.polarity || stays(w) && stays(p);
        let contrary = |n: &Predicate| n.lemma == p.lemma && n.polarity != p.polarity;
        warned.iter().any(alike) || needed.iter().any(contrary)
    };
    if let Some(p) = claim.predicates.iter().filter(|p| !p.directive).find(against) {
        return Some(format!("normal: {}", p.lemma));
    }
    if !needed.is_empty() && claim.has(&["siempre"]) {
        return Some("normal: siempre".to_owned());
    }
    let said = claim.predicates.iter().any(|p| needed.iter().any(|n| n.lemma == p.lemma));
    let seen = heard.predicates().map(|(_, p)| p).find(against).filter(|_| !said)?;
    Some(format!("normal: {} was said", seen.lemma))
}
