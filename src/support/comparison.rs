//! A sentence against one row: what of it the row doesn't say.
use super::actions;
use super::assurance;
use super::checks;
use super::conditions;
use super::denial;
use super::evidence::{Evidence, Occurs};
use super::figures::quantified;
use super::implied;
use super::lexicon::{Kind, VerbKind};
use super::lights;
use super::objects::by_hand;
use super::order;
use super::ordinary::of_the_call;
use super::qualities;
use super::quantities::{Measure, Quantity};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::schedule;
use super::urgent;
use super::verbs::Mood;

/// Everything in `claim` that `row` lacks, one reason each. `heard` is what the patient said, for names in questions.
pub(super) fn missing(claim: &Reading, row: &Evidence, heard: &Evidence) -> Vec<String> {
    if claim.asked() && !proposes(claim) {
        return unnamed(claim, row, heard);
    }
    let mut missing = Vec::new();
    missing.extend(claim.terms.iter().filter(|term| !covered(claim, term, row)).map(reason));
    missing.extend(claim.quantities.iter().filter(|q| !quantified(claim, q, row)).map(amount));
    missing.extend(claim.predicates.iter().filter_map(|p| actions::missing(claim, p, row)));
    let held: Vec<_> = row.sentences.iter().flat_map(lights::pairs).collect();
    let pairs = lights::pairs(claim).into_iter().filter(|pair| !held.contains(pair));
    missing.extend(pairs.map(|(colour, state)| format!("light: {colour} {state}")));
    missing.extend(claim.terms.iter().filter_map(|term| qualities::misplaced(claim, term, row)));
    missing.extend(claim.terms.iter().filter_map(|term| qualities::of_another(claim, term, row)));
    missing.extend(claim.terms.iter().filter_map(|term| qualities::forbidden(claim, term, row)));
    missing.extend(discretion(claim, row));
    missing.extend(conditions::reversed(claim, row));
    missing.extend(conditions::elsewhere(claim, row));
    missing.extend(conditions::led_otherwise(claim, row));
    missing.extend(conditions::unlimited(claim, row));
    missing.extend(conditions::explained(claim, row));
    missing.extend(order::inverted(claim, row));
    missing.extend(denial::turned(claim, row));
    missing.extend(order::unrelated(claim, row));
    missing.extend(order::barred(claim, row, heard));
    missing.extend(order::meanwhile(claim, row));
    missing.extend(assurance::conceded(claim, row));
    missing.extend(assurance::dismissed(claim, row));
    missing.extend(assurance::well(claim, row));
    missing.extend(assurance::assured(claim, row, heard));
    missing.extend(schedule::missing(claim, row, heard));
    missing.extend(urgent::help_last(claim, row));
    missing.extend(urgent::put_off(claim, row));
    missing.extend(urgent::refused(claim, row));
    missing.extend(checks::contrary(claim, row));
    missing.extend(checks::placed(claim, row));
    missing.extend(order::listed(claim, row));
    missing
}

/// 'El flujo que usted prefiera': a freedom that the row doesn't give.
fn discretion(claim: &Reading, row: &Evidence) -> Option<String> {
    const FREE: [&str; 9] =
        ["prefiera", "quiera", "guste", "parezca", "desee", "convenga", "plazca", "quiere", "prefiere"];
    let chosen = claim.words.windows(3).find(|run| {
        let free = run[1].is(&FREE) || run[2].is(&FREE);
        run[0].is(&["que", "como", "cuanto", "lo", "donde"]) && free
    })?;
    let given = row.sentences.iter().any(|reading| reading.has(&FREE));
    (!given).then(|| format!("discretion: {} {}", chosen[1].text, chosen[2].text))
}

/// '¿Le cuesta respirar?', '¿puede dormir?': how somebody is.
fn breathes(claim: &Reading, p: &Predicate) -> bool {
    let lead = &claim.words[p.at.saturating_sub(3)..p.at];
    let able = ["cuesta", "costando", "costaba", "puede", "pudo", "logra", "costo"];
    matches!(p.lemma.as_str(), "respirar" | "dormir" | "comer")
        && p.mood == Mood::Infinitive
        && lead.iter().any(|word| word.is(&able))
        && !claim.has(&["nariz", "boca"])
}

