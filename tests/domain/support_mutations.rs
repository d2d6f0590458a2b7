//! S2 turned against itself: every row of the manuals with one thing changed must be held against its own row.
//! The changes are made by plain search and replace, with nothing of what the gate uses to read.
use super::shelf::rows;
use super::support::{all_models, sentences_of};
use aura::equipment::Catalogue;
use aura::retrieval::Chunk;
use aura::support::Support;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What patients are told to do in the manuals.
const IMPERATIVES: &str = "abra acomode acomódelo acueste ajuste ajústela aleje aléjese anote anótelo apague apáguelo apóyelas \
    apóyelo apriete avise busque cambie cámbielas cierre ciérrelo colóquelo colóquese conecte conéctela conéctelo consulte \
    controle cuente cuénteselo deje déjelo desarme desconéctelo desenchúfelo despeje destape diga dígaselo empuje enchufe \
    enchúfelo encienda enciéndalo enderece enderécela enrosque espere fíjese frote fuerce gire golpee guarde intente lea llame \
    lleve llévelo mande mantenga manténgalo mire mueva muévalo observe pase pida ponga póngala póngalo prepare pruebe párese \
    quite quédese reajuste recorra resuelva respire retire revise salga saque separe sepárelo siga suba sáquelo séquelas tape \
    toque trabe tire use úselo ventile vuelva";
/// What they are told instead: the first one whose root the row lacks.
const INSTEAD: [(&str, &str, &str); 9] = [
    ("desarm", "desarme", "desármelo"),
    ("sumerj", "sumerja", "sumérjalo"),
    ("golpe", "golpee", "golpéelo"),
    ("lav", "lave", "lávelo"),
    ("abr", "abra", "ábralo"),
    ("forz", "fuerce", "fuércelo"),
    ("perfor", "perfore", "perfórelo"),
    ("engras", "engrase", "engráselo"),
    ("suba", "suba", "súbalo"),
];
const NUMBERS: &str =
    "cero dos tres cuatro cinco seis siete ocho nueve diez quince veinte veinticuatro treinta";
const UNITS: [(&str, &[&str]); 5] = [
    ("segundos", &["minutos", "horas"]),
    ("minutos", &["segundos", "horas"]),
    ("horas", &["minutos", "días"]),
    ("litros", &["bares"]),
    ("días", &["semanas"]),
];
const LIGHTS: [(&str, &[&str]); 12] = [
    ("roja", &["azul", "verde", "amarilla", "blanca"]),
    ("amarilla", &["azul", "verde", "roja", "naranja"]),
    ("verde", &["azul", "roja", "amarilla", "blanca"]),
    ("fija", &["titilando", "intermitente"]),
    ("fijas", &["titilando", "intermitentes"]),
    ("titilando", &["fija"]),
    ("continua", &["intermitente"]),
    ("intermitente", &["continua"]),
    ("prendida", &["apagada"]),
    ("apagada", &["prendida"]),
    ("apagado", &["prendido"]),
    ("morados", &["verdes"]),
];
const MESSAGES: [&str; 9] = [
    "Low O2",
    "Check Filter",
    "HI TEMP",
    "Oxygen Low",
    "Oxygen Error",
    "No Breath",
    "Battery Low",
    "Hot",
    "Sin Imagen",
];

static FIGURES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(])(\d[\d.,]*\d|\d)(?:[\s,.;:)]|$)").unwrap());
static CODES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b([EH]\d{1,2})\b").unwrap());