/// What lights and alarms do: '¿fija o titilando?'
const SHOWN: [&str; 4] = ["titilar", "sonar", "pitar", "encender"];

/// A question that suggests doing something.
pub(super) fn proposes(claim: &Reading) -> bool {
    let acts = |p: &Predicate| {
        p.kind == VerbKind::Action
            && !p.weak
            && !(p.reflexive || of_the_call(claim) || breathes(claim, p))
            && (p.directive || p.pronoun || p.mood == Mood::Infinitive)
            && !goes_on(claim, p)
            && !(p.mood == Mood::Gerund && SHOWN.contains(&p.lemma.as_str()))
    };
    claim.predicates.iter().any(acts)
}

/// '¿Sigue sonando?', '¿Está usando el respaldo?': asked, not proposed.
fn goes_on(claim: &Reading, p: &Predicate) -> bool {
    let lead = p.at.checked_sub(1).and_then(|before| claim.words.get(before));
    let going = ["sigue", "siguen", "seguis", "esta", "estan", "estas", "estaba", "estuvo", "continua"];
    p.mood == Mood::Gerund
        && !p.pronoun
        && p.polarity == Polarity::Plain
        && lead.is_some_and(|word| word.is(&going))
        && !claim.has(&["si", "no", "puede", "podria", "deberia", "conviene"])
        && !claim.words[..p.at].iter().any(|word| word.is(&["mejor"]))
}

/// What a question names that neither the row nor the patient did.
pub(super) fn unnamed(claim: &Reading, row: &Evidence, heard: &Evidence) -> Vec<String> {
    let offered = |term: &Term| term.kind == Kind::State || term.class.ends_with('#');
    let known = |term: &&Term| {
        offered(term)
            || matches!(term.kind, Kind::Generic | Kind::Weighty | Kind::Unknown)
            || row.terms.contains_key(&term.class)
            || heard.terms.contains_key(&term.class)
    };
    let terms = claim.terms.iter().filter(|term| !known(term)).map(reason);
    let amounts = claim.quantities.iter().filter(|q| !quantified(claim, q, row)).map(amount);
    terms.chain(amounts).collect()
}

pub(super) fn reason(term: &Term) -> String {
    let kind = match term.kind {
        Kind::Name => "code",
        Kind::Colour | Kind::State => "light",
        Kind::Unknown => "unknown",
        Kind::Weighty => "qualifier",
        _ => "word",
    };
    let not = if term.denied { "no " } else { "" };
    format!("{kind}: {not}{}", term.class)
}

pub(super) fn amount(quantity: &Quantity) -> String {
    let value = |thousandths: i64| {
        let rest = thousandths % 1000;
        if rest == 0 { (thousandths / 1000).to_string() } else { format!("{}.{rest:03}", thousandths / 1000) }
    };
    let number = match (quantity.low, quantity.high) {
        (low, high) if low == high => value(low),
        (low, high) => format!("{}-{}", value(low), value(high)),
    };
    let seconds =
        |dimension: &str| if dimension == "time" { " s".to_owned() } else { format!(" {dimension}") };
    let unit = match &quantity.measure {
        Measure::Of(dimension) => seconds(dimension),
        Measure::Period => " s between".to_owned(),
        Measure::Count(thing) => format!(" {thing}"),
        Measure::Some(dimension, _) => return format!("number: some {dimension}"),
        Measure::Bare => String::new(),
    };
    format!("number: {number}{unit}")
}

fn covered(claim: &Reading, term: &Term, row: &Evidence) -> bool {
    if name_of_person(claim, term) || limits_a_number(claim, term) {
        return true;
    }
    if !term.denied && NAMES.contains(&term.class.as_str()) && !row.codes.is_empty() {
        return true;
    }
    // Without light, electric: the row's power cut.
    if term.denied && term.class == "luz" && row.terms.contains_key("cort") {
        return true;
    }
    if let Some(occurs) = row.terms.get(&term.class) {
        return occurring(claim, term, *occurs);
    }
    // 'Si el cable está sano' where the row has it not damaged
    if term.class == "sano" && row.terms.get("danar#").is_some_and(|occurs| occurs.denied) {
        return true;
    }
    if by_hand(term, row) {
        return true;
    }
    if term.denied {
        // 'sin forzar' is 'no la fuerce'.
        return row
            .predicates()
            .any(|(_, p)| p.polarity == Polarity::Denied && related(&term.class, &p.lemma));
    }
    match term.kind {
        Kind::Name | Kind::Colour | Kind::State => false,
        // 'Si sigue igual'
        Kind::Adjective if term.class == "igual" => {
            term.at > 0 && claim.words[term.at - 1].is(&["sigue", "siga", "esta", "queda", "quedo"])
        }
        Kind::Weighty => light_word(claim, term, row),
        // 'Con el respaldo puesto'
        Kind::Done if term.class == "poner#" && claim.words[term.at.saturating_sub(1)].is(&["respaldo"]) => {
            let used =
                |(_, p): (usize, &Predicate)| matches!(p.lemma.as_str(), "usar" | "pasar") && p.directive;
            row.terms.contains_key("respaldo") && row.predicates().any(used)
        }
        Kind::Done if seen_undone(claim, term, row) => true,
        Kind::Done => {
            let verb = term.class.trim_end_matches('#');
            let opposite = implied::opposites(verb).any(|other| row.terms.contains_key(&format!("{other}#")));
            // What is only done under a condition isn't so without it.
            let supposes = |reading: &Reading| reading.predicates.iter().any(|p| p.conditional);
            let free = |n: usize| supposes(claim) || !supposes(&row.sentences[n]);
            let done =
                |(n, p): (usize, &Predicate)| p.lemma == verb && p.polarity == Polarity::Plain && free(n);
            !opposite && row.predicates().any(done)
        }
        // 'Que la cánula esté derecha' where the row has it straightened.
        Kind::Adjective if beyond(claim, term, row) => true,
        Kind::Adjective if implied::result(&term.class, row) => true,
        Kind::Unknown => {
            let done =
                |(_, p): (usize, &Predicate)| p.polarity == Polarity::Plain && related(&term.class, &p.lemma);
            row.terms.keys().any(|other| related(other, &term.class)) || row.predicates().any(done)
        }
        _ => row.predicates().any(|(_, p)| related(&term.class, &p.lemma) && p.polarity == Polarity::Plain),
    }
}

/// A term that the row has: as it has it.
fn occurring(claim: &Reading, term: &Term, occurs: Occurs) -> bool {
    if occurs.denied && fronted(claim, term) {
        return true;
    }
    if term.shaded && !term.denied {
        return true;
    }
    // 'Mire que no esté baja', where the row has 'baja' for a cause.
    let looks = term.denied
        && (!term.thing()
            || stated_behind(claim, term)
            || claim.words[term.at.saturating_sub(1)].is(&["ningun", "ninguna"]))
        && claim.predicates.iter().any(|p| {
            p.kind == VerbKind::Check && (p.directive || p.mood == Mood::Infinitive) && p.at < term.at
        });
    if term.denied {
        occurs.denied || looks && occurs.plain
    } else {
        occurs.plain || term.kind == Kind::Weighty
    }
}

/// 'Con el CPAP no se usa': denied by the verb behind it.
fn fronted(claim: &Reading, term: &Term) -> bool {
    let next = claim.predicates.iter().find(|p| p.at > term.at);
    next.is_some_and(|p| {
        let parted = (term.at + 1..=p.at).any(|at| claim.words[at].breaks());
        !parted && p.polarity == Polarity::Denied && (p.reflexive || p.pronoun) && p.mood != Mood::Infinitive
    })
}

/// 'Revise que esté enchufado' where the row has it unplugged for a cause.
fn seen_undone(claim: &Reading, term: &Term, row: &Evidence) -> bool {
    let looks = |p: &Predicate| p.kind == VerbKind::Check && p.directive && p.at < term.at;
    let cause = |other: &str| row.terms.get(&format!("{other}#")).is_some_and(|occurs| occurs.plain);
    claim.predicates.iter().any(looks) && implied::opposites(term.class.trim_end_matches('#')).any(cause)
}