/// `word` wherever it stands by itself in `text`, one place at a time, with `with` in its stead.
fn replaced(text: &str, word: &str, with: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    assert_eq!(lower.len(), text.len(), "lower case moves nothing");
    let edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let whole =
        |at: &usize| edge(lower[..*at].chars().next_back()) && edge(lower[at + word.len()..].chars().next());
    let put = |at: usize| {
        let capital = text[at..].starts_with(char::is_uppercase);
        let with = if capital { capitalised(with) } else { with.to_owned() };
        format!("{}{with}{}", &text[..at], &text[at + word.len()..])
    };
    lower.match_indices(word).map(|(at, _)| at).filter(whole).map(put).collect()
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn whole(row: &Chunk) -> String {
    format!("{}\n{}\n{}\n{}", row.title, row.section, row.row, row.content).to_lowercase()
}

fn lacks(text: &str, word: &str) -> bool {
    replaced(text, word, "").is_empty()
}

/// Each mutant of a sentence, by kind of change.
fn mutants(sentence: &str, row: &Chunk) -> Vec<(&'static str, String)> {
    let text = whole(row);
    let mut all = Vec::new();
    let mut add = |kind, changed: Vec<String>| all.extend(changed.into_iter().map(|changed| (kind, changed)));
    for figures in FIGURES.captures_iter(sentence) {
        let old = figures.get(1).unwrap();
        for new in ["3", "17", "45"].iter().filter(|new| lacks(&text, &new.to_lowercase())) {
            add("number", vec![format!("{}{new}{}", &sentence[..old.start()], &sentence[old.end()..])]);
        }
    }
    for old in NUMBERS.split_whitespace() {
        for new in ["siete", "doce", "treinta y cinco"] {
            add("number", replaced(sentence, old, new));
        }
    }
    for once in ["una sola vez", "una vez", "una única vez"] {
        add("number", replaced(sentence, once, "tres veces"));
        add("number", replaced(sentence, once, "unas cinco veces"));
    }
    add("number", replaced(sentence, "triple pitido", "doble pitido"));
    for (old, news) in UNITS {
        for new in news.iter().filter(|new| lacks(&text, &new.to_lowercase())) {
            add("unit", replaced(sentence, old, new));
        }
    }
    for (old, news) in LIGHTS {
        for new in news.iter().filter(|new| lacks(&text, &new.to_lowercase())) {
            add("light", replaced(sentence, old, new));
        }
    }
    for code in CODES.captures_iter(sentence) {
        let old = code.get(1).unwrap();
        for new in ["E9", "H05", "E15", "H11"].iter().filter(|new| lacks(&text, &new.to_lowercase())) {
            add("code", vec![format!("{}{new}{}", &sentence[..old.start()], &sentence[old.end()..])]);
        }
    }
    for old in MESSAGES {
        for new in MESSAGES.iter().filter(|new| lacks(&text, &new.to_lowercase())).take(3) {
            if !sentence.contains(old) {
                break;
            }
            add("message", vec![sentence.replace(old, new)]);
        }
    }
    for verb in IMPERATIVES.split_whitespace() {
        let with = |bare: &str, object: &str| {
            let takes =
                ["lo", "la", "los", "las", "se"].iter().any(|end| verb.ends_with(end)) && verb.len() > 5;
            if takes { object.to_owned() } else { bare.to_owned() }
        };
        let absent = INSTEAD.iter().filter(|(root, bare, _)| !text.contains(root) && lacks(&text, bare));
        for (_, bare, object) in absent.take(2) {
            add("imperative", replaced(sentence, verb, &with(bare, object)));
        }
    }
    all.extend(without_no(sentence));
    all
}

/// Each 'no' stripped.
fn without_no(sentence: &str) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for (old, new) in [("no", ""), ("nunca", ""), ("nunca", "siempre"), ("sin", "con")] {
        let changed = replaced(sentence, old, new).into_iter();
        let tidy = changed.map(|text| capitalised(&text.split_whitespace().collect::<Vec<_>>().join(" ")));
        // 'No' that answers, or stands in a message's name, denies nothing.
        let said = tidy.filter(|_| !(old == "no" && sentence.contains("No Breath")));
        let kind = if new == "con" { "sin" } else { "negation" };
        all.extend(said.map(|text| (kind, text)));
    }
    all
}

#[test]
fn s2_a_row_with_one_thing_changed_is_held_against_itself() {
    let (said, catalogue) = (all_models(), Catalogue::builtin());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut passed = Vec::new();
    for row in rows() {
        let support = Support::new(std::slice::from_ref(row), &[], &[], "", &said, catalogue);
        for sentence in sentences_of(row) {
            for (kind, mutant) in mutants(&sentence, row) {
                let held = !support.check(&mutant).may_leave();
                let count = counts.entry(kind).or_default();
                (count.0, count.1) = (count.0 + 1, count.1 + usize::from(held));
                if !held {
                    passed.push(format!("[{kind}] {} § {}: {mutant}", row.source, row.row));
                }
            }
        }
    }
    let total: usize = counts.values().map(|(all, _)| all).sum();
    println!("{total} mutants (made, held): {counts:?}");
    assert!(total >= 800, "{total} mutants");
    for kind in ["number", "unit", "code", "light", "imperative", "negation", "message", "sin"] {
        assert!(counts.get(kind).is_some_and(|(all, _)| *all > 3), "{kind}: {counts:?}");
    }
    assert!(passed.is_empty(), "{} pass:\n{}", passed.len(), passed.join("\n"));
}