/// 'Que no tenga las entradas tapadas': what is denied is the state behind.
fn stated_behind(claim: &Reading, term: &Term) -> bool {
    let behind = claim.terms.iter().filter(|t| t.at > term.at && t.at < term.at + 5);
    behind
        .into_iter()
        .any(|t| t.kind == Kind::Done && !(term.at + 1..=t.at).any(|at| claim.words[at].breaks()))
}

/// 'Más alto de lo que indicó el médico' is above it.
fn beyond(claim: &Reading, term: &Term, row: &Evidence) -> bool {
    let more = claim.words[term.at.saturating_sub(1)].is(&["mas"]);
    let place = match term.class.as_str() {
        "alto" => "encima",
        "bajo" => "debajo",
        _ => return false,
    };
    more && claim.says(&["lo", "que"]) && row.sentences.iter().any(|reading| reading.has(&[place]))
}

/// What stands for a display's code or message.
pub(super) const NAMES: [&str; 2] = ["codigo", "aviso"];

/// 'Al menos', 'como máximo': what they say is the quantity's.
fn limits_a_number(claim: &Reading, term: &Term) -> bool {
    let limit = claim.words[term.at].is(&["menos", "mas", "minimo", "maximo", "minima", "maxima", "mucho"]);
    limit && claim.quantities.iter().any(|q| (q.at.saturating_sub(3)..q.at).contains(&term.at))
}

/// Weighty words that weigh nothing here: 'otra vez', 'nada más'.
fn light_word(claim: &Reading, term: &Term, row: &Evidence) -> bool {
    let next = claim.words.get(term.at + 1);
    match term.class.as_str() {
        "otro" | "otra" => next.is_some_and(|word| word.is(&["vez"])) || claim.says(&["a", "la", "otra"]),
        // 'No lo acueste nunca'
        "nunca" | "jamas" => claim.predicates.iter().any(|p| p.directive && p.polarity == Polarity::Denied),
        "ultimo" => claim.says(&["por", "ultimo"]),
        "igual" => {
            claim.words[term.at].is(&["mismo"]) && claim.words[term.at.saturating_sub(1)].is(&["ahora", "ya"])
        }
        // 'De a poco' is slowly, 'lo que tenga alrededor' what surrounds it.
        "poco" => claim.says(&["de", "a", "poco"]) && row.terms.contains_key("despacio"),
        "alrededor" => {
            row.sentences.iter().any(|said| said.words.iter().any(|word| word.text.starts_with("rode")))
        }
        // 'Más oxígeno' is an amount.
        "mas" => {
            let amount =
                next.is_some_and(|word| word.is(&["oxigeno", "flujo", "agua", "presion", "aire", "litros"]));
            !claim.says(&["mas", "de"]) && !amount
        }
        // 'En todas las provincias'
        "todo" => {
            let plural = claim.words[term.at].is(&["todos", "todas"]);
            !(plural && next.is_some_and(|word| word.is(&["los", "las"])))
        }
        "muy" | "mismo" | "nuevo" | "casi" => true,
        _ => false,
    }
}

/// A capital on a word that nobody knows, called out between commas or behind 'señora': a person's name.
pub(super) fn name_of_person(claim: &Reading, term: &Term) -> bool {
    let word = &claim.words[term.at];
    let closed = claim.words.get(term.at + 1).is_none_or(|next| next.breaks());
    let titles = ["senor", "senora", "don", "dona", "doctor", "doctora", "hola", "gracias", "senorita"];
    let titled = term.at > 0 && claim.words[term.at - 1].is(&titles);
    term.kind == Kind::Unknown && word.capital && (titled || closed && word.breaks() && claim.words.len() > 2)
}

/// One root: `corte` and `cortar`, `enfrie` and `enfriar`.
pub(super) fn related(a: &str, b: &str) -> bool {
    let root = |word: &str| -> usize {
        let ends = ["cion", "miento", "#", "dura"];
        ends.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word).len()
    };
    let (short_a, short_b) = (root(a), root(b));
    let (a, b) = (&a[..short_a], &b[..short_b]);
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let long = a.len().max(b.len());
    common >= 4 && common + 3 >= long && common + 2 >= a.len().min(b.len())
}
